#include "sinew/pipeline/body_motion.h"

#include "sinew/base/error.h"
#include "sinew/base/parallel.h"
#include "sinew/base/text.h"
#include "sinew/base/units.h"
#include "sinew/body/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace sinew {

namespace {

/// How posable joints hang together. The first joint of the skeleton gives the centre.
struct PosableRow {
    const char* name;
    const char* parent;
    std::vector<const char*> joints;
};

const std::vector<PosableRow>& posable_rows() {
    static const std::vector<PosableRow> kRows = {
        {"loins",
         "",
         {"lumbar_l3_l4", "lumbar_l5_s1", "lumbar_l4_l5", "lumbar_l2_l3", "lumbar_l1_l2"}},
        {"chest",
         "loins",
         {"thoracic_t8_t9", "thoracic_t12_l1", "thoracic_t11_t12", "thoracic_t10_t11",
          "thoracic_t9_t10", "thoracic_t7_t8", "thoracic_t6_t7"}},
        {"neck",
         "chest",
         {"neck_c5_c6", "neck_c7_t1", "neck_c6_c7", "neck_c4_c5", "neck_c3_c4", "neck_c2_c3"}},
        {"head", "neck", {"neck_atlanto_occipital"}},
        {"jaw", "head", {"temporomandibular"}},
        {"shoulder_l", "chest", {"shoulder_l"}},
        {"elbow_l", "shoulder_l", {"elbow_l"}},
        {"forearm_l", "elbow_l", {"forearm_l"}},
        {"wrist_l", "forearm_l", {"wrist_l"}},
        {"shoulder_r", "chest", {"shoulder_r"}},
        {"elbow_r", "shoulder_r", {"elbow_r"}},
        {"forearm_r", "elbow_r", {"forearm_r"}},
        {"wrist_r", "forearm_r", {"wrist_r"}},
        {"hip_l", "", {"hip_l"}},
        {"knee_l", "hip_l", {"knee_l"}},
        {"ankle_l", "knee_l", {"ankle_l"}},
        {"hip_r", "", {"hip_r"}},
        {"knee_r", "hip_r", {"knee_r"}},
        {"ankle_r", "knee_r", {"ankle_r"}}};
    return kRows;
}

/// Joints of the skeleton that carry the skin: name, parent, joint whose centre and child it takes.
struct CarrierRow {
    const char* name;
    const char* parent;
    const char* joint;
};
constexpr CarrierRow kCarriers[] = {{"pelvis", "", "root"},
                                    {"loins", "pelvis", "lumbar_l3_l4"},
                                    {"chest", "loins", "thoracic_t8_t9"},
                                    {"neck", "chest", "neck_c7_t1"},
                                    {"head", "neck", "neck_atlanto_occipital"},
                                    {"shoulder_l", "chest", "shoulder_l"},
                                    {"elbow_l", "shoulder_l", "elbow_l"},
                                    {"wrist_l", "elbow_l", "wrist_l"},
                                    {"knuckle_l", "wrist_l", "mcp_middle_finger_l"},
                                    {"shoulder_r", "chest", "shoulder_r"},
                                    {"elbow_r", "shoulder_r", "elbow_r"},
                                    {"wrist_r", "elbow_r", "wrist_r"},
                                    {"knuckle_r", "wrist_r", "mcp_middle_finger_r"},
                                    {"hip_l", "pelvis", "hip_l"},
                                    {"knee_l", "hip_l", "knee_l"},
                                    {"ankle_l", "knee_l", "ankle_l"},
                                    {"toe_l", "ankle_l", "mtp_second_toe_l"},
                                    {"hip_r", "pelvis", "hip_r"},
                                    {"knee_r", "hip_r", "knee_r"},
                                    {"ankle_r", "knee_r", "ankle_r"},
                                    {"toe_r", "ankle_r", "mtp_second_toe_r"}};

int find_joint(const Skeleton& skeleton, std::string_view name) {
    for (std::size_t j = 0; j < skeleton.joints.size(); ++j) {
        if (skeleton.joints[j].name == name) {
            return static_cast<int>(j);
        }
    }
    return -1;
}

int find_carrier(const CharacterSkeleton& skeleton, std::string_view name) {
    for (std::size_t j = 0; j < skeleton.joints.size(); ++j) {
        if (skeleton.joints[j].name == name) {
            return static_cast<int>(j);
        }
    }
    return -1;
}

double distance_to_bone(const Vec3& p, const Vec3& a, const Vec3& b) {
    const Vec3 ab = b - a;
    const double t = std::clamp((p - a).dot(ab) / std::max(ab.squaredNorm(), 1e-12), 0.0, 1.0);
    return (p - a - t * ab).norm();
}

}  // namespace

std::vector<PosableJoint> posable_joints(const Body& body) {
    std::vector<PosableJoint> all;
    for (const PosableRow& row : posable_rows()) {
        PosableJoint posable;
        posable.name = row.name;
        for (const char* name : row.joints) {
            if (const int j = find_joint(body.skeleton, name); j >= 0) {
                posable.joints.push_back(j);
            }
        }
        if (posable.joints.empty()) {
            continue;
        }
        for (std::size_t p = 0; p < all.size(); ++p) {
            posable.parent = all[p].name == row.parent ? static_cast<int>(p) : posable.parent;
        }
        const Joint& first = body.skeleton.joints[static_cast<std::size_t>(posable.joints[0])];
        posable.centre = first.centre;
        posable.angles = angle_count(first.type);
        posable.axes = first.axes;
        posable.motions = first.motions;
        for (std::size_t k = 0; k < 3; ++k) {
            posable.limits[k] = {0.0, 0.0};
            for (const Index j : posable.joints) {
                const AngleLimit& limit =
                    body.skeleton.joints[static_cast<std::size_t>(j)].limits[k];
                posable.limits[k].low += limit.low;
                posable.limits[k].high += limit.high;
            }
        }
        all.push_back(std::move(posable));
    }
    return all;
}

Pose pose_from_angles(const Body& body, const std::vector<PosableJoint>& joints,
                      const PosedAngles& angles) {
    Pose pose = rest_pose(body.skeleton);
    const std::vector<Index> starts = coordinate_starts(body.skeleton);
    for (const auto& [name, turns] : angles) {
        const auto it =
            std::find_if(joints.begin(), joints.end(),
                         [&wanted = name](const PosableJoint& j) { return j.name == wanted; });
        if (it == joints.end()) {
            std::vector<std::string> known;
            for (const PosableJoint& joint : joints) {
                known.push_back(joint.name);
            }
            throw InputError(
                {.where = "pose",
                 .found = fmt::format("unknown joint '{}'{}", name, did_you_mean(name, known)),
                 .needs = "a joint of the body",
                 .remedy = fmt::format("choose one of {}", join(known, ", "))});
        }
        const auto shares = static_cast<double>(it->joints.size());
        for (const Index j : it->joints) {
            const Joint& joint = body.skeleton.joints[static_cast<std::size_t>(j)];
            const auto start = static_cast<std::size_t>(starts[static_cast<std::size_t>(j)]);
            for (std::size_t k = 0; k < static_cast<std::size_t>(angle_count(joint.type)); ++k) {
                pose.coordinates[start + k] =
                    std::clamp(turns[k] / shares, joint.limits[k].low, joint.limits[k].high);
            }
        }
        // A kneecap follows its knee.
        if (it->name == "knee_l" || it->name == "knee_r") {
            const int cap = find_joint(body.skeleton, "patellofemoral" + it->name.substr(4));
            if (cap >= 0) {
                pose.coordinates[static_cast<std::size_t>(starts[static_cast<std::size_t>(cap)])] =
                    turns[0];
            }
        }
    }
    return pose;
}

BodyMover::BodyMover(const Body& body, const BodyDisplay& display, const Points& skin,
                     const Points& muscles, const Points& bones, const Progress& progress)
    : body_skeleton_(body.skeleton), muscles_(muscles), bones_(bones) {
    find_carriers(body);
    ProjectiveSkinningOptions options;
    options.mass = 10.0;
    skinning_ = std::make_unique<ProjectiveSkinning>(body.skin.mesh, skeleton_, options);
    progress.check_cancelled();
    TriangleMesh fine;
    fine.points = skin;
    fine.triangles = display.mesh(DisplayLayer::Skin).triangles;
    upsampling_ =
        std::make_unique<SkinUpsampling>(body.skin.mesh, fine, UpsamplingOptions{}, progress);
    bind_bones(body, display);
    bind_muscles(body, display);
    segments_.assign(body.skeleton.segments.size(), Eigen::Isometry3d::Identity());
    pose_ = sinew::rest_pose(skeleton_);
    skinning_->reset(pose_, 0);
}

void BodyMover::find_carriers(const Body& body) {
    for (const CarrierRow& row : kCarriers) {
        const int j = find_joint(body.skeleton, row.joint);
        const int parent = find_carrier(skeleton_, row.parent);
        if (j < 0 || (parent < 0 && *row.parent != '\0')) {
            continue;
        }
        const Joint& joint = body.skeleton.joints[static_cast<std::size_t>(j)];
        skeleton_.joints.push_back({.name = row.name, .parent = parent, .position = joint.centre});
        joint_segment_.push_back(joint.child);
    }
    if (skeleton_.joints.size() < 3) {
        throw InputError({.where = fmt::format("body '{}'", body.name),
                          .found = "a skeleton that is not a human's",
                          .needs = "joints such as hip_l, knee_l, shoulder_l",
                          .remedy = "make the body with 'sinew build'"});
    }
    // Tips: the crown, the ends of fingers and toes.
    const auto add_tip = [&](const char* name, const char* parent, const char* landmark) {
        const int p = find_carrier(skeleton_, parent);
        for (const Landmark& l : body.landmarks) {
            if (l.name == landmark && p >= 0) {
                const Vec3 from = skeleton_.joints[static_cast<std::size_t>(p)].position;
                skeleton_.joints.push_back(
                    {.name = name, .parent = p, .position = from + 0.85 * (l.position - from)});
                joint_segment_.push_back(joint_segment_[static_cast<std::size_t>(p)]);
            }
        }
    };
    add_tip("crown", "head", "vertex");
    add_tip("fingertip_l", "knuckle_l", "fingertip_middle_l");
    add_tip("fingertip_r", "knuckle_r", "fingertip_middle_r");
    add_tip("toe_tip_l", "toe_l", "toe_tip_l");
    add_tip("toe_tip_r", "toe_r", "toe_tip_r");

    // Segments follow the carrier that is next towards the root.
    segment_joint_.assign(body.skeleton.segments.size(), 0);
    for (const Joint& joint : body.skeleton.joints) {
        Index& mine = segment_joint_[static_cast<std::size_t>(joint.child)];
        mine = joint.parent >= 0 ? segment_joint_[static_cast<std::size_t>(joint.parent)] : 0;
        for (std::size_t c = 0; c < skeleton_.joints.size(); ++c) {
            if (joint_segment_[c] == joint.child) {
                mine = static_cast<Index>(c);
                break;
            }
        }
    }
}

void BodyMover::bind_bones(const Body& body, const BodyDisplay& display) {
    for (const Bone& bone : body.bones) {
        for (Eigen::Index i = 0; i < bone.mesh.points.rows(); ++i) {
            bone_segment_.push_back(bone.segment);
        }
    }
    // The display may belong to another resolution of the person: by its own parts then.
    if (bone_segment_.size() != static_cast<std::size_t>(bones_.rows())) {
        bone_segment_.assign(static_cast<std::size_t>(bones_.rows()), 0);
        std::map<std::string, Index> segment;
        for (const Bone& bone : body.bones) {
            segment[bone.name] = bone.segment;
        }
        const DisplayMesh& mesh = display.mesh(DisplayLayer::Bones);
        for (const DisplayPart& part : mesh.parts) {
            for (Eigen::Index t = part.first; t < part.first + part.count; ++t) {
                for (int k = 0; k < 3; ++k) {
                    bone_segment_[static_cast<std::size_t>(mesh.triangles(t, k))] =
                        segment[part.name];
                }
            }
        }
    }
}

// Carriers on the way from one to another; all where an end is not known. The common ancestor
// counts only where it is an end.
std::vector<Index> BodyMover::way_between(Index from, Index to) const {
    std::vector<Index> way;
    if (from < 0 || to < 0) {
        for (std::size_t c = 0; c < skeleton_.joints.size(); ++c) {
            way.push_back(static_cast<Index>(c));
        }
        return way;
    }
    const auto climb = [&](Index c) {
        std::vector<Index> path;
        for (; c >= 0; c = skeleton_.joints[static_cast<std::size_t>(c)].parent) {
            path.push_back(c);
        }
        return path;
    };
    std::vector<Index> up = climb(from);
    std::vector<Index> down = climb(to);
    while (up.size() > 1 && down.size() > 1 && up[up.size() - 2] == down[down.size() - 2]) {
        up.pop_back();
        down.pop_back();
    }
    way = up;
    way.insert(way.end(), down.begin(), down.end());
    if (const Index common = up.back(); common != from && common != to) {
        std::erase(way, common);
    }
    std::sort(way.begin(), way.end());
    way.erase(std::unique(way.begin(), way.end()), way.end());
    return way;
}

// Weights fall with the distance from the carriers' bones.
BodyMover::Blend BodyMover::blend_at(const Vec3& p, const std::vector<Index>& way) const {
    std::vector<std::pair<double, Index>> found;
    for (const Index c : way) {
        const Vec3 a = skeleton_.joints[static_cast<std::size_t>(c)].position;
        double distance = (p - a).norm();
        for (const CharacterJoint& child : skeleton_.joints) {
            if (child.parent == c) {
                distance = std::min(distance, distance_to_bone(p, a, child.position));
            }
        }
        found.emplace_back(distance, c);
    }
    std::sort(found.begin(), found.end());
    Blend blend;
    double sum = 0.0;
    std::array<double, 4> weight = {0.0, 0.0, 0.0, 0.0};
    for (std::size_t n = 0; n < std::min<std::size_t>(4, found.size()); ++n) {
        weight[n] = 1.0 / std::pow(found[n].first + 0.005, 4.0);
        blend.joint[n] = found[n].second;
        sum += weight[n];
    }
    for (std::size_t n = 0; n < 4; ++n) {
        blend.weight[n] = static_cast<float>(weight[n] / sum);
    }
    return blend;
}

void BodyMover::bind_muscles(const Body& body, const BodyDisplay& display) {
    blends_.resize(static_cast<std::size_t>(muscles_.rows()));
    const DisplayMesh& mesh = display.mesh(DisplayLayer::Muscles);
    std::map<std::string, const Muscle*> muscle_of;
    for (const Muscle& muscle : body.muscles) {
        muscle_of[muscle.name] = &muscle;
    }
    const auto carrier_of = [&](Index bone) {
        return bone < 0 ? Index{-1}
                        : segment_joint_[static_cast<std::size_t>(
                              body.bones[static_cast<std::size_t>(bone)].segment)];
    };
    for (const DisplayPart& part : mesh.parts) {
        const auto it = muscle_of.find(part.name);
        const bool is_known = it != muscle_of.end();
        const std::vector<Index> way =
            way_between(is_known ? carrier_of(it->second->origin) : Index{-1},
                        is_known ? carrier_of(it->second->insertion) : Index{-1});
        for (Eigen::Index t = part.first; t < part.first + part.count; ++t) {
            for (int k = 0; k < 3; ++k) {
                const Index v = mesh.triangles(t, k);
                Blend& blend = blends_[static_cast<std::size_t>(v)];
                if (blend.joint[0] < 0) {
                    blend = blend_at(point(muscles_, v), way);
                }
            }
        }
    }
}

void BodyMover::step(const Pose& pose) {
    std::vector<Eigen::Isometry3d> segments = segment_motions(body_skeleton_, pose);
    CharacterPose carriers;
    for (const Index segment : joint_segment_) {
        carriers.push_back(segments[static_cast<std::size_t>(segment)]);
    }
    step(carriers, std::move(segments));
}

void BodyMover::step(const JointRotations& rotations) {
    const CharacterPose carriers = pose_of(skeleton_, rotations);
    std::vector<Eigen::Isometry3d> segments;
    for (const Index joint : segment_joint_) {
        segments.push_back(carriers[static_cast<std::size_t>(joint)]);
    }
    step(carriers, std::move(segments));
}

void BodyMover::step(const CharacterPose& pose, std::vector<Eigen::Isometry3d> segments) {
    pose_ = pose;
    segments_ = std::move(segments);
    skinning_->step(pose_);
}

Points BodyMover::points(DisplayLayer layer) {
    constexpr std::size_t kPiece = 8192;
    Points result;
    if (layer == DisplayLayer::Skin) {
        upsampling_->apply(skinning_->skin(), result);
    } else if (layer == DisplayLayer::Bones) {
        result.resize(bones_.rows(), 3);
        parallel_for(bone_segment_.size(), kPiece, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) {
                const auto row = static_cast<Eigen::Index>(i);
                result.row(row) =
                    (segments_[static_cast<std::size_t>(bone_segment_[i])] * point(bones_, row))
                        .transpose();
            }
        });
    } else {
        result.resize(muscles_.rows(), 3);
        parallel_for(blends_.size(), kPiece, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) {
                const auto row = static_cast<Eigen::Index>(i);
                const Vec3 p = point(muscles_, row);
                Vec3 sum = Vec3::Zero();
                for (std::size_t n = 0; n < 4; ++n) {
                    if (blends_[i].weight[n] > 0.0f) {
                        sum += static_cast<double>(blends_[i].weight[n]) *
                               (pose_[static_cast<std::size_t>(blends_[i].joint[n])] * p);
                    }
                }
                result.row(row) = sum.transpose();
            }
        });
    }
    return result;
}

std::vector<std::string> built_in_motions() {
    return {"wave", "walk"};
}

PosedAngles built_in_motion(std::string_view name, double time) {
    PosedAngles angles;
    const auto turn = [&](const char* joint, double x, double y = 0.0, double z = 0.0) {
        angles[joint] = {x * kDegree, y * kDegree, z * kDegree};
    };
    // Motions begin softly.
    const double ease =
        std::min(1.0, time) * std::min(1.0, time) * (3.0 - 2.0 * std::min(1.0, time));
    if (name == "wave") {
        const double swing = std::sin(2.0 * M_PI * 1.1 * time);
        turn("shoulder_r", 0.0, 62.0 * ease, 0.0);
        turn("elbow_r", (62.0 + 22.0 * swing) * ease);
        turn("head", 0.0, -3.0 * ease, 0.0);
        turn("chest", 0.0, 2.0 * swing * ease, 0.0);
        return angles;
    }
    const double phase = 2.0 * M_PI * 0.9 * time;
    for (const bool is_left : {true, false}) {
        const double p = phase + (is_left ? 0.0 : M_PI);
        const char* hip = is_left ? "hip_l" : "hip_r";
        const char* knee = is_left ? "knee_l" : "knee_r";
        const char* ankle = is_left ? "ankle_l" : "ankle_r";
        const char* shoulder = is_left ? "shoulder_l" : "shoulder_r";
        const char* elbow = is_left ? "elbow_l" : "elbow_r";
        turn(hip, (8.0 + 24.0 * std::sin(p)) * ease);
        turn(knee, (12.0 + 34.0 * std::max(0.0, std::cos(p + 0.35))) * ease);
        turn(ankle, 8.0 * std::sin(p + 0.8) * ease);
        turn(shoulder, -22.0 * std::sin(p) * ease, -28.0 * ease, 0.0);
        turn(elbow, (12.0 - 12.0 * std::sin(p)) * ease);
    }
    turn("chest", 2.0 * ease, 0.0, 5.0 * std::sin(phase) * ease);
    return angles;
}

}  // namespace sinew
