#pragma once

#include "sinew/mesh/tet_mesh.h"
#include "sinew/mesh/triangle_mesh.h"
#include "sinew/mesh/validity.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "tests/support/shapes.h"

namespace sinew::support {

inline MeshPart part_of(std::string name, TriangleMesh mesh) {
    MeshPart part;
    part.name = std::move(name);
    part.mesh = std::move(mesh);
    return part;
}

inline TriangleMesh with_data(TriangleMesh mesh, std::string name, int components) {
    Attribute a{.name = std::move(name), .components = components, .values = {}};
    for (Eigen::Index i = 0; i < mesh.points.rows() * components; ++i) {
        a.values.push_back(1.0 / (1.0 + static_cast<double>(i)));
    }
    mesh.point_data.push_back(std::move(a));
    return mesh;
}

/// Coordinates that survive only if all 53 bits do: tiny, large, negative zero, thirds.
inline TriangleMesh awkward_numbers() {
    TriangleMesh mesh = sphere(1, 1.0 / 3.0, {0.1, 0.2, 0.3});
    mesh.points.row(0) << -0.0, 5e-324, 1.7976931348623157e308;
    mesh.points.row(1) << 0.1, 1.0 / 3.0, -123456.789012345678;
    return mesh;
}

inline void expect_same_bits(const Points& a, const Points& b) {
    ASSERT_EQ(a.rows(), b.rows());
    EXPECT_EQ(std::memcmp(a.data(), b.data(), sizeof(double) * static_cast<std::size_t>(a.size())),
              0);
}

inline void expect_same_data(const std::vector<Attribute>& a, const std::vector<Attribute>& b) {
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
        EXPECT_EQ(a[i].name, b[i].name);
        EXPECT_EQ(a[i].components, b[i].components);
        EXPECT_EQ(a[i].values, b[i].values) << a[i].name;
    }
}

inline void expect_same_mesh(const TriangleMesh& a, const TriangleMesh& b) {
    expect_same_bits(a.points, b.points);
    EXPECT_EQ(a.triangles, b.triangles);
}

inline void expect_same_mesh(const TetMesh& a, const TetMesh& b) {
    expect_same_bits(a.points, b.points);
    EXPECT_EQ(a.tets, b.tets);
    EXPECT_EQ(a.region, b.region);
}

inline void require_valid_parts(const std::vector<MeshPart>& parts) {
    for (const MeshPart& part : parts) {
        require_valid(part.mesh, part.name);
    }
}

}  // namespace sinew::support
