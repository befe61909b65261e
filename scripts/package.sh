#!/usr/bin/env bash
# Makes build/package/sinew_<version>_amd64.deb: the program with its page, data, recipes, man pages and completions.
source "$(dirname "$0")/lib.sh"

install_packages
for program in dpkg-shlibdeps file; do
    command -v "$program" >/dev/null || fail "$program is missing" "install the packages dpkg-dev and file"
done
build_page
build release sinew
rm -rf build/package
step "Packaging" "report it with the log" cpack --config build/release/CPackConfig.cmake
rm -rf build/package/_CPack_Packages
package=$(echo build/package/sinew_*.deb)
say "Made $package. Install it with: sudo apt install ./$package"
printf '%s\n' "$package"
