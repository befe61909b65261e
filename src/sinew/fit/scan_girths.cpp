#include "sinew/fit/scan_girths.h"

#include "sinew/body/girths.h"
#include "sinew/geometry/surface_tree.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

// Girths where a tape is laid on people rather than at fractions of joints: levels by named points
// (nipples, navel), the narrowest or widest level in between, across the bones of limbs. A tape
// does not follow hollows, so sections are measured by their convex hull (body/girths.h).

namespace sinew {
namespace {

constexpr double kTapeStep = 0.01;                       // m between levels that are tried
constexpr double kUnderNipples = 0.12;                   // m, where a waist may begin
constexpr double kUnderNavel = 0.08;                     // m, where hips may begin
constexpr double kLowestHips = 0.30;                     // m under the navel: below every crotch
constexpr double kThighMiddle = 0.5;                     // of the way from hip to knee
constexpr std::array kNeckParts = {0.3, 0.4, 0.5, 0.6};  // from its lowest joint to its highest
constexpr std::array kCalfParts = {0.2, 0.25, 0.3, 0.35, 0.4};  // from knee to ankle

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
    std::vector<std::pair<std::string, double>> result = girths(person);
    const TriangleMesh& skin = person.skin.mesh;
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
    // A tape slides to where the neck is narrowest; level, it would go round the jaw of some.
    double neck = std::numeric_limits<double>::infinity();
    for (const double part : kNeckParts) {
        const double girth = across("neck_c7_t1", "neck_atlanto_occipital", part);
        neck = girth > 0.0 ? std::min(neck, girth) : neck;
    }
    set("neck", std::isfinite(neck) ? neck : 0.0);
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
