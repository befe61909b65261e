#include "sinew/body/retarget.h"

#include "sinew/base/error.h"
#include "sinew/base/text.h"
#include "sinew/body/kinematics.h"
#include "sinew/body/named_transfer.h"
#include "sinew/body/person_retarget.h"
#include "sinew/body/skeleton_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace sinew {

namespace {

std::vector<std::string> names_of(const CharacterSkeleton& skeleton) {
    std::vector<std::string> names;
    for (const CharacterJoint& joint : skeleton.joints) {
        names.push_back(joint.name);
    }
    return names;
}

enum class ModelNames { Joints, Recorded, Bodies };

// As the model calls its joints, as recordings for it do, or by what hangs on them.
std::vector<std::string> names_of(const MusculoskeletalModel& model, ModelNames which) {
    std::vector<std::string> names;
    for (const ModelJoint& joint : model.joints) {
        const bool is_recorded = which == ModelNames::Recorded && !joint.recorded_as.empty();
        names.push_back(is_recorded                   ? joint.recorded_as
                        : which == ModelNames::Bodies ? model.bodies[at(joint.child)].name
                                                      : joint.name);
    }
    return names;
}

// A person in the recording and what the target has of one.
struct Persons {
    Recording recording;  // against the better rest
    PersonJoints source;
    PersonJoints target;
    bool are_both = false;
};

Persons find_persons(const Recording& recording, const PersonJoints& target,
                     const JointNames& names, RestPoses rests) {
    Persons persons{.recording = recording,
                    .source = find_person_joints(names_of(recording.skeleton), names),
                    .target = target};
    persons.are_both = is_person(persons.source) && is_person(persons.target);
    if (persons.are_both && rests == RestPoses::Aligned) {
        persons.recording = with_best_rest(std::move(persons.recording), persons.source);
    }
    return persons;
}

[[noreturn]] void refuse_lying(const Recording& recording, char up) {
    throw InputError({.where = recording.name,
                      .found = "a recording whose skeleton lies where the character stands",
                      .needs = "the same axis up",
                      .remedy = fmt::format("read it with --skeleton-up {}", up)});
}

// A recording with another axis up lies on its back or its belly.
void require_upright(const Recording& recording, const PersonJoints& person) {
    constexpr double kUpright = 0.5;  // cosine
    const Index low = person.first("pelvis");
    const Index high = person.has("head") ? person.first("head") : person.last("trunk");
    if (low < 0 || high < 0 || low == high) {
        return;
    }
    const Vec3 up = (recording.rest_position(high) - recording.rest_position(low)).normalized();
    if (up.y() < kUpright && std::abs(up.z()) > kUpright) {
        refuse_lying(recording, up.z() > 0.0 ? 'z' : 'y');
    }
}

// The same where no parts are known: one that stands like the target only when it is turned.
void require_alike(const Recording& recording, const CharacterSkeleton& target) {
    constexpr double kAlike = 0.8;    // mean cosine of bones
    constexpr double kBetter = 0.25;  // than it is
    const double now = rest_likeness(recording.skeleton, target);
    for (const double sense : {1.0, -1.0}) {
        CharacterSkeleton turned = recording.skeleton;
        for (CharacterJoint& joint : turned.joints) {
            const Vec3 p = joint.position;
            joint.position = Vec3(p.x(), sense * p.z(), -sense * p.y());
        }
        const double other = rest_likeness(turned, target);
        if (other > kAlike && other > now + kBetter) {
            refuse_lying(recording, sense > 0.0 ? 'z' : 'y');
        }
    }
}

[[noreturn]] void refuse_names(const Recording& recording, const std::vector<std::string>& target,
                               std::size_t common) {
    const auto some = [](const std::vector<std::string>& names) {
        std::vector<std::string> quoted_names;
        for (std::size_t k = 0; k < std::min<std::size_t>(5, names.size()); ++k) {
            quoted_names.push_back("'" + names[k] + "'");
        }
        return quoted_names.empty() ? std::string("none") : join(quoted_names, ", ");
    };
    throw InputError(
        {.where = recording.name,
         .found = fmt::format("joints such as {}; {} of them have names of the target",
                              some(names_of(recording.skeleton)), common),
         .needs = fmt::format("joints of a person under names that are known, or those of the "
                              "target, such as {}",
                              some(target)),
         .remedy = "rename its joints as docs/motion.md lists them, or say what they are in a "
                   "table of your own with --joint-names"});
}

// Joint by joint, for models that are no persons: as far as their axes let them.
std::vector<std::vector<double>> turned_by_names(const Recording& recording,
                                                 const MusculoskeletalModel& model) {
    const std::vector<std::string> names = names_of(model, ModelNames::Recorded);
    CharacterSkeleton bones;
    PoseSolver solver(model);
    for (std::size_t j = 0; j < model.joints.size(); ++j) {
        bones.joints.push_back({.name = names[j],
                                .parent = model.joints[j].parent,  // of bodies, see below
                                .position = solver.centre(static_cast<Index>(j))});
    }
    std::vector<Index> joint_to(model.bodies.size(), -1);
    for (std::size_t j = 0; j < model.joints.size(); ++j) {
        joint_to[at(model.joints[j].child)] = static_cast<Index>(j);
        Index& parent = bones.joints[j].parent;
        parent = parent < 0 ? -1 : joint_to[at(parent)];
    }
    const std::size_t common = count_named_joints(recording, bones);
    if (2 * common < std::min(recording.skeleton.size(), bones.size()) || common == 0) {
        refuse_names(recording, names, common);
    }
    const CharacterMotion motion = transfer_by_names(recording, bones, RestPoses::Aligned);
    std::vector<std::vector<double>> frames;
    std::vector<double> q = rest_coordinates(model);
    for (const JointRotations& key : motion.keys) {
        const CharacterPose pose = pose_of(bones, key);
        for (std::size_t j = 0; j < model.joints.size(); ++j) {
            const Index parent = model.joints[j].parent;
            const Mat3 above =
                parent < 0 ? Mat3(Mat3::Identity()) : solver.rotation(solver.place(q), parent);
            solver.turn_joint(static_cast<Index>(j), above, pose[j].linear(), q);
            for (std::size_t k = 3; k < 6 && parent < 0; ++k) {
                const JointAxis& axis = model.joints[j].axes[k];
                if (axis.coordinate >= 0) {
                    q[at(axis.coordinate)] =
                        (model.joints[j].parent_frame.rotation * axis.axis).dot(key.shift);
                }
            }
        }
        frames.push_back(q);
    }
    return frames;
}

PersonMotion model_motion(const Recording& recording, const MusculoskeletalModel& model,
                          const JointNames& names, const RetargetOptions& options) {
    const Persons persons =
        find_persons(recording, person_joints(model, names), names, options.rests);
    if (!persons.are_both) {
        return {.frames = turned_by_names(recording, model)};
    }
    require_same_limbs(persons.recording, persons.source, persons.target);
    require_upright(persons.recording, persons.source);
    PersonMotion motion =
        retarget_person(persons.recording, persons.source, model, persons.target, options);
    for (std::vector<double>& q : motion.frames) {
        for (const CoordinateCoupler& coupler : model.couplers) {
            q[at(coupler.dependent)] =
                FunctionEvaluator(coupler.function)(q[at(coupler.independent)]).value;
        }
    }
    return motion;
}

JointRotations rotations_of(const CharacterSkeleton& skeleton, const ModelPlacement& placement) {
    JointRotations key;
    for (std::size_t j = 0; j < skeleton.size(); ++j) {
        const Index parent = skeleton.joints[j].parent;
        const Mat3 R = placement.bodies[j].rotation;
        key.rotations.emplace_back(
            parent < 0 ? R : Mat3(placement.bodies[at(parent)].rotation.transpose() * R));
    }
    const Vec3& root = skeleton.joints[0].position;
    key.shift = placement.bodies[0] * root - root;
    return key;
}

}  // namespace

PersonJoints person_joints(const MusculoskeletalModel& model, const JointNames& names) {
    PersonJoints best;
    for (const ModelNames which : {ModelNames::Joints, ModelNames::Recorded, ModelNames::Bodies}) {
        PersonJoints found = find_person_joints(names_of(model, which), names);
        if (found.joints.size() > best.joints.size()) {
            best = std::move(found);
        }
    }
    return best;
}

RetargetedPoses retarget(const Recording& recording, const Skeleton& target,
                         const JointNames& names, const RetargetOptions& options) {
    require_valid(target, "skeleton");
    PersonMotion motion = model_motion(recording, kinematic_model(target), names, options);
    RetargetedPoses result{.times = recording.times, .report = std::move(motion.report)};
    for (std::vector<double>& q : motion.frames) {
        result.poses.push_back({std::move(q)});
    }
    return result;
}

RetargetedCharacter retarget(const Recording& recording, const CharacterSkeleton& target,
                             const JointNames& names, const RetargetOptions& options) {
    require_valid(target, "skeleton");
    const std::size_t common = count_named_joints(recording, target);
    const Persons persons =
        find_persons(recording, find_person_joints(names_of(target), names), names, options.rests);
    if (is_same_skeleton(recording.skeleton, target)) {
        return {.motion = own_motion(recording, target)};
    }
    if (!persons.are_both) {
        if (2 * common < std::min(recording.skeleton.size(), target.size()) || common == 0) {
            refuse_names(recording, names_of(target), common);
        }
        require_alike(recording, target);
        return {.motion = transfer_by_names(recording, target, options.rests)};
    }
    const MusculoskeletalModel model = kinematic_model(target);
    const PersonMotion motion = model_motion(recording, model, names, options);
    RetargetedCharacter result{.report = motion.report};
    result.motion.times = recording.times;
    const KinematicTree tree(model);
    for (const std::vector<double>& q : motion.frames) {
        result.motion.keys.push_back(rotations_of(target, tree.place(q)));
    }
    return result;
}

RetargetedModel retarget(const Recording& recording, const MusculoskeletalModel& target,
                         const JointNames& names, const RetargetOptions& options) {
    PersonMotion motion = model_motion(recording, target, names, options);
    RetargetedModel result{.report = std::move(motion.report)};
    result.motion.name = recording.name;
    result.motion.times = recording.times;
    for (const Coordinate& coordinate : target.coordinates) {
        result.motion.columns.push_back(coordinate.name);
    }
    for (const std::vector<double>& q : motion.frames) {
        result.motion.values.insert(result.motion.values.end(), q.begin(), q.end());
    }
    return result;
}

}  // namespace sinew
