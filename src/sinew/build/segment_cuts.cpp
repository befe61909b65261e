#include "sinew/build/segment_cuts.h"

#include "sinew/base/units.h"
#include "sinew/body/names.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>

namespace sinew {

namespace {

/// A joint to cut at; the joints before and beyond give the course of the limb.
struct Place {
    const char* name;
    const char* before;  ///< "" where the limb begins
    const char* beyond;  ///< "" where only the limb before counts
    double reach;        ///< over the length to the joint beyond, or before
};
constexpr std::array<Place, 6> kLimbs = {{{"shoulder", "", "elbow", 0.4},
                                          {"elbow", "shoulder", "wrist", 0.5},
                                          {"wrist", "elbow", "mcp_middle_finger", 0.8},
                                          {"hip", "", "knee", 0.75},
                                          {"knee", "hip", "ankle", 0.5},
                                          {"ankle", "knee", "", 0.6}}};

std::optional<Index> find_joint(const Skeleton& skeleton, const std::string& name) {
    for (std::size_t j = 0; j < skeleton.joints.size(); ++j) {
        if (skeleton.joints[j].name == name && skeleton.joints[j].parent >= 0) {
            return static_cast<Index>(j);
        }
    }
    return std::nullopt;
}

std::optional<SegmentCut> limb_cut(const Body& body, const Place& place, Side side) {
    const auto joint = [&](const char* stem) {
        return find_joint(body.skeleton, with_side(stem, side));
    };
    const auto centre = [&](Index j) {
        return body.skeleton.joints[static_cast<std::size_t>(j)].centre;
    };
    const std::optional<Index> own = joint(place.name);
    if (!own) {
        return std::nullopt;
    }
    Vec3 along = Vec3::Zero();
    double length = 0.0;
    for (const char* other : {place.before, place.beyond}) {
        if (*other == '\0') {
            continue;
        }
        const std::optional<Index> next = joint(other);
        if (!next) {
            return std::nullopt;
        }
        const Vec3 way =
            other == place.before ? centre(*own) - centre(*next) : centre(*next) - centre(*own);
        along += way.normalized();
        length = way.norm();
    }
    return SegmentCut{.joint = *own,
                      .at = centre(*own),
                      .normal = along.normalized(),
                      .reach = place.reach * length};
}

double outward(Side side) {
    return side == Side::Left ? 1.0 : -1.0;
}

/// To the top of the tibia, which lies below the axis of the knee.
void lower_to_tibia(const Body& body, Side side, SegmentCut& knee) {
    const std::string tibia = with_side("tibia", side);
    for (const Bone& bone : body.bones) {
        if (bone.name == tibia && bone.mesh.points.rows() > 0) {
            const double top =
                ((bone.mesh.points.rowwise() - knee.at.transpose()) * knee.normal).minCoeff();
            knee.at += std::clamp(top, 0.0, knee.reach) * knee.normal;
        }
    }
}

/// To the tip of the radial styloid, which lies before the head of the capitate.
void raise_to_radius(const Body& body, Side side, SegmentCut& wrist) {
    const std::string radius = with_side("radius", side);
    for (const Bone& bone : body.bones) {
        if (bone.name == radius && bone.mesh.points.rows() > 0) {
            const double tip =
                ((bone.mesh.points.rowwise() - wrist.at.transpose()) * wrist.normal).maxCoeff();
            wrist.at += std::clamp(tip, -wrist.reach, 0.0) * wrist.normal;
        }
    }
}

/// The groin's plane instead of one across the limb.
void turn_to_groin(const Body& body, Side side, SegmentCut& hip) {
    constexpr double kGroin = 37.0 * kPi / 180.0;
    hip.normal = Vec3(outward(side) * std::cos(kGroin), -std::sin(kGroin), 0.0);
    const std::string spine = with_side("asis", side);
    for (const Landmark& landmark : body.landmarks) {
        if (landmark.name == spine) {
            hip.at = landmark.position;
        }
    }
}

}  // namespace

std::vector<Index> cut_regions(const Skeleton& skeleton, const std::vector<SegmentCut>& cuts) {
    std::vector<Index> last(skeleton.segments.size(), -1);
    for (std::size_t j = 0; j < skeleton.joints.size(); ++j) {  // parents before children
        const Joint& joint = skeleton.joints[j];
        Index& own = last[static_cast<std::size_t>(joint.child)];
        own = joint.parent < 0 ? Index{-1} : last[static_cast<std::size_t>(joint.parent)];
        for (std::size_t c = 0; c < cuts.size(); ++c) {
            own = cuts[c].joint == static_cast<Index>(j) ? static_cast<Index>(c) : own;
        }
    }
    return last;
}

std::vector<SegmentCut> segment_cuts(const Body& body) {
    std::vector<SegmentCut> cuts;
    const std::optional<Index> neck = find_joint(body.skeleton, "neck_c7_t1");
    const std::optional<Index> head = find_joint(body.skeleton, "neck_atlanto_occipital");
    if (neck && head) {
        const Vec3 at = body.skeleton.joints[static_cast<std::size_t>(*neck)].centre;
        const Vec3 way = body.skeleton.joints[static_cast<std::size_t>(*head)].centre - at;
        cuts.push_back(
            {.joint = *neck, .at = at, .normal = way.normalized(), .reach = 1.1 * way.norm()});
    }
    for (const Place& place : kLimbs) {
        for (const Side side : {Side::Left, Side::Right}) {
            if (std::optional<SegmentCut> cut = limb_cut(body, place, side)) {
                const std::string name = place.name;
                if (name == "hip") {
                    turn_to_groin(body, side, *cut);
                } else if (name == "knee") {
                    lower_to_tibia(body, side, *cut);
                } else if (name == "wrist") {
                    raise_to_radius(body, side, *cut);
                } else if (name == "shoulder") {
                    cut->normal = outward(side) * Vec3::UnitX();
                }
                cuts.push_back(*cut);
            }
        }
    }
    return cuts;
}

void apply_cuts(const Body& body, const std::vector<SegmentCut>& cuts,
                std::vector<Index>& segment) {
    const std::vector<Index> last = cut_regions(body.skeleton, cuts);
    for (std::size_t t = 0; t < segment.size(); ++t) {
        if (segment[t] < 0) {
            continue;
        }
        Vec3 centre = Vec3::Zero();
        for (Eigen::Index k = 0; k < 4; ++k) {
            centre +=
                0.25 * point(body.tets.points, body.tets.tets(static_cast<Eigen::Index>(t), k));
        }
        // The nearest joint that the flesh lies at the wrong side of.
        double nearest = std::numeric_limits<double>::infinity();
        const Index region = last[static_cast<std::size_t>(segment[t])];
        Index moved = segment[t];
        for (std::size_t c = 0; c < cuts.size(); ++c) {
            const Joint& joint = body.skeleton.joints[static_cast<std::size_t>(cuts[c].joint)];
            const double distance = (centre - joint.centre).norm();
            const bool is_beyond = cuts[c].normal.dot(centre - cuts[c].at) > 0.0;
            const bool is_counted_beyond = region == static_cast<Index>(c);
            const bool is_counted_before = region == last[static_cast<std::size_t>(joint.parent)];
            if (distance < std::min(cuts[c].reach, nearest) &&
                ((is_counted_beyond && !is_beyond) || (is_counted_before && is_beyond))) {
                nearest = distance;
                moved = is_beyond ? joint.child : joint.parent;
            }
        }
        segment[t] = moved;
    }
}

}  // namespace sinew
