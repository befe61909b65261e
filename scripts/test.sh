#!/usr/bin/env bash
# Sets up, builds and runs all tests, each where it says most: the unit tests under ASan and UBSan, then the fuzz targets; the
# whole human, the command and the studio's page (in a browser) in the optimised build, as users run it.
# Ends with a line "N passed, N failed".
source "$(dirname "$0")/lib.sh"

usage="usage: scripts/test.sh [--quick | --everywhere]
  --quick        all tests of the optimised build only, without sanitizers and fuzzing
  --everywhere   the unit tests in the optimised build too, beside those under the sanitizers"
is_quick=no
release_targets=(sinew sinew-studio sinew-bench whole_tests)
release_tests=(--kinds whole)
case "${1:-}" in
--quick) is_quick=yes release_targets=() release_tests=() ;;
--everywhere) release_targets=() release_tests=() ;;
-h | --help)
    say "$usage"
    exit 0
    ;;
'') ;;
*) fail "unknown option '$1'" "use --quick, --everywhere or nothing" ;;
esac

passed=0
failed=0
skipped=0

# check NAME COMMAND...: one command that counts as one test.
check() {
    local name=$1 log start=$SECONDS
    shift
    log=$(log_for "$name")
    printf '%-46s' "$name ..." >&2
    if "$@" >"$log" 2>&1; then
        passed=$((passed + 1))
        say "passed ($((SECONDS - start)) s)"
    else
        failed=$((failed + 1))
        say "FAILED (whole output: ${log#"$root"/})"
        tail -n 30 "$log" >&2
    fi
}

# run_programs PRESET OPTIONS...: adds the counts of the test programs that tools/run_tests.py runs; shows what failed.
run_programs() {
    local preset=$1 log good bad skip start=$SECONDS
    shift
    log=$(log_for "tests $preset")
    printf '%-46s' "Tests ($preset) ..." >&2
    python3 tools/run_tests.py "build/$preset" --jobs "$(nproc)" "$@" >"$log" 2>&1 || true
    read -r good bad skip < <(sed -n 's/^\([0-9]*\) passed, \([0-9]*\) failed, \([0-9]*\) skipped$/\1 \2 \3/p' "$log" | tail -1) || true
    if [ "${good:-0}" -eq 0 ]; then
        tail -n 30 "$log" >&2
        fail "no test ran ($preset)" "look at ${log#"$root"/}"
    fi
    passed=$((passed + good))
    failed=$((failed + bad))
    skipped=$((skipped + skip))
    say "$good passed, $bad failed, $skip skipped ($((SECONDS - start)) s)"
    if [ "$bad" -gt 0 ]; then
        grep '^FAILED ' "$log" >&2
        grep -B 2 -A 12 -E 'Failure$|ERROR: |runtime error:' "$log" | head -n 80 >&2 || true
    fi
}

# run_page NAME PROJECT [VARIABLE=VALUE...]: adds Vitest's counts for a project of studio/ui; shows what failed.
run_page() {
    local name=$1 project=$2 log results counts good bad skip start=$SECONDS
    shift 2
    log=$(log_for "$name")
    results="$logs/page-$project.json"
    rm -f "$results"
    printf '%-46s' "$name ..." >&2
    (cd studio/ui && env "$@" npx --no-install vitest run --project "$project" --reporter default --reporter json --outputFile.json "$results") >"$log" 2>&1 || true
    counts=$(node -e 'const r = JSON.parse(require("fs").readFileSync(process.argv[1])); const lost = r.testResults.filter((t) => t.status === "failed" && !t.assertionResults.some((a) => a.status === "failed")).length; console.log(r.numPassedTests, r.numFailedTests + lost, r.numPendingTests + r.numTodoTests)' "$results" 2>/dev/null || true)
    if [ -z "$counts" ]; then
        tail -n 30 "$log" >&2
        fail "no test of the page ran ($project)" "look at ${log#"$root"/}"
    fi
    read -r good bad skip <<<"$counts"
    passed=$((passed + good))
    failed=$((failed + bad))
    skipped=$((skipped + skip))
    say "$good passed, $bad failed, $skip skipped ($((SECONDS - start)) s)"
    [ "$bad" -eq 0 ] || grep -E -A 12 'FAIL|Error:' "$log" | head -n 80 >&2 || true
}

# The sanitizers' build begins early and takes what the tests leave of the cores: a browser waits more than it works.
begin_sanitizers() {
    set -m  # a process group of its own, so that it can be ended whole
    nice -n 19 bash -c 'source scripts/lib.sh; configure asan; build asan' _ >/dev/null 2>&1 </dev/null &
    sanitizers=$!
    set +m
    trap 'kill -- "-$sanitizers" 2>/dev/null || true' EXIT
}
# Whether it failed is seen when it is asked for again: what is built is found, what is not says why.
await_sanitizers() {
    wait "$sanitizers" || true
    trap - EXIT
}

install_packages build test
begin_page page browser
configure release -DSINEW_BUILD_TESTS=ON -DSINEW_BUILD_BENCH=ON
build release "${release_targets[@]}"
await_page
build release "${release_targets[@]}"  # now with the studio's page in it
[ "$is_quick" = yes ] || begin_sanitizers
check "Layers" python3 tools/check_layers.py
check "Formatting" bash -c "git ls-files '*.cpp' '*.h' | xargs clang-format --dry-run --Werror"
run_programs release "${release_tests[@]}"
check "A project that uses the library; the manual" ctest --preset release -R "^(Install|Tools)\\." --no-tests=error
run_page "The page's parts" unit
# In a real browser against the real program; the body is built once and then found in the cache.
body="$root/build/page_body.sinew"
step "A body for the page" "report it with the log" build/release/sinew build --resolution preview --quiet -o "$body"
run_page "The studio in Chromium" e2e SINEW="$root/build/release/sinew" SINEW_BODY="$body"
if [ "$is_quick" = no ]; then
    step "The rest of the build (asan)" "report it with the log" await_sanitizers
    configure asan
    build asan
    # Building the whole human takes minutes under the sanitizers; its parts are tested there one by one.
    run_programs asan --exclude 'Contract.TetrahedraOfASheet*' 'Figure.IsWhole*' 'FigureSex.*' 'FigureModel.*' 'FigureAgainstAtlas.*' 'Figure.FieldsFollow*' \
        'MakeBody.*' 'SharedAtlas.*' 'People.OrdinaryMen*' 'People.ShortHeavy*' 'People.MenReach*' 'StudioScans.TheStudio*'
    seconds=${SINEW_FUZZ_SECONDS:-$([ -n "${CI:-}" ] && echo 60 || echo 10)}
    check "Fuzzing, $seconds s each" env SINEW_FUZZ_PRESET=asan scripts/fuzz.sh "$seconds"
fi

[ "$skipped" -eq 0 ] || say "$skipped skipped: data made by others is looked for in SINEW_SHARED (default ../shared)."
[ -z "${SINEW_CLOSING_NOTE:-}" ] || say "$SINEW_CLOSING_NOTE"
printf '%d passed, %d failed\n' "$passed" "$failed"
[ "$failed" -eq 0 ]
