#pragma once

#include "sinew/base/progress.h"
#include "sinew/body/body.h"
#include "sinew/solver/local_global.h"

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sinew {

/// A piece of the skeleton that is edited as one: "thigh_l" (femur), "shin_l" (tibia and fibula),
/// "upper_arm_l", "forearm_l", "hand_l", "foot_l", "trunk" (thorax and loins), "pelvis", "neck",
/// "head", and single bones otherwise.
struct BodyPart {
    std::string name;
    bool is_long = false;  ///< changes its length between two heads; others are scaled as a whole
    Index proximal = -1;   ///< joint towards the root; -1 for the root's part
    Index distal = -1;     ///< joint at the other end of a long part, -1 where there is none
    Vec3 near_end = Vec3::Zero();  ///< centre of the proximal head, m
    Vec3 far_end = Vec3::Zero();   ///< centre of the distal head, m
    std::vector<Index> segments = {};
};
std::vector<BodyPart> body_parts(const Body& body);

/// Parts meant by a word: a part's name, its stem for both sides, "arms", "legs", or the name or
/// stem of a bone in it. @throws InputError  with the nearest known name when nothing matches
std::vector<std::size_t> find_body_parts(const Body& body, std::span<const BodyPart> parts,
                                         std::string_view word, std::string_view where);

/// How far bones follow the near head of their long part: bounded biharmonic weights on the bones'
/// meshes (geometry/biharmonic_weights.h) [Saito2015, section 3.4]. A head is what lies within 12 %
/// of the part's length of its end, along the axis, and is held as a whole, so that it keeps its
/// shape exactly. The far head's weight is what is left to one.
struct BoneWeights {
    /// Per bone and vertex of its mesh, [0, 1]; empty where the bone's part is not long.
    std::vector<std::vector<double>> bones = {};
    std::vector<double> attachments = {};  ///< per sample, from the nearest place on its bone
};
/// Bones with triangles without area, and those that reach neither head, take the weights of a bar:
/// the clamped cubic along the axis.
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
    double largest_gap = 0.0;  ///< between a bone sample and the flesh that it holds, m
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
    /// At most so many iterations from the present positions. True when they have settled.
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

/// The same from rest until it has settled.
EditedBody edit_bones(const Body& body, std::span<const BodyPart> parts,
                      std::span<const double> scale, const Progress& progress = {});

/// The same person, every length times `factor` > 0; forces of muscles go with the square.
Body scaled_body(const Body& body, double factor);

}  // namespace sinew
