#include "sinew/skinning/skin_contacts.h"

#include "sinew/mesh/connectivity.h"

#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace sinew {
namespace {

// Vertices nearer than this many edges at rest never collide.
constexpr double kNeighbourhood = 2.0;
constexpr double kFlat = 1e-6;  // tetrahedra flatter than this at rest hold nothing

double mean_edge(const FleshPrisms& flesh) {
    const Edges edges = unique_edges(flesh.triangles);
    double sum = 0.0;
    for (Eigen::Index e = 0; e < edges.rows(); ++e) {
        sum += (flesh.points.row(edges(e, 0)) - flesh.points.row(edges(e, 1))).norm();
    }
    return sum / static_cast<double>(std::max<Eigen::Index>(1, edges.rows()));
}

Points skin_and_base(const FleshPrisms& flesh) {
    Points all = flesh.points;
    all.bottomRows(flesh.skin_vertices) = flesh.base_points;
    return all;
}

// Tetrahedra from the skin to the lines of the bones, so that no place inside is left out.
TetContacts make_finder(const FleshPrisms& flesh, std::span<const Index> vertices) {
    const Points rest = skin_and_base(flesh);
    const Index S = flesh.skin_vertices;
    std::vector<std::array<Index, 4>> tets;
    std::vector<Index> exit_of;
    for (Eigen::Index f = 0; f < flesh.triangles.rows(); ++f) {
        const std::array<Index, 3> outer = {flesh.triangles(f, 0), flesh.triangles(f, 1),
                                            flesh.triangles(f, 2)};
        for (const std::array<Index, 4>& t :
             split_prism(outer, {outer[0] + S, outer[1] + S, outer[2] + S})) {
            const Vec3 a = point(rest, t[0]);
            const Vec3 u = point(rest, t[1]) - a;
            const Vec3 v = point(rest, t[2]) - a;
            const Vec3 w = point(rest, t[3]) - a;
            const double size = std::max({u.norm(), v.norm(), w.norm()});
            if (std::abs(u.dot(v.cross(w))) > kFlat * size * size * size) {
                tets.push_back(t);
                exit_of.push_back(static_cast<Index>(f));
            }
        }
    }
    Tets rows(static_cast<Eigen::Index>(tets.size()), 4);
    for (std::size_t t = 0; t < tets.size(); ++t) {
        for (int k = 0; k < 4; ++k) {
            rows(static_cast<Eigen::Index>(t), k) = tets[t][static_cast<std::size_t>(k)];
        }
    }
    const double edge = mean_edge(flesh);
    return {
        rest, rows, vertices, flesh.triangles, exit_of, {.neighbourhood = kNeighbourhood * edge}};
}

std::vector<Index> numbers(Index count) {
    std::vector<Index> all(static_cast<std::size_t>(count));
    std::iota(all.begin(), all.end(), 0);
    return all;
}

}  // namespace

SkinContacts::SkinContacts(const FleshPrisms& flesh, double weight)
    : skin_vertices_(flesh.skin_vertices),
      weight_(weight),
      base_(flesh.base_points),
      points_(skin_and_base(flesh)),
      finder_(make_finder(flesh, numbers(flesh.skin_vertices))),
      skin_rows_(numbers(flesh.skin_vertices)) {}

void SkinContacts::find(const Points& x, std::span<const MovingShape> shapes) {
    rigid_.clear();
    for (const MovingShape& shape : shapes) {
        const std::vector<RigidContact> found = find_rigid_contacts(shape, x, 0.0, skin_rows_);
        rigid_.insert(rigid_.end(), found.begin(), found.end());
    }
}

std::span<const double> SkinContacts::diagonal(std::size_t unknowns) {
    diagonal_.assign(unknowns, 0.0);
    for (const RigidContact& c : rigid_) {
        diagonal_[static_cast<std::size_t>(c.vertex)] += weight_;
    }
    return diagonal_;
}

void SkinContacts::add_force(const Points& x, Points& force) const {
    for (const RigidContact& c : rigid_) {
        const double height = (point(x, c.vertex) - c.point).dot(c.normal);
        if (height < 0.0) {
            force.row(c.vertex) -= (weight_ * height * c.normal).transpose();
        }
    }
}

std::vector<double> SkinContacts::depths(const Points& x) {
    points_.topRows(skin_vertices_) = x.topRows(skin_vertices_);
    points_.bottomRows(skin_vertices_) = base_;
    finder_.forget();
    finder_.find(points_);
    std::vector<double> found;
    for (const TetContacts::Depth& d : finder_.depths(points_)) {
        found.push_back(d.depth);
    }
    return found;
}

}  // namespace sinew
