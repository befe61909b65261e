#pragma once

#include "sinew/skinning/skin_enclosure.h"
#include "sinew/skinning/skin_steadying.h"

#include <Eigen/Geometry>

#include <span>
#include <vector>

namespace sinew {

/// The last word on contacts of a skin with itself, by its triangles alone: moves single vertices
/// of a skin that is shown until hardly any is enclosed. The simulation knows nothing of it, so
/// that neither disturbs the other.
///
/// If skin that faces an enclosed vertex lies in front of it, both are moved apart
/// [Mueller2007, section 3.3]: dx_i = -h grad_i h / sum_j |grad_j h|^2 for the height h of the
/// vertex over that triangle, less a small gap. Crumpled skin without such an other side (the
/// bottom of a crease that has turned inside out), and what pushing does not free, is ironed: it
/// goes to the middle of its neighbours. What is enclosed even then is pushed again, and tucked in
/// beside a neighbour that is free. What is enclosed at rest (the inside of a mouth, parts of a
/// scan) is left alone.
///
/// Every frame starts from how far the last one has moved the skin, turned with its bones and less
/// the more the simulation has moved it against them. Where the bones have rested for some frames,
/// no vertex is moved further than a tenth of an edge in a frame (a fifth where it is enclosed), so
/// that in a pose that is held nothing jumps; what is on its way out may be enclosed meanwhile.
class SkinUntangling {
public:
    explicit SkinUntangling(const SkinOnBones& skin);

    /// To begin a frame with: what the simulation throws to and fro comes to rest.
    void steady(Points& skin, std::span<const Eigen::Isometry3d> motion) {
        steadying_.steady(skin, motion);
    }
    /// Moves the skin around the vertices that it encloses.
    /// @param motion  of each bone since the last frame
    /// @return vertices that are still enclosed
    int untangle(Points& skin, std::span<const Eigen::Isometry3d> motion);
    /// The same when no others than these can be enclosed (ascending).
    int untangle(Points& skin, std::span<const Eigen::Isometry3d> motion,
                 std::span<const Index> asked);
    /// Drops what is known of the frames before.
    void forget() {
        steadying_.forget();
        offset_.resize(0, 3);
        rested_.clear();
    }

private:
    struct Way {
        Index vertex;
        Index triangle;  // the other side, -1 without
    };
    std::vector<Index> and_near(const Points& x, std::span<const Index> vertices) const;
    std::vector<Index> in_doubt(const Points& x, std::span<const Index> enclosed) const;
    Index other_side(const Points& x, Index vertex, std::vector<Index>& candidates) const;
    void find_ways(const Points& x, std::span<const Index> asked);
    bool is_found(Index vertex) const;
    std::vector<Index> moved() const;
    void push_apart(Points& x, const Way& way) const;
    void iron(Points& x) const;
    void iron_more();
    void tuck_in(Points& x, Index vertex, int tries) const;
    void start_from_before(Points& x, std::span<const Eigen::Isometry3d> motion) const;
    void leave_shallow(const Points& x);
    void push_and_iron(Points& x);
    void push_and_tuck(Points& x);
    void count_rest(std::span<const Eigen::Isometry3d> motion);
    bool is_at_rest(const Vec3& p, std::vector<Index>& found) const;
    std::vector<Index> calm(Points& x, const Points& simulated,
                            std::span<const Eigen::Isometry3d> motion, double limit) const;
    void calm_and_push(Points& x, const Points& simulated,
                       std::span<const Eigen::Isometry3d> motion);

    Index skin_vertices_;
    Triangles triangles_;
    Lists neighbours_;
    std::vector<Index> all_ = {};  // vertices of triangles, ascending
    std::vector<Index> bone_of_;
    double edge_;  // mean length, m
    SkinEnclosure enclosure_;
    SkinSteadying steadying_;
    std::vector<Way> ways_ = {};      // of enclosed vertices, ascending
    std::vector<Index> ironed_ = {};  // ascending
    std::vector<int> rounds_ = {};    // in which a vertex was enclosed
    // Of the last frame: the skin as it was simulated, and how far it was moved, m; no rows
    // without.
    Points before_ = Points(0, 3);
    Points offset_ = Points(0, 3);
    std::vector<int> rested_ = {};  // frames for which each bone has
};

}  // namespace sinew
