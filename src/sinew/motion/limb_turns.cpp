#include "sinew/motion/limb_turns.h"

#include "sinew/base/units.h"

#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>

// Anatomical angles for models whose coordinates have any names, signs and axes. With L to the
// left, U up and F = L x U forward, a hanging limb goes forward about -L, to the left about F, and
// its front turns to the left about U; what is outwards and inwards follows from the side.

namespace sinew {

namespace {

constexpr std::size_t kHipLimb = 0;
constexpr std::size_t kKneeLimb = 1;
constexpr std::size_t kShoulderLimb = 3;
constexpr std::size_t kElbowLimb = 4;
constexpr double kLeastCosine = 0.7;  // between a coordinate's axis and the anatomical one

constexpr std::array<std::string_view, kLimbTurns> kTurnNames = {
    "hip flexion",        "hip abduction",      "hip rotation",
    "knee flexion",       "ankle dorsiflexion", "shoulder flexion",
    "shoulder abduction", "shoulder rotation",  "elbow flexion"};

struct LimbJoint {
    SegmentKind parent;
    SegmentKind child;
};
constexpr std::array<LimbJoint, 5> kLimbJoints = {{{SegmentKind::Trunk, SegmentKind::Femur},
                                                   {SegmentKind::Femur, SegmentKind::Tibia},
                                                   {SegmentKind::Tibia, SegmentKind::Foot},
                                                   {SegmentKind::Trunk, SegmentKind::Humerus},
                                                   {SegmentKind::Humerus, SegmentKind::Ulna}}};

bool follows_another(const MusculoskeletalModel& model, Index coordinate) {
    return std::any_of(model.couplers.begin(), model.couplers.end(),
                       [&](const CoordinateCoupler& k) { return k.dependent == coordinate; });
}

std::size_t side_number(BodySide side) {
    return side == BodySide::Left ? 0 : 1;
}

// Three angles have a second solution beyond the pole: (a + pi, pi - b, c + pi). Of the two the one
// that turns less in all, so that a limb that goes on past 90 degrees does not jump.
Vec3 shorter_angles(const BallFrame& ball, const Vec3& angles, const Mat3& R) {
    const auto wrapped = [](double x) { return std::remainder(x, 2.0 * kPi); };
    const Vec3 other(wrapped(angles[0] + kPi), wrapped(kPi - angles[1]), wrapped(angles[2] + kPi));
    constexpr double kSameRotation = 1e-6;
    return other.lpNorm<1>() < angles.lpNorm<1>() &&
                   (ball.rotation(other) - R).norm() < kSameRotation
               ? other
               : angles;
}

}  // namespace

std::string_view name_of(LimbTurn turn) {
    return kTurnNames[static_cast<std::size_t>(turn)];
}

LimbPoser::Place LimbPoser::place_of(LimbTurn turn) {
    switch (turn) {
        case LimbTurn::HipFlexion:
        case LimbTurn::HipAbduction:
        case LimbTurn::HipRotation:
            return {kHipLimb, static_cast<std::size_t>(turn)};
        case LimbTurn::KneeFlexion:
            return {kKneeLimb, 0};
        case LimbTurn::AnkleDorsiflexion:
            return {2, 0};
        case LimbTurn::ShoulderFlexion:
        case LimbTurn::ShoulderAbduction:
        case LimbTurn::ShoulderRotation:
            return {kShoulderLimb, static_cast<std::size_t>(turn) -
                                       static_cast<std::size_t>(LimbTurn::ShoulderFlexion)};
        case LimbTurn::ElbowFlexion:
            break;
    }
    return {kElbowLimb, 0};
}

LimbPoser::LimbPoser(const MusculoskeletalModel& model) : rest_(rest_coordinates(model)) {
    for (const Coordinate& c : model.coordinates) {
        zero_.push_back(c.is_rotation && c.low <= c.high ? std::clamp(0.0, c.low, c.high) : c.rest);
    }
    const std::vector<BodySegment> segments = find_segments(model);
    if (model.gravity.norm() > 0.0) {
        up_ = -model.gravity.normalized();
    }
    const Vec3 one_sided = model.osim_version > 0 ? Vec3(-Vec3::UnitZ()) : Vec3(Vec3::UnitX());
    forward_ = left_direction(model, segments).value_or(one_sided).cross(up_).normalized();
    left_ = up_.cross(forward_);
    for (std::size_t limb = 0; limb < limbs_.size(); ++limb) {
        for (const BodySide side : {BodySide::Left, BodySide::Right}) {
            limbs_[limb][side_number(side)] = find_limb(limb, side, model, segments);
        }
    }
}

Vec3 LimbPoser::axis_of(std::size_t limb, std::size_t kind, BodySide side) const {
    const double outwards = side == BodySide::Left ? 1.0 : -1.0;
    switch (kind) {
        case 0:
            return limb == kKneeLimb ? left_ : Vec3(-left_);
        case 1:
            return outwards * forward_;
        default:
            return -outwards * up_;
    }
}

LimbPoser::Limb LimbPoser::find_limb(std::size_t limb, BodySide side,
                                     const MusculoskeletalModel& model,
                                     const std::vector<BodySegment>& segments) const {
    Limb out;
    const KinematicTree tree(model);
    // Parents at rest, the limb itself at zero.
    std::vector<double> q = rest_;
    std::vector<std::size_t> joints;
    for (std::size_t j = 0; j < model.joints.size(); ++j) {
        const ModelJoint& joint = model.joints[j];
        if (joint.parent >= 0 && segments[at(joint.child)].kind == kLimbJoints[limb].child &&
            segments[at(joint.child)].side == side &&
            segments[at(joint.parent)].kind == kLimbJoints[limb].parent) {
            joints.push_back(j);
        }
    }
    const auto is_of = [&](std::size_t c, std::size_t joint) {
        return at(model.coordinates[c].joint) == joint;
    };
    for (const std::size_t j : joints) {
        for (std::size_t c = 0; c < q.size(); ++c) {
            q[c] = is_of(c, j) ? zero_[c] : q[c];
        }
    }
    const ModelPlacement placed = tree.place(q);
    const bool is_spatial = limb == kHipLimb || limb == kShoulderLimb || limb == 2;
    for (const std::size_t j : joints) {
        if (!is_spatial || !BallFrame::is_ball(model, j)) {
            continue;
        }
        const ModelJoint& joint = model.joints[j];
        out.ball.emplace(model, j);
        out.R_frame = placed.bodies[at(joint.parent)].rotation * joint.parent_frame.rotation;
        if (limb == kShoulderLimb) {
            // Recordings rest with arms held out: the arm's own zero hangs down.
            for (const ModelJoint& next : model.joints) {
                if (next.parent == joint.child &&
                    segments[at(next.child)].kind == SegmentKind::Ulna) {
                    const Vec3 arm = placed.bodies[at(joint.child)] * next.parent_frame.position -
                                     placed.bodies[at(joint.child)] * joint.child_frame.position;
                    out.R_zero =
                        Eigen::Quaterniond::FromTwoVectors(arm, Vec3(-up_)).toRotationMatrix();
                    break;
                }
            }
        }
        return out;
    }
    // The free coordinate that turns most nearly as asked.
    for (std::size_t kind = 0; kind < (is_spatial && limb != 2 ? 3u : 1u); ++kind) {
        double best = kLeastCosine;
        for (const std::size_t j : joints) {
            for (std::size_t d = 0; d < tree.dofs().size(); ++d) {
                const Index c = tree.dofs()[d].coordinate;
                const double speed = placed.columns[d].angular.norm();
                if (at(tree.dofs()[d].joint) != j || speed < 1e-9 ||
                    !model.coordinates[at(c)].is_rotation || model.coordinates[at(c)].is_locked ||
                    follows_another(model, c)) {
                    continue;
                }
                const Vec3 axis = placed.columns[d].angular / speed;
                double cosine = axis.dot(axis_of(limb, kind, side));
                if (limb == kElbowLimb) {
                    // Arms rest in many poses; elbows flex across the upper arm, and much further
                    // than they extend.
                    const ModelJoint& joint = model.joints[j];
                    Vec3 arm = placed.bodies[at(joint.child)] * joint.child_frame.position;
                    for (const ModelJoint& above : model.joints) {
                        if (above.child == joint.parent) {
                            arm -= placed.bodies[at(above.child)] * above.child_frame.position;
                        }
                    }
                    const Coordinate& k = model.coordinates[at(c)];
                    cosine =
                        std::sqrt(std::max(0.0, 1.0 - std::pow(axis.dot(arm.normalized()), 2.0))) *
                        (k.high + k.low >= 0.0 ? 1.0 : -1.0);
                }
                if (std::abs(cosine) > best) {
                    best = std::abs(cosine);
                    out.coordinates[kind] = c;
                    out.signs[kind] = cosine > 0.0 ? 1.0 : -1.0;
                }
            }
        }
    }
    return out;
}

bool LimbPoser::has(LimbTurn turn, BodySide side) const {
    const Place place = place_of(turn);
    const Limb& limb = limbs_[place.limb][side_number(side)];
    return side != BodySide::Middle && (limb.ball || limb.coordinates[place.kind] >= 0);
}

void LimbPoser::set(const Limb& limb, const Vec3& angles, BodySide side,
                    std::vector<double>& q) const {
    if (!limb.ball) {
        for (std::size_t k = 0; k < 3; ++k) {
            if (const Index c = limb.coordinates[k]; c >= 0) {
                q[at(c)] = zero_[at(c)] + limb.signs[k] * angles[static_cast<Eigen::Index>(k)];
            }
        }
        return;
    }
    const auto turn = [&](std::size_t kind) {
        return Eigen::AngleAxisd(angles[static_cast<Eigen::Index>(kind)],
                                 axis_of(kHipLimb, kind, side))
            .toRotationMatrix();
    };
    const Mat3 R_world = turn(0) * turn(1) * turn(2) * limb.R_zero;
    const Mat3 R = limb.R_frame.transpose() * R_world * limb.R_frame;
    const Vec3 own = shorter_angles(*limb.ball, limb.ball->angles(R), R);
    for (std::size_t k = 0; k < 3; ++k) {
        q[at(limb.ball->coordinates()[k])] = own[static_cast<Eigen::Index>(k)];
    }
}

std::vector<double> LimbPoser::pose(std::span<const LimbAngle> angles) const {
    std::vector<double> q = rest_;
    for (std::size_t limb = 0; limb < limbs_.size(); ++limb) {
        for (const BodySide side : {BodySide::Left, BodySide::Right}) {
            Vec3 own = Vec3::Zero();
            bool is_named = false;
            for (const LimbAngle& a : angles) {
                const Place place = place_of(a.turn);
                if (place.limb == limb && a.side == side) {
                    own[static_cast<Eigen::Index>(place.kind)] = a.angle;
                    is_named = true;
                }
            }
            if (is_named) {
                set(limbs_[limb][side_number(side)], own, side, q);
            }
        }
    }
    return q;
}

}  // namespace sinew
