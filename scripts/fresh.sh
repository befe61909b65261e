#!/usr/bin/env bash
# Proves the set-up: makes a bare Debian 12 root, clones the committed state into it and runs a command of the README there, and
# nothing else. A package that is missing from scripts/packages.txt fails here, whatever this machine has.
source "$(dirname "${BASH_SOURCE[0]}")/bare_root.sh"

usage="usage: scripts/fresh.sh [demo | test] [--user] [--ccache] [--keep]     (as root)

  demo        runs scripts/demo.sh (the default); its pictures are copied to build/fresh/out
  test        runs scripts/test.sh; its output passes through, its exit code is ours
  --user      as an unprivileged user with sudo, instead of root
  --ccache    keeps compilations in this machine's ccache folder (it hides no missing package)
  --keep      leaves the root where it is until the next run, to look into

The base system is made by debootstrap once a day and kept in ~/.cache/sinew; packages of the project never are. Apt's sources,
proxies and certificates, and npm's registry are taken over from this machine. SINEW_FRESH_DIR (default /var/tmp) holds the root:
about 6 GB. Exit code 75: the base system could not be fetched."

command=demo
for option in "$@"; do
    case "$option" in
    demo | test) command=$option ;;
    --user) as_user=yes ;;
    --ccache) with_ccache=yes ;;
    --keep) keep=yes ;;
    -h | --help)
        say "$usage"
        exit 0
        ;;
    *) fail "unknown option '$option'" "see scripts/fresh.sh --help" 2 ;;
    esac
done

clone_into_root() {
    [ -z "$(git -c safe.directory='*' -C "$checkout" status --porcelain --untracked-files=no)" ] ||
        say "Note: changes that are not committed stay outside."
    git -c safe.directory='*' clone --quiet --no-hardlinks "$checkout" "$root$place"
}

say "Running scripts/$command.sh in a bare root, as $([ "$as_user" = yes ] && echo "a user with sudo" || echo root)"
status=0
in_bare_root clone_into_root "scripts/$command.sh" || status=$?
# The last line of the tests stays the last one.
[ "$command" = test ] || say "In a bare root: $([ "$status" -eq 0 ] && echo passed || echo "failed ($status)") after $SECONDS s"
exit "$status"
