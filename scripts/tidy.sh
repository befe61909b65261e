#!/usr/bin/env bash
# clang-tidy on the sources that changed since a commit, or on all of them. A module's files are read together (unity): one by one,
# most of the time goes into reading Eigen again, and the findings are the same (growth: 157 s of processor time, together 23 s).
source "$(dirname "$0")/lib.sh"

usage="usage: scripts/tidy.sh [--all | BASE]
  BASE    a commit: the sources that changed since; default the newest tag v*, else the commit before the last
  --all   every source of src, apps, studio and bench"
base=""
case "${1:-}" in
--all) ;;
-h | --help)
    say "$usage"
    exit 0
    ;;
'') base=$(git describe --tags --abbrev=0 --match 'v*' 2>/dev/null || echo HEAD~1) ;;
*) base=$1 ;;
esac

install_packages build page test full
[ -z "$base" ] || git rev-parse --quiet --verify "$base^{commit}" >/dev/null || fail "'$base' is no commit" "name a tag, a branch or a commit"
build_page  # its files are listed when the build is described
step "Describing the build" "read the message above" cmake --preset tidy \
    -DCMAKE_C_COMPILER=clang -DCMAKE_CXX_COMPILER=clang++ -DCMAKE_CXX_CLANG_TIDY= -DSINEW_UNITY=ON -DSINEW_BUILD_TESTS=OFF

# A header is checked through the sources that include it: through its own source, or else the first that names it.
list_sources() {
    local file source
    while IFS= read -r file; do
        case "$file" in
        *.cpp) [ ! -f "$file" ] || printf '%s\n' "$file" ;;
        *.h)
            source=${file%.h}.cpp
            if [ -f "$source" ]; then
                printf '%s\n' "$source"
            else
                git grep -lF "\"${file#src/}\"" -- 'src/*.cpp' 'apps/*.cpp' 'studio/*.cpp' 'bench/*.cpp' | head -n 1
            fi
            ;;
        esac
    done
}
folders=(src apps studio/server bench)
if [ -n "$base" ]; then
    changed=$(git diff --name-only --diff-filter=d "$base" -- "${folders[@]}"; git ls-files --others --exclude-standard -- "${folders[@]}")
    sources=$(list_sources <<<"$changed" | sort -u)
else
    sources=$(git ls-files -- "${folders[@]}" | grep '\.cpp$')
fi
# What the compiler is given: the files that hold these sources. A source that the build does not compile has no command.
units=$(python3 -c '
import json, os, re, sys
asked = set(sys.stdin.read().split("\n"))
for command in json.load(open("build/tidy/compile_commands.json")):
    name = os.path.join(command["directory"], command["file"])
    held = re.findall("#include \"(.*)\"", open(name).read()) if "/Unity/unity_" in name else [name]
    if asked & {os.path.relpath(h) for h in held}:
        print(name)' <<<"$sources")
if [ -z "$units" ]; then
    say "No source changed since $base."
    exit 0
fi
count=$(wc -l <<<"$sources")
log=$(log_for tidy)
printf '%-46s' "clang-tidy on $count sources ..." >&2
start=$SECONDS
# The check left out is for what a unity file is made of: inclusions of sources.
if xargs -d '\n' -P "$(nproc)" -n 1 clang-tidy --quiet -p build/tidy --checks=-bugprone-suspicious-include <<<"$units" >"$log" 2>/dev/null; then
    say "done ($((SECONDS - start)) s)"
else
    say "failed ($((SECONDS - start)) s)"
    grep -E ' (error|warning): ' "$log" | sort -u | head -n 60 >&2
    fail "clang-tidy has $(grep -E ' (error|warning): ' "$log" | sort -u | wc -l) findings (whole output: ${log#"$root"/})" "mend what it names"
fi
