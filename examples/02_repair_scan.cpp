// Reads a surface, says what is wrong with it, mends it, and gives it even triangles.
//   02_repair_scan [SCAN.obj]     without a file: a damaged ball
#include "sinew/base/error.h"
#include "sinew/geometry/measure.h"
#include "sinew/io/mesh_files.h"
#include "sinew/meshing/health.h"
#include "sinew/meshing/level_set.h"
#include "sinew/meshing/remesh.h"
#include "sinew/meshing/repair.h"

#include <cstdio>
#include <utility>

using namespace sinew;

namespace {

// A ball of 10 cm with a hole, and with a triangle in ten turned inside out.
TriangleMesh damaged_ball() {
    const Bounds box{.low = Vec3::Constant(-0.12), .high = Vec3::Constant(0.12)};
    const auto distance = [](const Points& at, Eigen::VectorXd& d) {
        d = at.rowwise().norm().array() - 0.1;
    };
    TriangleMesh ball = LevelSet::from_function(distance, box, {.voxel = 0.008}).to_mesh();
    ball.triangles = ball.triangles.bottomRows(ball.triangles.rows() - 30).eval();
    for (Eigen::Index t = 0; t < ball.triangles.rows(); t += 10) {
        std::swap(ball.triangles(t, 0), ball.triangles(t, 1));
    }
    return ball;
}

}  // namespace

int main(int argc, char** argv) try {
    // Files that do not say their unit are read as metres, Y up, unless options say otherwise.
    TriangleMesh mesh =
        argc > 1 ? read_surface(argv[1], {.unit = Unit::Millimetre}).at(0).mesh : damaged_ball();
    std::printf("before: %s\n", summary(check_health(mesh).problems).c_str());

    // Repair changes only what is not healthy, and says what it did.
    const RepairReport report = repair(mesh);
    for (const RepairReport::Action& action : report.actions) {
        std::printf("  %s: %lld\n", action.what.c_str(), static_cast<long long>(action.count));
    }
    std::printf("after: %s\n", summary(report.health.problems).c_str());

    const MeshPart part{.name = "clean", .mesh = remeshed(mesh, {.edge_length = 0.01})};
    write_surface("clean.ply", {&part, 1});
    std::printf("%lld triangles, %.3f litres in clean.ply\n",
                static_cast<long long>(part.mesh.triangles.rows()),
                1e3 * enclosed_volume(part.mesh.points, part.mesh.triangles));
    return is_healthy(check_health(part.mesh)) ? 0 : 1;
} catch (const InputError& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
}
