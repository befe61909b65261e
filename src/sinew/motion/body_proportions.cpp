#include "sinew/motion/body_proportions.h"

#include "sinew/base/error.h"
#include "sinew/base/units.h"
#include "sinew/body/kinematics.h"

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

// Proportions of a character (alien, hulk, dwarf) as maps of bodies [Ryu2021, section 3.2 and table
// 2]: limbs with heads, shaft and torsion, the trunk as a whole with a forward bend that its joints
// share, hands, feet and head with one scale. Dynamics follow by the rules of [Hodgins1997]:
// stiffness, damping and time change with mass and length so that motions of the smaller body are
// those of the larger, faster.

namespace sinew {

namespace {

constexpr double kShortestBone = 1e-3;  // m between a bone's joints
constexpr double kToRadians = kPi / 180.0;

const SideShapes& side_of(const BodyProportions& p, BodySide side) {
    static const SideShapes kSame = {};
    return side == BodySide::Left ? p.left : side == BodySide::Right ? p.right : kSame;
}

LimbShape limb_shape(const BodyProportions& p, BodySegment segment) {
    const SideShapes& side = side_of(p, segment.side);
    switch (segment.kind) {
        case SegmentKind::Femur:
            return side.femur.value_or(p.femur);
        case SegmentKind::Tibia:
            return side.tibia.value_or(p.tibia);
        case SegmentKind::Humerus:
            return side.humerus.value_or(p.humerus);
        case SegmentKind::Ulna:
            return side.ulna.value_or(p.ulna);
        default:
            return p.neck;
    }
}

PartShape part_shape(const BodyProportions& p, BodySegment segment) {
    const SideShapes& side = side_of(p, segment.side);
    return segment.kind == SegmentKind::Hand   ? side.hand.value_or(p.hand)
           : segment.kind == SegmentKind::Foot ? side.foot.value_or(p.foot)
                                               : p.head;
}

bool is_same(const LimbShape& s) {
    return s.proximal == 1.0 && s.distal == 1.0 && s.elongation == 1.0 && s.torsion == 0.0;
}

// The bone's frame in the world at rest: z from its proximal joint to its distal one.
Placement bone_frame(const LimbAxis& axis) {
    const Vec3 z = (axis.distal - axis.proximal).normalized();
    Mat3 R;
    R.col(2) = z;
    R.col(0) = z.unitOrthogonal();
    R.col(1) = z.cross(Vec3(R.col(0)));
    return {R, axis.proximal};
}

BodyWarp bone_warp(const LimbShape& shape, const LimbAxis& axis, BodySide side,
                   const Placement& T_world_body) {
    return {.is_bone = true,
            .T_body_bone = T_world_body.inverse() * bone_frame(axis),
            .length = (axis.distal - axis.proximal).norm(),
            .elongation = shape.elongation,
            .proximal = shape.proximal,
            .distal = shape.distal,
            .torsion = (side == BodySide::Left ? -1.0 : 1.0) * kToRadians * shape.torsion};
}

// Middle of the joints that both sides' limbs of a kind hang on; nothing without.
std::optional<Vec3> middle_of(const MusculoskeletalModel& model,
                              const std::vector<BodySegment>& segments, SegmentKind kind) {
    Vec3 sum = Vec3::Zero();
    int count = 0;
    for (const BodySide side : {BodySide::Left, BodySide::Right, BodySide::Middle}) {
        const LimbAxis axis = limb_axis(model, segments, {kind, side});
        if ((axis.distal - axis.proximal).norm() > kShortestBone) {
            sum += axis.proximal;
            ++count;
        }
    }
    return count > 0 ? std::optional<Vec3>(sum / count) : std::nullopt;
}

// From the hips to the neck or the shoulders; upright where one of them is missing.
Vec3 trunk_axis(const MusculoskeletalModel& model, const std::vector<BodySegment>& segments) {
    const std::optional<Vec3> hips = middle_of(model, segments, SegmentKind::Femur);
    std::optional<Vec3> top = middle_of(model, segments, SegmentKind::Neck);
    top = top ? top : middle_of(model, segments, SegmentKind::Humerus);
    if (hips && top && (*top - *hips).norm() > kShortestBone) {
        return (*top - *hips).normalized();
    }
    return model.gravity.norm() > 0.0 ? Vec3(-model.gravity.normalized()) : Vec3(Vec3::UnitY());
}

bool is_changed(const BodyProportions& p, SegmentKind kind) {
    using enum SegmentKind;
    for (const BodySide side : {BodySide::Left, BodySide::Right}) {
        if (kind == Head || kind == Hand || kind == Foot) {
            const PartShape shape = part_shape(p, {kind, side});
            if (shape.scale != 1.0 || shape.mass.value_or(1.0) != 1.0) {
                return true;
            }
        } else if (const LimbShape shape = limb_shape(p, {kind, side});
                   !is_same(shape) || shape.mass.value_or(1.0) != 1.0) {
            return true;
        }
    }
    return false;
}

// Segments whose proportions are asked for and that the model does not have.
std::vector<SegmentKind> missing_segments(const std::vector<BodySegment>& segments,
                                          const BodyProportions& p) {
    using enum SegmentKind;
    std::vector<SegmentKind> missing;
    for (const SegmentKind kind : {Neck, Femur, Tibia, Humerus, Ulna, Head, Hand, Foot}) {
        const bool is_there = std::any_of(segments.begin(), segments.end(),
                                          [&](const BodySegment& s) { return s.kind == kind; });
        if (!is_there && is_changed(p, kind)) {
            missing.push_back(kind);
        }
    }
    return missing;
}

void require_segments(const std::vector<BodySegment>& segments, const BodyProportions& p) {
    for (const SegmentKind kind : missing_segments(segments, p)) {
        throw InputError({.where = fmt::format("proportions of '{}'", name_of(kind)),
                          .found = "no such segment in the model",
                          .needs = "a body that is one, by its name or by \"segments\"",
                          .remedy = "remove the entry, or name the bodies under \"segments\""});
    }
}

// Direction to the body's left, which a bend needs.
Vec3 need_left(const MusculoskeletalModel& model, const std::vector<BodySegment>& segments) {
    if (const std::optional<Vec3> left = left_direction(model, segments)) {
        return *left;
    }
    throw InputError({.where = "trunk.bend",
                      .found = "a model without limbs on both sides",
                      .needs = "hips or shoulders that tell left from right",
                      .remedy = "remove the bend"});
}

// How much broader a bone is about a point.
double breadth_at(const BodyWarp& warp, const Vec3& p) {
    const Mat3 stretch = warp.stretch(p);
    const Vec3 z = warp.T_body_bone.rotation.col(2);
    return warp.is_bone ? 0.5 * (stretch.trace() - z.dot(stretch * z)) : stretch.trace() / 3.0;
}

// Turns every joint from the pelvis to the neck forward by its share of the bend.
void bend_trunk(MusculoskeletalModel& out, const MusculoskeletalModel& before,
                const std::vector<BodySegment>& segments, double bend) {
    const Vec3 left = need_left(before, segments);
    const ModelPlacement rest = KinematicTree(before).place(rest_coordinates(before));
    // The chain below the neck, below the first shoulder where there is no neck, or else below the
    // heaviest body above the pelvis.
    Index top = -1;
    for (const SegmentKind above :
         {SegmentKind::Neck, SegmentKind::Head, SegmentKind::Humerus, SegmentKind::Trunk}) {
        for (const ModelJoint& joint : before.joints) {
            if (joint.parent < 0 || segments[at(joint.parent)].kind != SegmentKind::Trunk ||
                segments[at(joint.child)].kind != above) {
                continue;
            }
            if (above != SegmentKind::Trunk) {
                top = top < 0 ? joint.parent : top;
            } else if (top < 0 ||
                       before.bodies[at(joint.child)].mass > before.bodies[at(top)].mass) {
                top = joint.child;
            }
        }
        if (top >= 0) {
            break;
        }
    }
    std::vector<std::size_t> chain;
    for (std::size_t j = before.joints.size(); j-- > 0 && top >= 0;) {
        const ModelJoint& joint = before.joints[j];
        if (joint.child == top && joint.parent >= 0) {
            chain.push_back(j);
            top = joint.parent;
        }
    }
    if (chain.empty()) {
        throw InputError({.where = "trunk.bend",
                          .found = "a trunk of one body",
                          .needs = "joints between pelvis and neck",
                          .remedy = "remove the bend"});
    }
    for (const std::size_t j : chain) {
        ModelJoint& joint = out.joints[j];
        const Vec3 axis = rest.bodies[at(joint.parent)].rotation.transpose() * left;
        const Mat3 turn =
            Eigen::AngleAxisd(bend / static_cast<double>(chain.size()), axis).toRotationMatrix();
        joint.parent_frame.rotation = turn * joint.parent_frame.rotation;
    }
}

// Stops, springs and the joints' own inertia [Hodgins1997].
void scale_joints(MusculoskeletalModel& model, const ProportionedBodies& bodies) {
    const auto ratios = [&](Index coordinate) {
        const Index body = model.joints[at(model.coordinates[at(coordinate)].joint)].child;
        return std::pair{bodies.mass_ratios[at(body)], bodies.length_ratios[at(body)]};
    };
    for (std::size_t c = 0; c < model.coordinates.size(); ++c) {
        Coordinate& coordinate = model.coordinates[c];
        const auto [m, l] = ratios(static_cast<Index>(c));
        // About an axis one more length for the lever and one for the way, which shifts lack.
        const double turn = coordinate.is_rotation ? l * l : 1.0;
        coordinate.stiffness *= m / l * turn;
        coordinate.damping *= m / std::sqrt(l) * turn;
        coordinate.armature *= m * turn;
    }
    for (CoordinateLimit& limit : model.limits) {
        const auto [m, l] = ratios(limit.coordinate);
        const double turn = model.coordinates[at(limit.coordinate)].is_rotation ? l * l : 1.0;
        limit.low_stiffness *= m / l * turn;
        limit.high_stiffness *= m / l * turn;
        limit.damping *= m / std::sqrt(l) * turn;
    }
    for (CoordinateSpring& spring : model.springs) {
        const auto [m, l] = ratios(spring.coordinate);
        const double turn = model.coordinates[at(spring.coordinate)].is_rotation ? l * l : 1.0;
        spring.stiffness *= m / l * turn;
        spring.viscosity *= m / std::sqrt(l) * turn;
    }
}

}  // namespace

std::vector<std::string> drop_missing_segments(const MusculoskeletalModel& model,
                                               BodyProportions& proportions) {
    std::vector<std::string> names;
    for (const SegmentKind kind :
         missing_segments(find_segments(model, proportions.segments), proportions)) {
        names.emplace_back(name_of(kind));
        const auto reset = [&](auto member, auto side_member) {
            proportions.*member = {};
            (proportions.left.*side_member).reset();
            (proportions.right.*side_member).reset();
        };
        switch (kind) {
            case SegmentKind::Neck:
                proportions.neck = {};
                break;
            case SegmentKind::Head:
                proportions.head = {};
                break;
            case SegmentKind::Femur:
                reset(&BodyProportions::femur, &SideShapes::femur);
                break;
            case SegmentKind::Tibia:
                reset(&BodyProportions::tibia, &SideShapes::tibia);
                break;
            case SegmentKind::Humerus:
                reset(&BodyProportions::humerus, &SideShapes::humerus);
                break;
            case SegmentKind::Ulna:
                reset(&BodyProportions::ulna, &SideShapes::ulna);
                break;
            case SegmentKind::Hand:
                reset(&BodyProportions::hand, &SideShapes::hand);
                break;
            case SegmentKind::Foot:
                reset(&BodyProportions::foot, &SideShapes::foot);
                break;
            case SegmentKind::Trunk:
            case SegmentKind::None:
                break;
        }
    }
    return names;
}

ProportionedBodies proportioned_bodies(const MusculoskeletalModel& model,
                                       const BodyProportions& p) {
    ProportionedBodies out{.segments = find_segments(model, p.segments)};
    require_segments(out.segments, p);
    const ModelPlacement rest = KinematicTree(model).place(rest_coordinates(model));
    const Vec3 up = trunk_axis(model, out.segments);
    for (std::size_t b = 0; b < model.bodies.size(); ++b) {
        const BodySegment segment = out.segments[b];
        BodyWarp warp;
        std::optional<double> mass;
        double length = 1.0;
        switch (segment.kind) {
            case SegmentKind::Trunk: {
                const Mat3& R = rest.bodies[b].rotation;
                const Mat3 S = p.trunk.expansion * Mat3::Identity() +
                               (p.trunk.elongation - p.trunk.expansion) * up * up.transpose();
                warp.linear = R.transpose() * S * R;
                mass = p.trunk.mass;
                length = p.trunk.elongation;
                break;
            }
            case SegmentKind::Head:
            case SegmentKind::Hand:
            case SegmentKind::Foot: {
                const PartShape part = part_shape(p, segment);
                warp.linear *= part.scale;
                mass = part.mass;
                length = part.scale;
                break;
            }
            case SegmentKind::None:
                break;  // below: as large as what it hangs on
            default: {
                const LimbShape limb = limb_shape(p, segment);
                const LimbAxis axis = limb_axis(model, out.segments, segment);
                if (!is_same(limb) && (axis.distal - axis.proximal).norm() > kShortestBone) {
                    warp = bone_warp(limb, axis, segment.side, rest.bodies[b]);
                }
                mass = limb.mass;
                length = limb.elongation;
            }
        }
        out.mass_ratios.push_back(mass.value_or(warp.whole().determinant()));
        out.warps.push_back(warp);
        out.length_ratios.push_back(length);
    }
    // Kneecaps are as large as the bone is broad where they hang.
    for (const ModelJoint& joint : model.joints) {
        const std::size_t b = at(joint.child);
        if (joint.parent >= 0 && out.segments[b].kind == SegmentKind::None) {
            const double factor =
                breadth_at(out.warps[at(joint.parent)], joint.parent_frame.position);
            out.warps[b] = BodyWarp::scaling(Vec3::Constant(factor));
            out.mass_ratios[b] = factor * factor * factor;
            out.length_ratios[b] = factor;
        }
    }
    return out;
}

MusculoskeletalModel proportioned_model(const MusculoskeletalModel& model,
                                        const BodyProportions& proportions) {
    const ProportionedBodies bodies = proportioned_bodies(model, proportions);
    MusculoskeletalModel out = warped_model(model, bodies.warps, bodies.mass_ratios);
    if (proportions.trunk.bend != 0.0) {
        bend_trunk(out, model, bodies.segments, kToRadians * proportions.trunk.bend);
    }
    scale_joints(out, bodies);
    return out;
}

void scale_strength(MusculoskeletalModel& model, const ProportionedBodies& bodies, double strength,
                    std::span<const double> longest_before, std::span<const double> longest) {
    const auto mass_ratio = [&](const PathPoint& point) {
        double sum = 0.0;
        for (const PathPoint::Anchor& anchor : point.anchors) {
            sum += anchor.weight * (anchor.body < 0 ? 1.0 : bodies.mass_ratios[at(anchor.body)]);
        }
        return sum;
    };
    for (std::size_t m = 0; m < model.muscles.size(); ++m) {
        MuscleUnit& unit = model.muscles[m];
        const double l = longest[m] / longest_before[m];
        unit.fmax *=
            strength * 0.5 * (mass_ratio(unit.points.front()) + mass_ratio(unit.points.back()));
        unit.rise_time *= std::sqrt(l);
        unit.fall_time *= std::sqrt(l);
        // Speed grows with the root of the length, so in fibre lengths it falls with it.
        unit.velocity /= std::sqrt(l);
    }
}

}  // namespace sinew
