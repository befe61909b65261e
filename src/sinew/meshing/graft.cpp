#include "sinew/meshing/graft.h"

#include "sinew/mesh/connectivity.h"

#include <algorithm>
#include <map>

namespace sinew {

namespace {

/// The boundary of the triangles whose three vertices are kept, in the direction of its triangles;
/// empty when it is not one simple loop.
std::vector<Index> boundary_loop(const TriangleMesh& mesh, const std::vector<char>& is_kept) {
    std::map<std::pair<Index, Index>, int> sides;
    for (Eigen::Index t = 0; t < mesh.triangles.rows(); ++t) {
        const auto v = mesh.triangles.row(t);
        if (is_kept[at(v[0])] && is_kept[at(v[1])] && is_kept[at(v[2])]) {
            for (int k = 0; k < 3; ++k) {
                ++sides[{v[k], v[(k + 1) % 3]}];
            }
        }
    }
    std::map<Index, Index> next;
    for (const auto& [side, count] : sides) {
        if (!sides.contains({side.second, side.first}) &&
            !next.emplace(side.first, side.second).second) {
            return {};  // two ways to go on: the loop touches itself
        }
    }
    std::vector<Index> loop;
    if (!next.empty()) {
        Index v = next.begin()->first;
        do {
            loop.push_back(v);
            const auto found = next.find(v);
            if (found == next.end()) {
                return {};
            }
            v = found->second;
        } while (v != loop.front() && loop.size() <= next.size());
    }
    return loop.size() == next.size() ? loop : std::vector<Index>();
}

/// Drops kept vertices that no kept triangle has around most of them: single triangles that stick
/// out of the cut, and places where it touches itself.
void trim(const TriangleMesh& mesh, std::vector<char>& is_kept) {
    for (int pass = 0; pass < 8; ++pass) {
        std::vector<int> open(is_kept.size(), 0);
        std::vector<int> whole(is_kept.size(), 0);
        std::map<std::pair<Index, Index>, int> sides;
        for (Eigen::Index t = 0; t < mesh.triangles.rows(); ++t) {
            const auto v = mesh.triangles.row(t);
            if (is_kept[at(v[0])] && is_kept[at(v[1])] && is_kept[at(v[2])]) {
                for (int k = 0; k < 3; ++k) {
                    ++sides[{v[k], v[(k + 1) % 3]}];
                    ++whole[at(v[k])];
                }
            }
        }
        for (const auto& [side, count] : sides) {
            if (!sides.contains({side.second, side.first})) {
                ++open[at(side.first)];
                ++open[at(side.second)];
            }
        }
        bool has_changed = false;
        for (std::size_t i = 0; i < is_kept.size(); ++i) {
            const bool sticks_out = open[i] > 2 || (open[i] > 0 && whole[i] < 2) || whole[i] == 0;
            if (is_kept[i] && sticks_out) {
                is_kept[i] = 0;
                has_changed = true;
            }
        }
        if (!has_changed) {
            return;
        }
    }
}

}  // namespace

std::vector<char> vertices_in_region(const TriangleMesh& mesh, const GraftRegion& region) {
    const Eigen::VectorXd beyond =
        (mesh.points.rowwise() - region.point.transpose()) * region.normal;
    std::vector<char> is_inside(at(mesh.points.rows()), 0);
    Eigen::Index first = 0;
    (mesh.points.rowwise() - region.seed.transpose()).rowwise().squaredNorm().minCoeff(&first);
    if (!(beyond[first] > 0.0)) {
        return is_inside;
    }
    const Lists neighbours = neighbours_of_vertices(mesh.triangles, mesh.points.rows());
    std::vector<Index> open = {static_cast<Index>(first)};
    is_inside[at(first)] = 1;
    while (!open.empty()) {
        const Index v = open.back();
        open.pop_back();
        for (const Index n : neighbours[at(v)]) {
            if (!is_inside[at(n)] && beyond[n] > 0.0) {
                is_inside[at(n)] = 1;
                open.push_back(n);
            }
        }
    }
    return is_inside;
}

std::optional<TriangleMesh> grafted(const TriangleMesh& base, const TriangleMesh& patch,
                                    const GraftRegion& region) {
    std::vector<char> keeps_base = vertices_in_region(base, region);
    for (char& flag : keeps_base) {
        flag = flag ? 0 : 1;
    }
    GraftRegion beyond = region;
    beyond.point += region.gap * region.normal;
    std::vector<char> keeps_patch = vertices_in_region(patch, beyond);
    trim(base, keeps_base);
    trim(patch, keeps_patch);
    const std::vector<Index> rim = boundary_loop(base, keeps_base);
    std::vector<Index> other = boundary_loop(patch, keeps_patch);
    if (rim.size() < 3 || other.size() < 3) {
        return std::nullopt;
    }
    std::reverse(other.begin(), other.end());  // both now run the same way round

    TriangleMesh result;
    const auto count = [](const std::vector<char>& flags) {
        return static_cast<Eigen::Index>(std::count(flags.begin(), flags.end(), 1));
    };
    result.points.resize(count(keeps_base) + count(keeps_patch), 3);
    std::vector<std::array<Index, 3>> triangles;
    Index used = 0;
    const auto take = [&](const TriangleMesh& mesh, const std::vector<char>& is_kept) {
        std::vector<Index> number(is_kept.size(), -1);
        for (std::size_t i = 0; i < is_kept.size(); ++i) {
            if (is_kept[i]) {
                result.points.row(used) = mesh.points.row(static_cast<Eigen::Index>(i));
                number[i] = used++;
            }
        }
        for (Eigen::Index t = 0; t < mesh.triangles.rows(); ++t) {
            const auto v = mesh.triangles.row(t);
            if (is_kept[at(v[0])] && is_kept[at(v[1])] && is_kept[at(v[2])]) {
                triangles.push_back({number[at(v[0])], number[at(v[1])], number[at(v[2])]});
            }
        }
        return number;
    };
    const std::vector<Index> base_number = take(base, keeps_base);
    const std::vector<Index> patch_number = take(patch, keeps_patch);

    // From the nearest pair on, always along the loop whose next diagonal is shorter.
    std::vector<Index> a, b;
    for (const Index v : rim) {
        a.push_back(base_number[at(v)]);
    }
    for (const Index v : other) {
        b.push_back(patch_number[at(v)]);
    }
    const auto distance = [&](Index i, Index j) {
        return (result.points.row(i) - result.points.row(j)).squaredNorm();
    };
    std::size_t start_a = 0, start_b = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        for (std::size_t j = 0; j < b.size(); ++j) {
            if (distance(a[i], b[j]) < distance(a[start_a], b[start_b])) {
                start_a = i;
                start_b = j;
            }
        }
    }
    std::size_t i = 0, j = 0;
    const auto in_a = [&](std::size_t k) { return a[(start_a + k) % a.size()]; };
    const auto in_b = [&](std::size_t k) { return b[(start_b + k) % b.size()]; };
    while (i < a.size() || j < b.size()) {
        const bool along_a = j == b.size() || (i < a.size() && distance(in_a(i + 1), in_b(j)) <=
                                                                   distance(in_a(i), in_b(j + 1)));
        if (along_a) {
            triangles.push_back({in_a(i + 1), in_a(i), in_b(j)});
            ++i;
        } else {
            triangles.push_back({in_b(j), in_b(j + 1), in_a(i)});
            ++j;
        }
    }
    result.triangles.resize(static_cast<Eigen::Index>(triangles.size()), 3);
    for (std::size_t t = 0; t < triangles.size(); ++t) {
        result.triangles.row(static_cast<Eigen::Index>(t)) << triangles[t][0], triangles[t][1],
            triangles[t][2];
    }
    return result;
}

}  // namespace sinew
