#include "sinew/fit/scan_girths.h"

#include "sinew/base/units.h"
#include "sinew/body/girths.h"
#include "sinew/geometry/measure.h"
#include "sinew/geometry/surface_tree.h"
#include "sinew/mesh/connectivity.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>

// Girths where a tape is laid on people rather than at fractions of joints: levels by named points
// (nipples, navel), the narrowest or widest level in between, across the bones of limbs. A tape
// does not follow hollows, so sections are measured by their convex hull (body/girths.h).

namespace sinew {
namespace {

constexpr double kTapeStep = 0.01;      // m between levels that are tried
constexpr double kUnderNipples = 0.12;  // m, where a waist may begin
constexpr double kUnderNavel = 0.08;    // m, where hips may begin
constexpr double kLowestHips = 0.30;    // m under the navel: below every crotch
// Half way to the line of the knee, which is 16 mm below the axis that the knee rotates about.
constexpr double kThighMiddle = 0.52;
// Below the larynx, the tape sloping down to the front [Hodgdon1984]: where a neck is narrowest
// depends on its fat, and was up to 11 % less than there.
constexpr double kNeckPart = 0.56;  // of the way from its lowest joint to its highest
constexpr double kNeckSlope = 7.0 * kDegree;
constexpr std::array kCalfParts = {0.2, 0.25, 0.3, 0.35, 0.4};  // from knee to ankle

// Every triangle cut into four, with the edges' middles lifted onto the cubic curve that leaves
// both ends across their normals [Vlachos2001]:
//   (a + b) / 2 - (((b - a) . n_a) n_a + ((a - b) . n_b) n_b) / 8
// A tape follows the round limb, of which triangles are chords: calves of the preview skin measure
// 1.6 % short without.
TriangleMesh rounded(const TriangleMesh& mesh) {
    const Points normals = vertex_normals(mesh);
    const Edges edges = unique_edges(mesh.triangles);
    const Eigen::Index N = mesh.points.rows();
    TriangleMesh result;
    result.points.resize(N + edges.rows(), 3);
    result.points.topRows(N) = mesh.points;
    std::map<std::pair<Index, Index>, Index> middle;  // of each edge, (low, high)
    for (Eigen::Index e = 0; e < edges.rows(); ++e) {
        const Vec3 a = point(mesh.points, edges(e, 0));
        const Vec3 b = point(mesh.points, edges(e, 1));
        const Vec3 n_a = point(normals, edges(e, 0));
        const Vec3 n_b = point(normals, edges(e, 1));
        const Vec3 lift = ((b - a).dot(n_a) * n_a + (a - b).dot(n_b) * n_b) / 8.0;
        result.points.row(N + e) = (0.5 * (a + b) - lift).transpose();
        middle[{edges(e, 0), edges(e, 1)}] = static_cast<Index>(N + e);
    }
    result.triangles.resize(4 * mesh.triangles.rows(), 3);
    for (Eigen::Index t = 0; t < mesh.triangles.rows(); ++t) {
        std::array<Index, 3> corner = {};
        std::array<Index, 3> side = {};
        for (int k = 0; k < 3; ++k) {
            const Index a = mesh.triangles(t, k);
            const Index b = mesh.triangles(t, (k + 1) % 3);
            corner[at(k)] = a;
            side[at(k)] = middle.at({std::min(a, b), std::max(a, b)});
        }
        for (int k = 0; k < 3; ++k) {
            result.triangles.row(4 * t + k) << corner[at(k)], side[at(k)], side[at((k + 2) % 3)];
        }
        result.triangles.row(4 * t + 3) << side[0], side[1], side[2];
    }
    return result;
}

std::optional<Vec3> named_point(std::span<const Landmark> named, const char* name) {
    for (const Landmark& landmark : named) {
        if (landmark.name == name) {
            return landmark.position;
        }
    }
    return {};
}

std::optional<Vec3> joint_centre(const Skeleton& skeleton, const std::string& name) {
    for (const Joint& joint : skeleton.joints) {
        if (joint.name == name) {
            return joint.centre;
        }
    }
    return {};
}

}  // namespace

std::vector<std::pair<std::string, double>> scan_girths(const Body& person,
                                                        std::span<const Landmark> named) {
    Body smooth;
    smooth.skeleton = person.skeleton;
    smooth.skin.mesh = rounded(person.skin.mesh);
    const TriangleMesh& skin = smooth.skin.mesh;
    std::vector<std::pair<std::string, double>> result = girths(smooth);
    const auto set = [&](const std::string& name, double value) {
        const auto it = std::find_if(result.begin(), result.end(),
                                     [&](const auto& pair) { return pair.first == name; });
        if (value <= 0.0) {
            return;
        }
        if (it != result.end()) {
            it->second = value;
        } else {
            result.emplace_back(name, value);
        }
    };
    const auto left = joint_centre(person.skeleton, "hip_l");
    const auto right = joint_centre(person.skeleton, "hip_r");
    const auto navel = named_point(named, "navel");
    const auto nipple_l = named_point(named, "nipple_L");
    const auto nipple_r = named_point(named, "nipple_R");
    if (left && right && navel && nipple_l && nipple_r) {
        // Level sections of the trunk: those round the line above the middle of the hips.
        Vec3 centre = 0.5 * (*left + *right);
        const auto level = [&](double height) {
            centre.y() = height;
            return tape_girth(skin.points, skin.triangles, centre, Vec3::UnitY());
        };
        const double nipples = 0.5 * (nipple_l->y() + nipple_r->y());
        set("chest", level(nipples));
        const double at_navel = level(navel->y());
        double waist = at_navel;
        for (double y = navel->y(); y < nipples - kUnderNipples; y += kTapeStep) {
            const double girth = level(y);
            waist = girth > 0.0 ? std::min(waist, girth) : waist;
        }
        set("waist", waist);
        // Below the crotch the tape goes round one thigh, which is narrower.
        double hips = 0.0;
        for (double down = kUnderNavel; down < kLowestHips; down += kTapeStep) {
            hips = std::max(hips, level(navel->y() - down));
        }
        set("hips", hips);
        set("waist_navel", at_navel);
    }
    const auto across = [&](const std::string& from, const std::string& to, double part) {
        const auto a = joint_centre(person.skeleton, from);
        const auto b = joint_centre(person.skeleton, to);
        return a && b ? tape_girth(skin.points, skin.triangles, *a + part * (*b - *a), *b - *a)
                      : 0.0;
    };
    const auto low = joint_centre(person.skeleton, "neck_c7_t1");
    const auto high = joint_centre(person.skeleton, "neck_atlanto_occipital");
    if (low && high) {
        const Vec3 up = (*high - *low).normalized();
        const Vec3 forward = (Vec3::UnitZ() - up.z() * up).normalized();
        set("neck", tape_girth(skin.points, skin.triangles, *low + kNeckPart * (*high - *low),
                               std::cos(kNeckSlope) * up + std::sin(kNeckSlope) * forward));
    }
    for (const std::string side : {"_l", "_r"}) {
        set("thigh" + side, across("hip" + side, "knee" + side, kThighMiddle));
        double calf = 0.0;
        for (const double part : kCalfParts) {
            calf = std::max(calf, across("knee" + side, "ankle" + side, part));
        }
        set("calf" + side, calf);
    }
    return result;
}

std::vector<Landmark> landmarks_carried(std::span<const Landmark> named, const Points& from,
                                        const Points& to, const Triangles& triangles) {
    const SurfaceTree tree(from, triangles);
    std::vector<Landmark> result(named.begin(), named.end());
    for (Landmark& landmark : result) {
        const ClosestPoint c = tree.closest_point(landmark.position);
        landmark.position.setZero();
        for (int k = 0; k < 3; ++k) {
            landmark.position += c.barycentric[k] * point(to, triangles(c.triangle, k));
        }
    }
    return result;
}

}  // namespace sinew
