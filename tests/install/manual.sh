#!/usr/bin/env bash
# manual.sh PREFIX: man pages and completions that were installed below PREFIX are whole and do what they should.
set -euo pipefail
share=$1/share
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failures=0
fail() {
    printf 'FAILED: %s\n' "$1"
    failures=$((failures + 1))
}

command -v groff >/dev/null || { fail "groff is missing: install the package groff-base"; exit 1; }

# Every verb has a page; the formatter finds nothing to say about any of them, and names every option.
verbs=$("$1/bin/sinew" --describe | python3 -c 'import json, sys; print(*[v["name"] for v in json.load(sys.stdin)["verbs"]])')
for page in sinew $(printf 'sinew-%s ' $verbs); do
    file=$share/man/man1/$page.1
    [ -f "$file" ] || { fail "there is no $page.1"; continue; }
    said=$(groff -man -ww -z -Tutf8 "$file" 2>&1) || true
    [ -z "$said" ] || fail "$page.1: $said"
    text=$(groff -man -Tascii -P-cbou "$file")
    grep -q '^SYNOPSIS' <<<"$text" || fail "$page.1 has no synopsis"
    case "$page" in sinew | sinew-bench) continue ;; esac  # `sinew bench` is a program of its own
    for option in $("$1/bin/sinew" "${page#sinew-}" --help | grep -oE '^ +(-[a-z],)?--[a-z-]+' | grep -oE -- '--[a-z-]+'); do
        [ "$option" = --help ] || grep -q -e "$option" <<<"$text" || fail "$page.1 does not name $option"
    done
done

# What the shell offers after some words, sorted, on one line.
source "$share/bash-completion/completions/sinew"
cd "$folder"
mkdir inner
touch anna.sinew 'two words.sinew' notes.txt
offered() {
    COMP_WORDS=("$@")
    COMP_CWORD=$(($# - 1))
    COMPREPLY=()
    _sinew || true
    printf '%s\n' "${COMPREPLY[@]}" | sort | paste -sd ' '
}
expect() {
    local wanted=$1
    shift
    [ "$(offered "$@")" = "$wanted" ] || fail "after '$*': offered '$(offered "$@")', wanted '$wanted'"
}
expect "figure fit" sinew fi
expect "--version" sinew --v
expect "--sex" sinew figure --se
expect "--seed --sex" sinew build --se
expect "female male" sinew figure --sex ''
expect "female" sinew figure --sex = f
expect "female male" sinew figure --sex =
expect "inner" sinew figure -o ''
expect "anna.sinew inner two words.sinew" sinew studio ''
expect "two words.sinew" sinew studio tw
expect "anna.sinew inner notes.txt two words.sinew" sinew info ''
expect "" sinew figure --threads ''
expect "" sinew nonsense ''
for verb in $verbs; do
    [ "$(offered sinew "$verb")" = "$verb" ] || [[ " $(offered sinew "$verb") " == *" $verb "* ]] || fail "'$verb' is not offered"
done

# The other shell's file is at least read without complaint, where it is installed.
! command -v zsh >/dev/null || zsh -n "$share/zsh/site-functions/_sinew" || fail "zsh cannot read its completion"

printf '%s\n' "$failures failures"
[ "$failures" -eq 0 ]
