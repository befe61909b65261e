#include "bench/template_bench.h"

#include "sinew/body/summary.h"
#include "sinew/build/segment_masses.h"
#include "sinew/io/data_folder.h"
#include "sinew/io/figure_files.h"
#include "sinew/meshing/health.h"
#include "sinew/pipeline/make_body.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <optional>

namespace sinew::bench {

namespace {

bool is_closed_manifold(const TriangleMesh& mesh) {
    const SurfaceHealth health = check_health(mesh, {.find_intersections = false});
    return health.measures.is_closed && health.measures.is_manifold;
}

double closed_parts(const Body& body) {
    double closed = 0.0;
    for (const Bone& bone : body.bones) {
        closed += is_closed_manifold(bone.mesh);
    }
    for (const Muscle& muscle : body.muscles) {
        closed += is_closed_manifold(muscle.mesh);
    }
    return closed / static_cast<double>(body.bones.size() + body.muscles.size());
}

/// Share of the muscles whose angle is at most 25 degrees; unknown ones are left out.
double aligned_muscles(const std::vector<FibreCourse>& courses, double FibreCourse::*angle) {
    constexpr double kAligned = 25.0;
    double aligned = 0.0, known = 0.0;
    for (const FibreCourse& course : courses) {
        known += course.*angle >= 0.0;
        aligned += course.*angle >= 0.0 && course.*angle <= kAligned;
    }
    return known > 0.0 ? aligned / known : 0.0;
}

double peak_memory_mb() {
    rusage usage = {};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<double>(usage.ru_maxrss) / 1024.0;
}

BuiltBody build_one(BodyResolution resolution, const std::string& name,
                    const std::filesystem::path& cache, const Progress& progress) {
    MakeBodyOptions options;
    options.body.resolution = resolution;
    options.cache = cache;
    BuiltBody built;
    built.resolution = name;
    const MadeBody made = make_body(options, progress);
    built.seconds = made.seconds;
    built.memory_mb = peak_memory_mb();
    built.cached_seconds = make_body(options, progress).seconds;
    const BodySummary summary = summarise(made.body);
    built.vertices = static_cast<long>(summary.points);
    built.tets = static_cast<long>(summary.tets);
    built.skin_vertices = static_cast<long>(summary.skin_vertices);
    built.mass = summary.mass;
    built.body_fat = summary.body_fat;
    built.quality = measure_quality(made.body);
    built.closed_parts = closed_parts(made.body);
    built.fibres = measure_fibres(made.body);
    built.aligned_muscles = aligned_muscles(built.fibres, &FibreCourse::stroke_angle);
    built.aligned_end_to_end = aligned_muscles(built.fibres, &FibreCourse::end_to_end_angle);
    built.segments = compare_segments(made.body);
    return built;
}

}  // namespace

std::optional<FigureAgainstAtlas> compare_with_shared_atlas(const Progress& progress) {
    const char* shared = std::getenv("SINEW_SHARED");
    const std::filesystem::path atlas = std::filesystem::path(shared ? shared : "") / "atlas";
    if (shared == nullptr || !std::filesystem::exists(atlas / "atlas.json")) {
        return std::nullopt;
    }
    auto stage = progress.stage("figure against atlas", 3);
    const FigureTable table = read_figure(data_folder() / "figure");
    FigureAgainstAtlas result;
    result.volumes = compare_volumes(table, atlas);
    stage.advance();
    result.skin = compare_skin(table, atlas);
    stage.advance();
    result.joints = compare_joints(table, atlas);
    stage.advance();
    return result;
}

std::vector<BuiltBody> run_template_bench(const TemplateBenchOptions& options,
                                          const Progress& progress) {
    const std::filesystem::path cache =
        std::filesystem::temp_directory_path() / fmt::format("sinew_bench_{}", ::getpid());
    std::vector<BuiltBody> bodies;
    bodies.push_back(build_one(BodyResolution::Preview, "preview", cache, progress));
    if (options.with_standard) {
        bodies.push_back(build_one(BodyResolution::Standard, "standard", cache, progress));
    }
    std::error_code ignored;
    std::filesystem::remove_all(cache, ignored);
    return bodies;
}

}  // namespace sinew::bench
