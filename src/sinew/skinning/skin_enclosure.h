#pragma once

#include "sinew/contact/moving_tree.h"
#include "sinew/mesh/connectivity.h"
#include "sinew/skinning/skin_on_bones.h"

#include <array>
#include <span>
#include <vector>

namespace sinew {

/// How far a skin is in itself.
struct SkinPenetration {
    int vertices = 0;      ///< that are inside
    double mean = 0.0;     ///< m, over those
    double deepest = 0.0;  ///< m
    Index vertex = -1;     ///< that lies there
};

/// What a moving skin encloses, by its triangles alone: a vertex is enclosed where the air in front
/// of it is inside, by the winding number of the skin there. No neighbourhood is left out but the
/// triangles of the vertex itself, so creases count like any other contact.
class SkinEnclosure {
public:
    /// @param air  how far in front of a vertex air is looked for, in mean edges
    explicit SkinEnclosure(const SkinOnBones& skin, double air = 0.01);

    /// The skin is at x (its first rows) now.
    void refit(const Points& x);
    /// The same when only these few vertices have moved since.
    void refit_around(const Points& x, std::span<const Index> moved);
    /// Vertices that may be enclosed though they were not at the last `refit`, or the other way
    /// round, ascending: those of triangles that have moved since, and those whose rays run where
    /// one of these is or was. All others are what they were then.
    std::vector<Index> find_changed(const Points& x) const;

    /// Normals of the triangles where `refit` has seen them, as long as twice their areas.
    const Points& normals() const {
        return normals_;
    }
    /// Unit normal of a vertex there: of the triangles around, by area.
    Vec3 normal_at(Index vertex) const;
    /// Whether a vertex is enclosed there.
    /// @param x           as in `refit`
    /// @param candidates  scratch, one per thread
    bool is_enclosed(const Points& x, Index vertex, std::vector<Index>& candidates) const;
    /// The same of many, in parallel: 1 for those that are.
    std::vector<char> are_enclosed(const Points& x, std::span<const Index> asked) const;
    /// Distance of an enclosed vertex to the nearest triangle that it lies behind, but not one of
    /// its own, m.
    double way_out(const Points& x, Index vertex, std::vector<Index>& candidates) const;
    /// False where a vertex is enclosed at rest: the inside of a mouth, parts of a scan.
    bool may_collide(Index vertex) const {
        return depth_at_rest_[at(vertex)] == 0.0;
    }
    /// True where it is deep inside then, or beside what is, and so belongs there.
    bool is_inner(Index vertex) const {
        return is_inner_[at(vertex)] != 0;
    }
    /// Whether an enclosed vertex is so because of the shape at rest: it is inner, or hardly deeper
    /// than then. (What noise of a scan leaves in itself at rest may come to lie deeper.)
    bool is_excused(const Points& x, Index vertex, std::vector<Index>& candidates) const;
    /// Whether a vertex lies behind a triangle at rest, across the flesh of its own limb: what has
    /// come out there has passed through the limb.
    bool is_own_flesh(Index vertex, const std::array<Index, 3>& triangle) const;
    /// Triangles whose boxes meet a box.
    void find_overlapping(const Bounds& query, std::vector<Index>& found) const;

    /// Vertices that are enclosed at x and not excused, ascending, and their distances to the
    /// nearest skin that faces away, m. Those hardly deeper than nothing (a hundredth of an edge:
    /// skins that touch) are left out. Of what is deeper than an edge, the skin around it may be
    /// the nearest, so its depth is at least that. Does what `refit` does.
    struct Depth {
        Index vertex;
        double depth;
    };
    std::vector<Depth> depths(const Points& x);
    /// The same, summed up.
    SkinPenetration penetration(const Points& x);

private:
    // Where the rays of a vertex start, and their directions: the first along the axis nearest to
    // the normal, three in turn where the skin is open.
    struct Rays {
        Vec3 start;
        Vec3 normal;
        int first;
        int count;
    };
    Rays rays_of(const Points& x, Index vertex) const;
    int crossings(const Points& x, const Vec3& p, int axis, double sign,
                  std::vector<Index>& candidates) const;
    int crossing(const Points& x, const Vec3& p, int axis, double sign, Index triangle) const;
    void compute_normal(const Points& x, Index triangle);
    void find_inner();

    Index skin_vertices_;
    Triangles triangles_;
    Lists triangles_of_vertex_;
    std::vector<char> is_flake_;  // of triangles
    bool is_closed_;
    double edge_;  // mean length, m
    double air_;   // m
    MovingTree tree_ = {};
    std::vector<Bounds> boxes_ = {};
    // Triangles that have moved since the last `refit`, and where they were then.
    std::vector<Index> moved_ = {};
    std::vector<char> is_moved_ = {};
    std::vector<Bounds> box_before_ = {};
    Points normals_ = Points(0, 3);
    std::vector<double> depth_at_rest_ = {};  // m; 0 where not enclosed
    std::vector<char> is_inner_ = {};
    Points rest_;
    Points rest_vertex_normals_ = Points(0, 3);
    std::vector<double> radius_ = {};  // of the limb, at each vertex, m
};

}  // namespace sinew
