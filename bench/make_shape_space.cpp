// Makes data/shape/man.json and woman.json: bodies of one triangulation, registered to the built-in
// human, taken to its rest pose, and their principal components.
//   make_shape_space BODY.sinew SCANS_FOLDER OUT.json [SKIN_FOLDER]
#include "sinew/base/error.h"
#include "sinew/fit/landmarks.h"
#include "sinew/fit/registration.h"
#include "sinew/fit/shape_learning.h"
#include "sinew/geometry/surface_tree.h"
#include "sinew/io/archive.h"
#include "sinew/io/atomic_file.h"
#include "sinew/io/mesh_files.h"
#include "sinew/io/shape_space_file.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <set>

using namespace sinew;

namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

Json read_json(const fs::path& path) {
    std::ifstream file(path);
    return Json::parse(file);
}

TriangleMesh surface_of(const fs::path& path) {
    return read_surface(path).at(0).mesh;
}

// Landmarks of soft parts are placed too differently by their makers to lead a registration.
const std::set<std::string> kSoft = {"nipple_L", "nipple_R", "asis_L", "asis_R", "navel"};

Points carried(const std::vector<ClosestPoint>& on, const TriangleMesh& mesh) {
    Points result(static_cast<Eigen::Index>(on.size()), 3);
    for (std::size_t i = 0; i < on.size(); ++i) {
        Vec3 p = Vec3::Zero();
        for (int k = 0; k < 3; ++k) {
            p += on[i].barycentric[k] * point(mesh.points, mesh.triangles(on[i].triangle, k));
        }
        result.row(static_cast<Eigen::Index>(i)) = p.transpose();
    }
    return result;
}

// How far the skin's named points are from those of the scan at most.
double farthest_landmark(const std::vector<Landmark>& found,
                         const std::vector<ScanLandmark>& given) {
    double farthest = 0.0;
    for (const Landmark& mine : found) {
        for (const ScanLandmark& theirs : given) {
            if (mine.name == theirs.name) {
                farthest = std::max(farthest, (mine.position - theirs.position).norm());
            }
        }
    }
    return farthest;
}

void write_skin(const fs::path& path, const Body& body, const Points& points) {
    MeshPart part{.name = "skin",
                  .mesh = {.points = points, .triangles = body.skin.mesh.triangles}};
    write_surface(path, std::vector<MeshPart>{part});
}

}  // namespace

int main(int argc, char** argv) try {
    if (argc < 4) {
        fmt::print(stderr, "make_shape_space BODY.sinew SCANS_FOLDER OUT.json [SKIN_FOLDER]\n");
        return 2;
    }
    const Body body = read_archive(argv[1]);
    const fs::path scans = argv[2];
    const fs::path skins = argc > 4 ? argv[4] : "";
    const std::string sex(name_of(body.sex));

    // Inner surfaces (mouth, sockets) must not attract the skin.
    TriangleMesh neutral = surface_of(scans / "registered" / "topology.ply");
    const std::vector<Index> inner =
        read_json(scans / "registered" / "inner_vertices.json").get<std::vector<Index>>();
    const std::set<Index> hidden(inner.begin(), inner.end());
    Eigen::Index kept = 0;
    for (Eigen::Index t = 0; t < neutral.triangles.rows(); ++t) {
        bool is_outer = true;
        for (int k = 0; k < 3; ++k) {
            is_outer = is_outer && !hidden.contains(neutral.triangles(t, k));
        }
        if (is_outer) {
            neutral.triangles.row(kept++) = neutral.triangles.row(t);
        }
    }
    neutral.triangles.conservativeResize(kept, 3);

    // Everybody of this sex, and their mean, which the template is registered to.
    std::vector<TriangleMesh> people;
    std::vector<std::string> files;
    const Json index = read_json(scans / "registered" / "index.json");
    for (const Json& row : index.at("bodies")) {
        if (row.at("sex").get<std::string>() == sex) {
            files.push_back(row.at("file").get<std::string>());
            people.push_back(surface_of(scans / "registered" / files.back()));
            people.back().triangles = neutral.triangles;
        }
    }
    neutral.points.setZero();
    for (const TriangleMesh& person : people) {
        neutral.points += person.points / static_cast<double>(people.size());
    }
    Scan scan;
    scan.points = neutral.points;
    scan.triangles = neutral.triangles;
    const Json vertices = read_json(scans / "registered" / "landmark_vertices.json");
    for (const auto& [name, vertex] : vertices.items()) {
        if (!kSoft.contains(name)) {
            scan.landmarks.push_back({name, point(neutral.points, vertex.get<Index>())});
        }
    }
    const RegisteredSkin first =
        register_scan(body, scan, {.hold_landmarks = true, .find_up = false});
    fmt::print("mean: skin to scan {:.2f} mm, 95 % {:.2f} mm; named points within {:.2f} mm\n",
               1e3 * first.report.skin_to_scan.mean, 1e3 * first.report.skin_to_scan.p95,
               1e3 * farthest_landmark(first.landmarks, scan.landmarks));
    const std::vector<ClosestPoint> on = SurfaceTree(neutral).closest_points(first.posed);
    if (!skins.empty()) {
        write_skin(skins / (sex + "_neutral.ply"), body, first.posed);
    }

    // Everybody else by the same correspondence.
    PoseRig rig(body);
    rig.set_modes(rig.limb_modes(body));
    RigState start = rig.start();
    start = rest_shape_of(rig, first.posed, start).state;
    start.shape = rig.start().shape;
    std::vector<RestShape> shapes;
    for (std::size_t i = 0; i < people.size(); ++i) {
        shapes.push_back(rest_shape_of(rig, carried(on, people[i]), start));
        if (!skins.empty()) {
            write_skin(skins / (sex + "_" + files[i]), body, shapes.back().skin);
        }
    }
    ShapeSpace space = learn_shape_space(body, shapes, 12);
    space.name = fmt::format("{} people", sex);
    space.source =
        "principal components of synthetic people made with assets of MakeHuman (CC0 1.0)";
    // Named points: where the neutral body has them, on our skin at rest.
    const SurfaceTree posed(first.posed, body.skin.mesh.triangles);
    for (const auto& [name, vertex] : vertices.items()) {
        const ClosestPoint c = posed.closest_point(point(neutral.points, vertex.get<Index>()));
        Vec3 p = Vec3::Zero();
        Eigen::Index corner = 0;
        c.barycentric.maxCoeff(&corner);
        for (int k = 0; k < 3; ++k) {
            p += c.barycentric[k] *
                 point(body.skin.mesh.points, body.skin.mesh.triangles(c.triangle, k));
        }
        space.landmarks.push_back({.name = name,
                                   .position = p,
                                   .skin_vertex = body.skin.mesh.triangles(c.triangle, corner)});
    }
    write_file_bytes(argv[3], format_shape_space(space));
    if (!skins.empty()) {
        write_skin(skins / (sex + "_mean.ply"), body, space.reference.points + space.mean_skin);
    }
    fmt::print("{} people, {} components\n", space.people, space.components.size());
    return 0;
} catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
}
