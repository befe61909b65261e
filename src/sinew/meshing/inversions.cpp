#include "sinew/meshing/inversions.h"

#include "sinew/geometry/measure.h"
#include "sinew/geometry/tet_quality.h"
#include "sinew/mesh/connectivity.h"

#include <Eigen/Eigenvalues>
#include <Eigen/LU>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace sinew {

namespace {

constexpr int kMostRings = 6;
constexpr int kHeldRings = 4;  // from which points move that should not
constexpr int kRoundsPerRing = 25;
constexpr double kLeastEpsilon = 1e-3;  // of the regularised determinant
constexpr double kEpsilon = 0.2;        // of the worst determinant
constexpr double kSmallest = 0.02;      // of the volume at rest
constexpr double kFlat = 0.0205;        // rad, of the smallest dihedral angle
constexpr double kShareOfAngle = 0.5;   // of the angle at rest, where that is less
constexpr int kOpeningRounds = 240;
constexpr double kOpening = 1.25;  // of a flat tetrahedron's volume in a round

// Which of some tetrahedra are bad, and what they were at rest.
class BadTets {
public:
    explicit BadTets(const TetMesh& rest) : rest_(rest), volume_(tet_volumes(rest)) {
        const Eigen::VectorXd angle =
            tet_dihedral_angles(rest.points, rest.tets).rowwise().minCoeff();
        for (Eigen::Index t = 0; t < angle.size(); ++t) {
            least_angle_.push_back(angle[t] > kFlat ? kFlat : kShareOfAngle * angle[t]);
        }
    }

    std::vector<Index> among(const std::vector<Index>& tets, const Points& x,
                             bool with_flat) const {
        Tets some(static_cast<Eigen::Index>(tets.size()), 4);
        for (std::size_t i = 0; i < tets.size(); ++i) {
            some.row(static_cast<Eigen::Index>(i)) = rest_.tets.row(tets[i]);
        }
        const Eigen::VectorXd volume = tet_volumes(x, some);
        const Eigen::VectorXd angle = tet_dihedral_angles(x, some).rowwise().minCoeff();
        std::vector<Index> bad;
        for (std::size_t i = 0; i < tets.size(); ++i) {
            const auto row = static_cast<Eigen::Index>(i);
            const bool is_flat = with_flat && angle[row] < least_angle_[at(tets[i])];
            if (is_flat || volume[row] < kSmallest * volume_[tets[i]]) {
                bad.push_back(tets[i]);
            }
        }
        return bad;
    }

    // Volume that a bad tetrahedron should have next.
    double wider(Index t, const Points& x) const {
        const Tets one = rest_.tets.row(t);
        return std::max(2.0 * kSmallest * volume_[t], kOpening * tet_volumes(x, one)[0]);
    }

private:
    const TetMesh& rest_;
    Eigen::VectorXd volume_;
    std::vector<double> least_angle_;
};

// Points that may move, and the tetrahedra that they belong to.
struct TetPatch {
    std::vector<char> has_vertex;
    std::vector<char> has_tet;
    std::vector<Index> vertices = {};
    std::vector<Index> tets = {};

    void add(Index v, const Lists& tets_of) {
        if (has_vertex[at(v)] != 0) {
            return;
        }
        has_vertex[at(v)] = 1;
        vertices.push_back(v);
        for (const Index t : tets_of[at(v)]) {
            if (has_tet[at(t)] == 0) {
                has_tet[at(t)] = 1;
                tets.push_back(t);
            }
        }
    }
};

// chi(D) = (D + sqrt(D^2 + eps^2)) / 2: D where that is positive, small and positive elsewhere
// [Garanzha2021]; with its first and second derivative.
struct Positive {
    double value;
    double first;
    double second;

    Positive(double D, double eps) {
        const double root = std::sqrt(D * D + eps * eps);
        value = D > 0.0 ? 0.5 * (D + root) : 0.5 * eps * eps / (root - D);
        first = value / root;
        second = 0.5 * eps * eps / (root * root * root);
    }
};

// Sum over the tetrahedra around one point p of
//   V (|J|^2 / chi^(2/3) + (1 + D^2) / chi),   D = det J,   J = D_x B,
// with B the inverse of the edges that are asked for and V their volume. In p alone |J|^2 is
// quadratic and D is linear, so derivatives are short.
class PointEnergy {
public:
    PointEnergy(const TetMesh& rest, std::span<const Mat3> growth) : tets_(rest.tets) {
        target_.resize(at(tets_.rows()));
        volume_.resize(target_.size());
        for (Eigen::Index t = 0; t < tets_.rows(); ++t) {
            Mat3 edges = edges_of(t, rest.points);
            if (!growth.empty()) {
                edges = growth[at(t)] * edges;
            }
            target_[at(t)] = edges.inverse();
            volume_[at(t)] = edges.determinant() / 6.0;
        }
    }

    double determinant(Index t, const Points& x) const {
        return (edges_of(t, x) * target_[at(t)]).determinant();
    }

    /// Moves point v downhill.
    void improve(Index v, std::span<const Index> around, double eps, Points& x) const {
        const Vec3 p = point(x, v);
        Vec3 gradient = Vec3::Zero();
        Mat3 hessian = Mat3::Zero();
        double energy = 0.0;
        for (const Index t : around) {
            energy += add(t, v, eps, x, &gradient, &hessian);
        }
        // Where the energy bends down, as much of the identity as makes it bend up.
        Eigen::SelfAdjointEigenSolver<Mat3> eigen;
        eigen.computeDirect(hessian);
        const Vec3 bend = eigen.eigenvalues().cwiseAbs();
        const Vec3 floor = Vec3::Constant(1e-6 * bend.maxCoeff() + 1e-300);
        const Vec3 step =
            -(eigen.eigenvectors() *
              (eigen.eigenvectors().transpose() * gradient).cwiseQuotient(bend.cwiseMax(floor)));
        const double slope = gradient.dot(step);
        double length = 1.0;
        for (int halving = 0; halving < kMostHalvings; ++halving, length *= 0.5) {
            x.row(v) = (p + length * step).transpose();
            double now = 0.0;
            for (const Index t : around) {
                now += add(t, v, eps, x, nullptr, nullptr);
            }
            if (now < energy + 1e-4 * length * slope) {
                return;
            }
        }
        x.row(v) = p.transpose();
    }

private:
    Mat3 edges_of(Eigen::Index t, const Points& x) const {
        Mat3 D;
        for (int k = 0; k < 3; ++k) {
            D.col(k) = (x.row(tets_(t, k + 1)) - x.row(tets_(t, 0))).transpose();
        }
        return D;
    }

    double add(Index t, Index v, double eps, const Points& x, Vec3* gradient, Mat3* hessian) const {
        const Mat3& B = target_[at(t)];
        const Mat3 J = edges_of(t, x) * B;
        const double D = J.determinant();
        const Positive chi(D, eps);
        const double square = J.squaredNorm();
        const double power = 1.0 / std::cbrt(chi.value * chi.value);
        const double V = volume_[at(t)];
        const double shape = square * power;
        const double size = (1.0 + D * D) / chi.value;
        if (gradient == nullptr) {
            return V * (shape + size);
        }
        Vec3 b;  // J changes by dp b^T
        if (tets_(t, 0) == v) {
            b = -B.colwise().sum().transpose();
        } else {
            const int k = tets_(t, 1) == v ? 0 : tets_(t, 2) == v ? 1 : 2;
            b = B.row(k).transpose();
        }
        Mat3 cofactor;
        cofactor << J.col(1).cross(J.col(2)), J.col(2).cross(J.col(0)), J.col(0).cross(J.col(1));
        const Vec3 d = cofactor * b;   // gradient of D
        const Vec3 s = 2.0 * (J * b);  // of |J|^2
        const double r = chi.first / chi.value;
        const double rr = chi.second / chi.value;
        // Of power = chi^(-2/3) and of size, by D.
        const double p1 = -2.0 / 3.0 * power * r;
        const double p2 = power * (10.0 / 9.0 * r * r - 2.0 / 3.0 * rr);
        const double q1 = 2.0 * D / chi.value - size * r;
        const double q2 = 2.0 / chi.value - 4.0 * D / chi.value * r + size * (2.0 * r * r - rr);
        *gradient += V * (power * s + (square * p1 + q1) * d);
        *hessian += V * (2.0 * power * b.squaredNorm() * Mat3::Identity() +
                         p1 * (s * d.transpose() + d * s.transpose()) +
                         (square * p2 + q2) * d * d.transpose());
        return V * (shape + size);
    }

    static constexpr int kMostHalvings = 10;
    const Tets& tets_;
    std::vector<Mat3> target_;
    std::vector<double> volume_;
};

// Moves the four corners by the least that gives the tetrahedron this volume, to first order:
// along the gradients of the volume, which are across it where it is flat.
void open_tet(const Tets& tets, Index t, double volume, Points& x) {
    const auto corner = [&](int k) { return point(x, tets(t, k)); };
    const Vec3 a = corner(1) - corner(0);
    const Vec3 b = corner(2) - corner(0);
    const Vec3 c = corner(3) - corner(0);
    std::array<Vec3, 4> gradient;
    gradient[1] = b.cross(c) / 6.0;
    gradient[2] = c.cross(a) / 6.0;
    gradient[3] = a.cross(b) / 6.0;
    gradient[0] = -(gradient[1] + gradient[2] + gradient[3]);
    double sum = 0.0;
    for (const Vec3& g : gradient) {
        sum += g.squaredNorm();
    }
    const double step = sum > 0.0 ? (volume - a.dot(gradient[1])) / sum : 0.0;
    for (int k = 0; k < 4; ++k) {
        x.row(tets(t, k)) += step * gradient[at(k)].transpose();
    }
}

}  // namespace

MendedInversions mend_inversions(const TetMesh& rest, const Points& x, std::span<const Mat3> growth,
                                 std::span<const Index> held) {
    MendedInversions result{.x = x};
    result.before = result.after = (tet_volumes(x, rest.tets).array() <= 0.0).count();
    const BadTets bad_tets(rest);
    std::vector<Index> all(at(rest.tets.rows()));
    for (std::size_t t = 0; t < all.size(); ++t) {
        all[t] = static_cast<Index>(t);
    }
    std::vector<Index> bad = bad_tets.among(all, x, true);
    if (bad.empty()) {
        return result;
    }
    const Lists around = neighbours_of_vertices(rest.tets, rest.points.rows());
    const Lists tets_of = tets_of_vertices(rest.tets, rest.points.rows());
    const auto no_vertices = std::vector<char>(at(rest.points.rows()), 0);
    TetPatch patch{.has_vertex = no_vertices, .has_tet = std::vector<char>(all.size(), 0)};
    const auto add_bad = [&] {
        for (const Index t : bad) {
            for (int k = 0; k < 4; ++k) {
                patch.add(rest.tets(t, k), tets_of);
            }
        }
    };
    // Each bad one by itself, which moves little ...
    for (int round = 0; round < kOpeningRounds && !bad.empty(); ++round) {
        add_bad();
        for (const Index t : bad) {
            open_tet(rest.tets, t, bad_tets.wider(t, result.x), result.x);
        }
        bad = bad_tets.among(patch.tets, result.x, true);
    }
    // ... and where that does not help, together with what is around, in widening rings.
    bad = bad_tets.among(patch.tets, result.x, false);
    if (!bad.empty()) {
        const PointEnergy energy(rest, growth);
        std::vector<char> is_held = no_vertices;
        for (const Index v : held) {
            is_held[at(v)] = 1;
        }
        for (int ring = 0; ring <= kMostRings && !bad.empty(); ++ring) {
            patch = {.has_vertex = no_vertices, .has_tet = std::vector<char>(all.size(), 0)};
            add_bad();
            for (const Index v : patch.vertices) {
                is_held[at(v)] = ring > 0 ? 0 : is_held[at(v)];
            }
            for (int wider = 0; wider < ring; ++wider) {
                for (std::size_t i = 0, last = patch.vertices.size(); i < last; ++i) {
                    for (const Index w : around[at(patch.vertices[i])]) {
                        patch.add(w, tets_of);
                    }
                }
            }
            for (int round = 0; round < kRoundsPerRing && !bad.empty(); ++round) {
                double least = 0.0;
                for (const Index t : patch.tets) {
                    least = std::min(least, energy.determinant(t, result.x));
                }
                const double eps = kLeastEpsilon + kEpsilon * -least;
                for (const Index v : patch.vertices) {
                    if (is_held[at(v)] == 0 || ring >= kHeldRings) {
                        energy.improve(v, tets_of[at(v)], eps, result.x);
                    }
                }
                bad = bad_tets.among(patch.tets, result.x, false);
            }
        }
    }
    result.moved = ((result.x - x).rowwise().squaredNorm().array() > 0.0).count();
    result.after = (tet_volumes(result.x, rest.tets).array() <= 0.0).count();
    return result;
}

}  // namespace sinew
