#include "sinew/pipeline/skin_comparison.h"

#include "sinew/base/error.h"
#include "sinew/base/units.h"
#include "sinew/geometry/measure.h"
#include "sinew/render/contact_sheet.h"
#include "sinew/render/render.h"
#include "sinew/skinning/skin_enclosure.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

// Three methods side by side, in one picture, with the same camera and the same measures for all.

namespace sinew {
namespace {

constexpr double kFieldOfView = 14.0 * kPi / 180.0;
constexpr double kMargin = 0.05;

struct Method {
    SkinMethod method;
    const char* name;
    const char* title;
};
constexpr std::array<Method, 3> kMethods = {{{SkinMethod::Linear, "lbs", "LBS"},
                                             {SkinMethod::DualQuaternions, "dqs", "DQS"},
                                             {SkinMethod::Projective, "projective", "flesh"}}};

// Which frames are shown: the last one of each of equal parts.
std::vector<std::size_t> shown_frames(std::size_t frames, int pictures) {
    std::vector<std::size_t> shown;
    for (std::size_t k = 1; k <= static_cast<std::size_t>(pictures); ++k) {
        const std::size_t frame = k * (frames - 1) / static_cast<std::size_t>(pictures);
        if (shown.empty() || shown.back() != frame) {
            shown.push_back(frame);
        }
    }
    return shown;
}

// A point of the mesh for each vertex of the skin.
std::vector<Index> points_of_skin(const Character& character) {
    std::vector<Index> point_of(at(character.skin.points.rows()), 0);
    for (std::size_t i = character.skin_vertex.size(); i-- > 0;) {
        if (character.skin_vertex[i] >= 0) {
            point_of[at(character.skin_vertex[i])] = static_cast<Index>(i);
        }
    }
    return point_of;
}

SkinOnBones measured_skin(const TriangleMesh& skin) {
    SkinOnBones measured;
    measured.points = skin.points;
    measured.triangles = skin.triangles;
    measured.base_points = skin.points;
    measured.bone.assign(at(skin.points.rows()), 0);
    return measured;
}

}  // namespace

SkinComparison compare_skinning(const Character& character, const CharacterMotion& motion,
                                const SkinComparisonOptions& options, const Progress& progress) {
    if (options.pictures < 1) {
        throw InputError({.where = "comparison",
                          .found = fmt::format("{} pictures", options.pictures),
                          .needs = "at least one",
                          .remedy = "show more frames"});
    }
    const std::vector<double> times = skin_frame_times(motion, options.run);
    const std::vector<std::size_t> shown = shown_frames(times.size(), options.pictures);
    const std::vector<Index> point_of = points_of_skin(character);
    const double rest_volume = enclosed_volume(character.skin);
    SkinEnclosure enclosure(measured_skin(character.skin));

    SkinComparison comparison;
    std::vector<Points> skins;  // a row of frames after the other
    for (const Method& method : kMethods) {
        SkinRunOptions run = options.run;
        run.method = method.method;
        std::size_t frame = 0;
        run_skinning(character, motion, run, progress, [&](Points points) {
            if (std::binary_search(shown.begin(), shown.end(), frame++)) {
                skins.push_back(std::move(points));
            }
        });
        ComparedMethod& measured = comparison.methods.emplace_back();
        measured.name = method.name;
        for (std::size_t k = 0; k < shown.size(); ++k) {
            const Points& mesh = skins[skins.size() - shown.size() + k];
            Points skin(character.skin.points.rows(), 3);
            for (std::size_t i = 0; i < point_of.size(); ++i) {
                skin.row(static_cast<Eigen::Index>(i)) = mesh.row(point_of[i]);
            }
            const SkinPenetration inside = enclosure.penetration(skin);
            measured.frames.push_back(
                {.time = times[shown[k]],
                 .volume_ratio = enclosed_volume(skin, character.skin.triangles) / rest_volume,
                 .enclosed = inside.vertices,
                 .mean_depth = inside.mean});
        }
    }

    // One camera for all, so that nothing but the skin differs.
    std::vector<Vec3> all;
    for (const Points& skin : skins) {
        for (Eigen::Index i = 0; i < skin.rows(); ++i) {
            all.push_back(point(skin, i));
        }
    }
    const Camera camera = fit_camera(all, angles_of(options.view), kFieldOfView,
                                     static_cast<double>(options.width) / options.height, kMargin);
    std::vector<SheetPicture> pictures;
    for (std::size_t p = 0; p < skins.size(); ++p) {
        const std::size_t m = p / shown.size();
        const ComparedFrame& frame = comparison.methods[m].frames[p % shown.size()];
        Scene scene;
        scene.surfaces.push_back(
            {.name = character.name,
             .kind = "skin",
             .mesh = {.points = skins[p], .triangles = character.mesh.triangles}});
        pictures.push_back(
            {.image = render(scene,
                             {.width = options.width,
                              .height = options.height,
                              .ground = false,
                              .camera = camera},
                             progress),
             .caption = fmt::format("{} {:.2f} s: {:.1f} %, {} in, {:.1f} mm", kMethods[m].title,
                                    frame.time, 1e2 * frame.volume_ratio, frame.enclosed,
                                    1e3 * frame.mean_depth)});
    }
    comparison.strip = contact_sheet(
        pictures,
        {.columns = static_cast<int>(shown.size()),
         .text_size = 15,
         .title = "linear blend, dual quaternions, flesh: volume, vertices inside, their depth"});
    return comparison;
}

}  // namespace sinew
