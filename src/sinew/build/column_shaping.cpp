#include "sinew/build/column_shaping.h"

#include "sinew/build/envelope.h"
#include "sinew/geometry/measure.h"
#include "sinew/geometry/tet_quality.h"
#include "sinew/mesh/connectivity.h"
#include "sinew/meshing/intersections.h"
#include "sinew/meshing/prism_columns.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace sinew {

namespace {

/// Smallest angle between two faces, rad; negative without volume.
double smallest_dihedral(const std::array<Vec3, 4>& x) {
    const Vec3 a = x[1] - x[0], b = x[2] - x[0], c = x[3] - x[0];
    const Vec3 d = a.cross(b);
    if (!(d.dot(c) > 0.0)) {
        return -1.0;
    }
    // Outward normals; the angle between two faces is pi less that between their normals.
    const std::array<Vec3, 4> n = {(b - a).cross(c - a).normalized(), c.cross(b).normalized(),
                                   a.cross(c).normalized(), -d.normalized()};
    double largest_cosine = -1.0;
    for (std::size_t i = 0; i < 4; ++i) {
        for (std::size_t k = i + 1; k < 4; ++k) {
            largest_cosine = std::max(largest_cosine, -n[i].dot(n[k]));
        }
    }
    return std::acos(std::min(largest_cosine, 1.0));
}

class ColumnShaping {
public:
    ColumnShaping(const TriangleMesh& skin, const Points& envelope, const AnatomySolid& solid,
                  const ColumnShapingOptions& options)
        : skin_(skin),
          solid_(solid),
          options_(options),
          vertices_(skin.points.rows()),
          columns_(prism_columns(skin.triangles, vertices_)),
          around_(triangles_of_vertices(skin.triangles, vertices_)),
          before_(envelope),
          all_(2 * vertices_, 3),
          is_tried_(static_cast<std::size_t>(vertices_), 0) {
        all_ << skin.points, envelope;
    }

    Points run() {
        for (int pass = 0; pass < options_.passes; ++pass) {
            const std::vector<Index> bad = bad_vertices();
            bool has_moved = false;
            for (const Index v : bad) {
                if (is_tried_[at(v)] == 0) {
                    has_moved = try_to_improve(v) || has_moved;
                }
            }
            if (!has_moved) {
                break;
            }
        }
        take_back_crossings();
        return all_.bottomRows(vertices_);
    }

private:
    Vec3 envelope_point(Index v) const {
        return point(all_, vertices_ + v);
    }

    /// Vertices of the envelope at tetrahedra with too small an angle, ascending.
    std::vector<Index> bad_vertices() const {
        const DihedralAngles angles = tet_dihedral_angles(all_, columns_);
        std::vector<Index> bad;
        for (Eigen::Index t = 0; t < columns_.rows(); ++t) {
            if (angles.row(t).minCoeff() < options_.min_dihedral) {
                for (int k = 0; k < 3; ++k) {
                    bad.push_back(skin_.triangles(t / 3, k));
                }
            }
        }
        std::sort(bad.begin(), bad.end());
        bad.erase(std::unique(bad.begin(), bad.end()), bad.end());
        return bad;
    }

    /// Over all columns at v, its envelope point being at x; no search for less than `enough`.
    double smallest_around(Index v, const Vec3& x, double enough) const {
        double smallest = 4.0;
        const auto moved = static_cast<Index>(vertices_ + v);
        for (const Index triangle : around_[at(v)]) {
            for (Eigen::Index t = 3 * triangle; t < 3 * triangle + 3; ++t) {
                std::array<Vec3, 4> corners;
                for (std::size_t k = 0; k < 4; ++k) {
                    const Index c = columns_(t, static_cast<Eigen::Index>(k));
                    corners[k] = c == moved ? x : point(all_, c);
                }
                smallest = std::min(smallest, smallest_dihedral(corners));
                if (smallest <= enough) {
                    return smallest;
                }
            }
        }
        return smallest;
    }

    /// A place of the envelope around v that must keep off muscles and bones: a share of v's own
    /// place and the rest.
    struct Watched {
        double share = 1.0;
        Vec3 rest = Vec3::Zero();
        double distance = 0.0;  ///< signed, before v moves, m

        Vec3 place(const Vec3& x) const {
            return share * x + rest;
        }
    };

    /// v itself and the middles of edges and triangles around it.
    std::vector<Watched> watched_around(Index v, const Vec3& x) const {
        std::vector<Watched> all = {{}};
        for (const Index t : around_[at(v)]) {
            Vec3 sum = Vec3::Zero();
            for (int k = 0; k < 3; ++k) {
                const Index n = skin_.triangles(t, k);
                if (n != v) {
                    sum += envelope_point(n);
                }
                // Each edge is the one after v in one of its two triangles.
                if (skin_.triangles(t, (k + 2) % 3) == v) {
                    all.push_back({.share = 0.5, .rest = 0.5 * envelope_point(n)});
                }
            }
            all.push_back({.share = 1.0 / 3.0, .rest = sum / 3.0});
        }
        for (Watched& w : all) {
            w.distance = solid_.signed_distance(w.place(x));
        }
        return all;
    }

    /// Whether all keep the distance with v at x, having been measured with v at `start`.
    bool keeps_off(const std::vector<Watched>& watched, const Vec3& start, const Vec3& x,
                   double allowed) const {
        const double way = (x - start).norm();
        return std::all_of(watched.begin(), watched.end(), [&](const Watched& w) {
            // Distances change no faster than places do.
            return (w.distance > 0.0 && w.distance - w.share * way >= std::max(allowed, 0.0)) ||
                   solid_.signed_distance(w.place(x)) >= allowed;
        });
    }

    /// One that could not be improved need not be tried again until something around it moves.
    bool try_to_improve(Index v) {
        const bool has_moved = improve(v);
        is_tried_[at(v)] = 1;
        if (has_moved) {
            for (const Index t : around_[at(v)]) {
                for (int k = 0; k < 3; ++k) {
                    is_tried_[at(skin_.triangles(t, k))] = 0;
                }
            }
        }
        return has_moved;
    }

    bool improve(Index v) {
        const Vec3 start = envelope_point(v);
        Vec3 best = start;
        double best_angle = smallest_around(v, best, -1.0);
        if (best_angle >= options_.min_dihedral) {
            return false;
        }
        double reach = 0.0;
        for (const Index t : around_[at(v)]) {
            for (int k = 0; k < 3; ++k) {
                const Vec3 n = envelope_point(skin_.triangles(t, k));
                reach = std::max(reach, (n - start).norm());
            }
        }
        const std::vector<Watched> watched = watched_around(v, start);
        double allowed = options_.margin;
        for (const Watched& w : watched) {
            allowed = std::min(allowed, w.distance);
        }
        for (double step = 0.1 * reach; step > 0.002 * reach; step *= 0.5) {
            for (int k = 0; k < 26 && best_angle < options_.min_dihedral; ++k) {
                // All neighbours in a cube, its middle left out.
                const int cell = k < 13 ? k : k + 1;
                const std::array<int, 3> at = {cell % 3, cell / 3 % 3, cell / 9};
                const Vec3 way(at[0] - 1, at[1] - 1, at[2] - 1);
                const Vec3 x = best + step * way.normalized();
                const double angle = smallest_around(v, x, best_angle);
                if (angle > best_angle && keeps_off(watched, start, x, allowed)) {
                    best = x;
                    best_angle = angle;
                }
            }
        }
        all_.row(vertices_ + v) = best.transpose();
        return best != start;
    }

    /// Vertices of triangles that meet go back to where they were, until none do.
    void take_back_crossings() {
        const Eigen::Index triangles = skin_.triangles.rows();
        TriangleMesh both;
        both.triangles.resize(2 * triangles, 3);
        both.triangles << skin_.triangles, skin_.triangles.array() + static_cast<Index>(vertices_);
        for (bool is_done = false; !is_done;) {
            both.points = all_;
            const auto pairs = find_self_intersections(both).pairs;
            is_done = true;
            for (const auto& [a, b] : pairs) {
                for (const Index t : {a, b}) {
                    for (int k = 0; k < 3; ++k) {
                        is_done = !restore(skin_.triangles(t % triangles, k)) && is_done;
                    }
                }
            }
        }
        // What went back may have spoilt a column of a vertex that did not.
        for (bool is_done = false; !is_done;) {
            const Eigen::VectorXd volumes = tet_volumes(all_, columns_);
            is_done = true;
            for (Eigen::Index t = 0; t < volumes.size(); ++t) {
                for (int k = 0; k < 3 && !(volumes[t] > 0.0); ++k) {
                    is_done = !restore(skin_.triangles(t / 3, k)) && is_done;
                }
            }
        }
    }

    bool restore(Index v) {
        const bool has_moved = all_.row(vertices_ + v) != before_.row(v);
        all_.row(vertices_ + v) = before_.row(v);
        return has_moved;
    }

    const TriangleMesh& skin_;
    const AnatomySolid& solid_;
    const ColumnShapingOptions& options_;
    Eigen::Index vertices_;
    Tets columns_;
    Lists around_;
    Points before_;
    Points all_;
    std::vector<char> is_tried_;  // in vain, with everything around where it is
};

}  // namespace

Points shape_columns(const TriangleMesh& skin, const Points& envelope, const AnatomySolid& solid,
                     const ColumnShapingOptions& options) {
    return ColumnShaping(skin, envelope, solid, options).run();
}

}  // namespace sinew
