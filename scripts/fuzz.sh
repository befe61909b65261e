#!/usr/bin/env bash
# scripts/fuzz.sh [SECONDS] [NAME...]: feeds damaged files to the readers, SECONDS each (default 60),
# all readers at the same time. Builds what is missing, with the preset SINEW_FUZZ_PRESET (fuzz, or asan,
# where the unit tests are built too). The damage is the same in every run; SINEW_FUZZ_SEED=0 draws new damage.
# Ends with 1 and the path of the input when one fails.
set -euo pipefail
cd "$(dirname "$0")/.."

seconds=${1:-60}
shift || true
if ! [[ $seconds =~ ^[0-9]+$ ]]; then
    echo "fuzz.sh: '$seconds' is not a number of seconds; usage: scripts/fuzz.sh [SECONDS] [NAME...]" >&2
    exit 2
fi

preset=${SINEW_FUZZ_PRESET:-fuzz}
build=build/$preset
mkdir -p "$build"
if [[ ! -f $build/build.ninja ]]; then
    cmake --preset "$preset" >"$build/configure.log" 2>&1 || { cat "$build/configure.log" >&2; exit 1; }
fi
cmake --build --preset "$preset" --target fuzz_all >"$build/build.log" 2>&1 || { tail -50 "$build/build.log" >&2; exit 1; }
rm -rf "$build/failures"
mkdir -p "$build/logs" "$build/failures"
"$build/tests/fuzz/fuzz_seeds" "$build/corpus"

names=("$@")
if [[ ${#names[@]} -eq 0 ]]; then
    for program in "$build"/tests/fuzz/fuzz_*; do
        name=${program##*/fuzz_}
        [[ -x $program && -f tests/fuzz/fuzz_$name.cpp ]] && names+=("$name")
    done
fi

run_one() {
    local name=$1 seconds=$2 build=$3
    mkdir -p "$build/corpus/$name"
    local corpora=("$build/corpus/$name")
    [[ -d tests/fuzz/corpus/$name ]] && corpora+=("tests/fuzz/corpus/$name")
    if "$build/tests/fuzz/fuzz_$name" -seed="${SINEW_FUZZ_SEED:-1}" -rss_limit_mb=2048 -timeout=30 -max_total_time="$seconds" \
        -print_final_stats=1 -verbosity=1 -artifact_prefix="$build/failures/$name-" "${corpora[@]}" \
        >"$build/logs/$name.log" 2>&1; then
        local runs
        runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$build/logs/$name.log")
        echo "fuzz $name: ${runs:-?} inputs, none failed"
    else
        echo "fuzz $name: FAILED; input: $(ls "$build/failures/$name-"* 2>/dev/null | head -1)" \
             "(run $build/tests/fuzz/fuzz_$name with it); log: $build/logs/$name.log" >&2
        return 1
    fi
}
export -f run_one

printf '%s\n' "${names[@]}" | xargs -P "${#names[@]}" -I{} bash -c 'run_one "$@"' run_one {} "$seconds" "$build"
