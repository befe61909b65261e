#include "bench/template_bench.h"

#include "sinew/base/timer.h"
#include "sinew/body/summary.h"
#include "sinew/build/segment_masses.h"
#include "sinew/geometry/measure.h"
#include "sinew/io/data_folder.h"
#include "sinew/io/figure_files.h"
#include "sinew/meshing/health.h"
#include "sinew/pipeline/make_body.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <optional>

namespace sinew::bench {

namespace {

constexpr double kDegree = 57.29577951308232;

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

/// Middles of the sections of a muscle, from origin to insertion, by the data "share" of its mesh.
std::vector<Vec3> centre_line(const TriangleMesh& mesh) {
    constexpr std::size_t kSections = 12;
    const Attribute* share = find_attribute(mesh.point_data, "share");
    std::array<Vec3, kSections> sum = {};
    std::array<int, kSections> count = {};
    sum.fill(Vec3::Zero());
    for (std::size_t i = 0; share != nullptr && i < share->values.size(); ++i) {
        const auto k = static_cast<std::size_t>(
            std::clamp(share->values[i] * kSections, 0.0, kSections - 1.0));
        sum[k] += point(mesh.points, static_cast<Eigen::Index>(i));
        ++count[k];
    }
    std::vector<Vec3> line;
    for (std::size_t k = 0; k < kSections; ++k) {
        if (count[k] > 0) {
            line.push_back(sum[k] / count[k]);
        }
    }
    return line;
}

/// What the figure's table says about the fibres nearest to x: data "fibre" of the muscle's mesh.
std::optional<Vec3> stroke_near(const TriangleMesh& mesh, const Vec3& x) {
    const Attribute* fibre = find_attribute(mesh.point_data, "fibre");
    if (fibre == nullptr || fibre->components != 3 || mesh.points.rows() == 0) {
        return std::nullopt;
    }
    Eigen::Index nearest = 0;
    (mesh.points.rowwise() - x.transpose()).rowwise().squaredNorm().minCoeff(&nearest);
    const auto i = 3 * static_cast<std::size_t>(nearest);
    return Vec3(fibre->values[i], fibre->values[i + 1], fibre->values[i + 2]).normalized();
}

Vec3 tangent_near(const std::vector<Vec3>& line, const Vec3& x) {
    double least = 1e9;
    Vec3 tangent = Vec3::Zero();
    for (std::size_t i = 0; i + 1 < line.size(); ++i) {
        const double d = (0.5 * (line[i] + line[i + 1]) - x).norm();
        if (d < least) {
            least = d;
            tangent = (line[i + 1] - line[i]).normalized();
        }
    }
    return tangent;
}

/// Of a tetrahedron's volume, belly and tendon.
double muscle_share(const Body& body, std::size_t tet, Index muscle) {
    double share = 0.0;
    for (Index e = body.shares.start[tet]; e < body.shares.start[tet + 1]; ++e) {
        const auto i = static_cast<std::size_t>(e);
        const Tissue tissue =
            body.materials[static_cast<std::size_t>(body.shares.material[i])].tissue;
        const bool is_muscle = tissue == Tissue::Muscle || tissue == Tissue::Tendon;
        share += is_muscle && body.shares.part[i] == muscle ? body.shares.fraction[i] : 0.0;
    }
    return share;
}

/// Share of the muscles whose fibres make at most 25 degrees with the strokes they were made of
/// (the centre line where those are not known), on average over the muscle's volume.
double aligned_muscles(const Body& body) {
    std::vector<std::vector<Vec3>> lines;
    for (const Muscle& muscle : body.muscles) {
        lines.push_back(centre_line(muscle.mesh));
    }
    std::vector<double> angle(body.muscles.size(), 0.0);
    std::vector<double> weight(body.muscles.size(), 0.0);
    const Eigen::VectorXd volumes = tet_volumes(body.tets);
    for (Eigen::Index t = 0; t < body.tets.tets.rows(); ++t) {
        Vec3 middle = Vec3::Zero();
        for (int k = 0; k < 4; ++k) {
            middle += 0.25 * point(body.tets.points, body.tets.tets(t, k));
        }
        const auto i = static_cast<std::size_t>(t);
        for (Index e = body.fibres.start[i]; e < body.fibres.start[i + 1]; ++e) {
            const auto m =
                static_cast<std::size_t>(body.fibres.muscle[static_cast<std::size_t>(e)]);
            if (lines[m].size() >= 2) {
                const std::optional<Vec3> stroke = stroke_near(body.muscles[m].mesh, middle);
                const Vec3 course = stroke ? *stroke : tangent_near(lines[m], middle);
                const double cosine = course.dot(point(body.fibres.direction, e));
                const double w = muscle_share(body, i, static_cast<Index>(m)) * volumes[t];
                angle[m] += w * std::acos(std::clamp(cosine, -1.0, 1.0));
                weight[m] += w;
            }
        }
    }
    double aligned = 0.0;
    double known = 0.0;
    for (std::size_t m = 0; m < angle.size(); ++m) {
        if (weight[m] > 0.0) {
            known += 1.0;
            aligned += angle[m] / weight[m] * kDegree <= 25.0;
        }
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
    built.aligned_muscles = aligned_muscles(made.body);
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
