#pragma once

#include "sinew/body/musculoskeletal.h"
#include "sinew/geometry/depth_grid.h"
#include "sinew/motion/joint_motions.h"

#include <memory>
#include <string>
#include <vector>

namespace sinew {

/// The bones of a model as fields of depth, one per rigid body whose meshes are loaded, in that
/// body's own frame.
class BoneDepths {
public:
    BoneDepths() = default;
    explicit BoneDepths(const MusculoskeletalModel& model);

    bool is_empty() const {
        return bodies_.empty();
    }
    /// Bodies that have bones.
    const std::vector<Index>& bodies() const {
        return bodies_;
    }
    /// Of bodies().
    const DepthGrid& grid(std::size_t k) const {
        return *grids_[k];
    }
    /// Bones, as numbers into bodies(), whose balls come within `margin` (m) of a path's box in a
    /// pose; the others need not be asked.
    std::vector<std::size_t> beside(const std::vector<Vec3>& path, const MotionPlacements& placed,
                                    std::size_t motion, std::size_t sample,
                                    double margin = 0.0) const;
    /// The deepest of some of them at a point of the world, m; 0 outside of all.
    double depth_at(const std::vector<std::size_t>& bones, const Vec3& p,
                    const MotionPlacements& placed, std::size_t motion, std::size_t sample,
                    Vec3* gradient = nullptr) const;

private:
    std::vector<Index> bodies_ = {};
    std::vector<std::shared_ptr<const DepthGrid>> grids_ = {};
};

/// How deep muscles run through bones.
struct BonePenetration {
    double deepest = 0.0;     ///< deepest point over the path's length at rest, worst muscle
    std::string muscle = {};  ///< whose that is
    double depth = 0.0;       ///< mean over muscles and poses of (mean depth of a path / length)
    double inside = 0.0;      ///< mean fraction of the path inside bones
};

/// Over the motions that move each muscle; straight pieces only, so muscles over surfaces count
/// between their points. All 0 for a model without bones.
BonePenetration measure_penetration(const MusculoskeletalModel& model, const BoneDepths& bones,
                                    const std::vector<JointMotion>& motions);

}  // namespace sinew
