#include "sinew/pipeline/coarse_skin.h"

#include "sinew/base/error.h"
#include "sinew/base/parallel.h"
#include "sinew/meshing/decimate.h"
#include "sinew/meshing/hole_filling.h"
#include "sinew/meshing/repair.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

// A skin to be simulated in place of a finer one: holes closed, so that inside and outside are
// certain, and triangles whose size follows the distance from the bones, so that fingers stay
// fingers. What cannot be simplified comes back as it is, with a warning.

namespace sinew {
namespace {

constexpr double kEvenness = 0.3;
constexpr double kThin = 0.35;  // of the mean distance from the bones: nearer skin is of thin parts
constexpr double kLeast = 0.15;  // of the size of other triangles
constexpr std::size_t kDistancePiece = 512;
// Of the size of a piece: holes of scans are narrower, necks of busts and hems wider.
constexpr double kWidestHole = 0.3;
constexpr int kClosingRounds = 3;
// Of the skin's size: smaller open pieces are shown where the skin beside them goes.
constexpr double kFlake = 0.02;

double squared_distance_to_bones(const Vec3& p, const CharacterSkeleton& skeleton) {
    double best = std::numeric_limits<double>::infinity();
    for (const CharacterJoint& joint : skeleton.joints) {
        if (joint.parent < 0) {
            continue;
        }
        const Vec3 from = skeleton.joints[at(joint.parent)].position;
        const Vec3 way = joint.position - from;
        const double length2 = way.squaredNorm();
        const double share =
            length2 > 0.0 ? std::clamp((p - from).dot(way) / length2, 0.0, 1.0) : 0.0;
        best = std::min(best, (p - from - share * way).squaredNorm());
    }
    return best;
}

// Of triangles at each vertex, against each other: as many around a finger as around its hand.
std::vector<double> triangle_sizes(const Points& points, const CharacterSkeleton& skeleton) {
    std::vector<double> size(at(points.rows()), 1.0);
    parallel_for(size.size(), kDistancePiece, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            size[i] = std::sqrt(squared_distance_to_bones(
                points.row(static_cast<Eigen::Index>(i)).transpose(), skeleton));
        }
    });
    double mean = 0.0;
    for (const double d : size) {
        mean += d / static_cast<double>(size.size());
    }
    for (double& d : size) {
        d = mean > 0.0 && std::isfinite(mean) ? std::clamp(d / (kThin * mean), kLeast, 1.0) : 1.0;
    }
    return size;
}

// Stray triangles of scans, unless there is nothing else.
TriangleMesh without_flakes(const TriangleMesh& skin) {
    const std::vector<char> is_flake = find_flakes(skin.points, skin.triangles, kFlake);
    TriangleMesh rest;
    rest.points = skin.points;
    rest.triangles.resize(skin.triangles.rows(), 3);
    Eigen::Index count = 0;
    for (Eigen::Index t = 0; t < skin.triangles.rows(); ++t) {
        if (is_flake[at(t)] == 0) {
            rest.triangles.row(count++) = skin.triangles.row(t);
        }
    }
    rest.triangles.conservativeResize(count, 3);
    return count > 0 ? rest : skin;
}

}  // namespace

TriangleMesh without_holes(const TriangleMesh& skin) {
    return with_small_holes_closed(skin, kWidestHole);
}

TriangleMesh coarse_skin(const TriangleMesh& skin, const CharacterSkeleton& skeleton, int vertices,
                         const Progress& progress) {
    const double share = static_cast<double>(vertices) / static_cast<double>(skin.points.rows());
    const auto triangles =
        static_cast<Eigen::Index>(share * static_cast<double>(skin.triangles.rows()));
    // Scans have sheets that meet in a point or an edge, which cannot be simplified.
    const RepairOptions sheets{.weld = Weld::None, .fill_holes = false, .speck_size = 0.0};
    TriangleMesh sound = skin;
    mend(sound, sheets, progress);
    sound = without_flakes(sound);
    // A patch may meet a sheet that is there already; what parts them then may open again.
    for (int round = 0; round < kClosingRounds; ++round) {
        TriangleMesh closed = without_holes(sound);
        if (closed.triangles.rows() == sound.triangles.rows()) {
            break;
        }
        sound = std::move(closed);
        mend(sound, sheets, progress);
    }
    const std::vector<double> size = triangle_sizes(sound.points, skeleton);
    try {
        return decimated(sound,
                         {.target_triangles = std::max<Eigen::Index>(4, triangles),
                          .evenness = kEvenness,
                          .size = size},
                         progress);
    } catch (const InputError& e) {
        progress.warn(fmt::format("not simplified, all of the skin is simulated: {}", e.what()));
        return skin;
    }
}

}  // namespace sinew
