#include "sinew/motion/body_matching.h"

#include "sinew/base/error.h"
#include "sinew/base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

// From what is known of a person to proportions of a model [Ryu2021, section 6.6]: joint centres of
// X-ray views or of another model give lengths of bones, which do not depend on the pose.

namespace sinew {

namespace {

constexpr double kShortestRatio = 0.3;  // of the model's bone
constexpr double kLongestRatio = 4.0;

struct LimbEnds {
    SegmentKind kind;
    const char* proximal;
    const char* distal;
};
constexpr std::array<LimbEnds, 4> kLimbEnds = {{{SegmentKind::Femur, "hip", "knee"},
                                                {SegmentKind::Tibia, "knee", "ankle"},
                                                {SegmentKind::Humerus, "shoulder", "elbow"},
                                                {SegmentKind::Ulna, "elbow", "wrist"}}};

std::optional<Vec3> find_point(const JointPoints& points, const std::string& name) {
    for (const auto& [key, p] : points) {
        if (key == name) {
            return p;
        }
    }
    return std::nullopt;
}

std::optional<double> span_of(const JointPoints& points, const std::string& a,
                              const std::string& b) {
    const std::optional<Vec3> p = find_point(points, a);
    const std::optional<Vec3> q = find_point(points, b);
    return p && q && (*p - *q).norm() > 0.0 ? std::optional<double>((*p - *q).norm())
                                            : std::nullopt;
}

// Middle of both sides' joints of a kind.
std::optional<Vec3> middle_joint(const JointPoints& points, const std::string& joint) {
    const std::optional<Vec3> l = find_point(points, joint + "_l");
    const std::optional<Vec3> r = find_point(points, joint + "_r");
    return l && r ? std::optional<Vec3>(0.5 * (*l + *r)) : std::nullopt;
}

std::optional<double> trunk_length(const JointPoints& points, bool by_neck) {
    const std::optional<Vec3> low = middle_joint(points, "hip");
    const std::optional<Vec3> top =
        by_neck ? find_point(points, "neck") : middle_joint(points, "shoulder");
    return low && top ? std::optional<double>((*top - *low).norm()) : std::nullopt;
}

// The ratio of two lengths that both bodies have.
std::optional<double> ratio_of(const std::optional<double>& now,
                               const std::optional<double>& before, const std::string& what) {
    if (!now || !before) {
        return std::nullopt;
    }
    const double r = *now / *before;
    if (r < kShortestRatio || r > kLongestRatio) {
        throw InputError({.where = what,
                          .found = fmt::format("{:.4g} m, {:.3g} times the model's", *now, r),
                          .needs = fmt::format("{} to {} times", kShortestRatio, kLongestRatio),
                          .remedy = "check the unit and the names of the points"});
    }
    return r;
}

void require_names(const JointPoints& points) {
    std::vector<std::string> known = {"neck"};
    for (const char* joint : {"hip", "knee", "ankle", "shoulder", "elbow", "wrist"}) {
        known.push_back(fmt::format("{}_l", joint));
        known.push_back(fmt::format("{}_r", joint));
    }
    for (const auto& [name, p] : points) {
        if (std::find(known.begin(), known.end(), name) == known.end()) {
            throw InputError({.where = fmt::format("point '{}'", name),
                              .found = fmt::format("no such joint{}", did_you_mean(name, known)),
                              .needs = fmt::format("one of {}", join(known, ", ")),
                              .remedy = "name the joint's centre"});
        }
    }
}

std::optional<LimbShape>& limb_of(SideShapes& side, SegmentKind kind) {
    return kind == SegmentKind::Femur     ? side.femur
           : kind == SegmentKind::Tibia   ? side.tibia
           : kind == SegmentKind::Humerus ? side.humerus
                                          : side.ulna;
}

}  // namespace

JointPoints joint_points(const MusculoskeletalModel& model) {
    const std::vector<BodySegment> segments = find_segments(model);
    JointPoints out;
    const auto add = [&](const std::string& name, const Vec3& p) {
        if (!find_point(out, name)) {
            out.emplace_back(name, p);
        }
    };
    for (const auto& [side, suffix] :
         {std::pair{BodySide::Left, "_l"}, std::pair{BodySide::Right, "_r"}}) {
        for (const LimbEnds& bone : kLimbEnds) {
            const LimbAxis axis = limb_axis(model, segments, {bone.kind, side});
            if ((axis.distal - axis.proximal).norm() > 0.0) {
                add(std::string(bone.proximal) + suffix, axis.proximal);
                add(std::string(bone.distal) + suffix, axis.distal);
            }
        }
    }
    const LimbAxis neck = limb_axis(model, segments, {SegmentKind::Neck, BodySide::Middle});
    if ((neck.distal - neck.proximal).norm() > 0.0) {
        add("neck", neck.proximal);
    }
    return out;
}

JointPoints points_from_views(
    const std::vector<std::pair<std::string, std::vector<double>>>& frontal,
    const std::vector<std::pair<std::string, std::vector<double>>>& lateral) {
    const auto require_two = [](const std::string& name, const std::vector<double>& p) {
        if (p.size() != 2) {
            throw InputError({.where = fmt::format("point '{}' of a view", name),
                              .found = fmt::format("{} numbers", p.size()),
                              .needs = "two: across and up",
                              .remedy = "give the point as [across, up]"});
        }
    };
    JointPoints out;
    for (const auto& [name, front] : frontal) {
        require_two(name, front);
        for (const auto& [other, side] : lateral) {
            if (other == name) {
                require_two(other, side);
                out.emplace_back(name, Vec3(front[0], 0.5 * (front[1] + side[1]), side[0]));
            }
        }
    }
    return out;
}

BodyProportions proportions_from_joints(const MusculoskeletalModel& model,
                                        const JointPoints& points) {
    require_names(points);
    const JointPoints before = joint_points(model);
    // Ratios of bones, and their mean for all that no point tells of.
    std::array<std::array<std::optional<double>, 2>, kLimbEnds.size()> bones;
    double sum = 0.0;
    int count = 0;
    for (std::size_t b = 0; b < kLimbEnds.size(); ++b) {
        for (const std::size_t side : {0, 1}) {
            const std::string suffix = side == 0 ? "_l" : "_r";
            const std::string from = kLimbEnds[b].proximal + suffix;
            const std::string to = kLimbEnds[b].distal + suffix;
            bones[b][side] = ratio_of(span_of(points, from, to), span_of(before, from, to),
                                      fmt::format("distance of {} and {}", from, to));
            sum += bones[b][side].value_or(0.0);
            count += bones[b][side] ? 1 : 0;
        }
    }
    if (count == 0) {
        throw InputError({.where = "points of joints",
                          .found = "no bone with both its ends",
                          .needs = "two neighbouring joints, as hip_l and knee_l",
                          .remedy = "add the other end of a bone that the model has"});
    }
    const double mean = sum / count;
    BodyProportions out;
    // Only what the model has can grow.
    const std::vector<BodySegment> segments = find_segments(model);
    const auto has = [&](SegmentKind kind) {
        return std::any_of(segments.begin(), segments.end(),
                           [&](const BodySegment& s) { return s.kind == kind; });
    };
    const LimbShape grown{.proximal = mean, .distal = mean, .elongation = mean};
    for (const auto& [kind, limb] :
         {std::pair{SegmentKind::Neck, &out.neck}, std::pair{SegmentKind::Femur, &out.femur},
          std::pair{SegmentKind::Tibia, &out.tibia}, std::pair{SegmentKind::Humerus, &out.humerus},
          std::pair{SegmentKind::Ulna, &out.ulna}}) {
        *limb = has(kind) ? grown : LimbShape{};
    }
    for (const auto& [kind, part] :
         {std::pair{SegmentKind::Head, &out.head}, std::pair{SegmentKind::Hand, &out.hand},
          std::pair{SegmentKind::Foot, &out.foot}}) {
        part->scale = has(kind) ? mean : 1.0;
    }
    for (std::size_t b = 0; b < kLimbEnds.size(); ++b) {
        for (const std::size_t side : {0, 1}) {
            if (bones[b][side]) {
                limb_of(side == 0 ? out.left : out.right, kLimbEnds[b].kind) =
                    LimbShape{.proximal = mean, .distal = mean, .elongation = *bones[b][side]};
            }
        }
    }
    const bool by_neck = !trunk_length(before, false) || !trunk_length(points, false);
    out.trunk.elongation = ratio_of(trunk_length(points, by_neck), trunk_length(before, by_neck),
                                    "length of the trunk")
                               .value_or(mean);
    std::vector<double> breadths;
    for (const char* joint : {"hip", "shoulder"}) {
        const std::string l = fmt::format("{}_l", joint);
        const std::string r = fmt::format("{}_r", joint);
        if (const auto breadth = ratio_of(span_of(points, l, r), span_of(before, l, r),
                                          fmt::format("distance of {} and {}", l, r))) {
            breadths.push_back(*breadth);
        }
    }
    out.trunk.expansion = breadths.empty()       ? mean
                          : breadths.size() == 1 ? breadths[0]
                                                 : 0.5 * (breadths[0] + breadths[1]);
    return out;
}

BodyProportions proportions_of(const MusculoskeletalModel& model,
                               const MusculoskeletalModel& other) {
    BodyProportions out = proportions_from_joints(model, joint_points(other));
    const auto mass = [](const MusculoskeletalModel& m, SegmentKind kind, BodySide side) {
        const std::vector<BodySegment> segments = find_segments(m);
        double sum = 0.0;
        for (std::size_t b = 0; b < m.bodies.size(); ++b) {
            sum += segments[b].kind == kind && segments[b].side == side ? m.bodies[b].mass : 0.0;
        }
        return sum;
    };
    const auto masses = [&](SegmentKind kind, BodySide side) {
        const double before = mass(model, kind, side);
        const double now = mass(other, kind, side);
        return before > 0.0 && now > 0.0 ? std::optional<double>(now / before) : std::nullopt;
    };
    for (const auto& [side, shapes] :
         {std::pair{BodySide::Left, &out.left}, std::pair{BodySide::Right, &out.right}}) {
        for (const LimbEnds& bone : kLimbEnds) {
            if (std::optional<LimbShape>& limb = limb_of(*shapes, bone.kind)) {
                limb->mass = masses(bone.kind, side);
            }
        }
        shapes->hand = PartShape{out.hand.scale, masses(SegmentKind::Hand, side)};
        shapes->foot = PartShape{out.foot.scale, masses(SegmentKind::Foot, side)};
    }
    out.trunk.mass = masses(SegmentKind::Trunk, BodySide::Middle);
    out.head.mass = masses(SegmentKind::Head, BodySide::Middle);
    out.neck.mass = masses(SegmentKind::Neck, BodySide::Middle);
    return out;
}

}  // namespace sinew
