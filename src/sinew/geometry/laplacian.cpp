#include "sinew/geometry/laplacian.h"

#include "sinew/base/error.h"
#include "sinew/base/parallel.h"
#include "sinew/mesh/connectivity.h"

#include <Eigen/Geometry>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace sinew {

namespace {

using SparseMatrix = Eigen::SparseMatrix<double>;

constexpr std::size_t kLaplacianGrain = 1024;
constexpr double kFlatElement = 1e-14;  // size over longest edge to the power of the dimension

[[noreturn]] void refuse(const char* kind, Eigen::Index element, const char* size) {
    throw InputError({.where = fmt::format("{} {}", kind, element),
                      .found = fmt::format("an element without {} or with coordinates that are "
                                           "not finite",
                                           size),
                      .needs = fmt::format("{} > 0", size),
                      .remedy = "repair the mesh (remove degenerate elements) first"});
}

/// Size (area or volume) and gradients of the N hat functions of one element.
template <int N>
struct Element {
    double size = 0.0;
    Eigen::Matrix<double, 3, N> gradients;
};

/// grad phi_i = n x e_i / (2A): the edge opposite to corner i, turned by a right angle.
Element<3> element_of(const Points& x, const Triangles& t, Eigen::Index e) {
    const Vec3 a = point(x, t(e, 0));
    const Vec3 b = point(x, t(e, 1));
    const Vec3 c = point(x, t(e, 2));
    const Vec3 n = (b - a).cross(c - a);
    const double n2 = n.squaredNorm();
    const double longest2 =
        std::max({(b - a).squaredNorm(), (c - b).squaredNorm(), (a - c).squaredNorm()});
    if (!(std::sqrt(n2) > kFlatElement * longest2)) {
        refuse("triangle", e, "area");
    }
    Element<3> result;
    result.size = 0.5 * std::sqrt(n2);
    result.gradients << n.cross(c - b) / n2, n.cross(a - c) / n2, n.cross(b - a) / n2;
    return result;
}

/// grad phi_i = area vector of the face opposite to corner i, over three times the volume.
Element<4> element_of(const Points& x, const Tets& t, Eigen::Index e) {
    const Vec3 a = point(x, t(e, 0));
    const Vec3 u = point(x, t(e, 1)) - a;
    const Vec3 v = point(x, t(e, 2)) - a;
    const Vec3 w = point(x, t(e, 3)) - a;
    const double det = u.dot(v.cross(w));
    const double longest =
        std::sqrt(std::max({u.squaredNorm(), v.squaredNorm(), w.squaredNorm(),
                            (u - v).squaredNorm(), (v - w).squaredNorm(), (w - u).squaredNorm()}));
    if (!(std::abs(det) > kFlatElement * longest * longest * longest)) {
        refuse("tetrahedron", e, "volume");
    }
    Element<4> result;
    result.size = std::abs(det) / 6.0;
    const Vec3 gu = v.cross(w) / det;
    const Vec3 gv = w.cross(u) / det;
    const Vec3 gw = u.cross(v) / det;
    result.gradients << -(gu + gv + gw), gu, gv, gw;
    return result;
}

template <class Elements>
constexpr int corners_of = Elements::ColsAtCompileTime;

Lists elements_of_vertices(const Triangles& triangles, Eigen::Index vertices) {
    return triangles_of_vertices(triangles, vertices);
}
Lists elements_of_vertices(const Tets& tets, Eigen::Index vertices) {
    return tets_of_vertices(tets, vertices);
}

template <class Elements>
std::vector<Element<corners_of<Elements>>> all_elements(const Points& points,
                                                        const Elements& elements) {
    std::vector<Element<corners_of<Elements>>> result(static_cast<std::size_t>(elements.rows()));
    parallel_for(result.size(), kLaplacianGrain, [&](std::size_t begin, std::size_t end) {
        for (std::size_t e = begin; e < end; ++e) {
            result[e] = element_of(points, elements, static_cast<Eigen::Index>(e));
        }
    });
    return result;
}

/// A matrix whose column v has room for count(v, scratch) entries, not filled yet.
template <class Count>
SparseMatrix with_columns(Eigen::Index rows, Eigen::Index columns, Count&& count) {
    SparseMatrix A(rows, columns);
    std::vector<int> size(static_cast<std::size_t>(columns));
    parallel_for(size.size(), kLaplacianGrain, [&](std::size_t begin, std::size_t end) {
        std::vector<Index> scratch;
        for (std::size_t v = begin; v < end; ++v) {
            size[v] = static_cast<int>(count(v, scratch));
        }
    });
    A.outerIndexPtr()[0] = 0;
    for (std::size_t v = 0; v < size.size(); ++v) {
        A.outerIndexPtr()[v + 1] = A.outerIndexPtr()[v] + size[v];
    }
    A.resizeNonZeros(A.outerIndexPtr()[columns]);
    return A;
}

/// Sorted vertices of the elements in `around`: the rows of one column.
template <class Elements>
void gather_rows(const Elements& elements, std::span<const Index> around,
                 std::vector<Index>& rows) {
    rows.clear();
    for (const Index e : around) {
        for (int k = 0; k < corners_of<Elements>; ++k) {
            rows.push_back(elements(e, k));
        }
    }
    std::sort(rows.begin(), rows.end());
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
}

/// Sums entry(element, i, j) over the elements into a V x V matrix, column by column in parallel.
/// Both (i, j) and (j, i) run over their elements in ascending order: symmetric to the last bit.
template <class Elements, class Entry>
SparseMatrix assemble(const Elements& elements, Eigen::Index vertices, Entry&& entry) {
    const Lists around = elements_of_vertices(elements, vertices);
    SparseMatrix A = with_columns(vertices, vertices, [&](std::size_t v, std::vector<Index>& rows) {
        gather_rows(elements, around[v], rows);
        return rows.size();
    });
    const auto fill = [&](std::size_t v, std::vector<Index>& rows) {
        gather_rows(elements, around[v], rows);
        const auto start = static_cast<std::size_t>(A.outerIndexPtr()[v]);
        Index* inner = A.innerIndexPtr() + start;
        double* values = A.valuePtr() + start;
        std::copy(rows.begin(), rows.end(), inner);
        std::fill_n(values, rows.size(), 0.0);
        for (const Index e : around[v]) {
            for (int j = 0; j < corners_of<Elements>; ++j) {
                if (elements(e, j) != static_cast<Index>(v)) {
                    continue;
                }
                for (int i = 0; i < corners_of<Elements>; ++i) {
                    const auto row = std::lower_bound(rows.begin(), rows.end(), elements(e, i));
                    values[row - rows.begin()] += entry(static_cast<std::size_t>(e), i, j);
                }
            }
        }
    };
    parallel_for(static_cast<std::size_t>(vertices), kLaplacianGrain,
                 [&](std::size_t begin, std::size_t end) {
                     std::vector<Index> rows;
                     for (std::size_t v = begin; v < end; ++v) {
                         fill(v, rows);
                     }
                 });
    return A;
}

template <class Elements>
SparseMatrix laplacian_of(const Points& points, const Elements& elements) {
    const auto parts = all_elements(points, elements);
    return assemble(elements, points.rows(), [&](std::size_t e, int i, int j) {
        // Products of gradients in one order for (i, j) and (j, i).
        return parts[e].size *
               parts[e].gradients.col(std::min(i, j)).dot(parts[e].gradients.col(std::max(i, j)));
    });
}

template <class Elements>
SparseMatrix mass_of(const Points& points, const Elements& elements) {
    constexpr int N = corners_of<Elements>;
    const auto parts = all_elements(points, elements);
    return assemble(elements, points.rows(), [&](std::size_t e, int i, int j) {
        return parts[e].size * (i == j ? 2.0 : 1.0) / (N * (N + 1));
    });
}

template <class Elements>
Eigen::VectorXd lumped_of(const Points& points, const Elements& elements) {
    const auto parts = all_elements(points, elements);
    Eigen::VectorXd mass = Eigen::VectorXd::Zero(points.rows());
    for (Eigen::Index e = 0; e < elements.rows(); ++e) {
        for (int k = 0; k < corners_of<Elements>; ++k) {
            mass[elements(e, k)] += parts[static_cast<std::size_t>(e)].size / corners_of<Elements>;
        }
    }
    return mass;
}

template <class Elements>
SparseMatrix gradient_of(const Points& points, const Elements& elements) {
    const auto parts = all_elements(points, elements);
    const Lists around = elements_of_vertices(elements, points.rows());
    SparseMatrix G =
        with_columns(3 * elements.rows(), points.rows(),
                     [&](std::size_t v, std::vector<Index>&) { return 3 * around[v].size(); });
    parallel_for(static_cast<std::size_t>(points.rows()), kLaplacianGrain,
                 [&](std::size_t begin, std::size_t end) {
                     for (std::size_t v = begin; v < end; ++v) {
                         auto at = static_cast<std::size_t>(G.outerIndexPtr()[v]);
                         for (const Index e : around[v]) {
                             int corner = 0;
                             while (elements(e, corner) != static_cast<Index>(v)) {
                                 ++corner;
                             }
                             for (int k = 0; k < 3; ++k, ++at) {
                                 G.innerIndexPtr()[at] = 3 * e + k;
                                 G.valuePtr()[at] =
                                     parts[static_cast<std::size_t>(e)].gradients(k, corner);
                             }
                         }
                     }
                 });
    return G;
}

}  // namespace

SparseMatrix cotangent_laplacian(const Points& points, const Triangles& triangles) {
    return laplacian_of(points, triangles);
}

SparseMatrix cotangent_laplacian(const Points& points, const Tets& tets) {
    return laplacian_of(points, tets);
}

Eigen::VectorXd lumped_mass(const Points& points, const Triangles& triangles) {
    return lumped_of(points, triangles);
}

Eigen::VectorXd lumped_mass(const Points& points, const Tets& tets) {
    return lumped_of(points, tets);
}

Eigen::VectorXd voronoi_mass(const Points& points, const Triangles& triangles) {
    const auto parts = all_elements(points, triangles);
    Eigen::VectorXd mass = Eigen::VectorXd::Zero(points.rows());
    for (Eigen::Index t = 0; t < triangles.rows(); ++t) {
        const double area = parts[static_cast<std::size_t>(t)].size;
        Vec3 dots;      // cosine of the angle at each corner, times both edges
        Vec3 opposite;  // squared length of the edge opposite to each corner
        for (int k = 0; k < 3; ++k) {
            const Vec3 a = point(points, triangles(t, k));
            const Vec3 b = point(points, triangles(t, (k + 1) % 3));
            const Vec3 c = point(points, triangles(t, (k + 2) % 3));
            dots[k] = (b - a).dot(c - a);
            opposite[k] = (c - b).squaredNorm();
        }
        for (int k = 0; k < 3; ++k) {
            const int l = (k + 1) % 3;
            const int m = (k + 2) % 3;
            double share = 0.0;
            if (dots.minCoeff() < 0.0) {
                share = dots[k] < 0.0 ? area / 2.0 : area / 4.0;
            } else {
                // (|PR|^2 cot Q + |PQ|^2 cot R) / 8 with cot Q = dots / (2 area)
                share = (opposite[l] * dots[l] + opposite[m] * dots[m]) / (16.0 * area);
            }
            mass[triangles(t, k)] += share;
        }
    }
    return mass;
}

SparseMatrix consistent_mass(const Points& points, const Triangles& triangles) {
    return mass_of(points, triangles);
}

SparseMatrix consistent_mass(const Points& points, const Tets& tets) {
    return mass_of(points, tets);
}

SparseMatrix gradient_operator(const Points& points, const Triangles& triangles) {
    return gradient_of(points, triangles);
}

SparseMatrix gradient_operator(const Points& points, const Tets& tets) {
    return gradient_of(points, tets);
}

}  // namespace sinew
