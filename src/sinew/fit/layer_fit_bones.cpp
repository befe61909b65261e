#include "sinew/energy/pins.h"
#include "sinew/energy/projective_bending.h"
#include "sinew/energy/projective_prisms.h"
#include "sinew/fit/layer_fit.h"
#include "sinew/fit/layer_order.h"
#include "sinew/geometry/laplacian.h"
#include "sinew/geometry/measure.h"
#include "sinew/geometry/signed_distance.h"
#include "sinew/solver/local_global.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <optional>

// The skeleton surface of a person: the scaled template's, bent as little as can be, with prisms
// between skin and bone that may stretch across the skin only [Komaritzan, eqs. 4.7-4.8]. Vertices
// that come too near the skin get a target under it, pulled harder in every round that did not
// bring them there (eq. 4.9). The skin stands still.

namespace sinew {

namespace {

constexpr double kAnchor = 2e5;         // N/m per m^2, holds bones where scaling put them
constexpr double kOfTemplateGap = 0.9;  // of the template's own depth under the skin
constexpr double kGapSlack = 1e-4;      // m, less than the gap that is let pass
constexpr double kGapAimed = 1.2;       // times the gap, where colliding vertices are sent
constexpr int kBoneIterations = 25;
constexpr int kCollisionRounds = 8;
constexpr double kBoneTolerance = 1e-2;  // of the first forces: less cannot be seen

// S in rows 0 .. n - 1, which stand still, and B in rows n .. 2 n - 1.
class SkeletonFit {
public:
    SkeletonFit(const LayeredTemplate& layers, const ScaledLayers& scaled, const Points& skin,
                const LayerFitOptions& options)
        : layers_(layers),
          options_(options),
          n_(skin.rows()),
          below_(layers.triangles.array() + static_cast<Index>(n_)),
          outside_({.points = skin, .triangles = layers.triangles}),
          normals_(vertex_normals(skin, layers.triangles)),
          x_(2 * n_, 3),
          strength_(at(n_), 0.0) {
        x_ << skin, scaled.layers.bone;
        std::vector<Index> fixed(at(n_));
        std::iota(fixed.begin(), fixed.end(), 0);
        const Points carried =
            carried_under(scaled.layers.skin, scaled.layers.muscle, skin, layers.triangles);
        for (Eigen::Index i = 0; i < n_; ++i) {
            if (layers.is_kept[at(i)] != 0) {
                fixed.push_back(static_cast<Index>(n_ + i));
                x_.row(n_ + i) = carried.row(i);
            }
        }
        Points rest(2 * n_, 3);
        rest << scaled.layers.skin, scaled.layers.bone;
        const std::vector<double> bend(at(2 * n_), options.bending);
        solver_.emplace(2 * n_,
                        EnergyTerms{std::make_shared<ProjectiveBending>(rest, below_, bend),
                                    flesh(rest), anchors(rest)},
                        fixed);
    }

    // Minimises; vertices that come too near the skin get a target under it, pulled harder in every
    // round that did not bring them there [Komaritzan, eq. 4.9].
    Points run(BoneFitReport& report, const Progress& progress) {
        for (int round = 0; round < kCollisionRounds; ++round) {
            const LocalGlobalReport solved = solver_->minimise(
                x_, {.max_iterations = kBoneIterations, .tolerance = kBoneTolerance}, progress);
            report.iterations += solved.iterations;
            report.is_converged = solved.status == SolverStatus::Converged;
            report.collision_rounds = round;
            bool is_clear = true;
            const std::vector<Pins::Pin> pins = contacts(is_clear);
            report.colliding = static_cast<Eigen::Index>(pins.size());
            if (is_clear) {
                break;
            }
            const std::shared_ptr<ProjectiveConstraints> pulls = std::make_shared<Pins>(pins);
            solver_->set_changing({&pulls, 1});
        }
        return x_.bottomRows(n_);
    }

private:
    std::shared_ptr<ProjectivePrisms> flesh(const Points& rest) const {
        const Eigen::VectorXd areas = triangle_areas(rest, below_);
        std::vector<ProjectivePrisms::Prism> prisms;
        for (Eigen::Index t = 0; t < below_.rows(); ++t) {
            ProjectivePrisms::Prism prism{.corners = {}, .weight = options_.flesh * areas[t]};
            bool is_kept = true;
            for (int k = 0; k < 3; ++k) {
                prism.corners[at(k)] = layers_.triangles(t, k);
                prism.corners[at(k + 3)] = below_(t, k);
                is_kept = is_kept && layers_.is_kept[at(layers_.triangles(t, k))] != 0;
            }
            if (!is_kept) {
                prisms.push_back(prism);
            }
        }
        return std::make_shared<ProjectivePrisms>(rest, prisms, ProjectivePrisms::Stretch{});
    }

    std::shared_ptr<Pins> anchors(const Points& rest) const {
        const Eigen::VectorXd area = lumped_mass(rest, below_);
        std::vector<Index> all(at(n_));
        std::iota(all.begin(), all.end(), static_cast<Index>(n_));
        std::vector<double> hold(at(n_));
        for (Eigen::Index i = 0; i < n_; ++i) {
            hold[at(i)] = kAnchor * area[n_ + i];
        }
        return std::make_shared<Pins>(all, Points(rest.bottomRows(n_)), hold);
    }

    std::vector<Pins::Pin> contacts(bool& is_clear) {
        const Points bone = x_.bottomRows(n_);
        const Eigen::VectorXd distance = outside_.at_all(bone);
        std::vector<Pins::Pin> pins;
        for (Eigen::Index i = 0; i < n_; ++i) {
            const double gap = std::min(options_.gap, kOfTemplateGap * layers_.bone_depth[at(i)]);
            if (layers_.is_kept[at(i)] != 0) {
                continue;
            }
            if (distance[i] > -gap + kGapSlack) {
                strength_[at(i)] += 1.0;
                is_clear = false;
            }
            if (strength_[at(i)] > 0.0) {
                const ClosestPoint c = outside_.surface().closest_point(point(bone, i));
                Vec3 normal = Vec3::Zero();
                for (int k = 0; k < 3; ++k) {
                    normal += c.barycentric[k] * point(normals_, layers_.triangles(c.triangle, k));
                }
                // Those that are deep enough by now stay where they are.
                const Vec3 under = c.point - kGapAimed * gap * normal.normalized();
                pins.push_back({static_cast<Index>(n_ + i),
                                distance[i] < -gap ? point(bone, i) : under,
                                options_.collision * strength_[at(i)]});
            }
        }
        return pins;
    }

    const LayeredTemplate& layers_;
    const LayerFitOptions& options_;
    Eigen::Index n_;
    Triangles below_;
    SignedDistance outside_;
    Points normals_;
    Points x_;
    std::vector<double> strength_;  // of each vertex's pull away from the skin
    std::optional<LocalGlobal> solver_;
};

}  // namespace

Points fit_skeleton_surface(const LayeredTemplate& layers, const ScaledLayers& scaled,
                            const Points& skin, const LayerFitOptions& options,
                            BoneFitReport& report, const Progress& progress) {
    return SkeletonFit(layers, scaled, skin, options).run(report, progress);
}

}  // namespace sinew
