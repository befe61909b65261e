#!/usr/bin/env bash
# What takes too long for every change and is run once a week: the documented build with GCC, one file at a time, with its
# tests; clang-tidy on every source; public headers one by one and their reference pages; the package in a bare system; the README's block
# "Five minutes" in a clone. Everything is run, also after a failure.
source "$(dirname "$0")/lib.sh"

install_packages build page test browser package docs full
build_page
failed=()
# part NAME COMMAND...: runs on when it fails.
part() {
    local name=$1
    shift
    if (step "$name" "look at the log" "$@"); then :; else failed+=("$name"); fi
}

# In a folder of its own, for build/release belongs to the other scripts' compiler.
gcc_build() {
    cmake --preset release -B build/gcc -DCMAKE_C_COMPILER=gcc -DCMAKE_CXX_COMPILER=g++ && cmake --build build/gcc
}
part "The documented build with GCC" gcc_build
part "Its tests" ctest --test-dir build/gcc --output-on-failure --no-tests=error -j "$(nproc)"
part "clang-tidy on everything" scripts/tidy.sh --all
part "Every public header compiles alone" scripts/headers.sh
part "Reference pages without warnings" scripts/docs.sh
part "The package in a bare system" scripts/package_test.sh
part "Every line of the README's five minutes" scripts/five_minutes.sh
[ ${#failed[@]} -eq 0 ] || fail "${failed[*]}" "look at the logs above"
say "All done."
