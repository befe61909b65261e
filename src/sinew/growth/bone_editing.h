#pragma once

#include "sinew/base/progress.h"
#include "sinew/body/body_parts.h"
#include "sinew/solver/local_global.h"

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace sinew {

/// How far bones follow the near head of their long part: bounded biharmonic weights on the bones'
/// meshes (geometry/biharmonic_weights.h) [Saito2015, section 3.4]. A head is what lies within 12 %
/// of the part's length of its end, along the axis, and is held as a whole, so that it keeps its
/// shape exactly. The far head's weight is what is left to one.
struct BoneWeights {
    /// Per bone and vertex of its mesh, [0, 1]; empty where the bone's part is not long.
    std::vector<std::vector<double>> bones = {};
    std::vector<double> attachments = {};  ///< per sample, from the nearest position on its bone
    std::vector<std::string> bars = {};    ///< bones of long parts that took the weights of a bar
};
/// Triangles without area are left out and corners at one position count as one. Bones that reach
/// neither head, and those of which nothing is left, take the weights of a bar: the clamped cubic
/// along the axis.
BoneWeights compute_bone_weights(const Body& body, std::span<const BodyPart> parts);

/// Positions of the edited skeleton [Saito2015, section 3.4]: handles at the bone heads, each moved
/// and scaled uniformly, blended,  v' = sum_j w_j T_j v. Both bones of a joint share its handle.
/// Small bones have one handle, as in the paper; near a joint whose handle scales differently they
/// go over to it between 3 and 9 cm from its centre.
struct EditedSkeleton {
    std::vector<Points> bones = {};     ///< vertices of each bone's mesh
    Points attachments = Points(0, 3);  ///< samples of the bones
    std::vector<Vec3> joints = {};      ///< centres
};
/// @param weights  of compute_bone_weights
/// @param scale    one per part, [0.5, 2]: length of long parts, size of others
/// @throws InputError  naming the part whose scale is out of range
EditedSkeleton edit_skeleton(const Body& body, std::span<const BodyPart> parts,
                             const BoneWeights& weights, std::span<const double> scale);

struct BoneEditReport {
    int iterations = 0;
    bool is_converged = false;
    Eigen::Index inverted_tets = 0;
    double largest_gap = 0.0;            ///< between a bone sample and the flesh that it holds, m
    std::vector<std::string> bars = {};  ///< see BoneWeights
};

struct EditedBody {
    Body body;
    BoneEditReport report;
};

/// Bones of other sizes, the flesh following by corotated elasticity without volume term
/// [Saito2015, section 3.4]; feet stay on the ground. Made once per body: weights are found and the
/// matrix is factorised then, and kept for all scales, each continuing from where the last one
/// ended.
class BoneEditor {
public:
    /// @param parts  of body_parts
    BoneEditor(const Body& body, std::span<const BodyPart> parts);
    ~BoneEditor();
    BoneEditor(BoneEditor&&) noexcept;
    BoneEditor& operator=(BoneEditor&&) noexcept;

    const std::vector<BodyPart>& parts() const;
    /// @param scale  as edit_skeleton takes it
    void set_scale(std::span<const double> scale);
    /// At most so many iterations from the present positions. True when they have converged.
    /// @param callback  is handed the positions of every iteration
    bool iterate(int iterations, const Progress& progress = {},
                 const IterationCallback& callback = {});
    /// Back to the rest shape; scales stay.
    void restart();
    /// Points of all tets, standing on the ground.
    Points positions() const;
    /// The present as a new rest body.
    EditedBody body() const;

private:
    struct Data;
    std::unique_ptr<Data> data_;
};

/// The same from rest until it has converged.
EditedBody edit_bones(const Body& body, std::span<const BodyPart> parts,
                      std::span<const double> scale, const Progress& progress = {});

/// The same person, every length times `factor` > 0; forces of muscles go with the square.
Body scaled_body(const Body& body, double factor);

}  // namespace sinew
