#!/usr/bin/env bash
# Run by scripts/package_test.sh in a bare root, in a folder with nothing but the package: installs it and uses the program.
set -euo pipefail
fail() {
    printf 'FAILED: %s\n' "$1"
    exit 1
}
done_in() { printf '%-46s done (%d s)\n' "$1" "$((SECONDS - start))"; start=$SECONDS; }
start=$SECONDS

export DEBIAN_FRONTEND=noninteractive
{ apt-get update && apt install -y --no-install-recommends ./sinew_*.deb; } >install.log 2>&1 || {
    tail -n 30 install.log
    fail "apt cannot install the package"
}
done_in "apt install"
[ -z "$(dpkg --audit)" ] || fail "dpkg: $(dpkg --audit)"
version=$(dpkg-query -W -f='${Version}' sinew)

# From a folder that has nothing to do with it, without any variable that would help.
unset SINEW_DATA
cd "$(mktemp -d)"
[ "$(sinew --version | head -n 1)" = "sinew $version" ] || fail "the program says $(sinew --version | head -n 1), the package $version"
sinew figure --quiet -o man
[ -s man/figure.glb ] && [ "$(ls man/bones | wc -l)" -gt 200 ] || fail "sinew figure wrote no human"
done_in "sinew figure"
sinew tetrahedralise --quiet man/bones/femur_l.ply -o femur.vtu
[ -s femur.vtu ] || fail "sinew tetrahedralise, which runs tetgen, wrote nothing"
sinew render --quiet man/skin.ply -o skin.png --size 100x160
[ -s skin.png ] || fail "sinew render wrote nothing"
done_in "sinew tetrahedralise, render"
# Data beyond the figure: shapes and measures of people.
sinew people --quiet --count 1 -o people
[ -s people/person_0001.sinew ] || fail "sinew people made nobody"
done_in "sinew people"

# get PATH: what the studio answers, status line first.
get() {
    exec 3<>"/dev/tcp/127.0.0.1/$port"
    printf 'GET %s HTTP/1.1\r\nHost: 127.0.0.1:%s\r\nConnection: close\r\n\r\n' "$1" "$port" >&3
    tr -d '\000\r' <&3
    exec 3>&-
}
sinew studio --no-browser --only-preview >address 2>studio.log &
studio=$!
trap 'kill "$studio" 2>/dev/null || true' EXIT
for _ in $(seq 600); do
    [ ! -s address ] || break
    kill -0 "$studio" 2>/dev/null || fail "sinew studio ended: $(cat studio.log)"
    sleep 0.1
done
port=$(sed -nE 's#^http://[^:]*:([0-9]+).*#\1#p' address | head -n 1)
[ -n "$port" ] || fail "sinew studio gave no address: $(cat address studio.log)"
health=$(get /api/health)
grep -q '^HTTP/1.1 200' <<<"$health" || fail "the studio's health: $health"
page=$(get /)
grep -qi '<!doctype html>' <<<"$page" || fail "the studio has no page: $(head -n 5 <<<"$page")"
done_in "sinew studio: health and page"
kill "$studio"
wait "$studio" || true

# Every verb has a man page, and the shell completes.
for verb in $(sinew --describe | sed -nE 's/^      "name": "(.*)",/\1/p'); do
    [ -s "/usr/share/man/man1/sinew-$verb.1" ] || fail "there is no man page of $verb"
done
source /usr/share/bash-completion/completions/sinew
COMP_WORDS=(sinew figure --sex '') COMP_CWORD=3
_sinew
[ "${COMPREPLY[*]}" = "male female" ] || fail "the shell offers '${COMPREPLY[*]}' after --sex"
apt-get purge -y sinew >/dev/null 2>&1 || fail "apt cannot remove the package"
[ ! -e /usr/share/sinew ] || fail "removing the package leaves /usr/share/sinew"
done_in "man pages, completion, removal"
