#include "sinew/motion/body_matching.h"

#include "sinew/base/error.h"
#include "sinew/base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <tuple>

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

// Lengths over those of the model, as far as they are known.
struct LengthRatios {
    std::array<std::array<std::optional<double>, 2>, kLimbEnds.size()> bones = {};  // left, right
    std::optional<double> trunk = {};
    std::optional<double> neck = {};
    std::vector<double> breadths = {};  // of the trunk

    // Of bones, for all that no measure tells of.
    std::optional<double> mean() const {
        double sum = 0.0;
        int count = 0;
        for (const auto& sides : bones) {
            for (const std::optional<double>& ratio : sides) {
                sum += ratio.value_or(0.0);
                count += ratio ? 1 : 0;
            }
        }
        return count > 0 ? std::optional<double>(sum / count) : std::nullopt;
    }
    std::optional<double> mean_breadth() const {
        return breadths.empty()       ? std::nullopt
               : breadths.size() == 1 ? std::optional<double>(breadths[0])
                                      : std::optional<double>(0.5 * (breadths[0] + breadths[1]));
    }
};

// With at least one bone.
BodyProportions proportions_of_ratios(const MusculoskeletalModel& model,
                                      const LengthRatios& ratios) {
    const double mean = ratios.mean().value_or(1.0);
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
    out.neck.elongation = ratios.neck.value_or(out.neck.elongation);
    for (const auto& [kind, part] :
         {std::pair{SegmentKind::Head, &out.head}, std::pair{SegmentKind::Hand, &out.hand},
          std::pair{SegmentKind::Foot, &out.foot}}) {
        part->scale = has(kind) ? mean : 1.0;
    }
    for (std::size_t b = 0; b < kLimbEnds.size(); ++b) {
        for (const std::size_t side : {0, 1}) {
            if (const std::optional<double>& bone = ratios.bones[b][side]) {
                limb_of(side == 0 ? out.left : out.right, kLimbEnds[b].kind) =
                    LimbShape{.proximal = mean, .distal = mean, .elongation = *bone};
            }
        }
    }
    out.trunk.elongation = ratios.trunk.value_or(mean);
    out.trunk.expansion = ratios.mean_breadth().value_or(mean);
    return out;
}

double segment_mass(const MusculoskeletalModel& model, const std::vector<BodySegment>& segments,
                    SegmentKind kind, BodySide side) {
    double sum = 0.0;
    for (std::size_t b = 0; b < model.bodies.size(); ++b) {
        sum += segments[b].kind == kind && segments[b].side == side ? model.bodies[b].mass : 0.0;
    }
    return sum;
}

// Mass ratios of all segments whose mass is known in kg.
template <class MassOf>
void set_masses(const MusculoskeletalModel& model, BodyProportions& out, MassOf&& mass_of) {
    const std::vector<BodySegment> segments = find_segments(model);
    const auto ratio = [&](SegmentKind kind, BodySide side) {
        const double before = segment_mass(model, segments, kind, side);
        const std::optional<double> now = mass_of(kind, side);
        return before > 0.0 && now && *now > 0.0 ? std::optional<double>(*now / before)
                                                 : std::nullopt;
    };
    for (const auto& [side, shapes] :
         {std::pair{BodySide::Left, &out.left}, std::pair{BodySide::Right, &out.right}}) {
        for (const auto& [bone, common] :
             {std::pair{SegmentKind::Femur, &out.femur}, std::pair{SegmentKind::Tibia, &out.tibia},
              std::pair{SegmentKind::Humerus, &out.humerus},
              std::pair{SegmentKind::Ulna, &out.ulna}}) {
            if (const std::optional<double> mass = ratio(bone, side)) {
                std::optional<LimbShape>& limb = limb_of(*shapes, bone);
                limb = limb ? limb : *common;
                limb->mass = mass;
            }
        }
        for (const auto& [kind, part, common] :
             {std::tuple{SegmentKind::Hand, &shapes->hand, &out.hand},
              std::tuple{SegmentKind::Foot, &shapes->foot, &out.foot}}) {
            if (const std::optional<double> mass = ratio(kind, side)) {
                *part = PartShape{common->scale, mass};
            }
        }
    }
    out.trunk.mass = ratio(SegmentKind::Trunk, BodySide::Middle);
    out.head.mass = ratio(SegmentKind::Head, BodySide::Middle);
    out.neck.mass = ratio(SegmentKind::Neck, BodySide::Middle);
}

// A row names a segment of the model, and a length only where the model has one.
void require_measure(const MusculoskeletalModel& model, const std::vector<BodySegment>& segments,
                     const SegmentMeasure& m) {
    const auto is_it = [&](const BodySegment& s) {
        return s.kind == m.segment.kind &&
               (m.segment.side == BodySide::Middle || m.segment.side == s.side);
    };
    if (std::none_of(segments.begin(), segments.end(), is_it)) {
        throw InputError({.where = m.where,
                          .found = fmt::format("'{}', which '{}' does not have",
                                               name_of(m.segment.kind), model.name),
                          .needs = "a segment of the model",
                          .remedy = "remove the row"});
    }
    using enum SegmentKind;
    if (m.length && (m.segment.kind == Hand || m.segment.kind == Foot || m.segment.kind == Head)) {
        throw InputError({.where = m.where,
                          .found = fmt::format("a length of '{}'", name_of(m.segment.kind)),
                          .needs = "lengths of limbs, neck or trunk: between joints",
                          .remedy = "leave the cell empty; such parts grow as limbs do"});
    }
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
    LengthRatios ratios;
    for (std::size_t b = 0; b < kLimbEnds.size(); ++b) {
        for (const std::size_t side : {0, 1}) {
            const std::string suffix = side == 0 ? "_l" : "_r";
            const std::string from = kLimbEnds[b].proximal + suffix;
            const std::string to = kLimbEnds[b].distal + suffix;
            ratios.bones[b][side] = ratio_of(span_of(points, from, to), span_of(before, from, to),
                                             fmt::format("distance of {} and {}", from, to));
        }
    }
    if (!ratios.mean()) {
        throw InputError({.where = "points of joints",
                          .found = "no bone with both its ends",
                          .needs = "two neighbouring joints, as hip_l and knee_l",
                          .remedy = "add the other end of a bone that the model has"});
    }
    const bool by_neck = !trunk_length(before, false) || !trunk_length(points, false);
    ratios.trunk = ratio_of(trunk_length(points, by_neck), trunk_length(before, by_neck),
                            "length of the trunk");
    for (const char* joint : {"hip", "shoulder"}) {
        const std::string l = fmt::format("{}_l", joint);
        const std::string r = fmt::format("{}_r", joint);
        if (const auto breadth = ratio_of(span_of(points, l, r), span_of(before, l, r),
                                          fmt::format("distance of {} and {}", l, r))) {
            ratios.breadths.push_back(*breadth);
        }
    }
    return proportions_of_ratios(model, ratios);
}

BodyProportions proportions_from_measures(const MusculoskeletalModel& model,
                                          std::span<const SegmentMeasure> measures) {
    const JointPoints before = joint_points(model);
    const std::vector<BodySegment> segments = find_segments(model);
    LengthRatios ratios;
    for (const SegmentMeasure& m : measures) {
        require_measure(model, segments, m);
        if (!m.length && !m.breadth) {
            continue;
        }
        if (m.breadth) {
            if (const auto r = ratio_of(m.breadth, span_of(before, "hip_l", "hip_r"), m.where)) {
                ratios.breadths.push_back(*r);
            }
        }
        if (!m.length) {
            continue;
        }
        if (m.segment.kind == SegmentKind::Trunk) {
            const bool by_neck = !trunk_length(before, false);
            ratios.trunk = ratio_of(m.length, trunk_length(before, by_neck), m.where);
            continue;
        }
        if (m.segment.kind == SegmentKind::Neck) {
            const LimbAxis neck = limb_axis(model, segments, m.segment);
            ratios.neck = ratio_of(m.length, (neck.distal - neck.proximal).norm(), m.where);
            continue;
        }
        for (std::size_t b = 0; b < kLimbEnds.size(); ++b) {
            for (const std::size_t side : {0, 1}) {
                const BodySide here = side == 0 ? BodySide::Left : BodySide::Right;
                const std::string suffix = side == 0 ? "_l" : "_r";
                if (kLimbEnds[b].kind == m.segment.kind &&
                    (m.segment.side == BodySide::Middle || m.segment.side == here)) {
                    ratios.bones[b][side] = ratio_of(m.length,
                                                     span_of(before, kLimbEnds[b].proximal + suffix,
                                                             kLimbEnds[b].distal + suffix),
                                                     m.where);
                }
            }
        }
    }
    BodyProportions out = ratios.mean() ? proportions_of_ratios(model, ratios) : BodyProportions{};
    if (!ratios.mean()) {
        out.trunk.elongation = ratios.trunk.value_or(1.0);
        out.trunk.expansion = ratios.mean_breadth().value_or(1.0);
        out.neck.elongation = ratios.neck.value_or(1.0);
    }
    set_masses(model, out, [&](SegmentKind kind, BodySide side) {
        // A limb's own row counts before one for both sides.
        std::optional<double> both;
        for (const SegmentMeasure& m : measures) {
            if (m.segment.kind == kind && m.mass) {
                if (m.segment.side == side) {
                    return m.mass;
                }
                both = m.segment.side == BodySide::Middle ? m.mass : both;
            }
        }
        return both;
    });
    return out;
}

BodyProportions proportions_of(const MusculoskeletalModel& model,
                               const MusculoskeletalModel& other) {
    BodyProportions out = proportions_from_joints(model, joint_points(other));
    const std::vector<BodySegment> segments = find_segments(other);
    set_masses(model, out, [&](SegmentKind kind, BodySide side) {
        return std::optional<double>(segment_mass(other, segments, kind, side));
    });
    return out;
}

}  // namespace sinew
