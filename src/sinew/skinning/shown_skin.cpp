#include "sinew/skinning/shown_skin.h"

#include "sinew/base/error.h"

#include <utility>

// What is seen is finer than what is simulated: upsampling (section 3.2.4), then, if asked for, the
// fine skin's own untangling, since details may cross where the coarse skin only touches.

namespace sinew {
namespace {

// A fine skin hangs on what the nearest vertices of the simulated one hang on.
SkinOnBones on_bones(const TriangleMesh& fine, const SkinOnBones& simulated,
                     const std::vector<Index>& nearest_vertex) {
    SkinOnBones skin;
    skin.points = fine.points;
    skin.triangles = fine.triangles;
    skin.base_points.resize(fine.points.rows(), 3);
    for (std::size_t i = 0; i < nearest_vertex.size(); ++i) {
        skin.bone.push_back(simulated.bone[at(nearest_vertex[i])]);
        skin.base_points.row(static_cast<Eigen::Index>(i)) =
            simulated.base_points.row(nearest_vertex[i]);
    }
    return skin;
}

}  // namespace

ShownSkin::ShownSkin(SkinUpsampling upsampling, const SkinOnBones& simulated,
                     const TriangleMesh& fine, bool keep_apart)
    : upsampling_(std::move(upsampling)),
      near_({.points = simulated.points, .triangles = simulated.triangles}, fine,
            upsampling_.weights().nearest_triangle),
      rest_(on_bones(fine, simulated, near_.nearest_vertex())),
      points_(fine.points) {
    SINEW_ASSERT(upsampling_.fine_vertices() == fine.points.rows(), "{} points for {} vertices",
                 upsampling_.fine_vertices(), fine.points.rows());
    if (keep_apart) {
        untangling_.emplace(rest_);
    }
}

const Points& ShownSkin::show(const Points& simulated, const CharacterPose& pose) {
    upsampling_.apply(simulated, points_);
    if (untangling_) {
        std::vector<Eigen::Isometry3d> motion(pose.size(), Eigen::Isometry3d::Identity());
        for (std::size_t j = 0; j < pose_.size(); ++j) {
            motion[j] = pose[j] * pose_[j].inverse();
        }
        untangling_->untangle(points_, motion, near_.find(simulated, points_));
        pose_ = pose;
    }
    return points_;
}

void ShownSkin::forget() {
    pose_.clear();
    if (untangling_) {
        untangling_->forget();
    }
}

SkinPenetration ShownSkin::penetration() {
    if (!enclosure_) {
        enclosure_.emplace(rest_);
    }
    return enclosure_->penetration(points_);
}

}  // namespace sinew
