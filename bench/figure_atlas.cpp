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

/// How far to the side rectus abdominis reaches at each height (bins of 5 mm), m.
class RectusEdge {
public:
    explicit RectusEdge(const TriangleMesh& rectus) {
        for (Eigen::Index i = 0; i < rectus.points.rows(); ++i) {
            double& x = edge_[bin(rectus.points(i, 1))];
            x = std::max(x, std::abs(rectus.points(i, 0)));
        }
    }
    /// 0 above and below the muscle.
    double at(double y) const {
        const auto found = edge_.find(bin(y));
        return found == edge_.end() ? 0.0 : found->second;
    }

private:
    static int bin(double y) {
        return static_cast<int>(std::floor(y / 0.005));
    }
    std::map<int, double> edge_;
};

/// Volume of what lies beside rectus abdominis, m^3: by the divergence theorem the flux of
/// (max(x - edge(y), 0), 0, 0) through the surface, whose divergence is 1 there and 0 elsewhere.
double volume_beside(const TriangleMesh& mesh, const RectusEdge& edge) {
    constexpr int cuts = 6;  // of each side of a triangle: the flux is not linear where the edge is
    double volume = 0.0;
    for (Eigen::Index t = 0; t < mesh.triangles.rows(); ++t) {
        const Vec3 a = point(mesh.points, mesh.triangles(t, 0));
        const Vec3 u = (point(mesh.points, mesh.triangles(t, 1)) - a) / cuts;
        const Vec3 v = (point(mesh.points, mesh.triangles(t, 2)) - a) / cuts;
        const double area_x = u.cross(v).x() / 2.0;
        const auto add = [&](const Vec3& centre) {
            const double beyond = std::abs(centre.x()) - edge.at(centre.y());
            volume += std::max(beyond, 0.0) * (centre.x() < 0.0 ? -area_x : area_x);
        };
        for (int i = 0; i < cuts; ++i) {
            for (int j = 0; i + j < cuts; ++j) {
                add(a + (i + 1.0 / 3.0) * u + (j + 1.0 / 3.0) * v);
                if (i + j + 1 < cuts) {
                    add(a + (i + 2.0 / 3.0) * u + (j + 2.0 / 3.0) * v);
                }
            }
        }
    }
    return volume;
}

/// The sheets of the abdominal wall: before and behind rectus abdominis they are aponeuroses in the
/// atlas, which the figure leaves out so that rectus shows.
bool has_aponeurosis(const std::string& name) {
    return name == "external_oblique_l" || name == "internal_oblique_l" ||
           name == "transversus_abdominis_l";
}

}  // namespace

VolumesAgainstAtlas compare_volumes(const FigureTable& table, const std::filesystem::path& atlas) {
    const std::map<std::string, double> volume = atlas_volumes(atlas);
    const RectusEdge rectus(
        read_surface(atlas / "muscles" / "rectus_abdominis_l.ply").front().mesh);
    std::vector<double> error;
    double large = 0.0, large_within = 0.0;
    double figure_muscle = 0.0, atlas_muscle = 0.0, figure_bone = 0.0, atlas_bone = 0.0;
    double skull_ratio = 0.0;
    for (const FigurePart& part : table.parts) {
        const bool is_muscle = part.kind == FigureKind::Muscle;
        if (!is_muscle && part.kind != FigureKind::Bone) {
            continue;
        }
        double wanted = 0.0;
        for (const std::string& name : part.covers.empty() ? std::vector{part.name} : part.covers) {
            wanted += volume.contains(name) ? volume.at(name) : 0.0;
        }
        if (has_aponeurosis(part.name)) {
            wanted = volume_beside(
                read_surface(atlas / "muscles" / (part.name + ".ply")).front().mesh, rectus);
        }
        if (wanted == 0.0) {
            continue;
        }
        const TriangleMesh mesh =
            mesh_part(part, {.cell = 0.005, .smallest_cell = 0.002, .volume = part.volume});
        const double made = enclosed_volume(mesh);
        (is_muscle ? figure_muscle : figure_bone) += made;
        (is_muscle ? atlas_muscle : atlas_bone) += wanted;
        if (part.name == "skull") {
            skull_ratio = made / wanted;
        }
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
            .bone_ratio = figure_bone / atlas_bone,
            .skull_ratio = skull_ratio};
}

SkinAgainstAtlas compare_skin(const FigureTable& table, const std::filesystem::path& folder,
                              double cell) {
    const FigureTable measured = shape_figure(table, {.pose = FigurePose::Measured});
    const TriangleMesh skin = mesh_skin(measured, {.cell = cell, .digit_cell = 0.0016});
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
