#include "sinew/fit/landmarks.h"

#include "sinew/base/error.h"
#include "sinew/base/text.h"
#include "sinew/base/units.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

// Names of points on a person's skin, between the words of scans and those of the built-in anatomy,
// and two that are found by shape.

namespace sinew {
namespace {

// Names of scans and those of the built-in human. "_L" and "_l" stand for both sides.
struct NamePair {
    const char* scan;
    const char* body;
};
constexpr NamePair kNames[] = {{"head_top", "vertex"},
                               {"nose_tip", "nose_tip"},
                               {"chin", "chin"},
                               {"c7", "c7"},
                               {"suprasternale", "suprasternal_notch"},
                               {"navel", "navel"},
                               {"nipple_L", "nipple_l"},
                               {"acromion_L", "acromion_l"},
                               {"elbow_olecranon_L", "olecranon_l"},
                               {"elbow_lateral_L", "elbow_lateral_l"},
                               {"wrist_dorsal_L", ""},
                               {"middle_fingertip_L", "fingertip_middle_l"},
                               {"asis_L", "asis_l"},
                               {"patella_L", "patella_l"},
                               {"ankle_lateral_L", "malleolus_lateral_l"},
                               {"ankle_medial_L", "malleolus_medial_l"},
                               {"heel_L", "heel_l"},
                               {"big_toe_tip_L", "toe_tip_l"}};

std::string right_name(std::string name) {
    if (name.size() > 2 && name[name.size() - 2] == '_' &&
        (name.back() == 'L' || name.back() == 'l')) {
        name.back() = name.back() == 'L' ? 'R' : 'r';
    }
    return name;
}

const Landmark* find_landmark(const Body& body, const std::string& name) {
    for (const Landmark& landmark : body.landmarks) {
        if (landmark.name == name) {
            return &landmark;
        }
    }
    return nullptr;
}

Landmark on_skin(const Body& body, const std::string& name, const Vec3& near) {
    Eigen::Index nearest = 0;
    (body.skin.mesh.points.rowwise() - near.transpose()).rowwise().squaredNorm().minCoeff(&nearest);
    return {.name = name,
            .position = point(body.skin.mesh.points, nearest),
            .skin_vertex = static_cast<Index>(nearest)};
}

}  // namespace

const std::vector<std::string>& scan_landmark_names() {
    static const std::vector<std::string> kAll = [] {
        std::vector<std::string> all;
        for (const NamePair& pair : kNames) {
            all.emplace_back(pair.scan);
            if (right_name(pair.scan) != pair.scan) {
                all.push_back(right_name(pair.scan));
            }
        }
        return all;
    }();
    return kAll;
}

std::vector<Landmark> scan_landmarks_of(const Body& body) {
    std::vector<Landmark> result;
    for (const NamePair& pair : kNames) {
        for (int side = 0; side < (right_name(pair.scan) != pair.scan ? 2 : 1); ++side) {
            const std::string name = side == 1 ? right_name(pair.scan) : pair.scan;
            const std::string own = side == 1 ? right_name(pair.body) : pair.body;
            if (own.empty()) {
                // The back of the wrist: half way between its sides; palms look forward at rest.
                const std::string end = side == 1 ? "_r" : "_l";
                const Landmark* a = find_landmark(body, "wrist_radial" + end);
                const Landmark* b = find_landmark(body, "wrist_ulnar" + end);
                if (a != nullptr && b != nullptr) {
                    const Vec3 middle = 0.5 * (a->position + b->position);
                    result.push_back(on_skin(body, name, middle - Vec3(0, 0, 0.04)));
                }
            } else if (const Landmark* found = find_landmark(body, own)) {
                result.push_back(on_skin(body, name, found->position));
            }
        }
    }
    return result;
}

Index breast_apex(const Points& rest, Index start, bool is_left) {
    constexpr double kWindow = 0.04;     // m: wider than noise is rough and triangles are long
    constexpr double kFarthest = 0.10;   // m from the start
    constexpr double kLeastGain = 0.01;  // m
    constexpr double kOutward = 25.0 * kDegree;
    const Vec3 ahead((is_left ? 1.0 : -1.0) * std::sin(kOutward), 0.0, std::cos(kOutward));
    const Vec3 first = point(rest, start);
    std::vector<Index> near;
    for (Eigen::Index v = 0; v < rest.rows(); ++v) {
        if ((point(rest, v) - first).norm() < kFarthest + kWindow) {
            near.push_back(static_cast<Index>(v));
        }
    }
    // Uphill by the highest point of a window, until it is the window's own middle.
    Index now = start;
    for (bool climbs = true; climbs;) {
        Index best = now;
        for (const Index v : near) {
            if ((point(rest, v) - point(rest, now)).norm() < kWindow &&
                ahead.dot(point(rest, v) - point(rest, best)) > 0.0) {
                best = v;
            }
        }
        climbs = best != now;
        now = best;
    }
    const Vec3 moved = point(rest, now) - first;
    return moved.norm() < kFarthest && ahead.dot(moved) > kLeastGain ? now : start;
}

void require_known(const std::vector<ScanLandmark>& landmarks) {
    std::set<std::string> seen;
    for (const ScanLandmark& landmark : landmarks) {
        const std::vector<std::string>& names = scan_landmark_names();
        if (std::find(names.begin(), names.end(), landmark.name) == names.end()) {
            throw InputError({.where = "landmarks",
                              .found = fmt::format("unknown name '{}'{}", landmark.name,
                                                   did_you_mean(landmark.name, names)),
                              .needs = fmt::format("one of: {}", join(names, ", ")),
                              .remedy = "correct or remove it"});
        }
        if (!seen.insert(landmark.name).second) {
            throw InputError({.where = "landmarks",
                              .found = fmt::format("'{}' twice", landmark.name),
                              .needs = "each name once",
                              .remedy = "remove one of them"});
        }
    }
}

}  // namespace sinew
