#include "sinew/mesh/connectivity.h"
#include "sinew/muscle/muscle_tets.h"

#include <algorithm>
#include <array>

// Patches by greedy growth: from the first tetrahedron that is free, add the free neighbour that
// brings the fewest new vertices, until the size is reached. Few vertices for many tetrahedra make
// compact patches, whose averaged volume is a local constraint. What is left over in corners joins
// a neighbour, since a patch of one or two tetrahedra would lock like single ones. The order of the
// mesh alone decides, so patches are reproducible.

namespace sinew {

namespace {

/// Of the free neighbours of a patch, the one that adds fewest new vertices; the first of several.
Index best_neighbour(const std::vector<Index>& members, const Tets& neighbours, const Tets& tets,
                     const std::vector<Index>& patch, const std::vector<Index>& corners) {
    Index best = -1;
    int fewest = 5;
    for (const Index m : members) {
        for (int k = 0; k < 4; ++k) {
            const Index n = neighbours(m, k);
            if (n < 0 || patch[at(n)] >= 0) {
                continue;
            }
            int fresh = 0;
            for (int c = 0; c < 4; ++c) {
                fresh += std::find(corners.begin(), corners.end(), tets(n, c)) == corners.end();
            }
            if (fresh < fewest || (fresh == fewest && n < best)) {
                fewest = fresh;
                best = n;
            }
        }
    }
    return best;
}

void add_corners(Index t, const Tets& tets, std::vector<Index>& corners) {
    for (int c = 0; c < 4; ++c) {
        if (std::find(corners.begin(), corners.end(), tets(t, c)) == corners.end()) {
            corners.push_back(tets(t, c));
        }
    }
}

/// Patches of fewer than half the size join the smallest patch across one of their faces.
void join_small(int size, const Tets& neighbours, std::vector<std::vector<Index>>& members,
                std::vector<Index>& patch) {
    for (std::size_t p = 0; p < members.size(); ++p) {
        if (2 * members[p].size() >= static_cast<std::size_t>(size)) {
            continue;
        }
        Index host = -1;
        for (const Index t : members[p]) {
            for (int k = 0; k < 4; ++k) {
                const Index n = neighbours(t, k);
                const Index q = n < 0 ? -1 : patch[at(n)];
                if (q < 0 || q == static_cast<Index>(p)) {
                    continue;
                }
                const auto size_of = [&](Index i) { return members[at(i)].size(); };
                if (host < 0 || size_of(q) < size_of(host)) {
                    host = q;
                }
            }
        }
        if (host < 0) {
            continue;
        }
        for (const Index t : members[p]) {
            patch[at(t)] = host;
            members[at(host)].push_back(t);
        }
        members[p].clear();
    }
}

}  // namespace

std::vector<Index> tet_patches(const TetMesh& mesh, int size) {
    const auto count = at(mesh.tets.rows());
    std::vector<Index> patch(count, -1);
    std::vector<std::vector<Index>> members;
    const Tets neighbours = tet_neighbours(mesh.tets);
    for (std::size_t seed = 0; seed < count; ++seed) {
        if (patch[seed] >= 0) {
            continue;
        }
        const auto number = static_cast<Index>(members.size());
        std::vector<Index> own = {static_cast<Index>(seed)};
        std::vector<Index> corners;
        patch[seed] = number;
        add_corners(own[0], mesh.tets, corners);
        while (static_cast<int>(own.size()) < size) {
            const Index next = best_neighbour(own, neighbours, mesh.tets, patch, corners);
            if (next < 0) {
                break;
            }
            patch[at(next)] = number;
            own.push_back(next);
            add_corners(next, mesh.tets, corners);
        }
        members.push_back(std::move(own));
    }
    if (size > 1) {
        join_small(size, neighbours, members, patch);
    }
    // Numbers without gaps.
    std::vector<Index> number(members.size(), -1);
    Index next = 0;
    for (Index& p : patch) {
        Index& n = number[at(p)];
        if (n < 0) {
            n = next++;
        }
        p = n;
    }
    return patch;
}

}  // namespace sinew
