#!/usr/bin/env bash
# Makes the package, or takes the one that is named, installs it in a bare Debian 12 root with apt, and uses the program there from
# another folder. As root, like scripts/fresh.sh.
source "$(dirname "${BASH_SOURCE[0]}")/bare_root.sh"

usage="usage: scripts/package_test.sh [FILE.deb]"
case "${1:-}" in
-h | --help)
    say "$usage"
    exit 0
    ;;
esac
package=${1:-}
if [ -z "$package" ]; then
    package=$checkout/$("$checkout/scripts/package.sh")
fi
[ -f "$package" ] || fail "'$package' is no file" "$usage"
export package=$(realpath "$package")

# Nothing of the project gets into the root but the package and what tries it.
put_package_into_root() {
    mkdir -p "$root$place"
    cp "$package" "$checkout/tests/install/use_package.sh" "$root$place/"
}

in_bare_root put_package_into_root ./use_package.sh
