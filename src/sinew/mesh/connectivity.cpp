#include "sinew/mesh/connectivity.h"

#include "sinew/mesh/edge_sort.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <unordered_map>

namespace sinew {

namespace {

// Counting sort of elements by their vertices: elements stay in ascending order in each list.
template <class Elements>
Lists elements_of_vertices(const Elements& elements, Eigen::Index vertices) {
    Lists lists;
    lists.start.assign(static_cast<std::size_t>(vertices) + 1, 0);
    for (Eigen::Index e = 0; e < elements.rows(); ++e) {
        for (Eigen::Index k = 0; k < elements.cols(); ++k) {
            ++lists.start[static_cast<std::size_t>(elements(e, k)) + 1];
        }
    }
    std::partial_sum(lists.start.begin(), lists.start.end(), lists.start.begin());
    lists.items.resize(static_cast<std::size_t>(elements.size()));
    std::vector<Index> next(lists.start.begin(), lists.start.end() - 1);
    for (Eigen::Index e = 0; e < elements.rows(); ++e) {
        for (Eigen::Index k = 0; k < elements.cols(); ++k) {
            const auto v = static_cast<std::size_t>(elements(e, k));
            lists.items[at(next[v]++)] = static_cast<Index>(e);
        }
    }
    return lists;
}

std::uint64_t edge_key(Index a, Index b) {
    return (static_cast<std::uint64_t>(static_cast<std::uint32_t>(std::min(a, b))) << 32) |
           static_cast<std::uint32_t>(std::max(a, b));
}

template <class Elements>
Edges edges_of(const Elements& elements) {
    std::vector<std::uint64_t> keys;
    keys.reserve(static_cast<std::size_t>(elements.size()) * 2);
    for (Eigen::Index e = 0; e < elements.rows(); ++e) {
        for (Eigen::Index i = 0; i < elements.cols(); ++i) {
            for (Eigen::Index j = i + 1; j < elements.cols(); ++j) {
                if (elements(e, i) != elements(e, j)) {
                    keys.push_back(edge_key(elements(e, i), elements(e, j)));
                }
            }
        }
    }
    std::sort(keys.begin(), keys.end());
    keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
    Edges edges(static_cast<Eigen::Index>(keys.size()), 2);
    for (Eigen::Index i = 0; i < edges.rows(); ++i) {
        const std::uint64_t key = keys[at(i)];
        edges(i, 0) = static_cast<Index>(key >> 32);
        edges(i, 1) = static_cast<Index>(key & 0xffffffffu);
    }
    return edges;
}

Lists neighbours_from_edges(const Edges& edges, Eigen::Index vertices) {
    Lists lists;
    lists.start.assign(static_cast<std::size_t>(vertices) + 1, 0);
    for (Eigen::Index i = 0; i < edges.rows(); ++i) {
        ++lists.start[static_cast<std::size_t>(edges(i, 0)) + 1];
        ++lists.start[static_cast<std::size_t>(edges(i, 1)) + 1];
    }
    std::partial_sum(lists.start.begin(), lists.start.end(), lists.start.begin());
    lists.items.resize(static_cast<std::size_t>(edges.size()));
    std::vector<Index> next(lists.start.begin(), lists.start.end() - 1);
    // Lower neighbours first, then higher ones: edges are sorted, so each list comes out ascending.
    for (const int from : {1, 0}) {
        for (Eigen::Index i = 0; i < edges.rows(); ++i) {
            const auto v = static_cast<std::size_t>(edges(i, from));
            lists.items[at(next[v]++)] = edges(i, 1 - from);
        }
    }
    return lists;
}

struct HalfEdge {
    std::uint64_t key;
    Index triangle;
    Index corner;
};

std::vector<HalfEdge> sorted_half_edges(const Triangles& triangles) {
    std::vector<HalfEdge> half(static_cast<std::size_t>(triangles.size()));
    for (Eigen::Index t = 0; t < triangles.rows(); ++t) {
        for (Eigen::Index k = 0; k < 3; ++k) {
            half[at(3 * t + k)] = {edge_key(triangles(t, k), triangles(t, (k + 1) % 3)),
                                   static_cast<Index>(t), static_cast<Index>(k)};
        }
    }
    stable_sort_by_edge(half);
    return half;
}

struct TetFace {
    std::array<Index, 3> key;
    Index tet;
    Index opposite;
};

// Corners of the face opposite corner k, outward for a tetrahedron of positive volume.
constexpr std::array<std::array<int, 3>, 4> kOutwardFace = {
    {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}}};

std::vector<TetFace> sorted_tet_faces(const Tets& tets) {
    std::vector<TetFace> faces(static_cast<std::size_t>(tets.size()));
    for (Eigen::Index t = 0; t < tets.rows(); ++t) {
        for (int k = 0; k < 4; ++k) {
            const auto& corner = kOutwardFace[at(k)];
            TetFace face{{tets(t, corner[0]), tets(t, corner[1]), tets(t, corner[2])},
                         static_cast<Index>(t),
                         static_cast<Index>(k)};
            std::sort(face.key.begin(), face.key.end());
            faces[at(4 * t + k)] = face;
        }
    }
    std::stable_sort(faces.begin(), faces.end(),
                     [](const TetFace& a, const TetFace& b) { return a.key < b.key; });
    return faces;
}

}  // namespace

Lists triangles_of_vertices(const Triangles& triangles, Eigen::Index vertices) {
    return elements_of_vertices(triangles, vertices);
}

Lists tets_of_vertices(const Tets& tets, Eigen::Index vertices) {
    return elements_of_vertices(tets, vertices);
}

Lists neighbours_of_vertices(const Triangles& triangles, Eigen::Index vertices) {
    return neighbours_from_edges(edges_of(triangles), vertices);
}

Lists neighbours_of_vertices(const Tets& tets, Eigen::Index vertices) {
    return neighbours_from_edges(edges_of(tets), vertices);
}

Edges unique_edges(const Triangles& triangles) {
    return edges_of(triangles);
}

Edges unique_edges(const Tets& tets) {
    return edges_of(tets);
}

Triangles triangle_neighbours(const Triangles& triangles) {
    Triangles neighbours = Triangles::Constant(triangles.rows(), 3, -1);
    const std::vector<HalfEdge> half = sorted_half_edges(triangles);
    for (std::size_t i = 0; i < half.size();) {
        std::size_t j = i + 1;
        while (j < half.size() && half[j].key == half[i].key) {
            ++j;
        }
        if (j - i == 2) {
            neighbours(half[i].triangle, half[i].corner) = half[i + 1].triangle;
            neighbours(half[i + 1].triangle, half[i + 1].corner) = half[i].triangle;
        } else if (j - i > 2) {
            for (std::size_t k = i; k < j; ++k) {
                neighbours(half[k].triangle, half[k].corner) = -2;
            }
        }
        i = j;
    }
    return neighbours;
}

Tets tet_neighbours(const Tets& tets) {
    Tets neighbours = Tets::Constant(tets.rows(), 4, -1);
    const std::vector<TetFace> faces = sorted_tet_faces(tets);
    for (std::size_t i = 0; i + 1 < faces.size(); ++i) {
        if (faces[i].key == faces[i + 1].key) {
            neighbours(faces[i].tet, faces[i].opposite) = faces[i + 1].tet;
            neighbours(faces[i + 1].tet, faces[i + 1].opposite) = faces[i].tet;
            ++i;
        }
    }
    return neighbours;
}

std::vector<std::vector<Index>> boundary_loops(const Triangles& triangles) {
    // A border edge a -> b of a triangle is followed by one that starts at b.
    std::unordered_map<Index, std::vector<Index>> next;
    std::vector<std::pair<Index, Index>> border;
    const std::vector<HalfEdge> half = sorted_half_edges(triangles);
    for (std::size_t i = 0; i < half.size();) {
        std::size_t j = i + 1;
        while (j < half.size() && half[j].key == half[i].key) {
            ++j;
        }
        if (j - i == 1) {
            const Index a = triangles(half[i].triangle, half[i].corner);
            const Index b = triangles(half[i].triangle, (half[i].corner + 1) % 3);
            border.emplace_back(a, b);
            next[a].push_back(b);
        }
        i = j;
    }
    // Walk from each unused edge. Where the walk meets its own track it has closed a loop: cut it
    // off.
    std::vector<std::vector<Index>> loops;
    for (const auto& [start, unused] : border) {
        std::vector<Index> track;
        std::unordered_map<Index, std::size_t> place;
        Index v = start;
        for (;;) {
            if (const auto met = place.find(v); met != place.end()) {
                const std::size_t first = met->second;
                loops.emplace_back(track.begin() + static_cast<std::ptrdiff_t>(first), track.end());
                for (std::size_t k = first; k < track.size(); ++k) {
                    place.erase(track[k]);
                }
                track.resize(first);
            }
            const auto out = next.find(v);
            if (out == next.end() || out->second.empty()) {
                break;
            }
            place[v] = track.size();
            track.push_back(v);
            v = out->second.back();
            out->second.pop_back();
        }
    }
    return loops;
}

Triangles boundary_triangles(const Tets& tets) {
    const std::vector<TetFace> faces = sorted_tet_faces(tets);
    std::vector<TetFace> single;
    for (std::size_t i = 0; i < faces.size();) {
        std::size_t j = i + 1;
        while (j < faces.size() && faces[j].key == faces[i].key) {
            ++j;
        }
        if (j - i == 1) {
            single.push_back(faces[i]);
        }
        i = j;
    }
    std::sort(single.begin(), single.end(), [](const TetFace& a, const TetFace& b) {
        return std::pair(a.tet, a.opposite) < std::pair(b.tet, b.opposite);
    });
    Triangles triangles(static_cast<Eigen::Index>(single.size()), 3);
    for (Eigen::Index i = 0; i < triangles.rows(); ++i) {
        const TetFace& face = single[at(i)];
        const auto& corner = kOutwardFace[at(face.opposite)];
        for (int k = 0; k < 3; ++k) {
            triangles(i, k) = tets(face.tet, corner[at(k)]);
        }
    }
    return triangles;
}

Components connected_components(const Triangles& triangles, Eigen::Index vertices) {
    std::vector<Index> root(static_cast<std::size_t>(vertices));
    std::iota(root.begin(), root.end(), 0);
    const auto find = [&](Index v) {
        while (root[at(v)] != v) {
            Index& r = root[at(v)];
            r = root[at(r)];
            v = r;
        }
        return v;
    };
    for (Eigen::Index t = 0; t < triangles.rows(); ++t) {
        for (int k = 1; k < 3; ++k) {
            const Index a = find(triangles(t, 0));
            const Index b = find(triangles(t, k));
            root[at(std::max(a, b))] = std::min(a, b);
        }
    }
    Components components;
    components.of_triangle.resize(static_cast<std::size_t>(triangles.rows()));
    std::vector<Index> number(static_cast<std::size_t>(vertices), -1);
    for (Eigen::Index t = 0; t < triangles.rows(); ++t) {
        Index& n = number[at(find(triangles(t, 0)))];
        if (n < 0) {
            n = components.count++;
        }
        components.of_triangle[at(t)] = n;
    }
    return components;
}

Compacted without_unused_points(const Points& points, const Triangles& triangles) {
    std::vector<Index> new_index(static_cast<std::size_t>(points.rows()), -1);
    for (Eigen::Index t = 0; t < triangles.rows(); ++t) {
        for (int k = 0; k < 3; ++k) {
            new_index[at(triangles(t, k))] = 0;
        }
    }
    Compacted result;
    for (std::size_t i = 0; i < new_index.size(); ++i) {
        if (new_index[i] == 0) {
            new_index[i] = static_cast<Index>(result.old_index.size());
            result.old_index.push_back(static_cast<Index>(i));
        }
    }
    result.points.resize(static_cast<Eigen::Index>(result.old_index.size()), 3);
    for (Eigen::Index i = 0; i < result.points.rows(); ++i) {
        result.points.row(i) = points.row(result.old_index[at(i)]);
    }
    result.triangles = triangles.unaryExpr([&](Index v) { return new_index[at(v)]; });
    return result;
}

}  // namespace sinew
