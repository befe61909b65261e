#!/usr/bin/env bash
# Sets up, builds, and makes the built-in human: meshes and pictures go to out/.
source "$(dirname "$0")/lib.sh"

install_packages
build release
sinew=build/release/sinew
out=out
mkdir -p "$out"

advice="report it with the log"
step "The built-in human" "$advice" "$sinew" figure -o "$out/figure"
step "Picture of muscles and bones" "$advice" "$sinew" render "$out/figure/muscles" "$out/figure/bones" \
    -o "$out/ecorche.png" --view front,three-quarter,back --size 500x800
step "Picture of bones" "$advice" "$sinew" render "$out/figure/bones" -o "$out/skeleton.png" --size 600x960
step "Picture of skin" "$advice" "$sinew" render "$out/figure/skin.ply" \
    -o "$out/skin.png" --view front,three-quarter,back --size 500x800
step "Even skin of 7 mm edges" "$advice" "$sinew" remesh "$out/figure/skin.ply" --edge 0.007 -o "$out/skin_even.ply"
step "Tetrahedra inside the skin" "$advice" "$sinew" tetrahedralise "$out/skin_even.ply" --max-edge 0.025 -o "$out/body.msh"
step "Picture of the tetrahedra, cut open" "$advice" "$sinew" render "$out/body.msh" \
    -o "$out/tets.png" --cut left --view three-quarter --size 600x960
step "A beam that bends under its weight" "$advice" "$sinew" solve examples/solve_beam.json -o "$out/beam.vtu"

say ""
say "Made in $out/:"
say "  figure/                 222 bones and 358 muscles as PLY, skin.ply, figure.glb (named parts), figure.json"
say "  ecorche.png skeleton.png skin.png tets.png    pictures"
say "  skin_even.ply body.msh  the skin remeshed and filled with tetrahedra"
say "  beam.vtu                a solved elasticity problem (opens in ParaView)"
say "Next: $sinew --help"
