#pragma once

#include "sinew/io/ply.h"
#include "sinew/mesh/triangle_mesh.h"

#include <filesystem>
#include <fstream>
#include <string>

#include "tests/support/shapes.h"
#include "tests/support/temporary_folder.h"

namespace sinew::support {

/// A folder with an atlas of boxes: a skin 1.6 m high, two thigh bones, a pelvis and two muscles. A
/// test may damage it.
class SmallAtlas {
public:
    explicit SmallAtlas(double scale = 1.0) : scale_(scale) {
        write("skin.ply", box({-0.3, 0.0, -0.15}, {0.3, 1.6, 0.15}));
        write("pelvis.ply", box({-0.15, 0.85, -0.08}, {0.15, 0.95, 0.08}));
        write("femur_l.ply", box({0.08, 0.45, -0.015}, {0.11, 0.85, 0.015}));
        write("femur_r.ply", box({-0.11, 0.45, -0.015}, {-0.08, 0.85, 0.015}));
        write("vastus_l.ply", box({0.112, 0.5, -0.02}, {0.14, 0.84, 0.02}));
        write("vastus_r.ply", box({-0.14, 0.5, -0.02}, {-0.112, 0.84, 0.02}));
        manifest(parts());
    }

    static std::string parts() {
        return R"([
 {"name": "skin", "kind": "skin", "file": "skin.ply"},
 {"name": "sacrum", "kind": "bone", "file": "pelvis.ply", "fma": "FMA16202"},
 {"name": "femur_l", "kind": "bone", "side": "l", "file": "femur_l.ply"},
 {"name": "femur_r", "kind": "bone", "side": "r", "file": "femur_r.ply"},
 {"name": "vastus_lateralis_l", "kind": "muscle", "group": "quadriceps", "file": "vastus_l.ply",
  "origin": "sacrum", "insertion": "femur_l", "belly": [0.1, 0.8]},
 {"name": "Right vastus lateralis", "kind": "muscle", "file": "vastus_r.ply",
  "terminologia": "musculus vastus lateralis dexter", "aliases": {"mine": ["VL-R"]}}
])";
    }

    const std::filesystem::path& path() const {
        return folder_.path();
    }
    void write(const std::string& file, const TriangleMesh& mesh) const {
        MeshPart part{.name = "part", .mesh = mesh};
        part.mesh.points *= scale_;
        text(file, format_ply(std::span(&part, 1), {}));
    }
    void text(const std::string& file, const std::string& content) const {
        std::ofstream(folder_ / file, std::ios::binary) << content;
    }
    void manifest(const std::string& json) const {
        text("atlas.json", json);
    }
    /// The manifest with one place changed.
    void edit(const std::string& from, const std::string& to) const {
        std::string json = parts();
        json.replace(json.find(from), from.size(), to);
        manifest(json);
    }

private:
    double scale_;
    TemporaryFolder folder_;
};

}  // namespace sinew::support
