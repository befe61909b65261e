#!/usr/bin/env bash
# Sets up, builds, and makes the built-in human, as meshes and as a body for simulation: all goes to out/.
source "$(dirname "$0")/lib.sh"

install_packages build
configure release -DSINEW_BUILD_TESTS=OFF -DSINEW_BUILD_BENCH=OFF
out=out
mkdir -p "$out"
advice="report it with the log"

# The first picture needs half of the library, and comes before the rest is compiled.
build release first_picture
step "Picture of muscles and bones" "$advice" build/release/examples/first_picture "$out/ecorche.png"
say "The first picture after $SECONDS s: $out/ecorche.png"

build release sinew
begin_page page  # the studio's, on what the pictures leave idle
sinew=build/release/sinew

# Most of the work of a picture has one thread, so that two are made at a time.
figure_pictures() {
    step "The built-in human" "$advice" "$sinew" figure -o "$out/figure"
    step "Picture of bones" "$advice" "$sinew" render "$out/figure/bones" -o "$out/skeleton.png" --size 600x960
    step "Picture of skin" "$advice" "$sinew" render "$out/figure/skin.ply" \
        -o "$out/skin.png" --view front,three-quarter,back --size 500x800
    step "A beam that bends under its weight" "$advice" "$sinew" solve examples/solve_beam.json -o "$out/beam.vtu"
}
figure_pictures 2>"$logs/figure.log" &
figure=$!
step "A body for simulation" "$advice" "$sinew" build --resolution preview -o "$out/man.sinew"
step "Picture of its layers" "$advice" "$sinew" render "$out/man.sinew" --sheet --size 420x580 -o "$out/body.png"
step "Its tetrahedra, with tissues and fibres" "$advice" "$sinew" export "$out/man.sinew" -o "$out/man.vtu"
step "A bodybuilder" "$advice" "$sinew" grow "$out/man.sinew" --recipe recipes/bodybuilder.json -o "$out/bodybuilder.sinew"
step "Fat at the belly" "$advice" "$sinew" grow "$out/man.sinew" --recipe recipes/android.json -o "$out/android.sinew"
step "Longer limbs" "$advice" "$sinew" grow "$out/man.sinew" --recipe recipes/tall.json -o "$out/tall.sinew"
step "From rest to grown, as morphs" "$advice" "$sinew" grow "$out/man.sinew" --recipe recipes/bodybuilder.json -o "$out/bodybuilder.glb"
for name in man bodybuilder android tall; do
    step "Picture of $name" "$advice" "$sinew" render "$out/$name.sinew" -o "$out/grown_$name.png" --view front,back --size 400x640
done
step "The bodybuilder squats" "$advice" "$sinew" skin "$out/bodybuilder.sinew" --motion examples/skin_squat.json \
    --collisions global --rate 20 --sequence ply -o "$out/squat"
step "Picture of the squat" "$advice" "$sinew" render "$out/squat/frame_0000.ply" "$out/squat/frame_0014.ply" "$out/squat/frame_0032.ply" \
    --sheet --view three-quarter --size 400x640 -o "$out/squat.png"
status=0
wait "$figure" || status=$?
cat "$logs/figure.log" >&2
[ "$status" -eq 0 ] || exit "$status"
say "The last picture after $SECONDS s"
await_page
build release sinew-studio  # with the page in it

say ""
say "Made in $out/, in $SECONDS s:"
say "  figure/                 222 bones and 358 muscles as PLY, skin.ply, figure.glb (named parts), figure.json"
say "  man.sinew man.vtu       a body for simulation; its tetrahedra with tissues and fibres (opens in ParaView)"
say "  bodybuilder.sinew android.sinew tall.sinew    the same man grown; bodybuilder.glb morphs from rest to grown"
say "  grown_*.png             pictures of them"
say "  body.png ecorche.png skeleton.png skin.png    pictures"
say "  squat/ squat.png        the bodybuilder squats: his skin, frame by frame (PLY; also as .glb, .usda, .pc2, .mdd)"
say "  beam.vtu                a solved elasticity problem (opens in ParaView)"
say "Next: $sinew --help"
