// Pictures: time per picture and per pixel, and the smoothing of light beside tracing so many more
// rays that it is not needed.

#include "sinew/render/png.h"
#include "sinew/render/render.h"

#include <benchmark/benchmark.h>

#include <cmath>

#include "tests/support/shapes.h"

namespace {

using namespace sinew;

/// About as many triangles as the skin of a body: 82k.
Scene body_sized() {
    Scene scene;
    scene.surfaces.push_back({.name = "skin", .kind = "skin", .mesh = support::sphere(6, 0.4)});
    for (int i = 0; i < 40; ++i) {
        const Vec3 at(0.45 * std::cos(0.157 * i), 0.02 * i - 0.4, 0.45 * std::sin(0.157 * i));
        scene.surfaces.push_back(
            {.name = "part", .kind = "muscle", .mesh = support::sphere(4, 0.06, at)});
    }
    return scene;
}

void report(benchmark::State& state, const RenderOptions& o) {
    state.SetItemsProcessed(state.iterations() * o.width * o.height);
}

/// Four samples, smoothed: what `render` does.
void picture(benchmark::State& state) {
    const Scene scene = body_sized();
    RenderOptions o;
    o.width = static_cast<int>(state.range(0));
    o.height = o.width * 4 / 3;
    for (auto _ : state) {
        benchmark::DoNotOptimize(render(scene, o));
    }
    report(state, o);
}
BENCHMARK(picture)->Arg(300)->Arg(600)->Arg(1200)->Unit(benchmark::kMillisecond)->UseRealTime();

/// The baseline: as little noise by samples alone.
void picture_by_samples_alone(benchmark::State& state) {
    const Scene scene = body_sized();
    RenderOptions o;
    o.width = static_cast<int>(state.range(0));
    o.height = o.width * 4 / 3;
    o.samples = 64;
    for (auto _ : state) {
        benchmark::DoNotOptimize(render(scene, o));
    }
    report(state, o);
}
BENCHMARK(picture_by_samples_alone)->Arg(300)->Unit(benchmark::kMillisecond)->UseRealTime();

void picture_through_clear_skin(benchmark::State& state) {
    const Scene scene = body_sized();
    RenderOptions o;
    o.width = 600;
    o.height = 800;
    o.skin_opacity = 0.2;
    for (auto _ : state) {
        benchmark::DoNotOptimize(render(scene, o));
    }
    report(state, o);
}
BENCHMARK(picture_through_clear_skin)->Unit(benchmark::kMillisecond)->UseRealTime();

void png_of_a_picture(benchmark::State& state) {
    RenderOptions o;
    o.width = 600;
    o.height = 800;
    const Image image = render(body_sized(), o);
    for (auto _ : state) {
        benchmark::DoNotOptimize(encode_png(image));
    }
    report(state, o);
}
BENCHMARK(png_of_a_picture)->Unit(benchmark::kMillisecond);

}  // namespace
