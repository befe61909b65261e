# Shared by demo.sh and test.sh: quiet steps, packages, building. Sourced, not run.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"
logs="$root/build/logs"

say() { printf '%s\n' "$*" >&2; }

fail() {
    say ""
    say "FAILED: $1"
    [ $# -lt 2 ] || say "What to do: $2"
    exit 1
}

mkdir -p "$logs" 2>/dev/null && [ -w "$logs" ] || fail "this folder cannot be written to: $root" \
    "clone the repository into a folder of your own, or ask its owner for the right to write"

log_for() { printf '%s/%s.log' "$logs" "$(printf '%s' "$1" | tr -cs 'a-zA-Z0-9' '-')"; }

# step NAME ADVICE COMMAND...: runs COMMAND with its output in a log; shows the log's end when it fails.
step() {
    local name=$1 advice=$2 log start=$SECONDS
    shift 2
    log=$(log_for "$name")
    printf '%-46s' "$name ..." >&2
    if "$@" >"$log" 2>&1; then
        say "done ($((SECONDS - start)) s)"
    else
        say "failed"
        say ""
        tail -n 40 "$log" >&2
        fail "$name (whole output: ${log#"$root"/})" "$advice"
    fi
}

# missing_packages GROUP...: of the groups of scripts/packages.txt, what is not installed.
missing_packages() {
    local name group=
    while read -r name _; do
        case "$name" in
        '' | '#'*) continue ;;
        '['*) group=${name//[][]/} && continue ;;
        esac
        case " $* " in *" $group "*) ;; *) continue ;; esac
        # Node.js from elsewhere brings its own npm, and Debian's would not install beside it.
        [ "$name" != npm ] || ! command -v npm >/dev/null || continue
        dpkg-query -W -f='${Status}' "$name" 2>/dev/null | grep -q 'ok installed' || printf '%s\n' "$name"
    done <scripts/packages.txt
}

# install_packages GROUP...
install_packages() {
    command -v dpkg-query >/dev/null || fail "this is not a Debian system" \
        "install the libraries named in scripts/packages.txt by hand, then run: cmake --preset release && cmake --build --preset release"
    local missing as_root=()
    missing=$(missing_packages "$@")
    [ -n "$missing" ] || return 0
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo >/dev/null || fail "packages are missing and there is no sudo: $(echo $missing)" \
            "as root, run: apt-get install $(echo $missing)"
        as_root=(sudo)
    fi
    step "Package lists" "check the network and /etc/apt" "${as_root[@]}" apt-get update
    step "Installing $(echo "$missing" | wc -l) packages ($(echo "$@" | sed 's/ /, /g'))" "run 'apt-get install -f' and try again" \
        "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $missing
}

# The studio's page, which the program embeds: fetched and built only when its sources are newer than what was built.
build_page() {
    local ui=studio/ui newer
    if [ ! -e "$ui/node_modules/.package-lock.json" ] || [ "$ui/package-lock.json" -nt "$ui/node_modules/.package-lock.json" ]; then
        step "Fetching the page's libraries" "check the network; behind a proxy, set it for npm" npm --prefix "$ui" ci --no-audit --no-fund
    fi
    newer=$(find "$ui" -path "$ui/node_modules" -prune -o -path "$ui/dist" -prune -o -path "$ui/tests" -prune -o \
        -type f -newer "$ui/dist/index.html" -print -quit 2>/dev/null || echo none)
    [ -f "$ui/dist/index.html" ] && [ -z "$newer" ] && return 0
    step "Building the studio's page" "report it with the log" npm --prefix "$ui" run build
}

# begin_page GROUP...: installs the groups and builds the page while something else is compiled: npm is hundreds of small packages,
# and waits more than it works. await_page says how it went.
begin_page() {
    set -m  # a process group of its own, so that it can be ended whole
    nice -n 5 bash -c 'source scripts/lib.sh; install_packages "$@"; build_page' _ "$@" >"$logs/page.log" 2>&1 </dev/null &
    page=$!
    set +m
    trap 'kill -- "-$page" 2>/dev/null || true' EXIT
}
await_page() {
    local status=0
    wait "$page" || status=$?
    trap - EXIT
    [ "$status" -eq 0 ] || { sed '/^$/d' "$logs/page.log" >&2 && exit 1; }
}

# Compilers ask for memory in large pages, where the system has them: a twentieth less time.
compile() {
    GLIBC_TUNABLES=glibc.malloc.hugetlb=1 cmake --build --preset "$@"
}

# Compiles; once more without the precompiled headers where the system's headers have changed since.
build_with_fresh_headers() {
    local preset=$1 log=build/$1/last_build.log
    compile "$@" | tee "$log"
    [ "${PIPESTATUS[0]}" -ne 0 ] || return 0
    grep -q 'since the precompiled header' "$log" || return 1
    find "build/$preset" -name '*.pch' -delete
    compile "$@"
}

# configure PRESET OPTION...: a new build folder is made with the options. One that exists keeps its compiler, and is told the
# options only where it does not have them: who has built the tests keeps them.
configure() {
    local preset=$1 cache="build/$1/CMakeCache.txt" option
    shift
    if [ ! -f "build/$preset/build.ninja" ]; then
        # Any C++20 compiler will do; clang takes a fifth less time than GCC here, and what it makes is as fast.
        step "Configuring ($preset)" "read the message above; scripts/packages.txt lists what is needed" \
            cmake --preset "$preset" -DSINEW_UNITY=ON -DCMAKE_C_COMPILER=clang -DCMAKE_CXX_COMPILER=clang++ \
            -DCMAKE_EXE_LINKER_FLAGS=-fuse-ld=lld "$@"
        return
    fi
    for option in "$@"; do
        case "$option" in
        *=ON)
            grep -qF "${option#-D}" <(sed 's/:[A-Z]*=/=/' "$cache") ||
                step "Configuring ($preset, more)" "read the message above; scripts/packages.txt lists what is needed" \
                    cmake "build/$preset" "$option"
            ;;
        esac
    done
}

# build PRESET [TARGET...]
build() {
    local preset=$1 targets=() only=
    shift
    [ $# -eq 0 ] || targets=(--target "$@")
    [ $# -ne 1 ] || only=$1
    step "Building ($preset${only:+: $only})" "report it with the log, or update the checkout" \
        build_with_fresh_headers "$preset" "${targets[@]}"
}
