#include "sinew/base/error.h"
#include "sinew/mesh/validity.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/shapes.h"

namespace sinew {

TEST(Validity, RefusesNaNWildIndicesAndShortData) {
    TriangleMesh mesh = support::sphere(1, 1.0);
    EXPECT_NO_THROW(require_valid(mesh, "sphere"));
    TriangleMesh bad = mesh;
    bad.points(3, 1) = std::nan("");
    EXPECT_THROW(require_valid(bad, "sphere"), InputError);
    bad = mesh;
    bad.triangles(0, 2) = static_cast<Index>(mesh.points.rows());
    EXPECT_THROW(require_valid(bad, "sphere"), InputError);
    bad = mesh;
    bad.point_data.push_back({.name = "t", .components = 1, .values = {1.0}});
    EXPECT_THROW(require_valid(bad, "sphere"), InputError);
}

}  // namespace sinew
