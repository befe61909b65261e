#!/usr/bin/env bash
# Makes the package, or takes the one that is named, installs it in a bare Debian 12 root with apt, and uses the program there from
# another folder. As root, like scripts/fresh.sh, whose root it is.
usage="usage: scripts/package_test.sh [FILE.deb]"
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
case "${1:-}" in
-h | --help)
    printf '%s\n' "$usage"
    exit 0
    ;;
esac
source "$here/fresh.sh"
require_root
package=${1:-}
if [ -z "$package" ]; then
    package=$checkout/$("$here/package.sh")
fi
[ -f "$package" ] || fail "'$package' is no file" "$usage"
clear_leftovers
install_debootstrap
make_base
make_root
take_over_network
# Nothing of the project gets into the root but the package and what tries it.
mkdir -p "$root$place/scripts"
cp "$package" "$root$place/"
cp "$checkout/tests/install/use_package.sh" "$root$place/scripts/"
command=use_package
run_in_root
