#include "sinew/pipeline/solve_supports.h"

#include "sinew/base/error.h"
#include "sinew/linalg/dense.h"

#include <Eigen/Geometry>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

// Whether every piece is held. The six rigid motions of a piece are tested against its supports: a
// motion that costs nothing and that forces push along has no equilibrium. A 6 x 6 matrix per piece
// says so before any solve.

namespace sinew {

namespace {

/// Pieces that hang together, as one number per vertex; -1 for points without tetrahedra.
std::vector<Index> pieces_of(const TetMesh& rest) {
    std::vector<Index> lead(static_cast<std::size_t>(rest.points.rows()), -1);
    const auto find = [&](Index v) {
        while (lead[static_cast<std::size_t>(v)] != v) {
            Index& up = lead[static_cast<std::size_t>(v)];
            up = lead[static_cast<std::size_t>(up)];
            v = up;
        }
        return v;
    };
    for (const Index v : rest.tets.reshaped()) {
        lead[static_cast<std::size_t>(v)] = v;
    }
    for (Eigen::Index t = 0; t < rest.tets.rows(); ++t) {
        for (int k = 1; k < 4; ++k) {
            const Index a = find(rest.tets(t, 0));
            const Index b = find(rest.tets(t, k));
            lead[static_cast<std::size_t>(std::max(a, b))] = std::min(a, b);
        }
    }
    for (Index v = 0; v < rest.points.rows(); ++v) {
        if (lead[static_cast<std::size_t>(v)] >= 0) {
            lead[static_cast<std::size_t>(v)] = find(v);
        }
    }
    return lead;
}

/// Six numbers: a translation, and a rotation about the piece's middle times its size.
using Motion = Eigen::Matrix<double, 6, 1>;

struct Piece {
    std::vector<Index> vertices = {};
    Vec3 middle = Vec3::Zero();
    double size = 0.0;  // m
    Motion load = Motion::Zero();
    double loads = 0.0;  // sum of the lengths of forces
    Eigen::Matrix<double, 6, 6> held = Eigen::Matrix<double, 6, 6>::Zero();

    /// What a unit of force along n at p does to the motion of the piece.
    Motion effect(const Vec3& p, const Vec3& n) const {
        Motion m;
        m << n, (p - middle).cross(n) / size;
        return m;
    }
};

/// The piece of each node: middles of edges belong to that of their ends.
std::vector<Index> pieces_of_nodes(const TetMesh& rest, const SceneProblem& problem) {
    std::vector<Index> piece = pieces_of(rest);
    if (problem.quadratic) {
        for (Eigen::Index e = 0; e < problem.quadratic->edges.rows(); ++e) {
            piece.push_back(piece[at(problem.quadratic->edges(e, 0))]);
        }
    }
    return piece;
}

std::map<Index, Piece> measured_pieces(const SceneProblem& problem,
                                       const std::vector<Index>& piece_of) {
    Points loads = problem.loads;
    for (const auto& pressure : problem.pressures) {
        if (pressure) {
            Points gradient = Points::Zero(loads.rows(), 3);
            pressure->add_gradient(problem.points, gradient);
            loads -= gradient;
        }
    }
    std::map<Index, Piece> pieces;
    for (Index v = 0; v < problem.points.rows(); ++v) {
        if (piece_of[at(v)] >= 0) {
            pieces[piece_of[at(v)]].vertices.push_back(v);
        }
    }
    for (auto& [first, piece] : pieces) {
        for (const Index v : piece.vertices) {
            piece.middle += point(problem.points, v) / static_cast<double>(piece.vertices.size());
        }
        for (const Index v : piece.vertices) {
            piece.size = std::max(piece.size, (point(problem.points, v) - piece.middle).norm());
        }
        for (const Index v : piece.vertices) {
            const Vec3 f = point(loads, v);
            piece.load += piece.effect(point(problem.points, v), f);
            piece.loads += f.norm();
        }
    }
    for (const auto& [v, freedom] : problem.constraints.freedoms()) {
        if (const Index p = piece_of[at(v)]; p >= 0) {
            Piece& piece = pieces[p];
            const auto free = freedom.basis.leftCols(freedom.dimension);
            const Mat3 taken = Mat3::Identity() - free * free.transpose();
            const SymmetricEigen3 directions = symmetric_eigen(taken);  // 0 first, then 1
            for (int k = freedom.dimension; k < 3; ++k) {
                const Vec3 n = directions.vectors.col(k);
                const Motion m = piece.effect(point(problem.points, v), n);
                piece.held += m * m.transpose();
            }
        }
    }
    return pieces;
}

std::string motion_text(const Motion& m) {
    const Vec3 shift = m.head<3>();
    const Vec3 turn = m.tail<3>();
    const bool is_turn = turn.norm() > shift.norm();
    Vec3 v = (is_turn ? turn : shift).normalized();
    Eigen::Index largest = 0;
    v.cwiseAbs().maxCoeff(&largest);
    v *= v[largest] < 0.0 ? -1.0 : 1.0;
    constexpr double kNothing = 1e-9;
    for (double& c : v) {
        c = std::abs(c) < kNothing ? 0.0 : c;
    }
    return fmt::format("{} ({:.3g}, {:.3g}, {:.3g})", is_turn ? "against rotation about" : "along",
                       v.x(), v.y(), v.z());
}

}  // namespace

void require_held(const SolveScene& scene, const TetMesh& rest, const SceneProblem& problem) {
    if (!scene.obstacles.empty()) {
        return;
    }
    const std::vector<Index> piece_of = pieces_of_nodes(rest, problem);
    for (const auto& [first, piece] : measured_pieces(problem, piece_of)) {
        const SymmetricEigen held = symmetric_eigen(Eigen::MatrixXd(piece.held));
        for (int k = 0; k < 6; ++k) {
            const Motion motion = held.vectors.col(k);
            constexpr double kRounding = 1e-9;
            if (held.values[k] > kRounding ||
                std::abs(motion.dot(piece.load)) <= kRounding * piece.loads) {
                continue;
            }
            const Index p = first;
            const auto tets = std::count_if(rest.tets.col(0).begin(), rest.tets.col(0).end(),
                                            [&](Index v) { return piece_of[at(v)] == p; });
            const Vec3 at_first = point(rest.points, first);
            throw InputError(
                {.where = scene.where,
                 .found =
                     fmt::format("a piece of {} tetrahedra, with vertex {} at ({:.4g}, {:.4g}, "
                                 "{:.4g}) m, that forces pull and nothing holds{}",
                                 tets, first, at_first.x(), at_first.y(), at_first.z(),
                                 piece.held.isZero() ? std::string() : " " + motion_text(motion)),
                 .needs = "'fixed' or 'prescribed' vertices in every loaded piece in statics",
                 .remedy = "hold some of its vertices (three that are not on a line hold "
                           "everything), join it to the rest, or use \"analysis\": \"dynamics\""});
        }
    }
}

}  // namespace sinew
