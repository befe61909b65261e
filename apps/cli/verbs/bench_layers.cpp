#include "cli/verbs/bench_layers.h"

#include "sinew/pipeline/body_cache.h"
#include "sinew/pipeline/growth_recipe.h"
#include "sinew/pipeline/make_body.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "bench/layer_bench.h"

namespace sinew::cli {

namespace {

Body body_for(const std::string& file, const Progress& progress) {
    if (!file.empty()) {
        return read_body_with_tets(file);
    }
    MakeBodyOptions options;
    options.body.resolution = BodyResolution::Preview;
    options.cache = BodyCache::default_folder();
    return make_body(options, progress).body;
}

}  // namespace

Image bench_layers(const std::string& body, const Context& context,
                   nlohmann::ordered_json& result) {
    const bench::LayerBench b =
        bench::run_layer_bench(body_for(body, context.progress), context.progress);
    result = {
        {"bench", "layers"},
        {"vertices", b.vertices},
        {"tets", b.tets},
        {"threads", b.threads},
        {"frames_per_second", b.frames_per_second},
        {"cpu_ms_per_frame", b.cpu_ms},
        {"alignment_error", {{"without", b.alignment_without}, {"with", b.alignment_with}}},
        {"bones_volume_ratio", {{"skin", b.bones_by_skin}, {"layers", b.bones_by_layers}}},
        {"muscles_volume_ratio", {{"skin", b.muscles_by_skin}, {"layers", b.muscles_by_layers}}},
        {"stretch_p99", {{"held", b.stretch_without_sliding}, {"sliding", b.stretch_with_sliding}}},
        {"gain_with_thickness", {{"pressure", b.gain_by_pressure}, {"volume", b.gain_by_volume}}}};
    if (context.tells()) {
        fmt::print(
            "animation: {} vertices, {:.0f} frames/s, {:.1f} CPU ms a frame\n"
            "alignment error {:.3f} -> {:.3f}; bones of a fat body x {:.2f} by the skin, x {:.2f} "
            "by layers; muscles x {:.2f}, x {:.2f}\n"
            "stretch bent back {:.2f} held, {:.2f} sliding; fat gained where it was: {:.2f} by "
            "pressure, {:.2f} by volume\n",
            b.vertices, b.frames_per_second, b.cpu_ms, b.alignment_without, b.alignment_with,
            b.bones_by_skin, b.bones_by_layers, b.muscles_by_skin, b.muscles_by_layers,
            b.stretch_without_sliding, b.stretch_with_sliding, b.gain_by_pressure,
            b.gain_by_volume);
    }
    return contact_sheet(b.pictures, {.columns = 3});
}

}  // namespace sinew::cli
