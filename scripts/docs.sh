#!/usr/bin/env bash
# Reference pages of the public headers (those that src/sinew/sinew.h names) in build/docs/html. A warning fails.
source "$(dirname "$0")/lib.sh"

install_packages docs
headers=$(sed -nE 's|^#include "(sinew/[^"]+)".*|src/\1|p' src/sinew/sinew.h)
mkdir -p build/docs
{
    cat docs/Doxyfile
    printf 'PROJECT_NUMBER = %s\n' "$(sed -nE 's/^project\(Sinew VERSION ([0-9.]+).*/\1/p' CMakeLists.txt)"
    printf 'OUTPUT_DIRECTORY = build/docs\nWARN_LOGFILE = build/docs/warnings.txt\n'
    printf 'INPUT = docs/reference.md src/sinew/sinew.h %s\n' "$(tr '\n' ' ' <<<"$headers")"
} >build/docs/Doxyfile
step "Reference pages" "look at the log" doxygen build/docs/Doxyfile
[ ! -s build/docs/warnings.txt ] || {
    cat build/docs/warnings.txt
    fail "$(wc -l <build/docs/warnings.txt) warnings" "mend the comments that they name"
}
say "build/docs/html/index.html: $(wc -l <<<"$headers") headers"
