#include "sinew/build/envelope.h"

#include "sinew/base/error.h"
#include "sinew/base/parallel.h"
#include "sinew/build/column_shaping.h"
#include "sinew/build/envelope_fitting.h"
#include "sinew/energy/pins.h"
#include "sinew/energy/projective_line.h"
#include "sinew/energy/projective_tets.h"
#include "sinew/geometry/laplacian.h"
#include "sinew/geometry/measure.h"
#include "sinew/solver/local_global.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <numeric>

namespace sinew {

namespace {

/// The flesh while it shrinks; the first points are the skin's.
class Shrinking {
public:
    Shrinking(const TriangleMesh& skin, const TetMesh& flesh, const AnatomySolid& solid,
              const EnvelopeOptions& options)
        : solid_(solid),
          options_(options),
          flesh_(flesh),
          vertices_(skin.points.rows()),
          directions_(vertex_normals(skin)),
          x_(flesh.points),
          is_held_(static_cast<std::size_t>(vertices_), 0) {
        const auto tets = static_cast<std::size_t>(flesh.tets.rows());
        rotation_.assign(tets, options.rotation_weight);
        no_volume_.assign(tets, 0.0);
        const Eigen::VectorXd mass = lumped_mass(flesh.points, flesh.tets);
        const double unit = options.regularisation_length * options.regularisation_length;
        regularisation_.resize(static_cast<std::size_t>(mass.size()));
        for (std::size_t i = 0; i < regularisation_.size(); ++i) {
            regularisation_[i] = options.regularisation * mass[static_cast<Eigen::Index>(i)] / unit;
        }
        // Vertices that touch from the start.
        const Eigen::VectorXd distance = solid.signed_distances(skin.points);
        for (Eigen::Index i = 0; i < vertices_; ++i) {
            if (distance[i] <= options.margin) {
                is_held_[static_cast<std::size_t>(i)] = 1;
            }
        }
    }

    /// One iteration; `growth` is beta^k. Returns the solver's residual.
    double step(double growth) {
        const Points before = x_;
        std::vector<Index> held;
        std::vector<Index> free;
        for (Eigen::Index i = 0; i < vertices_; ++i) {
            (is_held_[static_cast<std::size_t>(i)] ? held : free).push_back(static_cast<Index>(i));
        }
        LocalGlobal solver(x_.rows(), terms(growth, free), held);
        const LocalGlobalReport report =
            solver.minimise(x_, {.max_iterations = options_.solver_steps, .tolerance = 1e-3});
        hold_at_first_touch(before);
        return report.last_residual();
    }

    Points surface() const {
        return x_.topRows(vertices_);
    }
    int held_count() const {
        return static_cast<int>(std::accumulate(is_held_.begin(), is_held_.end(), 0));
    }

private:
    EnergyTerms terms(double growth, const std::vector<Index>& free) const {
        auto elastic = std::make_shared<ProjectiveTets>(flesh_, rotation_, no_volume_);
        elastic->set_growth(std::vector<Mat3>(static_cast<std::size_t>(flesh_.tets.rows()),
                                              growth * Mat3::Identity()));
        std::vector<Index> all(static_cast<std::size_t>(x_.rows()));
        std::iota(all.begin(), all.end(), Index{0});
        auto near = std::make_shared<Pins>(all, x_, regularisation_);
        // Ten times as stiff across the normal as the regularisation is.
        constexpr double kAcross = 10.0;
        Points origins(static_cast<Eigen::Index>(free.size()), 3);
        Points lines(origins.rows(), 3);
        std::vector<double> weights;
        for (std::size_t k = 0; k < free.size(); ++k) {
            const auto row = static_cast<Eigen::Index>(k);
            origins.row(row) = flesh_.points.row(free[k]);
            lines.row(row) = directions_.row(free[k]);
            weights.push_back(kAcross * regularisation_[static_cast<std::size_t>(free[k])]);
        }
        EnergyTerms terms = {std::move(elastic), std::move(near)};
        if (!free.empty()) {
            terms.push_back(std::make_shared<ProjectiveLine>(free, origins, lines, weights));
        }
        return terms;
    }

    /// Sphere tracing from the place before: distances are exact outside, so no step passes a part.
    void hold_at_first_touch(const Points& before) {
        parallel_for(static_cast<std::size_t>(vertices_), 256,
                     [&](std::size_t begin, std::size_t end) {
                         for (std::size_t i = begin; i < end; ++i) {
                             if (!is_held_[i]) {
                                 trace(static_cast<Eigen::Index>(i), before);
                             }
                         }
                     });
    }

    void trace(Eigen::Index i, const Points& before) {
        const Vec3 from = point(before, i);
        const Vec3 way = point(x_, i) - from;
        const double length = way.norm();
        constexpr double kClose = 5e-5;  // m: near enough to have touched
        double walked = 0.0;
        while (walked < length) {
            const Vec3 at = from + walked / length * way;
            const double free =
                solid_.distance(at, length - walked + 2.0 * options_.margin) - options_.margin;
            if (free <= kClose) {
                x_.row(i) = at.transpose();
                is_held_[static_cast<std::size_t>(i)] = 1;
                return;
            }
            walked += free;
        }
    }

    const AnatomySolid& solid_;
    const EnvelopeOptions& options_;
    const TetMesh& flesh_;
    Eigen::Index vertices_;
    Points directions_;
    Points x_;
    std::vector<char> is_held_;
    std::vector<double> rotation_;
    std::vector<double> no_volume_;
    std::vector<double> regularisation_;
};

}  // namespace

Envelope shrink_envelope(const TriangleMesh& skin, const TetMesh& flesh, const AnatomySolid& solid,
                         const EnvelopeOptions& options, const Progress& progress) {
    check_ranges(options, "envelope");
    Shrinking shrinking(skin, flesh, solid, options);
    Envelope result;
    {
        auto stage = progress.stage("envelope", static_cast<std::uint64_t>(options.iterations));
        double growth = 1.0;
        for (int k = 0; k < options.iterations; ++k) {
            growth *= options.shrink;
            result.residual = std::max(result.residual, shrinking.step(growth));
            stage.advance();
        }
    }
    result.touching = shrinking.held_count();
    EnvelopeFitting fitting(skin, shrinking.surface(), solid,
                            {.margin = options.margin,
                             .min_thickness = options.min_thickness,
                             .thickness_over_edge = options.thickness_over_edge,
                             .cut_share = options.cut_share});
    fitting.run(progress);
    result.mesh.points =
        shape_columns(skin, fitting.points(), solid, {.margin = 0.5 * options.margin});
    result.mesh.triangles = skin.triangles;
    result.backed_off = fitting.backed_off();
    return result;
}

}  // namespace sinew
