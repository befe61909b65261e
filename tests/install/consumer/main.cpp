// A project of its own that uses the installed library: makes a ball, writes it, measures it.
#include "sinew/geometry/measure.h"
#include "sinew/io/data_folder.h"
#include "sinew/io/mesh_files.h"
#include "sinew/meshing/level_set.h"

#include <cmath>
#include <cstdio>

int main(int, char** argv) {
    const auto distance = [](const sinew::Points& at, Eigen::VectorXd& d) {
        d = at.rowwise().norm().array() - 0.1;
    };
    const sinew::Bounds box{.low = sinew::Vec3::Constant(-0.12),
                            .high = sinew::Vec3::Constant(0.12)};
    const auto ball = sinew::LevelSet::from_function(distance, box, {.voxel = 0.004});
    const sinew::MeshPart part{.name = "ball", .mesh = ball.to_mesh()};
    sinew::write_surface(argv[1], {&part, 1});
    const double volume = sinew::enclosed_volume(part.mesh.points, part.mesh.triangles);
    std::printf("%.4f litres\n", 1e3 * volume);
    std::printf("data in %s\n", sinew::data_folder().c_str());
    return std::abs(volume / 0.0041888 - 1.0) < 0.02 ? 0 : 1;
}
