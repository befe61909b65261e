#pragma once

#include "sinew/mesh/connectivity.h"
#include "sinew/skinning/skin_on_bones.h"

#include <array>
#include <compare>
#include <functional>
#include <span>
#include <vector>

namespace sinew {

/// Local collisions [Komaritzan, section 3.2.5]: the two sides of a fold at a bent joint. Pairs of
/// vertices that may meet there are found once, in extreme poses; a frame only tests them.
///
/// A pair collides when, seen from the joint in the plane of its two bones, it has changed sides:
/// the vertex of the first bone stands at a larger angle than that of the second. Both are pushed
/// to the plane between them, by their distance along its normal n alone,
///
///   E = w / 4 max(0, (x_i - x_j) . n)^2
///
/// so that a motion of both costs nothing. A vertex in the crease has no partner; where the fold is
/// closed it is kept on the plane that halves the bend.
/// Departs: the partner of a vertex is what lies nearest to its mirror image in the plane that
/// halves the bend (the thesis: nearest to itself, which fails where folds pass through each other
/// far), and n comes from the directions to both, not from normals of the crumpled skin.
class SkinFolds {
public:
    /// The skin in a pose, without collisions, and its vertices that are inside of it.
    struct Folded {
        const Points& points;
        std::vector<Index> inside;
    };
    using Simulate = std::function<Folded(const CharacterPose& pose)>;
    SkinFolds(const FleshPrisms& flesh, const CharacterSkeleton& skeleton, const BoneVolumes& bones,
              double weight, const Simulate& simulate);

    std::size_t pairs() const {
        return pairs_.size();
    }
    /// What all pairs add to the diagonal of the system.
    std::vector<double> diagonal(std::size_t unknowns) const;
    /// The same of those that collide.
    void add_active_diagonal(std::span<double> diagonal) const;

    /// Finds the pairs that collide, or did in the last test and have hardly parted; returns their
    /// number.
    /// Deep pairs must be more than wrong by their angles: by these alone, smooth skin tears at
    /// shoulders and throats.
    /// @param is_enclosed  whether the skin encloses a vertex at x: one of a deep pair must be.
    ///                     Without, both must face each other, no deeper than their limbs are
    ///                     thick, and have passed each other since the last test or collided in
    ///                     it; and creases follow only as far as pairs.
    int test(const Points& x, const CharacterPose& pose,
             const std::function<bool(Index)>& is_enclosed = {});
    /// Nothing collides any more.
    void let_go() {
        active_.clear();
    }
    /// The same, and what the last test has seen says nothing about the next.
    void forget() {
        let_go();
        seen_.assign(pairs_.size(), Seen::Nothing);
    }
    /// Appends all vertices of pairs that collide.
    void add_vertices(std::vector<Index>& vertices) const;
    void add_force(const Points& x, Points& force) const;
    /// Moves what collides onto the planes in between.
    void push_apart(Points& x) const;

private:
    // Two bones and the joint between them; directions lead away from it.
    struct Bend {
        Index joint;
        std::array<Index, 2> first;  // joints: from, to
        std::array<Index, 2> second;
        std::array<Index, 2> bone;
    };
    struct Pair {
        Index bend;
        Index i, j;  // of the first and the second bone, -1 in the crease
        bool operator==(const Pair&) const = default;
        auto operator<=>(const Pair&) const = default;  // NOLINT(modernize-use-nullptr): it is 0
    };
    struct Active {
        std::size_t pair;
        Index i, j;  // j = -1: a vertex in the crease
        Vec3 n;
        double offset;  // of the plane, for those
    };
    // Of a pair, in the last test.
    enum class Seen : char {
        Nothing,
        Apart,      // the right way round
        Colliding,  // and taken for it
        Elsewhere,  // the wrong way round for another reason
    };
    static double passed(const Active& a, const Points& x);
    // The plane of a bend: directions along its middle and across, from first to second bone.
    struct Frame {
        Vec3 centre, middle, across;
        bool is_bent;
    };
    Vec3 normal_at(const Points& x, Index vertex) const;
    bool do_pass(const Points& x, Index i, Index j) const;
    void drop_colliding(const Points& rest);
    void find_bends(const BoneVolumes& bones);
    void add_pairs(const FleshPrisms& flesh, const Points& skin, Index bend, const Frame& frame,
                   std::span<const Index> vertices, std::span<const Index> triangles,
                   bool is_swapped);
    void add_crease(const FleshPrisms& flesh, const BoneVolumes& bones, const Points& skin,
                    Index bend, const Frame& frame);
    std::vector<Frame> frames(const CharacterPose& pose) const;

    CharacterSkeleton skeleton_;
    double weight_;
    double edge_;  // mean length, m
    Triangles triangles_;
    Lists triangles_of_vertex_;
    std::vector<double> radius_ = {};  // of the limb, at each vertex, m
    std::vector<Bend> bends_ = {};
    std::vector<Pair> pairs_ = {};
    std::vector<Active> active_ = {};
    std::vector<Seen> seen_ = {};
};

}  // namespace sinew
