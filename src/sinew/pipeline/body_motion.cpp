#include "sinew/pipeline/body_motion.h"

#include "sinew/base/error.h"
#include "sinew/base/parallel.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace sinew {

namespace {

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

}  // namespace sinew
