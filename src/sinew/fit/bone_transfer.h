#pragma once

#include "sinew/base/progress.h"
#include "sinew/body/rest_shape.h"
#include "sinew/fit/layers.h"

#include <memory>

namespace sinew {

/// Carries bones, their attachments and joints into the layers of another person.
///
/// Large bones go with the skeleton surface alone, by a triharmonic warp whose centres are the
/// farthest points of B [Komaritzan, eq. 4.15: bones]. With centres on the muscle surface too,
/// places where M and B nearly touch in the template and not in the person would tear them.
/// Departs: bones of hands and feet, whose layers the thesis leaves out and which are thinner than
/// the centres are apart, go by the affine map that fits the tetrahedra around each of them best.
/// Whatever would leave the skin is drawn to where its tetrahedron is, and what is around with it.
class BoneTransfer {
public:
    /// @param body  must outlive this
    BoneTransfer(const Body& body, const LayeredTemplate& layers, int centres,
                 const Progress& progress);
    ~BoneTransfer();
    BoneTransfer(BoneTransfer&&) noexcept;
    BoneTransfer& operator=(BoneTransfer&&) noexcept;

    struct Moved {
        MovedBones bones = {};
        Eigen::Index drawn_in = 0;  ///< vertices that would have left the skin
    };
    /// @param bone  skeleton surface B of the person
    /// @param tet_points  of the person, none inside out
    Moved to(const Points& bone, const Points& tet_points) const;

private:
    struct Data;
    std::unique_ptr<Data> data_;
};

/// The affine map that takes rows of `from` nearest to those of `to`. Where they do not span space
/// it is one that keeps what they do not tell of as it is.
/// @param hold  to the identity, part of the points' spread, > 0
Eigen::Affine3d nearest_affine(const Points& from, const Points& to, double hold = 1e-3);

}  // namespace sinew
