#include "sinew/growth/inversions.h"

#include "sinew/geometry/measure.h"
#include "sinew/geometry/tet_quality.h"
#include "sinew/mesh/connectivity.h"

#include <algorithm>
#include <array>
#include <vector>

namespace sinew {

namespace {

constexpr int kMostRounds = 120;
constexpr int kRoundsPerRing = 12;     // before the neighbourhood grows
constexpr double kSmallest = 0.02;     // of the volume at rest
constexpr double kFlat = 0.0205;       // rad, of the smallest dihedral angle
constexpr double kShareOfAngle = 0.5;  // of the angle at rest, where that is less
constexpr int kOpeningRounds = 60;
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

// Vertices whose displacement is smoothed, and the tetrahedra that they belong to.
struct Patch {
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
        x.row(tets(t, k)) += step * gradient[static_cast<std::size_t>(k)].transpose();
    }
}

}  // namespace

SmoothedInversions smooth_inversions(const TetMesh& rest, const Points& x) {
    SmoothedInversions result{.x = x};
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
    Patch patch{.has_vertex = std::vector<char>(at(rest.points.rows()), 0),
                .has_tet = std::vector<char>(all.size(), 0)};
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
    // ... and where that does not help, smoother displacements.
    Points u = result.x - rest.points;
    bad = bad_tets.among(patch.tets, result.x, false);
    for (int round = 0; round < kMostRounds && !bad.empty(); ++round) {
        add_bad();
        if (round % kRoundsPerRing == kRoundsPerRing - 1) {
            for (std::size_t i = 0, last = patch.vertices.size(); i < last; ++i) {
                for (const Index w : around[at(patch.vertices[i])]) {
                    patch.add(w, tets_of);
                }
            }
        }
        const Points old = u;
        for (const Index v : patch.vertices) {
            Eigen::RowVector3d mean = Eigen::RowVector3d::Zero();
            for (const Index w : around[at(v)]) {
                mean += old.row(w);
            }
            u.row(v) = 0.5 * old.row(v) + 0.5 * mean / static_cast<double>(around[at(v)].size());
        }
        bad = bad_tets.among(patch.tets, rest.points + u, false);
    }
    result.x = rest.points + u;
    result.after = (tet_volumes(result.x, rest.tets).array() <= 0.0).count();
    return result;
}

}  // namespace sinew
