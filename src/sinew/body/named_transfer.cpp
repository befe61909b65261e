#include "sinew/body/named_transfer.h"

#include "sinew/base/error.h"
#include "sinew/base/text.h"
#include "sinew/linalg/dense.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>

namespace sinew {
namespace {

constexpr double kBeside = 0.03;    // of a skeleton's largest side: joints this near to the middle
                                    // plane are of the trunk
constexpr double kAcross = 0.7071;  // cosine of the angle between a bone and the one before it
constexpr double kNearlySame = 0.966;  // cosine of the angle within which feet stay as they are
constexpr double kSameDirection = 1.0 - 1e-12;
constexpr double kMoved = 2e-3;  // of a skeleton's size: files round

const Vec3& place(const CharacterSkeleton& skeleton, Index joint) {
    return skeleton.joints[at(joint)].position;
}

double largest_side(const CharacterSkeleton& skeleton) {
    Vec3 low = Vec3::Constant(std::numeric_limits<double>::infinity());
    Vec3 high = -low;
    for (const CharacterJoint& joint : skeleton.joints) {
        low = low.cwiseMin(joint.position);
        high = high.cwiseMax(joint.position);
    }
    return skeleton.joints.empty() ? 0.0 : (high - low).maxCoeff();
}

// From a joint to the middle of some others.
std::optional<Vec3> direction(const CharacterSkeleton& skeleton, Index from,
                              std::span<const Index> to) {
    if (to.empty()) {
        return std::nullopt;
    }
    Vec3 sum = Vec3::Zero();
    for (const Index joint : to) {
        sum += place(skeleton, joint) - place(skeleton, from);
    }
    const double length = sum.norm();
    return length > 1e-9 * largest_side(skeleton) ? std::optional<Vec3>(sum / length)
                                                  : std::nullopt;
}

std::vector<Index> children_of(const CharacterSkeleton& skeleton, Index joint) {
    std::vector<Index> children;
    for (std::size_t j = 0; j < skeleton.size(); ++j) {
        if (skeleton.joints[j].parent == joint) {
            children.push_back(static_cast<Index>(j));
        }
    }
    return children;
}

// The next joint above that both skeletons have; -1: none.
Index common_joint_above(const CharacterSkeleton& target, std::span<const Index> source,
                         std::size_t joint) {
    Index up = target.joints[joint].parent;
    while (up >= 0 && source[at(up)] < 0) {
        up = target.joints[at(up)].parent;
    }
    return up;
}

}  // namespace

std::vector<Index> joints_by_name(std::span<const std::string> names,
                                  const CharacterSkeleton& skeleton) {
    std::vector<Index> source(skeleton.size(), -1);
    for (const bool is_exact : {true, false}) {
        std::map<std::string, Index> number;
        std::set<std::string> is_twice;
        for (std::size_t k = 0; k < names.size(); ++k) {
            const std::string key = is_exact ? names[k] : bare_joint_name(names[k]);
            if (!number.insert_or_assign(key, static_cast<Index>(k)).second && !is_exact) {
                is_twice.insert(key);
            }
        }
        for (std::size_t j = 0; j < skeleton.size(); ++j) {
            const std::string& name = skeleton.joints[j].name;
            const std::string key = is_exact ? name : bare_joint_name(name);
            const auto found = number.find(key);
            if (source[j] < 0 && found != number.end() && !is_twice.contains(key)) {
                source[j] = found->second;
            }
        }
    }
    return source;
}

double rest_likeness(const CharacterSkeleton& source, const CharacterSkeleton& target) {
    std::vector<std::string> names;
    for (const CharacterJoint& joint : source.joints) {
        names.push_back(joint.name);
    }
    const std::vector<Index> number = joints_by_name(names, target);
    double cosines = 0.0;
    double lengths = 0.0;
    for (std::size_t j = 0; j < target.size(); ++j) {
        const Index up = common_joint_above(target, number, j);
        if (number[j] < 0 || up < 0) {
            continue;
        }
        const Vec3 own = target.joints[j].position - place(target, up);
        const Vec3 other = place(source, number[j]) - place(source, number[at(up)]);
        if (own.norm() > 0.0 && other.norm() > 0.0) {
            cosines += own.norm() * own.normalized().dot(other.normalized());
            lengths += own.norm();
        }
    }
    return lengths > 0.0 ? cosines / lengths : 1.0;
}

NamedTransfer::NamedTransfer(const CharacterSkeleton& source, const CharacterSkeleton& target,
                             RestPoses rests, std::string_view where)
    : target_(target), alignment_(target.size(), Eigen::Quaterniond::Identity()) {
    std::vector<std::string> names;
    for (const CharacterJoint& joint : source.joints) {
        names.push_back(joint.name);
    }
    source_ = joints_by_name(names, target);
    if (std::all_of(source_.begin(), source_.end(), [](Index k) { return k < 0; })) {
        throw InputError(
            {.where = std::string(where),
             .found = names.empty() ? std::string("no joints")
                                    : fmt::format("joints such as '{}'", names[0]),
             .needs = fmt::format("names of the skeleton, such as '{}'", target.joints[0].name),
             .remedy = "rename the joints of one of the two"});
    }
    // From each joint to the next one above that both have.
    double of_source = 0.0;
    double of_target = 0.0;
    for (std::size_t j = 0; j < target.size(); ++j) {
        const Index up = common_joint_above(target, source_, j);
        if (source_[j] >= 0 && up >= 0) {
            of_target += (target.joints[j].position - place(target, up)).norm();
            of_source += (place(source, source_[j]) - place(source, source_[at(up)])).norm();
        }
    }
    scale_ = of_source > 0.0 && of_target > 0.0 ? of_target / of_source : 1.0;
    if (rests == RestPoses::Aligned) {
        align(source);
    }
}

void NamedTransfer::align(const CharacterSkeleton& source) {
    // The nearest joints below each one that both skeletons have.
    std::vector<std::vector<Index>> below(target_.size());
    for (std::size_t j = 0; j < target_.size(); ++j) {
        const Index up = common_joint_above(target_, source_, j);
        if (source_[j] >= 0 && up >= 0) {
            below[at(up)].push_back(static_cast<Index>(j));
        }
    }
    const auto is_beside = [](const CharacterSkeleton& skeleton, Index joint) {
        return std::abs(place(skeleton, joint).x() - skeleton.joints[0].position.x()) >
               kBeside * largest_side(skeleton);
    };
    std::vector<std::optional<Vec3>> before_target(target_.size());  // of the bone above
    std::vector<std::optional<Vec3>> before_source(target_.size());
    for (std::size_t j = 0; j < target_.size(); ++j) {
        const auto joint = static_cast<Index>(j);
        const Index parent = target_.joints[j].parent;
        if (parent >= 0) {
            alignment_[j] = alignment_[at(parent)];
            before_target[j] = before_target[at(parent)];
            before_source[j] = before_source[at(parent)];
        }
        const Index s = source_[j];
        if (s < 0) {
            continue;
        }
        // Without a common joint below, to the tips of both.
        std::vector<Index> ends = below[j];
        std::vector<Index> source_ends;
        for (const Index end : ends) {
            source_ends.push_back(source_[at(end)]);
        }
        if (ends.empty()) {
            ends = children_of(target_, joint);
            source_ends = children_of(source, s);
        }
        const std::optional<Vec3> d_target = direction(target_, joint, ends);
        const std::optional<Vec3> d_source = direction(source, s, source_ends);
        if (!d_target || !d_source || !is_beside(target_, joint) || !is_beside(source, s)) {
            continue;
        }
        const bool is_across = before_target[j] && before_source[j] &&
                               before_target[j]->dot(*d_target) < kAcross &&
                               before_source[j]->dot(*d_source) < kAcross;
        before_target[j] = d_target;
        before_source[j] = d_source;
        if (is_across) {
            if (d_target->dot(*d_source) > kNearlySame) {
                alignment_[j].setIdentity();
            }
            continue;
        }
        const Vec3 led = alignment_[j] * *d_target;
        if (led.dot(*d_source) < kSameDirection) {
            alignment_[j] =
                (Eigen::Quaterniond(turn_between(led, *d_source)) * alignment_[j]).normalized();
        }
    }
}

std::size_t NamedTransfer::carrier(const std::vector<char>& is_moved) const {
    const auto has_source = [](Index k) { return k >= 0; };
    auto best = static_cast<std::size_t>(std::find_if(source_.begin(), source_.end(), has_source) -
                                         source_.begin());
    // Joints with a source at and below each one.
    std::vector<int> below(target_.size(), 0);
    for (std::size_t j = target_.size(); j-- > 0;) {
        below[j] += source_[j] >= 0 ? 1 : 0;
        if (target_.joints[j].parent >= 0) {
            below[at(target_.joints[j].parent)] += below[j];
        }
    }
    for (std::size_t j = best + 1; j < target_.size(); ++j) {
        const bool is_heavy = 2 * below[j] > below[best];
        bool is_below = false;
        for (Index up = target_.joints[j].parent; up >= 0 && !is_below;
             up = target_.joints[at(up)].parent) {
            is_below = static_cast<std::size_t>(up) == best;
        }
        if (is_below && is_heavy && source_[j] >= 0 && is_moved[at(source_[j])] != 0) {
            best = j;
        }
    }
    return best;
}

JointRotations NamedTransfer::operator()(std::span<const Eigen::Quaterniond> turns, const Vec3& way,
                                         std::size_t carrier) const {
    JointRotations key;
    std::vector<Eigen::Quaterniond> turned(target_.size(), Eigen::Quaterniond::Identity());
    for (std::size_t j = 0; j < target_.size(); ++j) {
        const Index parent = target_.joints[j].parent;
        const Eigen::Quaterniond above =
            parent < 0 ? Eigen::Quaterniond::Identity() : turned[at(parent)];
        turned[j] = source_[j] < 0 ? above : turns[at(source_[j])] * alignment_[j];
        key.rotations.push_back(above.conjugate() * turned[j]);
    }
    key.shift = scale_ * way;
    // Turns of the joints above the carrier move it already.
    if (target_.joints[carrier].parent >= 0) {
        const Vec3& rest = target_.joints[carrier].position;
        JointRotations unmoved = key;
        unmoved.shift.setZero();
        key.shift += rest - pose_of(target_, unmoved)[carrier] * rest;
    }
    return key;
}

MovedJoints::MovedJoints(std::vector<Index> parents, const std::vector<Eigen::Affine3d>& rest)
    : parents_(std::move(parents)), moved_(parents_.size(), 0) {
    for (std::size_t j = 0; j < parents_.size(); ++j) {
        first_.push_back(in_parent(rest, j));
        tolerance_ =
            std::max(tolerance_, kMoved * (rest[j].translation() - rest[0].translation()).norm());
    }
}

// Lengths of the world, so that scales of frames do not matter.
Vec3 MovedJoints::in_parent(const std::vector<Eigen::Affine3d>& world, std::size_t joint) const {
    if (parents_[joint] < 0) {
        return Vec3::Zero();
    }
    const Eigen::Affine3d& parent = world[at(parents_[joint])];
    return parent.rotation().transpose() * (world[joint].translation() - parent.translation());
}

void MovedJoints::add(const std::vector<Eigen::Affine3d>& now) {
    for (std::size_t j = 0; j < parents_.size(); ++j) {
        if (moved_[j] == 0 && !((in_parent(now, j) - first_[j]).norm() < tolerance_)) {
            moved_[j] = 1;
        }
    }
}

std::size_t count_named_joints(const Recording& recording, const CharacterSkeleton& target) {
    std::vector<std::string> names;
    for (const CharacterJoint& joint : recording.skeleton.joints) {
        names.push_back(joint.name);
    }
    const std::vector<Index> source = joints_by_name(names, target);
    return static_cast<std::size_t>(
        std::count_if(source.begin(), source.end(), [](Index k) { return k >= 0; }));
}

bool is_same_skeleton(const CharacterSkeleton& source, const CharacterSkeleton& target) {
    constexpr double kSame = 1e-3;
    std::vector<std::string> names;
    for (const CharacterJoint& joint : source.joints) {
        names.push_back(joint.name);
    }
    const std::vector<Index> number = joints_by_name(names, target);
    std::vector<char> is_tip(target.size(), 1);
    for (const CharacterJoint& joint : target.joints) {
        if (joint.parent >= 0) {
            is_tip[at(joint.parent)] = 0;
        }
    }
    double own = 0.0;
    double other = 0.0;
    std::vector<std::pair<Vec3, Vec3>> bones;
    for (std::size_t j = 0; j < target.size(); ++j) {
        const Index up = target.joints[j].parent;
        if (number[j] < 0 && (up < 0 || is_tip[j] == 0)) {
            return false;
        }
        if (up >= 0 && number[j] >= 0) {
            bones.emplace_back(target.joints[j].position - place(target, up),
                               place(source, number[j]) - place(source, number[at(up)]));
            own += bones.back().first.norm();
            other += bones.back().second.norm();
        }
    }
    const double scale = other > 0.0 ? own / other : 1.0;
    return std::all_of(bones.begin(), bones.end(), [&](const auto& bone) {
        return (bone.first - scale * bone.second).norm() <= kSame * std::max(own, 1e-12);
    });
}

CharacterMotion own_motion(const Recording& recording, const CharacterSkeleton& target) {
    const NamedTransfer transfer(recording.skeleton, target, RestPoses::Same, recording.name);
    CharacterMotion motion;
    motion.times = recording.times;
    for (const CharacterPose& pose : recording.poses) {
        JointRotations key;
        for (std::size_t j = 0; j < target.size(); ++j) {
            const Index source = transfer.source_of(j);
            const Index up = target.joints[j].parent;
            Eigen::Isometry3d local = Eigen::Isometry3d::Identity();  // T_parent^-1 T_j
            if (source >= 0) {
                local = up < 0 ? pose[at(source)]
                               : pose[at(transfer.source_of(at(up)))].inverse() * pose[at(source)];
            }
            key.rotations.emplace_back(Eigen::Quaterniond(local.linear()).normalized());
            const Vec3 rest = source < 0 ? Vec3::Zero().eval() : recording.rest_position(source);
            Vec3 offset = transfer.scale() * (local * rest - rest);
            if (j == 0) {
                key.shift = offset;
            }
            offset -= up < 0 ? key.shift : Vec3::Zero().eval();  // which carries all roots
            key.offsets.push_back(offset);
        }
        motion.keys.push_back(std::move(key));
    }
    return motion;
}

CharacterMotion transfer_by_names(const Recording& recording, const CharacterSkeleton& target,
                                  RestPoses rests) {
    const CharacterSkeleton& source = recording.skeleton;
    const NamedTransfer transfer(source, target, rests, recording.name);
    std::vector<Index> parents;
    std::vector<Eigen::Affine3d> rest;
    for (const CharacterJoint& joint : source.joints) {
        parents.push_back(joint.parent);
        rest.emplace_back(Eigen::Translation3d(joint.position));
    }
    MovedJoints moved(std::move(parents), rest);
    for (const CharacterPose& pose : recording.poses) {
        std::vector<Eigen::Affine3d> now;
        for (std::size_t j = 0; j < source.size(); ++j) {
            now.emplace_back(pose[j] * rest[j]);
        }
        moved.add(now);
    }
    const std::size_t carrier = transfer.carrier(moved.moved());
    const Index by = transfer.source_of(carrier);
    CharacterMotion motion;
    motion.times = recording.times;
    for (std::size_t f = 0; f < recording.poses.size(); ++f) {
        std::vector<Eigen::Quaterniond> turns;
        for (const Eigen::Isometry3d& T : recording.poses[f]) {
            turns.emplace_back(T.linear());
        }
        motion.keys.push_back(
            transfer(turns, recording.position(f, by) - recording.rest_position(by), carrier));
    }
    return motion;
}

}  // namespace sinew
