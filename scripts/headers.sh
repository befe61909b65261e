#!/usr/bin/env bash
# Every public header (those that src/sinew/sinew.h names) compiles alone. headers.sh [INCLUDE_FOLDER]: those of an installed Sinew.
source "$(dirname "$0")/lib.sh"

install_packages build
export SINEW_INCLUDE=${1:-src}
alone() {
    printf '#include "%s"\n' "$1" | clang++ -x c++ -std=c++20 -fsyntax-only -I"$SINEW_INCLUDE" -isystem /usr/include/eigen3 - || {
        printf 'FAILED: %s does not compile alone\n' "$1"
        return 1
    }
}
export -f alone
sed -nE 's|^#include "(sinew/[^"]+)".*|\1|p' "$SINEW_INCLUDE/sinew/sinew.h" | xargs -P "$(nproc)" -I{} bash -c 'alone {}'
