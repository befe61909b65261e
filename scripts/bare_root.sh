# A bare Debian 12 root to run a command in, and nothing of this machine in it. Sourced by fresh.sh and package_test.sh.
#
#   in_bare_root FILL SCRIPT    FILL is a function that puts files into "$root$place"; SCRIPT is run in that folder
#
# Everything happens in a mount and a process namespace of its own: whatever ends it, also kill -9, ends all that it started and
# takes down its mounts. The root is a file system in a sparse file, so that removing it takes no time.
set -euo pipefail

release=bookworm
cannot_fetch=75  # EX_TEMPFAIL
checkout=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
folder=${SINEW_FRESH_DIR:-/var/tmp}
cache=${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/sinew
as_user=no
with_ccache=no
keep=no

in_bare_root() {
    local status=0
    require_root
    clear_leftovers
    install_debootstrap
    make_base
    fill=$1
    script=$2
    image=$(mktemp "$folder/sinew-fresh.XXXXXX")
    exec 9<"$image"
    flock 9
    trap clean_up EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM HUP
    setpriv --pdeathsig KILL unshare --mount --pid --fork --kill-child --propagation private bash -c "$(handed_on); inside" \
        </dev/null 9<&- &
    child=$!
    wait "$child" || status=$?
    child=
    return "$status"
}

# All functions and settings of this shell, for the one in the namespace.
handed_on() {
    declare -f
    declare -p release checkout folder cache as_user with_ccache keep fill script image base
}

inside() {
    set -euo pipefail
    mount_root
    take_over_network
    "$fill"
    if [ "$as_user" = yes ]; then
        chroot "$root" chown -R person:person "$home"
    fi
    mount_surroundings
    local status=0
    run_script || status=$?
    keep_results
    exit "$status"
}

say() { printf '%s\n' "$*" >&2; }
fail() {
    say "fresh.sh: $1"
    [ $# -lt 2 ] || say "What to do: $2"
    exit "${3:-1}"
}

require_root() {
    [ "$(id -u)" -eq 0 ] || fail "a bare root can only be made by root, and this is $(id -un)" \
        "run it with sudo; scripts/demo.sh and scripts/test.sh work without"
    unshare --mount --pid --fork true 2>/dev/null || fail "this machine lets no folder be mounted (a container without rights?)" \
        "run it on a machine or in a container where 'unshare --mount' works"
}

# Every root has a lock that its run holds; one whose lock is free belongs to a run that was killed.
clear_leftovers() {
    local old
    for old in "$folder"/sinew-fresh.*; do
        [ -f "$old" ] || continue
        exec 8<"$old"
        if flock --nonblock 8; then
            say "Removing what a killed run left: $old"
            unmount_below "$old.d"
            rm -rf --one-file-system "$old" "$old.d"
        fi
        exec 8<&-
    done
}

# Mounts of a killed run are gone with its namespace; should any be left, they are taken down before anything is removed.
unmount_below() {
    local mounted
    while mounted=$(awk -v top="$1" 'index($5, top) == 1 {print $5}' /proc/self/mountinfo | tail -n 1) && [ -n "$mounted" ]; do
        umount --lazy "$(printf '%b' "$mounted")" || fail "cannot unmount $mounted" "unmount it by hand, then remove $1"
    done
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

mount_root() {
    root=$image.d
    mkdir -p "$root"
    truncate -s 40G "$image"
    # A root that is thrown away need not survive a power cut: no journal, no waiting for the disk.
    { mkfs.ext4 -q -F -O ^has_journal -E lazy_itable_init=1,nodiscard "$image" && mount -o loop,noatime,barrier=0 "$image" "$root"; } ||
        say "Note: this machine mounts no files; a plain folder takes longer."
    tar -C "$root" -xf "$base"
    chmod 755 "$root"
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
    [ -s "$certificates" ] || certificates=
    if [ -s "$certificates" ]; then
        mkdir -p "$root/etc/ssl/host"
        cp -L "$certificates" "$root/etc/ssl/host/certificates.crt"
        certificates=/etc/ssl/host/certificates.crt
        echo "Acquire::https::CaInfo \"$certificates\";" >"$root/etc/apt/apt.conf.d/99certificates"
    fi
    cat /etc/npmrc /usr/etc/npmrc "${HOME:-/root}/.npmrc" 2>/dev/null |
        grep -E '^ *(registry|@[^ ]*:registry|proxy|https-proxy|noproxy|strict-ssl|//)' >"$root$home/.npmrc" || true
}

mount_surroundings() {
    local shared=${SINEW_SHARED:-$checkout/../shared} ccache=${CCACHE_DIR:-${HOME:-/root}/.cache/ccache}
    mount -t proc proc "$root/proc"
    mount --rbind /sys "$root/sys"
    mount --rbind /dev "$root/dev"
    if [ -d "$shared" ]; then
        mkdir -p "$root$home/shared"
        mount --bind "$shared" "$root$home/shared"
    fi
    if [ "$with_ccache" = yes ]; then
        mkdir -p "$ccache" "$root$home/.cache/ccache"
        mount --bind "$ccache" "$root$home/.cache/ccache"
    fi
}

run_script() {
    local name settings=() as=()
    for name in http_proxy https_proxy no_proxy HTTP_PROXY HTTPS_PROXY NO_PROXY CI SINEW_FUZZ_SECONDS SINEW_CLOSING_NOTE TERM; do
        [ -z "${!name:-}" ] || settings+=("$name=${!name}")
    done
    if [ -n "$certificates" ]; then
        settings+=("SSL_CERT_FILE=$certificates" "NODE_EXTRA_CA_CERTS=$certificates" "npm_config_cafile=$certificates")
    fi
    [ "$as_user" = no ] || as=(--userspec=person:person)
    # shellcheck disable=SC2016
    chroot "${as[@]}" "$root" /usr/bin/env -i HOME="$home" LANG=C.UTF-8 \
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
        say "The root is kept until the next run: mount -o loop $image $image.d"
    else
        unmount_below "$image.d"
        rm -rf --one-file-system "$image" "$image.d"
    fi
    exit "$status"
}
