#include "bench/figure_atlas.h"

#include "sinew/build/figure.h"
#include "sinew/build/figure_mesh.h"
#include "sinew/build/figure_skin.h"
#include "sinew/geometry/measure.h"
#include "sinew/geometry/surface_tree.h"
#include "sinew/io/mesh_files.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>

namespace sinew::bench {

namespace {

double quantile(std::vector<double> v, double share) {
    std::sort(v.begin(), v.end());
    return v.empty() ? 0.0 : v[static_cast<std::size_t>(share * static_cast<double>(v.size() - 1))];
}

std::map<std::string, double> atlas_volumes(const std::filesystem::path& atlas) {
    std::ifstream file(atlas / "atlas.json");
    std::map<std::string, double> volume;
    for (const auto& entry : nlohmann::json::parse(file)) {
        volume[entry["name"].get<std::string>()] = entry["volume_ml"].get<double>() * 1e-6;
    }
    return volume;
}

}  // namespace

VolumesAgainstAtlas compare_volumes(const FigureTable& table, const std::filesystem::path& atlas) {
    const std::map<std::string, double> volume = atlas_volumes(atlas);
    std::vector<double> error;
    double large = 0.0, large_within = 0.0;
    double figure_muscle = 0.0, atlas_muscle = 0.0, figure_bone = 0.0, atlas_bone = 0.0;
    for (const FigurePart& part : table.parts) {
        const bool is_muscle = part.kind == FigureKind::Muscle;
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
        const double made = enclosed_volume(mesh);
        (is_muscle ? figure_muscle : figure_bone) += made;
        (is_muscle ? atlas_muscle : atlas_bone) += wanted;
        if (is_muscle) {
            error.push_back(std::abs(made / wanted - 1.0));
            large += wanted > 5e-6;
            large_within += wanted > 5e-6 && error.back() < 0.10;
        }
    }
    return {.muscles = error.size(),
            .median_error = quantile(error, 0.5),
            .within_tenth = large_within / std::max(large, 1.0),
            .muscle_ratio = figure_muscle / atlas_muscle,
            .bone_ratio = figure_bone / atlas_bone};
}

SkinAgainstAtlas compare_skin(const FigureTable& table, const std::filesystem::path& folder,
                              double cell) {
    const FigureTable measured = shape_figure(table, {.pose = FigurePose::Measured});
    const TriangleMesh skin = mesh_skin(measured, {.cell = cell});
    const TriangleMesh atlas = read_surface(folder / "skin" / "skin.ply").front().mesh;
    const SurfaceTree tree(skin);
    std::vector<double> distance;
    double sum = 0.0;
    for (Eigen::Index i = 0; i < atlas.points.rows(); i += 3) {
        const Vec3 p = point(atlas.points, i);
        const bool is_genital =
            std::abs(p.x()) < 0.034 && p.y() > 0.70 && p.y() < 0.81 && p.z() > 0.0;
        const bool is_armpit = p.y() > 1.14 && p.y() < 1.27 && std::abs(p.x()) > 0.1;
        if (!is_genital && !is_armpit) {
            distance.push_back(tree.closest_point(p).distance);
            sum += distance.back();
        }
    }
    return {.mean = sum / static_cast<double>(distance.size()),
            .most = quantile(distance, 0.95),
            .volume_ratio = enclosed_volume(skin) / enclosed_volume(atlas)};
}

}  // namespace sinew::bench
