#!/usr/bin/env bash
# Runs every line of the README's "Five minutes" in a fresh clone, with the program built here, as a newcomer would. Lines run on after a
# failure; the script fails at the end. The studio is asked for its address and ended; 'sinew check' may exit with 1: its scan has holes.
source "$(dirname "$0")/lib.sh"

program="$root/build/release/sinew"
[ -x "$program" ] || fail "no program in build/release" "run scripts/test.sh or scripts/demo.sh first"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
git clone -q "$root" "$folder/clone" || fail "no clone of this repository" "run this script in a git clone"
cd "$folder/clone"
mkdir -p build/release
ln -s "$program" build/release/sinew
export XDG_CACHE_HOME="$folder/cache"

# The block without its comments.
sed -n '/^## Five minutes/,/^## /p' README.md | sed -n '/^```sh/,/^```$/p' | sed -e '/^```/d' -e 's/[[:space:]]\{1,\}#.*$//' -e '/^$/d' >"$folder/lines"
[ "$(wc -l <"$folder/lines")" -gt 20 ] || fail "no block 'Five minutes' in README.md" "look at its headings"

# shellcheck disable=SC2034  # the lines use it
sinew=build/release/sinew
failed=0
# The lines are read from another descriptor, so that no program takes them for its input.
while IFS= read -r -u 3 line; do
    start=$SECONDS
    code=0
    wanted="^0$"
    case $line in
    sinew=*) continue ;;
    '$sinew studio'*)
        timeout --signal=INT 20 "$sinew" studio --no-browser >"$folder/out" 2>&1 || true
        grep -q '^http://' "$folder/out" || code=1
        ;;
    *)
        case $line in '$sinew check '*) wanted='^[01]$' ;; esac
        eval "$line" >"$folder/out" 2>&1 </dev/null || code=$?
        ;;
    esac
    if [[ $code =~ $wanted ]]; then
        say "ok      $((SECONDS - start)) s  $line"
    else
        say "FAILED  exit $code  $line"
        tail -n 5 "$folder/out" >&2
        failed=$((failed + 1))
    fi
done 3<"$folder/lines"
[ "$failed" -eq 0 ] || fail "$failed lines of 'Five minutes'" "mend them, or the README"
say "Every line of 'Five minutes' runs."
