#include "sinew/mesh/validity.h"

#include "sinew/base/error.h"

#include <fmt/format.h>

namespace sinew {

namespace {

void require_finite(const Points& points, std::string_view where) {
    for (Eigen::Index i = 0; i < points.rows(); ++i) {
        if (!points.row(i).allFinite()) {
            throw InputError({.where = fmt::format("{}, vertex {}", where, i),
                              .found = fmt::format("position ({}, {}, {})", points(i, 0),
                                                   points(i, 1), points(i, 2)),
                              .needs = "finite numbers",
                              .remedy = "remove or repair this vertex in the program that wrote "
                                        "the mesh"});
        }
    }
}

template <class Elements>
void require_in_range(const Elements& elements, Eigen::Index points, std::string_view kind,
                      std::string_view where) {
    for (Eigen::Index e = 0; e < elements.rows(); ++e) {
        for (Eigen::Index k = 0; k < elements.cols(); ++k) {
            if (elements(e, k) < 0 || elements(e, k) >= points) {
                throw InputError(
                    {.where = fmt::format("{}, {} {}", where, kind, e),
                     .found = fmt::format("vertex index {} of {} vertices", elements(e, k), points),
                     .needs = fmt::format("an index from 0 to {}", points - 1),
                     .remedy = "write the mesh again; the file is damaged or truncated"});
            }
        }
    }
}

void require_counts(const std::vector<Attribute>& data, Eigen::Index expected,
                    std::string_view where) {
    for (const Attribute& a : data) {
        const auto wanted = static_cast<std::size_t>(expected * a.components);
        if (a.components < 1 || a.values.size() != wanted) {
            throw InputError(
                {.where = fmt::format("{}, data '{}'", where, a.name),
                 .found = fmt::format("{} numbers in {} components", a.values.size(), a.components),
                 .needs = fmt::format("{} items", expected),
                 .remedy = "drop this array or write it for every element"});
        }
    }
}

}  // namespace

void require_valid(const TriangleMesh& mesh, std::string_view where) {
    require_finite(mesh.points, where);
    require_in_range(mesh.triangles, mesh.points.rows(), "triangle", where);
    require_counts(mesh.point_data, mesh.points.rows(), where);
    require_counts(mesh.triangle_data, mesh.triangles.rows(), where);
}

void require_valid(const TetMesh& mesh, std::string_view where) {
    require_finite(mesh.points, where);
    require_in_range(mesh.tets, mesh.points.rows(), "tetrahedron", where);
    if (!mesh.region.empty() && mesh.region.size() != static_cast<std::size_t>(mesh.tets.rows())) {
        throw InputError({.where = fmt::format("{}, regions", where),
                          .found = fmt::format("{} labels", mesh.region.size()),
                          .needs = fmt::format("{}, one per tetrahedron", mesh.tets.rows()),
                          .remedy = "label every tetrahedron or none"});
    }
    require_counts(mesh.point_data, mesh.points.rows(), where);
    require_counts(mesh.tet_data, mesh.tets.rows(), where);
}

}  // namespace sinew
