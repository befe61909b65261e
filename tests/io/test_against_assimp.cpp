// The same meshes through an independent library: what Sinew writes, assimp reads, and the reverse.
#include "sinew/io/mesh_files.h"
#include "sinew/io/mesh_parts.h"
#include "sinew/io/obj.h"
#include "sinew/io/ply.h"
#include "sinew/io/stl.h"

#include <assimp/Exporter.hpp>
#include <assimp/Importer.hpp>
#include <assimp/postprocess.h>
#include <assimp/scene.h>
#include <gtest/gtest.h>

#include <cstring>

#include "tests/io/mesh_samples.h"
#include "tests/support/temporary_folder.h"

namespace sinew {

namespace {

// Enough to tell meshes apart without an order of vertices: triangles, area, volume.
struct Measures {
    std::size_t triangles = 0;
    double area = 0;
    double volume = 0;
};

void add_triangle(Measures& m, const Vec3& a, const Vec3& b, const Vec3& c) {
    ++m.triangles;
    m.area += 0.5 * (b - a).cross(c - a).norm();
    m.volume += a.dot(b.cross(c)) / 6.0;
}

Measures measures_of(const aiScene& scene) {
    Measures m;
    for (unsigned i = 0; i < scene.mNumMeshes; ++i) {
        const aiMesh& mesh = *scene.mMeshes[i];
        const auto vertex = [&](unsigned v) {
            const aiVector3D& p = mesh.mVertices[v];
            return Vec3(static_cast<double>(p.x), static_cast<double>(p.y),
                        static_cast<double>(p.z));
        };
        for (unsigned f = 0; f < mesh.mNumFaces; ++f) {
            const unsigned* const k = mesh.mFaces[f].mIndices;
            EXPECT_EQ(mesh.mFaces[f].mNumIndices, 3u);
            add_triangle(m, vertex(k[0]), vertex(k[1]), vertex(k[2]));
        }
    }
    return m;
}

Measures measures_of(const std::vector<MeshPart>& parts) {
    Measures m;
    const TriangleMesh mesh = merged(parts);
    for (Eigen::Index t = 0; t < mesh.triangles.rows(); ++t) {
        add_triangle(m, point(mesh.points, mesh.triangles(t, 0)),
                     point(mesh.points, mesh.triangles(t, 1)),
                     point(mesh.points, mesh.triangles(t, 2)));
    }
    return m;
}

void expect_same(const Measures& a, const Measures& b, const std::string& what) {
    EXPECT_EQ(a.triangles, b.triangles) << what;
    EXPECT_NEAR(a.area, b.area, 1e-5 * b.area) << what;
    EXPECT_NEAR(a.volume, b.volume, 1e-5 * b.volume) << what;
}

std::vector<MeshPart> sample_parts() {
    return {support::part_of("ball", support::sphere(2, 0.3, {1, 0.1, 0})),
            support::part_of("box", support::box({0, 0, 0}, {0.1, 0.2, 0.3}))};
}

}  // namespace

TEST(AgainstAssimp, WhatIsWrittenHereIsReadThere) {
    const std::vector<MeshPart> parts = sample_parts();
    const std::vector<std::pair<std::string, std::string>> files = {
        {"obj", format_obj(parts)},
        {"ply", format_ply(parts, {.use_float32 = true})},
        {"ply", format_ply(parts, {.encoding = PlyEncoding::BigEndian})},
        {"ply", format_ply(parts, {.encoding = PlyEncoding::Ascii})},
        {"stl", format_stl(parts)},
        {"stl", format_stl(parts, {.is_ascii = true})},
    };
    for (const auto& [ending, bytes] : files) {
        Assimp::Importer importer;
        const aiScene* scene =
            importer.ReadFileFromMemory(bytes.data(), bytes.size(), 0, ending.c_str());
        ASSERT_NE(scene, nullptr) << ending << ": " << importer.GetErrorString();
        expect_same(measures_of(*scene), measures_of(parts), ending);
    }
}

TEST(AgainstAssimp, WhatIsWrittenThereIsReadHere) {
    const std::vector<MeshPart> parts = sample_parts();
    const std::string source = format_ply(parts, {.encoding = PlyEncoding::Ascii});
    Assimp::Importer importer;
    const aiScene* scene =
        importer.ReadFileFromMemory(source.data(), source.size(),
                                    aiProcess_JoinIdenticalVertices | aiProcess_GenNormals, "ply");
    ASSERT_NE(scene, nullptr);
    const support::TemporaryFolder folder;
    Assimp::Exporter exporter;
    for (const auto& [format, ending] : {std::pair{"obj", "obj"},
                                         {"ply", "ply"},
                                         {"plyb", "ply"},
                                         {"stl", "stl"},
                                         {"stlb", "stl"}}) {
        const std::string path = folder / fmt::format("{}.{}", format, ending);
        ASSERT_EQ(exporter.Export(scene, format, path), aiReturn_SUCCESS)
            << format << ": " << exporter.GetErrorString();
        expect_same(measures_of(read_surface(path)), measures_of(parts), format);
    }
}

}  // namespace sinew
