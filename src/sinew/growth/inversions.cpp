#include "sinew/growth/inversions.h"

#include "sinew/geometry/measure.h"
#include "sinew/mesh/connectivity.h"

#include <vector>

namespace sinew {

namespace {

constexpr int kMostRounds = 120;
constexpr int kRoundsPerRing = 12;  // before the neighbourhood grows
constexpr double kSmallest = 0.02;  // of the volume at rest

std::size_t at(Eigen::Index i) {
    return static_cast<std::size_t>(i);
}

}  // namespace

SmoothedInversions smooth_inversions(const TetMesh& rest, const Points& x) {
    SmoothedInversions result{.x = x};
    Eigen::VectorXd now = tet_volumes(x, rest.tets);
    result.before = result.after = (now.array() <= 0.0).count();
    if (result.before == 0) {
        return result;
    }
    const Eigen::VectorXd was = tet_volumes(rest);
    const Lists around = neighbours_of_vertices(rest.tets, rest.points.rows());
    Points u = x - rest.points;
    std::vector<char> is_near(at(rest.points.rows()), 0);
    std::vector<Index> near;
    for (int round = 0; round < kMostRounds; ++round) {
        bool is_bad = false;
        for (Eigen::Index t = 0; t < now.size(); ++t) {
            if (now[t] < kSmallest * was[t]) {
                is_bad = true;
                for (int k = 0; k < 4; ++k) {
                    const Index v = rest.tets(t, k);
                    if (is_near[at(v)] == 0) {
                        is_near[at(v)] = 1;
                        near.push_back(v);
                    }
                }
            }
        }
        if (!is_bad) {
            break;
        }
        if (round % kRoundsPerRing == kRoundsPerRing - 1) {
            const std::vector<Index> ring = near;
            for (const Index v : ring) {
                for (const Index w : around[at(v)]) {
                    if (is_near[at(w)] == 0) {
                        is_near[at(w)] = 1;
                        near.push_back(w);
                    }
                }
            }
        }
        const Points old = u;
        for (const Index v : near) {
            Eigen::RowVector3d mean = Eigen::RowVector3d::Zero();
            for (const Index w : around[at(v)]) {
                mean += old.row(w);
            }
            u.row(v) = 0.5 * old.row(v) + 0.5 * mean / static_cast<double>(around[at(v)].size());
        }
        now = tet_volumes(rest.points + u, rest.tets);
    }
    result.x = rest.points + u;
    result.after = (now.array() <= 0.0).count();
    return result;
}

}  // namespace sinew
