#include "sinew/build/column_shaping.h"

#include "sinew/build/envelope.h"
#include "sinew/geometry/measure.h"
#include "sinew/geometry/tet_quality.h"
#include "sinew/mesh/connectivity.h"
#include "sinew/meshing/intersections.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace sinew {

namespace {

/// Edge, and the two corners it does not touch.
constexpr int kEdges[6][4] = {{0, 1, 2, 3}, {0, 2, 1, 3}, {0, 3, 1, 2},
                              {1, 2, 0, 3}, {1, 3, 0, 2}, {2, 3, 0, 1}};

/// Smallest angle between two faces, rad; negative without volume.
double smallest_dihedral(const std::array<Vec3, 4>& x) {
    if (!((x[1] - x[0]).cross(x[2] - x[0]).dot(x[3] - x[0]) > 0.0)) {
        return -1.0;
    }
    double smallest = 4.0;
    for (const auto& e : kEdges) {
        const Vec3& at = x[static_cast<std::size_t>(e[0])];
        const Vec3 along = x[static_cast<std::size_t>(e[1])] - at;
        const Vec3 u = along.cross(x[static_cast<std::size_t>(e[2])] - at);
        const Vec3 v = along.cross(x[static_cast<std::size_t>(e[3])] - at);
        smallest = std::min(smallest, std::atan2(u.cross(v).norm(), u.dot(v)));
    }
    return smallest;
}

class ColumnShaping {
public:
    ColumnShaping(const TriangleMesh& skin, const Points& envelope, const AnatomySolid& solid,
                  const ColumnShapingOptions& options)
        : skin_(skin),
          solid_(solid),
          options_(options),
          vertices_(skin.points.rows()),
          columns_(fat_columns(skin.triangles, vertices_)),
          around_(triangles_of_vertices(skin.triangles, vertices_)),
          before_(envelope),
          all_(2 * vertices_, 3) {
        all_ << skin.points, envelope;
    }

    Points run() {
        for (int pass = 0; pass < options_.passes; ++pass) {
            const std::vector<Index> bad = bad_vertices();
            bool has_moved = false;
            for (const Index v : bad) {
                has_moved = improve(v) || has_moved;
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

    /// Over all columns at v, its envelope point being at x.
    double smallest_around(Index v, const Vec3& x) const {
        double smallest = 4.0;
        const auto moved = static_cast<Index>(vertices_ + v);
        for (const Index triangle : around_[static_cast<std::size_t>(v)]) {
            for (Eigen::Index t = 3 * triangle; t < 3 * triangle + 3; ++t) {
                std::array<Vec3, 4> corners;
                for (std::size_t k = 0; k < 4; ++k) {
                    const Index c = columns_(t, static_cast<Eigen::Index>(k));
                    corners[k] = c == moved ? x : point(all_, c);
                }
                smallest = std::min(smallest, smallest_dihedral(corners));
            }
        }
        return smallest;
    }

    /// Least distance of the envelope around v from muscles and bones: at v and at the middles of
    /// edges and triangles.
    double clearance(Index v, const Vec3& x) const {
        double least = solid_.signed_distance(x);
        for (const Index t : around_[static_cast<std::size_t>(v)]) {
            Vec3 sum = x;
            for (int k = 0; k < 3; ++k) {
                const Index n = skin_.triangles(t, k);
                if (n != v) {
                    sum += envelope_point(n);
                    least = std::min(least, solid_.signed_distance(0.5 * (x + envelope_point(n))));
                }
            }
            least = std::min(least, solid_.signed_distance(sum / 3.0));
        }
        return least;
    }

    bool improve(Index v) {
        const Vec3 start = envelope_point(v);
        Vec3 best = start;
        double best_angle = smallest_around(v, best);
        double reach = 0.0;
        for (const Index t : around_[static_cast<std::size_t>(v)]) {
            for (int k = 0; k < 3; ++k) {
                const Vec3 n = envelope_point(skin_.triangles(t, k));
                reach = std::max(reach, (n - start).norm());
            }
        }
        const double allowed = std::min(options_.margin, clearance(v, start));
        for (double step = 0.1 * reach; step > 0.002 * reach; step *= 0.5) {
            for (int k = 0; k < 26 && best_angle < options_.min_dihedral; ++k) {
                // All neighbours in a cube, its middle left out.
                const int cell = k < 13 ? k : k + 1;
                const Vec3 way(cell % 3 - 1, cell / 3 % 3 - 1, cell / 9 - 1);
                const Vec3 x = best + step * way.normalized();
                const double angle = smallest_around(v, x);
                if (angle > best_angle && clearance(v, x) >= allowed) {
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
};

}  // namespace

Points shape_columns(const TriangleMesh& skin, const Points& envelope, const AnatomySolid& solid,
                     const ColumnShapingOptions& options) {
    return ColumnShaping(skin, envelope, solid, options).run();
}

}  // namespace sinew
