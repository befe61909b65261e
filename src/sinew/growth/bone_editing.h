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

/// Positions of the edited skeleton [Saito2015, section 3.4]: handles at the bone heads, each moved
/// and scaled uniformly, blended by bounded weights,  v' = sum_j w_j T_j v.
///
/// Departs: the paper's weights are bounded biharmonic on the bones' meshes. Here they solve the
/// same problem along the axis of the part: w'''' = 0 between the heads with w = 1 or 0 and w' = 0
/// where they begin, which is the cubic 1 - 3 t^2 + 2 t^3; within a head (12 % of the length) they
/// are constant. So heads keep their shape exactly, and both bones of a joint share its handle.
struct EditedSkeleton {
    std::vector<Points> bones = {};     ///< vertices of each bone's mesh
    Points attachments = Points(0, 3);  ///< samples of the bones
    std::vector<Vec3> joints = {};      ///< centres
};
/// @param scale  one per part, [0.5, 2]: length of long parts, size of others
/// @throws InputError  naming the part whose scale is out of range
EditedSkeleton edit_skeleton(const Body& body, std::span<const BodyPart> parts,
                             std::span<const double> scale);

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
/// [Saito2015, section 3.4]; feet stay on the ground. Made once per body: the matrix is factorised
/// then and kept for all scales, each continuing from where the last one ended.
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
