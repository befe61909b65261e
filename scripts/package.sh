#!/usr/bin/env bash
# Makes build/package/sinew_<version>_amd64.deb: the program with its page, data, recipes, man pages and completions.
source "$(dirname "$0")/lib.sh"

install_packages build page package
build_page
configure release -DSINEW_BUILD_TESTS=OFF -DSINEW_BUILD_BENCH=OFF
build release sinew sinew-studio
# A folder that was configured before all of the above was installed looks for it again.
make_package() {
    cmake build/release && cpack --config build/release/CPackConfig.cmake -B build/package
}
rm -rf build/package
step "Packaging" "report it with the log" make_package
rm -rf build/package/_CPack_Packages
package=$(echo build/package/sinew_*.deb)
say "Made $package. Install it with: sudo apt install ./$package"
printf '%s\n' "$package"
