#include "sinew/body/skeleton_model.h"

#include "sinew/base/error.h"
#include "sinew/base/units.h"
#include "sinew/body/kinematics.h"

#include <fmt/format.h>

#include <cmath>
#include <map>

namespace sinew {

namespace {

constexpr std::array<const char*, 3> kShifts = {"tx", "ty", "tz"};
constexpr std::array<const char*, 3> kTurns = {"rx", "ry", "rz"};

ScalarFunction itself() {
    return {.kind = ScalarFunction::Kind::Linear, .coefficients = {1.0, 0.0}};
}

// A joint about a fixed point: with the world's frame on both sides placements of bodies are
// T_posed_rest.
ModelJoint joint_about(const std::string& name, Index parent, Index child, const Vec3& centre) {
    ModelJoint joint{.name = name, .kind = JointKind::Weld, .parent = parent, .child = child};
    joint.parent_frame.position = centre;
    joint.child_frame.position = centre;
    for (std::size_t k = 0; k < 3; ++k) {
        joint.axes[k].axis = Vec3::Unit(static_cast<Eigen::Index>(k));
        joint.axes[3 + k].axis = Vec3::Unit(static_cast<Eigen::Index>(k));
    }
    return joint;
}

void add_coordinate(MusculoskeletalModel& model, ModelJoint& joint, std::size_t axis,
                    Coordinate coordinate) {
    joint.kind = JointKind::Custom;
    joint.axes[axis].coordinate = static_cast<Index>(model.coordinates.size());
    joint.axes[axis].function = itself();
    coordinate.joint = static_cast<Index>(model.joints.size());
    coordinate.is_rotation = axis < 3;
    model.coordinates.push_back(std::move(coordinate));
}

Eigen::Quaterniond rotation_of(const Joint& joint, const double* q) {
    q += joint.type == JointType::Free ? 3 : 0;
    Eigen::Quaterniond R = Eigen::Quaterniond::Identity();
    for (std::size_t k = 0; k < static_cast<std::size_t>(angle_count(joint.type)); ++k) {
        R = R * Eigen::Quaterniond(Eigen::AngleAxisd(q[k], joint.axes[k]));
    }
    return R.normalized();
}

}  // namespace

std::vector<std::string> coordinate_names(const Skeleton& skeleton) {
    std::vector<std::string> names;
    for (const Joint& joint : skeleton.joints) {
        for (std::size_t k = 0; joint.type == JointType::Free && k < 3; ++k) {
            names.push_back(joint.name + "_" + kShifts[k]);
        }
        for (std::size_t k = 0; k < static_cast<std::size_t>(angle_count(joint.type)); ++k) {
            names.push_back(joint.name + "_" +
                            (joint.motions[k].empty() ? std::to_string(k) : joint.motions[k]));
        }
    }
    return names;
}

MusculoskeletalModel kinematic_model(const Skeleton& skeleton) {
    MusculoskeletalModel model;
    model.name = "skeleton";
    for (const Segment& segment : skeleton.segments) {
        model.bodies.push_back({.name = segment.name});
    }
    const std::vector<std::string> names = coordinate_names(skeleton);
    std::vector<const Joint*> joint_of;
    for (const Joint& source : skeleton.joints) {
        ModelJoint joint = joint_about(source.name, source.parent, source.child, source.centre);
        for (std::size_t k = 0; source.type == JointType::Free && k < 3; ++k) {
            add_coordinate(model, joint, 3 + k, {.name = names[model.coordinates.size()]});
        }
        for (std::size_t k = 0; k < static_cast<std::size_t>(angle_count(source.type)); ++k) {
            joint.axes[k].axis = source.axes[k];
            add_coordinate(model, joint, k,
                           {.name = names[model.coordinates.size()],
                            .low = source.limits[k].low,
                            .high = source.limits[k].high,
                            .is_clamped = true});
        }
        joint_of.push_back(&source);
        model.joints.push_back(std::move(joint));
    }
    couple_following_motions(model, joint_of);
    return model;
}

MusculoskeletalModel kinematic_model(const CharacterSkeleton& skeleton) {
    MusculoskeletalModel model;
    model.name = "character";
    for (std::size_t j = 0; j < skeleton.size(); ++j) {
        const CharacterJoint& source = skeleton.joints[j];
        model.bodies.push_back({.name = source.name});
        ModelJoint joint =
            joint_about(source.name, source.parent, static_cast<Index>(j), source.position);
        for (std::size_t k = 0; j == 0 && k < 3; ++k) {
            add_coordinate(model, joint, 3 + k, {.name = source.name + "_" + kShifts[k]});
        }
        for (std::size_t k = 0; k < 3; ++k) {
            add_coordinate(model, joint, k, {.name = source.name + "_" + kTurns[k]});
        }
        model.joints.push_back(std::move(joint));
    }
    return model;
}

void couple_following_motions(MusculoskeletalModel& model, std::span<const Joint* const> joint_of) {
    for (std::size_t c = 0; c < model.coordinates.size(); ++c) {
        const Joint& source = *joint_of[at(model.coordinates[c].joint)];
        const std::string& motion = source.motions[0];
        const auto cut = motion.find('_');
        if (angle_count(source.type) != 1 || cut == std::string::npos || source.name.size() < 2) {
            continue;
        }
        const std::string side = source.name.substr(source.name.size() - 2);
        const Index leader =
            find_coordinate(model, motion.substr(0, cut) + side + "_" + motion.substr(cut + 1));
        if (leader < 0 || leader == static_cast<Index>(c)) {
            continue;
        }
        const double reach = model.coordinates[at(leader)].high;
        const double ratio =
            std::isfinite(reach) && reach > 0.0 ? model.coordinates[c].high / reach : 1.0;
        model.couplers.push_back(
            {.name = model.coordinates[c].name + "_follows",
             .dependent = static_cast<Index>(c),
             .independent = leader,
             .function = {.kind = ScalarFunction::Kind::Linear, .coefficients = {ratio, 0.0}}});
    }
}

std::vector<double> model_coordinates(const MusculoskeletalModel& model, const Skeleton& skeleton,
                                      const Pose& pose) {
    std::map<std::string, double> value;
    const std::vector<std::string> names = coordinate_names(skeleton);
    SINEW_ASSERT(names.size() == pose.coordinates.size(), "{} coordinates of {}",
                 pose.coordinates.size(), names.size());
    for (std::size_t i = 0; i < names.size(); ++i) {
        value[names[i]] = pose.coordinates[i];
    }
    std::vector<double> q = rest_coordinates(model);
    for (std::size_t i = 0; i < q.size(); ++i) {
        const auto found = value.find(model.coordinates[i].name);
        q[i] = found == value.end() ? q[i] : found->second;
    }
    for (const CoordinateCoupler& coupler : model.couplers) {
        q[at(coupler.dependent)] =
            FunctionEvaluator(coupler.function)(q[at(coupler.independent)]).value;
    }
    return q;
}

Pose pose_from_model(const Skeleton& skeleton, const MusculoskeletalModel& model,
                     std::span<const double> q) {
    Pose pose = rest_pose(skeleton);
    const std::vector<std::string> names = coordinate_names(skeleton);
    for (std::size_t i = 0; i < names.size(); ++i) {
        const Index c = find_coordinate(model, names[i]);
        pose.coordinates[i] = c < 0 ? 0.0 : q[at(c)];
    }
    return pose;
}

std::vector<Pose> poses_from_table(const Skeleton& skeleton, const MotionTable& table) {
    const std::vector<std::string> names = coordinate_names(skeleton);
    std::vector<Index> column;
    bool is_any = false;
    for (const std::string& name : names) {
        column.push_back(find_column(table, name));
        is_any = is_any || column.back() >= 0;
    }
    if (!is_any || table.times.empty()) {
        throw InputError({.where = fmt::format("motion '{}'", table.name),
                          .found = table.columns.empty()
                                       ? std::string("no columns")
                                       : "columns such as '" + table.columns[0] + "'",
                          .needs = fmt::format("coordinates of the body, such as '{}'",
                                               names.empty() ? "knee_l_flexion" : names.back()),
                          .remedy = "list them with 'sinew muscles' of the body"});
    }
    std::vector<Pose> poses;
    for (std::size_t r = 0; r < table.times.size(); ++r) {
        Pose pose = rest_pose(skeleton);
        for (std::size_t i = 0; i < names.size(); ++i) {
            const bool is_length =
                names[i].ends_with("_tx") || names[i].ends_with("_ty") || names[i].ends_with("_tz");
            const double unit = table.in_degrees && !is_length ? kDegree : 1.0;
            pose.coordinates[i] =
                column[i] < 0 ? 0.0 : unit * table.at(r, static_cast<std::size_t>(column[i]));
        }
        poses.push_back(std::move(pose));
    }
    return poses;
}

MotionTable table_of_poses(const Skeleton& skeleton, std::span<const double> times,
                           std::span<const Pose> poses) {
    MotionTable table;
    table.columns = coordinate_names(skeleton);
    table.times.assign(times.begin(), times.end());
    for (const Pose& pose : poses) {
        table.values.insert(table.values.end(), pose.coordinates.begin(), pose.coordinates.end());
    }
    return table;
}

CharacterSkeleton skeleton_of(const Skeleton& skeleton) {
    std::vector<Index> joint_of(skeleton.segments.size(), -1);
    for (std::size_t j = 0; j < skeleton.joints.size(); ++j) {
        joint_of[at(skeleton.joints[j].child)] = static_cast<Index>(j);
    }
    CharacterSkeleton character;
    for (const Joint& joint : skeleton.joints) {
        character.joints.push_back({.name = joint.name,
                                    .parent = joint.parent < 0 ? -1 : joint_of[at(joint.parent)],
                                    .position = joint.centre});
    }
    return character;
}

CharacterMotion motion_of(const Skeleton& skeleton, std::span<const double> times,
                          std::span<const Pose> poses) {
    const std::vector<Index> starts = coordinate_starts(skeleton);
    CharacterMotion motion;
    motion.times.assign(times.begin(), times.end());
    for (const Pose& pose : poses) {
        JointRotations key;
        for (std::size_t j = 0; j < skeleton.joints.size(); ++j) {
            const double* q = pose.coordinates.data() + starts[j];
            key.rotations.push_back(rotation_of(skeleton.joints[j], q));
            if (skeleton.joints[j].parent < 0 && skeleton.joints[j].type == JointType::Free) {
                key.shift = Vec3(q[0], q[1], q[2]);
            }
        }
        motion.keys.push_back(std::move(key));
    }
    return motion;
}

}  // namespace sinew
