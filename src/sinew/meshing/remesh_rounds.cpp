#include "sinew/meshing/remesh_rounds.h"

#include "sinew/base/parallel.h"

#include <algorithm>
#include <cmath>

namespace sinew {

namespace {

// Edges are split when longer and collapsed when shorter than these multiples of the aim.
constexpr double kLongest = 4.0 / 3.0;
constexpr double kShortest = 4.0 / 5.0;

}  // namespace

RemeshRounds::RemeshRounds(EditMesh& mesh, double edge_length, double feature_angle,
                           std::vector<char> is_fixed)
    : mesh_(mesh),
      edge_length_(edge_length),
      feature_cosine_(std::cos(feature_angle)),
      fixed_(std::move(is_fixed)) {}

RemeshRounds::RemeshRounds(EditMesh& mesh, std::vector<double> edge_lengths, double feature_angle)
    : mesh_(mesh),
      edge_length_(0.0),
      graded_(std::move(edge_lengths)),
      feature_cosine_(std::cos(feature_angle)) {}

void RemeshRounds::set_edge_length(Index vertex, double length) {
    graded_[at(vertex)] = length;
}

double RemeshRounds::aim(Index a, Index b) const {
    return is_graded() ? 0.5 * (graded_[at(a)] + graded_[at(b)]) : edge_length_;
}

// Borders count as features: they are resampled along themselves.
bool RemeshRounds::is_feature(Index a, Index b) const {
    const std::array<Index, 2> sides = mesh_.on_edge(a, b);
    if (sides[0] < 0 || sides[1] < 0) {
        return true;
    }
    const Vec3 n = mesh_.normal(sides[0]);
    const Vec3 m = mesh_.normal(sides[1]);
    return n.dot(m) < feature_cosine_ * n.norm() * m.norm();
}

int RemeshRounds::feature_edges(Index vertex) const {
    int count = 0;
    for (const Index w : mesh_.neighbours(vertex)) {
        count += is_feature(vertex, w);
    }
    return count;
}

bool RemeshRounds::is_movable(Index vertex) const {
    return !is_fixed(vertex) && feature_edges(vertex) == 0;
}

std::vector<std::pair<Index, Index>> RemeshRounds::edges() const {
    std::vector<std::pair<Index, Index>> list;
    for (Index v = 0; v < mesh_.vertex_count(); ++v) {
        for (const Index w : mesh_.neighbours(v)) {
            if (v < w && !(is_fixed(v) && is_fixed(w))) {
                list.emplace_back(v, w);
            }
        }
    }
    return list;
}

void RemeshRounds::split_long() {
    // Longest first would need a queue; passes over all edges do as well, and few are needed.
    for (int pass = 0; pass < 12; ++pass) {
        bool is_done = true;
        for (const auto& [a, b] : edges()) {
            if (mesh_.length(a, b) > kLongest * aim(a, b)) {
                mesh_.split(a, b, 0.5 * (mesh_.position(a) + mesh_.position(b)));
                if (is_graded()) {
                    graded_.push_back(aim(a, b));
                }
                is_done = false;
            }
        }
        if (is_done) {
            return;
        }
    }
}

// A vertex on one smooth piece of a sharp line may only slide along it; where lines meet or end it
// stays.
bool RemeshRounds::may_go(Index gone, Index keep) const {
    if (is_fixed(gone)) {
        return false;
    }
    const int lines = feature_edges(gone);
    return lines == 0 || (lines == 2 && is_feature(gone, keep));
}

void RemeshRounds::collapse_short() {
    for (const auto& edge : edges()) {
        const Index a = edge.first;
        const Index b = edge.second;
        if (mesh_.triangles_at(a).empty() || mesh_.triangles_at(b).empty()) {
            continue;
        }
        const std::array<Index, 2> sides = mesh_.on_edge(a, b);
        if ((sides[0] < 0 && sides[1] < 0) || mesh_.length(a, b) >= kShortest * aim(a, b)) {
            continue;
        }
        const bool a_may = may_go(a, b);
        const bool b_may = may_go(b, a);
        if (!a_may && !b_may) {
            continue;
        }
        const Index gone = b_may ? b : a;
        const Index keep = b_may ? a : b;
        const bool both = a_may && b_may && feature_edges(a) == 0 && feature_edges(b) == 0;
        const Vec3 target =
            both ? Vec3(0.5 * (mesh_.position(a) + mesh_.position(b))) : mesh_.position(keep);
        const auto stays_short = [&](Index v) {
            const std::vector<Index> ring = mesh_.neighbours(v);
            return std::all_of(ring.begin(), ring.end(), [&](Index w) {
                return w == a || w == b ||
                       (mesh_.position(w) - target).norm() <= kLongest * aim(keep, w);
            });
        };
        if (stays_short(a) && stays_short(b) && mesh_.can_collapse(keep, gone, target)) {
            mesh_.collapse(keep, gone, target);
        }
    }
}

void RemeshRounds::equalise_valence() {
    // Flips leave borders where they are: each vertex is asked once, not with every edge.
    std::vector<int> wanted(static_cast<std::size_t>(mesh_.vertex_count()));
    for (std::size_t v = 0; v < wanted.size(); ++v) {
        wanted[v] = mesh_.is_border(static_cast<Index>(v)) ? 3 : 6;
    }
    const auto excess = [&](Index v, int change) {
        const int d = static_cast<int>(mesh_.triangles_at(v).size()) + change - wanted[at(v)];
        return d * d;
    };
    for (const auto& [a, b] : edges()) {
        const std::array<Index, 2> sides = mesh_.on_edge(a, b);
        if (sides[0] < 0 || sides[1] < 0) {
            continue;
        }
        const Index c = mesh_.opposite(sides[0], a, b);
        const Index d = mesh_.opposite(sides[1], a, b);
        const int before = excess(a, 0) + excess(b, 0) + excess(c, 0) + excess(d, 0);
        const int after = excess(a, -1) + excess(b, -1) + excess(c, 1) + excess(d, 1);
        if (after < before && !is_feature(a, b)) {
            mesh_.flip(a, b);
        }
    }
}

void RemeshRounds::relax(bool is_free) {
    const auto n = static_cast<std::size_t>(mesh_.vertex_count());
    std::vector<Vec3> moved(n);
    parallel_for(n, 512, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            const auto v = static_cast<Index>(i);
            moved[i] = mesh_.position(v);
            if (mesh_.triangles_at(v).empty() || !is_movable(v)) {
                continue;
            }
            // Centres of the triangles around, weighted with their areas, even out the sizes.
            Vec3 mean = Vec3::Zero();
            Vec3 normal = Vec3::Zero();
            double weight = 0.0;
            for (const Index t : mesh_.triangles_at(v)) {
                const EditMesh::Corners& c = mesh_.corners(t);
                const Vec3 cross = mesh_.normal(t);
                double area = cross.norm();
                if (is_graded()) {  // in units of what is aimed at there
                    const double edge = (aim(c[0], c[1]) + aim(c[1], c[2]) + aim(c[2], c[0])) / 3.0;
                    area /= edge * edge;
                }
                mean += area / 3.0 *
                        (mesh_.position(c[0]) + mesh_.position(c[1]) + mesh_.position(c[2]));
                weight += area;
                normal += cross;
            }
            if (weight == 0.0 || normal.norm() == 0.0) {
                continue;
            }
            Vec3 step = mean / weight - moved[i];
            if (!is_free) {
                normal.normalize();
                step -= normal * normal.dot(step);
            }
            moved[i] += step;
        }
    });
    for (std::size_t i = 0; i < n; ++i) {
        mesh_.set_position(static_cast<Index>(i), moved[i]);
    }
}

}  // namespace sinew
