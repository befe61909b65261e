#!/usr/bin/env bash
# Sets up, builds, and shows what Sinew does: results and pictures go to out/.
source "$(dirname "$0")/lib.sh"

install_packages
build release
