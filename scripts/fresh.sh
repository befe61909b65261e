#!/usr/bin/env bash
# Proves the set-up: makes a bare Debian 12 root in a folder, clones the committed state into it and runs a command of the README
# there, and nothing else. A package that is missing from scripts/packages.txt fails here, whatever this machine has.
set -euo pipefail

usage="usage: scripts/fresh.sh [demo | test] [--user] [--ccache] [--keep]     (as root)

  demo        runs scripts/demo.sh (the default); its pictures are copied to build/fresh/out
  test        runs scripts/test.sh; its output passes through, its exit code is ours
  --user      as an unprivileged user with sudo, instead of root
  --ccache    keeps compilations in this machine's ccache folder (it hides no missing package)
  --keep      leaves the root where it is until the next run, to look into

The base system is made by debootstrap once a day and kept in ~/.cache/sinew; packages of the project never are. Apt's sources,
proxies and certificates, and npm's registry are taken over from this machine. SINEW_FRESH_DIR (default /var/tmp) holds the root:
about 6 GB. Exit code 75: the base system could not be fetched."

release=bookworm
cannot_fetch=75  # EX_TEMPFAIL
checkout=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
folder=${SINEW_FRESH_DIR:-/var/tmp}
cache=${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/sinew
command=demo
as_user=no
with_ccache=no
keep=no

main() {
    read_options "$@"
    require_root
    clear_leftovers
    install_debootstrap
    make_base
    make_root
    take_over_network
    clone_into_root
    run_in_root
}

say() { printf '%s\n' "$*" >&2; }
fail() {
    say "fresh.sh: $1"
    [ $# -lt 2 ] || say "What to do: $2"
    exit "${3:-1}"
}

read_options() {
    local option
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
}

require_root() {
    [ "$(id -u)" -eq 0 ] || fail "a bare root can only be made by root, and this is $(id -un)" \
        "run it with sudo; scripts/$command.sh alone works without"
    unshare --mount --pid --fork true 2>/dev/null || fail "this machine lets no folder be mounted (a container without rights?)" \
        "run it on a machine or in a container where 'unshare --mount' works"
}

# Every root has a lock that its run holds. One whose lock is free belongs to a run that was killed. Its mounts lived in a
# namespace of its own and are gone with it; should any be left, they are taken down before anything is removed.
clear_leftovers() {
    local old
    for old in "$folder"/sinew-fresh.*; do
        [ -d "$old" ] || continue
        exec 8>"$old.lock"
        if flock --nonblock 8; then
            say "Removing what a killed run left: $old"
            remove_root "$old"
        fi
        exec 8>&-
    done
}

remove_root() {
    local mounted
    while mounted=$(awk -v top="$1/" 'index($5, top) == 1 {print $5}' /proc/self/mountinfo | tail -n 1) && [ -n "$mounted" ]; do
        umount --lazy "$(printf '%b' "$mounted")" || fail "cannot unmount $mounted" "unmount it by hand, then remove $1"
    done
    rm -rf --one-file-system "$1" "$1.lock"
}

install_debootstrap() {
    command -v debootstrap >/dev/null && return 0
    say "Installing debootstrap"
    { apt-get update && apt-get install -y --no-install-recommends debootstrap; } >/dev/null 2>&1 ||
        fail "debootstrap is missing and could not be installed" "apt-get install debootstrap" "$cannot_fetch"
}

# Lines of apt's sources for this release, as this machine has them. Other releases and other vendors stay outside.
host_sources() {
    {
        cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list 2>/dev/null | grep -E "^deb .*[[:space:]]$release" || true
        awk -v RS= -v release="$release" '{
            uris = suites = components = ""
            count = split($0, lines, "\n")
            for (i = 1; i <= count; ++i) {
                key = lines[i]; sub(/:.*/, "", key)
                value = lines[i]; sub(/^[^:]*:[ \t]*/, "", value)
                if (key == "URIs") uris = value
                if (key == "Suites") suites = value
                if (key == "Components") components = value
            }
            uri_count = split(uris, uri, /[ \t]+/); suite_count = split(suites, suite, /[ \t]+/)
            for (u = 1; u <= uri_count; ++u)
                for (s = 1; s <= suite_count; ++s)
                    if (index(suite[s], release) == 1) print "deb", uri[u], suite[s], components
        }' /etc/apt/sources.list.d/*.sources 2>/dev/null || true
    } | sed 's/\[[^]]*\] *//' | sort -u
}

# The base system: minbase and what a person needs to clone a project and become root.
make_base() {
    local mirror today try made start=$SECONDS
    mkdir -p "$cache" "$folder"
    today=$(date +%Y%m%d)
    base="$cache/base-$release-$today.tar"
    [ ! -s "$base" ] || return 0
    mirror=$(host_sources | awk -v release="$release" '$3 == release {print $2; exit}')
    printf 'Fetching a bare Debian (%s) ... ' "$release" >&2
    made=$(mktemp -d "$folder/sinew-base.XXXXXX")
    for try in 1 2 3; do
        if unshare --mount --propagation private bash -c "$(declare -f bootstrap); bootstrap \"\$@\"" _ \
            "$made" "$release" "$mirror" "$base.part" >"$cache/debootstrap.log" 2>&1; then
            rm -f "$cache"/base-*.tar
            mv "$base.part" "$base"
            rmdir "$made"
            say "done ($((SECONDS - start)) s)"
            return 0
        fi
        rm -f "$base.part"
        tail -n 5 "$cache/debootstrap.log" >&2
        say "try $try of 3 failed"
        sleep $((try * 5))
    done
    rmdir "$made"
    fail "the base system could not be fetched (whole output: $cache/debootstrap.log)" "check the network and /etc/apt" "$cannot_fetch"
}

# In memory, for dpkg waits for the disk after every file.
bootstrap() {
    local made=$1 release=$2 mirror=$3 file=$4
    mount -t tmpfs -o size=2g,mode=755 base "$made"
    # shellcheck disable=SC2086
    debootstrap --variant=minbase --include=git,ca-certificates,sudo "$release" "$made" $mirror &&
        rm -f "$made"/var/cache/apt/archives/*.deb &&
        tar -C "$made" --one-file-system -cf "$file" .
}

make_root() {
    root=$(mktemp -d "$folder/sinew-fresh.XXXXXX")
    exec 9>"$root.lock"
    flock 9
    chmod 755 "$root"
    tar -C "$root" -xf "$base"
    # A root that is thrown away need not survive a power cut: dpkg may leave out its waiting for the disk.
    echo force-unsafe-io >"$root/etc/dpkg/dpkg.cfg.d/unsafe-io"
    printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d"  # no package starts a service
    chmod 755 "$root/usr/sbin/policy-rc.d"
    home=/root
    if [ "$as_user" = yes ]; then
        chroot "$root" useradd --create-home --shell /bin/bash person
        echo 'person ALL=(ALL) NOPASSWD: ALL' >"$root/etc/sudoers.d/person"
        home=/home/person
    fi
    # A folder with a space in its name, as people have them.
    place="$home/a clone"
}

# How this machine reaches packages: sources, proxies, certificates, npm's registry. Nothing else comes from it.
take_over_network() {
    local sources name
    sources=$(host_sources)
    if [ -n "$sources" ]; then
        printf '%s\n' "$sources" >"$root/etc/apt/sources.list"
    fi
    cp -L /etc/resolv.conf /etc/hosts "$root/etc/"
    for name in /etc/apt/apt.conf /etc/apt/apt.conf.d/*; do
        [ ! -f "$name" ] || ! grep -qiE 'Acquire::|Acquire *\{' "$name" || cp "$name" "$root/etc/apt/apt.conf.d/"
    done
    cp -a /etc/apt/auth.conf.d/. "$root/etc/apt/auth.conf.d/" 2>/dev/null || true
    certificates=/etc/ssl/certs/ca-certificates.crt
    if [ -s "$certificates" ]; then
        mkdir -p "$root/etc/ssl/host"
        cp -L "$certificates" "$root/etc/ssl/host/certificates.crt"
        certificates=/etc/ssl/host/certificates.crt
        echo "Acquire::https::CaInfo \"$certificates\";" >"$root/etc/apt/apt.conf.d/99certificates"
    fi
    cat /etc/npmrc /usr/etc/npmrc "${HOME:-/root}/.npmrc" 2>/dev/null |
        grep -E '^ *(registry|@[^ ]*:registry|proxy|https-proxy|noproxy|strict-ssl|//)' >"$root$home/.npmrc" || true
}

clone_into_root() {
    [ -z "$(git -C "$checkout" status --porcelain --untracked-files=no)" ] ||
        say "Note: changes that are not committed stay outside."
    git -c safe.directory='*' clone --quiet --no-hardlinks "$checkout" "$root$place"
    if [ "$as_user" = yes ]; then
        chroot "$root" chown -R person:person "$home"
    fi
}

# Runs in a mount and a process namespace of its own: whatever ends it, also kill -9, ends everything that it started and takes
# down its mounts.
run_in_root() {
    local status=0 shared=${SINEW_SHARED:-$checkout/../shared} ccache=${CCACHE_DIR:-${HOME:-/root}/.cache/ccache} start=$SECONDS
    [ -d "$shared" ] || shared=
    [ "$with_ccache" = yes ] || ccache=
    trap clean_up EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM HUP
    say "Running scripts/$command.sh in a bare root ($([ "$as_user" = yes ] && echo "a user with sudo" || echo root))"
    setpriv --pdeathsig KILL unshare --mount --pid --fork --kill-child --propagation private \
        bash -c "$(declare -f enter); enter \"\$@\"" _ "$root" "$place" "$home" "$as_user" "$shared" "$ccache" "$certificates" \
        "scripts/$command.sh" </dev/null 9>&- &
    child=$!
    wait "$child" || status=$?
    child=
    keep_results
    # The last line of the tests stays the last one.
    [ "$command" = test ] || say "In a bare root: $([ "$status" -eq 0 ] && echo passed || echo "failed ($status)") after $((SECONDS - start)) s"
    exit "$status"
}

enter() {
    local root=$1 place=$2 home=$3 as_user=$4 shared=$5 ccache=$6 certificates=$7 script=$8 name setting settings=() as=()
    mount -t proc proc "$root/proc"
    mount --rbind /sys "$root/sys"
    mount --rbind /dev "$root/dev"
    if [ -n "$shared" ]; then
        mkdir -p "$root$home/shared"
        mount --bind "$shared" "$root$home/shared"
    fi
    if [ -n "$ccache" ]; then
        mkdir -p "$ccache" "$root$home/.cache/ccache"
        [ "$as_user" = no ] || chroot "$root" chown person:person "$home/.cache"
        mount --bind "$ccache" "$root$home/.cache/ccache"
    fi
    for name in http_proxy https_proxy no_proxy HTTP_PROXY HTTPS_PROXY NO_PROXY CI SINEW_FUZZ_SECONDS SINEW_CLOSING_NOTE TERM; do
        setting="${!name:-}"
        [ -z "$setting" ] || settings+=("$name=$setting")
    done
    if [ -n "$certificates" ]; then
        settings+=("SSL_CERT_FILE=$certificates" "NODE_EXTRA_CA_CERTS=$certificates" "npm_config_cafile=$certificates")
    fi
    [ "$as_user" = no ] || as=(--userspec=person:person)
    # shellcheck disable=SC2016
    exec chroot "${as[@]}" "$root" /usr/bin/env -i HOME="$home" LANG=C.UTF-8 \
        PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "${settings[@]}" \
        bash -c 'cd "$1" && exec "$2"' _ "$place" "$script"
}

# Logs and pictures outlive the root.
keep_results() {
    local results="$checkout/build/fresh" name
    rm -rf "$results"
    mkdir -p "$results"
    [ ! -d "$root$place/build/logs" ] || cp -r "$root$place/build/logs" "$results/"
    for name in "$root$place"/out/*.png; do
        [ ! -f "$name" ] || { mkdir -p "$results/out" && cp "$name" "$results/out/"; }
    done
    cp "$root$place"/build/package/*.deb "$results/" 2>/dev/null || true
}

clean_up() {
    local status=$?
    trap - EXIT INT TERM HUP
    if [ -n "${child:-}" ]; then
        kill -KILL "$child" 2>/dev/null || true
        wait "$child" 2>/dev/null || true
    fi
    if [ "$keep" = yes ]; then
        say "The root is kept: $root"
        rm -f "$root.lock"
    else
        remove_root "$root"
    fi
    exit "$status"
}

# Sourced by scripts that need a bare root for something else.
[ "${BASH_SOURCE[0]}" != "$0" ] || main "$@"
