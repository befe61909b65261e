#include "sinew/body/person_pair.h"

#include "sinew/base/units.h"
#include "sinew/linalg/dense.h"

#include <cmath>

namespace sinew {

namespace {

constexpr double kTiltedFoot = 0.52;  // rad; feet that rest further apart than this are aligned
constexpr double kShort = 1e-6;       // of a leg; bones shorter than this have no direction

const Mat3& identity() {
    static const Mat3 kIdentity = Mat3::Identity();
    return kIdentity;
}

Vec3 along_ground(const Vec3& v) {
    return {v.x(), 0.0, v.z()};
}

// The frame whose x axis is a bone and whose y axis lies towards another direction.
Mat3 frame_of(const Vec3& bone, const Vec3& towards) {
    Mat3 F;
    F.col(0) = bone.normalized();
    F.col(1) = (towards - F.col(0) * F.col(0).dot(towards)).normalized();
    F.col(2) = F.col(0).cross(F.col(1));
    return F;
}

}  // namespace

PersonPair::PersonPair(const Recording& recording, const PersonJoints& source,
                       const PoseSolver& solver, const PersonJoints& target, RestPoses rests)
    : recording_(recording), source_(source), solver_(solver), target_(target), rests_(rests) {
    find_heading();
    find_scale();
    if (rests_ == RestPoses::Same) {
        return;
    }
    for (const std::string side : {"_l", "_r"}) {
        align_limb({"shoulder" + side, "elbow" + side, "wrist" + side});
        align_limb({"hip" + side, "knee" + side, "ankle" + side});
        align_hand(side);
        const Vec3 foot = bone_of_target("ankle" + side, "toe" + side);
        const Vec3 recorded = bone_of_source("ankle" + side, "toe" + side);
        if (foot.norm() > 0.0 && recorded.norm() > 0.0 &&
            std::atan2(foot.cross(recorded).norm(), foot.dot(recorded)) > kTiltedFoot) {
            alignment_["ankle" + side] = turn_between(foot.normalized(), recorded.normalized());
            alignment_["toe" + side] = alignment_["ankle" + side];
        }
    }
}

// The recording is turned about the vertical, by quarters, to face as the target does.
void PersonPair::find_heading() {
    const auto left = [](const PersonJoints& person, const auto& position) {
        Vec3 sum = Vec3::Zero();
        for (const std::string part : {"hip", "shoulder"}) {
            if (person.has(part + "_l") && person.has(part + "_r")) {
                sum += position(part + "_l") - position(part + "_r");
            }
        }
        return along_ground(sum);
    };
    const Vec3 own = left(target_, [&](const std::string& part) { return centre(part); });
    const Vec3 recorded = left(source_, [&](const std::string& part) {
        return recording_.rest_position(source_.first(part));
    });
    if (own.norm() > 0.0 && recorded.norm() > 0.0) {
        const double angle = std::atan2(Vec3::UnitY().dot(recorded.cross(own)), recorded.dot(own));
        const double quarter = 0.5 * kPi;
        heading_ = Eigen::AngleAxisd(quarter * std::round(angle / quarter), Vec3::UnitY())
                       .toRotationMatrix();
    }
}

void PersonPair::find_scale() {
    for (const auto& [a, b, c] :
         {std::array{"hip", "knee", "ankle"}, std::array{"shoulder", "elbow", "wrist"}}) {
        double own = 0.0;
        double recorded = 0.0;
        int sides = 0;
        for (const std::string side : {"_l", "_r"}) {
            const std::string p = a + side;
            const std::string q = b + side;
            const std::string r = c + side;
            if (has(p) && has(q) && has(r)) {
                own += bone_of_target(p, q).norm() + bone_of_target(q, r).norm();
                recorded += bone_of_source(p, q).norm() + bone_of_source(q, r).norm();
                ++sides;
            }
        }
        if (own > 0.0 && recorded > 0.0) {
            scale_ = own / recorded;
            leg_ = std::string_view(a) == "hip" ? own / sides : 0.0;
            return;
        }
    }
}

Vec3 PersonPair::bone_of_source(const std::string& part, const std::string& next) const {
    const Index a = source_.first(part);
    const Index b = source_.first(next);
    return a < 0 || b < 0
               ? Vec3(Vec3::Zero())
               : Vec3(heading_ * (recording_.rest_position(b) - recording_.rest_position(a)));
}

Vec3 PersonPair::bone_of_target(const std::string& part, const std::string& next) const {
    return target_.has(part) && target_.has(next) ? Vec3(centre(next) - centre(part))
                                                  : Vec3(Vec3::Zero());
}

Vec3 PersonPair::centre(const std::string& part) const {
    return solver_.centre(target_.first(part));
}

// Each bone is led to where the recording has it, by the least rotation after that of the one
// before: A_j d_target = d_source.
void PersonPair::align_limb(const std::vector<std::string>& parts) {
    Mat3 A = Mat3::Identity();
    for (std::size_t k = 0; k + 1 < parts.size(); ++k) {
        const Vec3 own = bone_of_target(parts[k], parts[k + 1]);
        const Vec3 recorded = bone_of_source(parts[k], parts[k + 1]);
        if (own.norm() > 0.0 && recorded.norm() > 0.0) {
            A = turn_between(A * own.normalized(), recorded.normalized()) * A;
        }
        alignment_[parts[k]] = A;
    }
}

// A hand is led by two directions, fingers and thumb. Without a finger it goes on as its forearm
// does; without a thumb that is taken to be in front, as it is in T- and A-poses.
void PersonPair::align_hand(const std::string& side) {
    const std::string wrist = "wrist" + side;
    if (!has(wrist)) {
        return;
    }
    const auto directions = [&](const auto& bone) {
        Vec3 finger = bone(wrist, "finger" + side);
        const Vec3 forearm = bone("elbow" + side, wrist);
        if (finger.norm() < kShort * std::max(forearm.norm(), 1e-12)) {
            finger = forearm;
        }
        const Vec3 thumb = bone(wrist, "thumb" + side);
        const bool has_thumb = thumb.cross(finger).norm() > kShort * finger.squaredNorm();
        return std::pair(finger, has_thumb ? thumb : Vec3(Vec3::Zero()));
    };
    auto [own, own_thumb] = directions(
        [&](const std::string& a, const std::string& b) { return bone_of_target(a, b); });
    auto [recorded, recorded_thumb] = directions(
        [&](const std::string& a, const std::string& b) { return bone_of_source(a, b); });
    Vec3 left = Vec3::Zero();
    for (const std::string part : {"hip", "shoulder"}) {
        if (target_.has(part + "_l") && target_.has(part + "_r")) {
            left += centre(part + "_l") - centre(part + "_r");
        }
    }
    const Vec3 forward = along_ground(left).cross(Vec3::UnitY());
    own_thumb = own_thumb.norm() > 0.0 ? own_thumb : forward;
    recorded_thumb = recorded_thumb.norm() > 0.0 ? recorded_thumb : forward;
    constexpr double kLeast = 0.2;  // sine of the angle between fingers and thumb
    const auto is_usable = [](const Vec3& a, const Vec3& b) {
        return a.cross(b).norm() > kLeast * a.norm() * b.norm();
    };
    if (own.norm() > 0.0 && recorded.norm() > 0.0 && is_usable(own, own_thumb) &&
        is_usable(recorded, recorded_thumb)) {
        alignment_[wrist] =
            frame_of(recorded, recorded_thumb) * frame_of(own, own_thumb).transpose();
    } else {
        alignment_[wrist] = alignment("elbow" + side);
    }
}

Mat3 PersonPair::rotation(std::size_t frame, Index joint) const {
    const auto of = [&](Index j) { return Mat3(recording_.poses[frame][at(j)].linear()); };
    const Mat3 G = held_ < 0 ? of(joint) : Mat3(of(held_).transpose() * of(joint));
    return heading_ * G * heading_.transpose();
}

Vec3 PersonPair::position(std::size_t frame, Index joint) const {
    Vec3 p = recording_.position(frame, joint);
    if (held_ >= 0) {
        const auto h = static_cast<std::size_t>(held_);
        p = recording_.poses[frame][h].inverse() * p;
    }
    return scale_ * (heading_ * p);
}

Vec3 PersonPair::rest_position(Index joint) const {
    return scale_ * (heading_ * recording_.rest_position(joint));
}

const Mat3& PersonPair::alignment(const std::string& part) const {
    const auto found = alignment_.find(part);
    return found == alignment_.end() ? identity() : found->second;
}

Mat3 PersonPair::wanted(std::size_t frame, const std::string& part) const {
    return rotation(frame, source_.first(part)) * alignment(part);
}

Vec3 PersonPair::wanted_direction(std::size_t frame, const std::string& part,
                                  const std::string& next) const {
    if (rests_ == RestPoses::Same) {
        return rotation(frame, source_.first(part)) * bone_of_target(part, next).normalized();
    }
    const Vec3 d = position(frame, source_.first(next)) - position(frame, source_.first(part));
    return d.norm() > 0.0 ? Vec3(d.normalized())
                          : Vec3(wanted(frame, part) * bone_of_target(part, next).normalized());
}

}  // namespace sinew
