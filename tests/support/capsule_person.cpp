#include "tests/support/capsule_person.h"

#include "sinew/base/parallel.h"
#include "sinew/meshing/iso_surface.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace sinew::support {
namespace {

// Segment of flesh: from one joint to another, with radii.
struct Limb {
    const char* name;
    const char* parent;
    double x, y, z;  // m
    double radius;   // at this end
    double parent_radius;
};

// Left side and midline; a person of 1.75 m.
constexpr Limb kLimbs[] = {
    {"pelvis", "", 0.0, 0.95, 0.0, 0.13, 0.13},
    {"chest", "pelvis", 0.0, 1.25, 0.0, 0.14, 0.13},
    {"neck", "chest", 0.0, 1.48, 0.0, 0.06, 0.12},
    {"head", "neck", 0.0, 1.58, 0.02, 0.085, 0.06},
    {"crown", "head", 0.0, 1.67, 0.02, 0.075, 0.085},
    {"shoulder_l", "chest", 0.18, 1.42, 0.0, 0.06, 0.09},
    {"elbow_l", "shoulder_l", 0.36, 1.20, 0.0, 0.042, 0.055},
    {"wrist_l", "elbow_l", 0.52, 1.00, 0.02, 0.03, 0.042},
    {"hand_l", "wrist_l", 0.60, 0.88, 0.03, 0.028, 0.032},
    {"hip_l", "pelvis", 0.10, 0.90, 0.0, 0.09, 0.12},
    {"knee_l", "hip_l", 0.12, 0.50, 0.01, 0.058, 0.085},
    {"ankle_l", "knee_l", 0.13, 0.09, -0.02, 0.04, 0.056},
    {"toe_l", "ankle_l", 0.14, 0.04, 0.15, 0.03, 0.042},
};

std::vector<Limb> all_limbs(std::vector<std::string>& names, std::vector<std::string>& parents) {
    std::vector<Limb> limbs;
    const auto mirrored = [](std::string name) {
        if (name.size() > 2 && name.compare(name.size() - 2, 2, "_l") == 0) {
            name.back() = 'r';
        }
        return name;
    };
    for (const bool is_right : {false, true}) {
        for (Limb limb : kLimbs) {
            const std::string name = limb.name;
            if (is_right && mirrored(name) == name) {
                continue;
            }
            names.push_back(is_right ? mirrored(name) : name);
            parents.push_back(is_right ? mirrored(limb.parent) : limb.parent);
            limb.x = is_right ? -limb.x : limb.x;
            limbs.push_back(limb);
        }
    }
    return limbs;
}

}  // namespace

CharacterPose dance(const CharacterSkeleton& skeleton, int frame) {
    const double s = 0.5 - 0.5 * std::cos(frame * 2.0 * M_PI / 60.0);
    JointRotations r;
    for (const CharacterJoint& joint : skeleton.joints) {
        Vec3 turn = Vec3::Zero();
        if (joint.name == "elbow_l" || joint.name == "elbow_r") {
            turn = Vec3(-1.7 * s, 0, 0);
        } else if (joint.name == "shoulder_r") {
            turn = Vec3(0, 0.8 * s, 0.5 * s);
        } else if (joint.name == "hip_l") {
            turn = Vec3(-1.4 * s, 0, 0);
        } else if (joint.name == "knee_l") {
            turn = Vec3(1.9 * s, 0, 0);
        } else if (joint.name == "chest") {
            turn = Vec3(0, 0.4 * std::sin(frame * 2.0 * M_PI / 60.0), 0);
        }
        const double angle = turn.norm();
        r.rotations.push_back(angle > 0.0
                                  ? Eigen::Quaterniond(Eigen::AngleAxisd(angle, turn / angle))
                                  : Eigen::Quaterniond::Identity());
    }
    return pose_of(skeleton, r);
}

CharacterSkeleton capsule_person() {
    std::vector<std::string> names;
    std::vector<std::string> parents;
    const std::vector<Limb> limbs = all_limbs(names, parents);
    CharacterSkeleton skeleton;
    for (std::size_t j = 0; j < limbs.size(); ++j) {
        const auto parent = std::find(names.begin(), names.end(), parents[j]);
        skeleton.joints.push_back(
            {.name = names[j],
             .parent = parents[j].empty() ? -1 : static_cast<Index>(parent - names.begin()),
             .position = Vec3(limbs[j].x, limbs[j].y, limbs[j].z)});
    }
    return skeleton;
}

TriangleMesh capsule_person_skin(double cell) {
    std::vector<std::string> names;
    std::vector<std::string> parents;
    const std::vector<Limb> limbs = all_limbs(names, parents);
    const CharacterSkeleton skeleton = capsule_person();
    ScalarGrid grid;
    grid.cell = cell;
    grid.origin = Vec3(-0.7, -0.05, -0.25);
    const Vec3 size(1.4, 1.9, 0.55);
    for (std::size_t k = 0; k < 3; ++k) {
        grid.size[k] = static_cast<int>(size[static_cast<Eigen::Index>(k)] / cell) + 2;
    }
    grid.values.resize(static_cast<std::size_t>(grid.size[0]) *
                       static_cast<std::size_t>(grid.size[1]) *
                       static_cast<std::size_t>(grid.size[2]));
    parallel_for(
        static_cast<std::size_t>(grid.size[2]), 1, [&](std::size_t begin, std::size_t end) {
            for (std::size_t z = begin; z < end; ++z) {
                for (int y = 0; y < grid.size[1]; ++y) {
                    for (int x = 0; x < grid.size[0]; ++x) {
                        const Vec3 p = grid.position(x, y, static_cast<int>(z));
                        // A soft minimum over the limbs rounds the folds between them.
                        double sum = 0.0;
                        constexpr double kSoft = 0.015;
                        for (std::size_t j = 0; j < limbs.size(); ++j) {
                            const Index parent = skeleton.joints[j].parent;
                            const Vec3 b = skeleton.joints[j].position;
                            const Vec3 a =
                                parent < 0
                                    ? b
                                    : skeleton.joints[static_cast<std::size_t>(parent)].position;
                            const double length2 = (b - a).squaredNorm();
                            const double t =
                                length2 > 0.0 ? std::clamp((p - a).dot(b - a) / length2, 0.0, 1.0)
                                              : 1.0;
                            const double r =
                                (1.0 - t) * limbs[j].parent_radius + t * limbs[j].radius;
                            sum += std::exp(-((p - a - t * (b - a)).norm() - r) / kSoft);
                        }
                        grid.values[grid.index(x, y, static_cast<int>(z))] =
                            static_cast<float>(-kSoft * std::log(std::max(sum, 1e-30)));
                    }
                }
            }
        });
    return iso_surface(grid);
}

}  // namespace sinew::support
