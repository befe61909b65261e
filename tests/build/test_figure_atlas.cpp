#include "sinew/build/figure.h"
#include "sinew/build/figure_mesh.h"
#include "sinew/build/figure_skin.h"
#include "sinew/geometry/measure.h"
#include "sinew/geometry/surface_tree.h"
#include "sinew/io/data_folder.h"
#include "sinew/io/figure_files.h"
#include "sinew/io/mesh_files.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>
#include <map>

#include "tests/support/shared_data.h"

namespace sinew {
namespace {

double at_share(std::vector<double> v, double share) {
    std::sort(v.begin(), v.end());
    return v[static_cast<std::size_t>(share * static_cast<double>(v.size() - 1))];
}

TEST(FigureAgainstAtlas, VolumesOfMusclesAndBonesAgree) {
    SINEW_NEEDS_SHARED(path, "atlas/atlas.json");
    std::ifstream file(path);
    const nlohmann::json atlas = nlohmann::json::parse(file);
    std::map<std::string, double> volume;
    for (const auto& entry : atlas) {
        volume[entry["name"].get<std::string>()] = entry["volume_ml"].get<double>() * 1e-6;
    }
    const FigureTable table = read_figure(data_folder() / "figure");
    std::vector<double> error, large_error;
    double figure_muscle = 0.0, atlas_muscle = 0.0, figure_bone = 0.0, atlas_bone = 0.0;
    for (const FigurePart& part : table.parts) {
        const bool is_muscle = part.kind == FigureKind::Muscle;
        // The skull is a shell in the atlas; of three muscles the figure leaves out aponeuroses.
        if ((!is_muscle && part.kind != FigureKind::Bone) || part.name == "skull" ||
            part.volume == 0.0 || part.group == "abdomen") {
            continue;
        }
        double wanted = 0.0;
        for (const std::string& name : part.covers.empty() ? std::vector{part.name} : part.covers) {
            wanted += volume.contains(name) ? volume.at(name) : 0.0;
        }
        if (wanted == 0.0) {
            continue;
        }
        const TriangleMesh mesh =
            mesh_part(part, {.cell = 0.005, .smallest_cell = 0.002, .volume = part.volume});
        const double made = enclosed_volume(mesh.points, mesh.triangles);
        (is_muscle ? figure_muscle : figure_bone) += made;
        (is_muscle ? atlas_muscle : atlas_bone) += wanted;
        if (is_muscle) {
            error.push_back(std::abs(made / wanted - 1.0));
            if (wanted > 5e-6) {
                large_error.push_back(error.back());
            }
        }
    }
    EXPECT_GT(error.size(), 150u);
    EXPECT_LT(at_share(error, 0.5), 0.01);
    EXPECT_LT(at_share(large_error, 0.95), 0.10);
    EXPECT_NEAR(figure_muscle, atlas_muscle, 0.05 * atlas_muscle);
    EXPECT_NEAR(figure_bone, atlas_bone, 0.05 * atlas_bone);
}

TEST(FigureAgainstAtlas, SkinLiesWithinAMillimetreAndAHalfOnAverage) {
    SINEW_NEEDS_SHARED(path, "atlas/skin/skin.ply");
    const FigureTable table =
        shape_figure(read_figure(data_folder() / "figure"), {.pose = FigurePose::Measured});
    const TriangleMesh skin = mesh_skin(table, {.cell = 0.005});
    const TriangleMesh atlas = read_surface(path).front().mesh;
    EXPECT_NEAR(enclosed_volume(skin.points, skin.triangles),
                enclosed_volume(atlas.points, atlas.triangles), 0.05 * 0.066);
    const SurfaceTree tree(skin);
    std::vector<double> distance;
    for (Eigen::Index i = 0; i < atlas.points.rows(); i += 3) {
        const Vec3 p = point(atlas.points, i);
        const bool is_genital =
            std::abs(p.x()) < 0.034 && p.y() > 0.70 && p.y() < 0.81 && p.z() > 0.0;
        const bool is_armpit = p.y() > 1.14 && p.y() < 1.27 && std::abs(p.x()) > 0.1;
        if (!is_genital && !is_armpit) {
            distance.push_back(tree.closest_point(p).distance);
        }
    }
    double sum = 0.0;
    for (const double d : distance) {
        sum += d;
    }
    EXPECT_LT(sum / static_cast<double>(distance.size()), 0.0015);
    EXPECT_LT(at_share(distance, 0.95), 0.004);
}

}  // namespace
}  // namespace sinew
