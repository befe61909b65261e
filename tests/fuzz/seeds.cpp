// fuzz_seeds FOLDER: writes small files of every format that Sinew writes to FOLDER/<format>/.
#include "sinew/base/error.h"
#include "sinew/io/atomic_file.h"
#include "sinew/io/gltf.h"
#include "sinew/io/medit.h"
#include "sinew/io/msh.h"
#include "sinew/io/obj.h"
#include "sinew/io/off.h"
#include "sinew/io/ply.h"
#include "sinew/io/point_cache.h"
#include "sinew/io/stl.h"
#include "sinew/io/vtu.h"

#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/binary_fbx.h"
#include "tests/support/c3d_file.h"

namespace {

using namespace sinew;

// Two triangles with a colour and one more number per vertex.
std::vector<MeshPart> square() {
    MeshPart part;
    part.name = "square";
    part.mesh.points.resize(4, 3);
    part.mesh.points << 0, 0, 0, 1, 0, 0, 1, 1, 0.5, 0, 1, 0;
    part.mesh.triangles.resize(2, 3);
    part.mesh.triangles << 0, 1, 2, 0, 2, 3;
    part.mesh.point_data.push_back(
        {.name = "colour", .components = 3, .values = std::vector<double>(12, 0.25)});
    part.mesh.point_data.push_back({.name = "depth", .components = 1, .values = {1, 2, 3, 4}});
    return {part};
}

TetMesh two_tets() {
    TetMesh mesh;
    mesh.points.resize(5, 3);
    mesh.points << 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0.5, 0.5, -1;
    mesh.tets.resize(2, 4);
    mesh.tets << 0, 1, 2, 3, 0, 2, 1, 4;
    mesh.region = {1, 2};
    return mesh;
}

void write_seeds(const std::filesystem::path& folder) {
    const auto put = [&](const char* format, const char* name, const std::string& bytes) {
        std::filesystem::create_directories(folder / format);
        write_file_bytes(folder / format / name, bytes);
    };
    const std::vector<MeshPart> parts = square();
    const TetMesh tets = two_tets();
    put("gltf", "square", glb_bytes(scene_of(parts)));
    put("medit", "surface", format_medit(parts));
    using support::FbxNode;
    const std::vector<double> numbers(tets.points.data(), tets.points.data() + tets.points.size());
    put("fbx_points", "two",
        support::binary_fbx(
            {FbxNode("Objects")
                 .with(FbxNode("Geometry").with(FbxNode("Vertices").numbers(numbers)))
                 .with(FbxNode("Geometry").with(FbxNode("Vertices").packed_numbers(numbers)))}));
    support::C3dMaker trial{.markers = {"A", "B"},
                            .channels = {"Fx", "Fy", "Fz", "Mx", "My", "Mz"}};
    trial.has_plate = true;
    trial.frames.assign(3, {Vec3(1.0, 2.0, 3.0), Vec3(4.0, 5.0, 6.0)});
    trial.samples.assign(3, std::vector<double>(6, -500.0));
    put("c3d", "floats", trial.bytes());
    trial.scale = 0.1F;
    put("c3d", "integers", trial.bytes());
    put("medit", "tets", format_medit(tets));
    put("msh", "surface", format_msh(parts));
    put("msh", "surface_ascii", format_msh(parts, {.is_ascii = true}));
    put("msh", "tets", format_msh(tets));
    put("msh", "tets_ascii", format_msh(tets, {.is_ascii = true}));
    put("obj", "square", format_obj(parts));
    put("off", "square", format_off(parts));
    put("ply", "little", format_ply(parts));
    put("ply", "big", format_ply(parts, {.encoding = PlyEncoding::BigEndian}));
    put("ply", "ascii", format_ply(parts, {.encoding = PlyEncoding::Ascii}));
    std::filesystem::create_directories(folder / "point_cache");
    const std::vector<double> times = {0.0, 0.5};
    const std::vector<Points> frames = {tets.points, 2.0 * tets.points};
    write_pc2(folder / "point_cache" / "two.pc2", times, frames);
    write_mdd(folder / "point_cache" / "two.mdd", times, frames);
    put("stl", "binary", format_stl(parts));
    put("stl", "ascii", format_stl(parts, {.is_ascii = true}));
    put("vtu", "surface", format_vtu(parts));
    put("vtu", "tets", format_vtu(tets));
    put("vtu", "plain", format_vtu(tets, {.is_compressed = false}));
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) {
        std::fprintf(stderr, "usage: fuzz_seeds FOLDER\n");
        return 2;
    }
    try {
        write_seeds(argv[1]);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 2;
    }
    return 0;
}
