#include "sinew/energy/pins.h"
#include "sinew/energy/projective_bending.h"
#include "sinew/energy/projective_prisms.h"
#include "sinew/fit/layer_fit.h"
#include "sinew/geometry/laplacian.h"
#include "sinew/geometry/measure.h"
#include "sinew/geometry/signed_distance.h"
#include "sinew/solver/local_global.h"

#include <algorithm>
#include <memory>
#include <numeric>

namespace sinew {

namespace {

constexpr double kAnchor = 2e5;         // N/m per m^2, holds bones where scaling put them
constexpr double kOfTemplateGap = 0.9;  // of the template's own depth under the skin
constexpr int kBoneIterations = 25;
constexpr int kCollisionRounds = 12;
constexpr double kBoneTolerance = 1e-2;  // of the first forces: less cannot be seen

}  // namespace

Points fit_skeleton_surface(const LayeredTemplate& layers, const ScaledLayers& scaled,
                            const Points& skin, const LayerFitOptions& options,
                            BoneFitReport& report, const Progress& progress) {
    const Eigen::Index n = skin.rows();
    // Unknowns are B, rows n .. 2 n - 1; the skin and kept regions stand still.
    Points rest(2 * n, 3);
    rest << scaled.layers.skin, scaled.layers.bone;
    const Points& M = scaled.layers.muscle;
    Points x(2 * n, 3);
    x << skin, scaled.layers.bone;
    std::vector<Index> fixed(at(n));
    std::iota(fixed.begin(), fixed.end(), 0);
    for (Eigen::Index i = 0; i < n; ++i) {
        if (layers.is_kept[at(i)] != 0) {
            fixed.push_back(static_cast<Index>(n + i));
            x.row(n + i) = skin.row(i) + M.row(i) - scaled.layers.skin.row(i);
        }
    }
    const Triangles below = layers.triangles.array() + static_cast<Index>(n);
    const Eigen::VectorXd areas = triangle_areas(rest, below);
    const Eigen::VectorXd area = lumped_mass(rest, below);
    std::vector<ProjectivePrisms::Prism> prisms;
    for (Eigen::Index t = 0; t < below.rows(); ++t) {
        ProjectivePrisms::Prism prism{.corners = {}, .weight = options.flesh * areas[t]};
        bool is_kept = true;
        for (int k = 0; k < 3; ++k) {
            prism.corners[static_cast<std::size_t>(k)] = layers.triangles(t, k);
            prism.corners[static_cast<std::size_t>(k + 3)] = below(t, k);
            is_kept = is_kept && layers.is_kept[at(layers.triangles(t, k))] != 0;
        }
        if (!is_kept) {
            prisms.push_back(prism);
        }
    }
    std::vector<Index> all(at(n));
    std::iota(all.begin(), all.end(), static_cast<Index>(n));
    std::vector<double> hold(at(n));
    for (Eigen::Index i = 0; i < n; ++i) {
        hold[at(i)] = kAnchor * area[n + i];
    }
    const std::vector<double> bend(at(2 * n), options.bending);
    LocalGlobal solver(
        2 * n,
        {std::make_shared<ProjectiveBending>(rest, below, bend),
         std::make_shared<ProjectivePrisms>(rest, prisms, ProjectivePrisms::Stretch{}),
         std::make_shared<Pins>(all, scaled.layers.bone, hold)},
        fixed);

    // Vertices that come too near the skin get a target under it, pulled harder in every round
    // that did not bring them there [Komaritzan, eq. 4.9].
    const SignedDistance outside({.points = skin, .triangles = layers.triangles});
    const Points normals = vertex_normals(skin, layers.triangles);
    std::vector<double> strength(at(n), 0.0);
    for (int round = 0; round < kCollisionRounds; ++round) {
        const LocalGlobalReport solved = solver.minimise(
            x, {.max_iterations = kBoneIterations, .tolerance = kBoneTolerance}, progress);
        report.iterations += solved.iterations;
        report.is_converged = solved.status == SolverStatus::Converged;
        const Points bone = x.bottomRows(n);
        const Eigen::VectorXd distance = outside.at_all(bone);
        std::vector<Pins::Pin> pins;
        bool is_clear = true;
        for (Eigen::Index i = 0; i < n; ++i) {
            const double gap = std::min(options.gap, kOfTemplateGap * layers.bone_depth[at(i)]);
            if (layers.is_kept[at(i)] != 0) {
                continue;
            }
            if (distance[i] > -gap + 1e-4) {
                strength[at(i)] += 1.0;
                is_clear = false;
            }
            if (strength[at(i)] > 0.0) {
                const ClosestPoint c = outside.surface().closest_point(point(bone, i));
                Vec3 normal = Vec3::Zero();
                for (int k = 0; k < 3; ++k) {
                    normal += c.barycentric[k] * point(normals, layers.triangles(c.triangle, k));
                }
                const bool is_deep = distance[i] < -gap;
                pins.push_back(
                    {static_cast<Index>(n + i),
                     is_deep ? point(bone, i) : Vec3(c.point - 1.2 * gap * normal.normalized()),
                     options.collision * strength[at(i)]});
            }
        }
        report.collision_rounds = round;
        report.colliding = static_cast<Eigen::Index>(pins.size());
        if (is_clear) {
            break;
        }
        const std::shared_ptr<ProjectiveConstraints> contacts = std::make_shared<Pins>(pins);
        solver.set_changing({&contacts, 1});
    }
    return x.bottomRows(n);
}

}  // namespace sinew
