#include "sinew/meshing/require_manifold.h"

#include "sinew/base/error.h"
#include "sinew/mesh/validity.h"
#include "sinew/meshing/health.h"

#include <fmt/format.h>

namespace sinew {

void require_manifold(const TriangleMesh& mesh, std::string_view where) {
    require_valid(mesh, where);
    const SurfaceHealth health = check_health(mesh, {.find_intersections = false});
    for (const Problem& p : health.problems) {
        // Borders, senses and thin triangles do no harm here.
        if (p.what == "open borders" || p.what == "pieces turned inside out" ||
            p.what == "unused vertices" || p.what == "unwelded seams" ||
            p.what == "degenerate triangles" || p.what == "no triangles") {
            continue;
        }
        throw InputError({.where = std::string(where),
                          .found = fmt::format("{} {} ({})", p.count, p.what, p.where),
                          .needs = "a manifold surface with triangles of one sense",
                          .remedy = p.remedy});
    }
    for (Eigen::Index t = 0; t < mesh.triangles.rows(); ++t) {
        const auto c = mesh.triangles.row(t);
        if (c[0] == c[1] || c[1] == c[2] || c[2] == c[0]) {
            throw InputError({.where = fmt::format("{}, triangle {}", where, t),
                              .found = "a corner used twice",
                              .needs = "three different corners",
                              .remedy = "repair the mesh"});
        }
    }
}

}  // namespace sinew
