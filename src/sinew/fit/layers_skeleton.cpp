#include "sinew/fit/layers_skeleton.h"

#include "sinew/base/parallel.h"
#include "sinew/energy/pins.h"
#include "sinew/energy/projective_bending.h"
#include "sinew/fit/layers_flow.h"
#include "sinew/geometry/laplacian.h"
#include "sinew/geometry/measure.h"
#include "sinew/geometry/signed_distance.h"
#include "sinew/mesh/connectivity.h"
#include "sinew/solver/local_global.h"

#include <algorithm>
#include <array>
#include <memory>
#include <numeric>

// The skeleton surface by [Komaritzan, eqs. 4.1-4.4]: bending against targets on the wrap, the
// bending weight falling by tenths. Targets are of three kinds with their weights in the thesis:
// closest points (0.1), fixed ones that lie well under their vertex (1), and collisions that push
// out of the wrap (100). Fixed ones are 5 cm apart and chosen by the alignment error.
//
// Last, thin triangles are opened and everything is put under the muscle surface: what follows
// needs prisms of positive volume.

namespace sinew {

namespace {

constexpr double kClosestWeight = 0.1;  // of targets, by their kind [Komaritzan, eq. 4.3]
constexpr double kFixedWeight = 1.0;
constexpr double kCollisionWeight = 100.0;
constexpr double kNearSkeleton = 0.03;       // m, of vertices that may get a fixed target
constexpr double kFixedSpacing = 0.05;       // m, between them
constexpr double kAboveWrap = 0.0005;        // m, of targets of vertices that came inside
constexpr double kSofter = 0.1;              // of the bending weight, from stage to stage
constexpr double kThinnestTriangle = 0.005;  // of the triangle of M above it
constexpr double kTowardsMuscle = 0.1;       // of the way, when a thin triangle is opened
constexpr int kOpenings = 100;
constexpr int kRounds = 4;               // of new targets in a stage
constexpr int kIterations = 6;           // of the solver in a round
constexpr std::size_t kWrapPiece = 256;  // vertices per piece of parallel work

// The skin on its way to the wrap.
class Shrinking {
public:
    Shrinking(const Body& body, const LayeredTemplate& layers, const LayerOptions& options)
        : layers_(layers),
          options_(options),
          wrap_(layers.wrap),
          wrap_normals_(vertex_normals(layers.wrap)),
          skin_normals_(vertex_normals(layers.skin, layers.triangles)),
          around_(neighbours_of_vertices(layers.triangles, layers.skin.rows())),
          area_(voronoi_mass(layers.muscle, layers.triangles)),
          x_(flowed(body)),
          weight_(at(x_.rows()), kClosestWeight),
          target_(x_) {
        for (std::size_t i = 0; i < weight_.size(); ++i) {
            if (layers_.is_kept[i] != 0) {
                kept_.push_back(static_cast<Index>(i));
            }
        }
        // Fixed targets hang on the skin, so they are found once.
        fixed_.assign(weight_.size(), 0);
        fixed_target_ = x_;
        if (options.aligns) {
            find_fixed_targets();
        }
    }

    Points run(const Progress& progress) {
        int stages = 0;
        for (double w = options_.stiffest; w >= 0.999 * options_.softest; w *= kSofter) {
            ++stages;
        }
        auto stage = progress.stage("skeleton surface", static_cast<std::uint64_t>(stages));
        double w = options_.stiffest;
        for (int s = 0; s < stages; ++s, w *= kSofter) {
            minimise(w);
            stage.advance();
        }
        keep_inside();
        open_thin_triangles();
        return x_;
    }

private:
    // The start: lines from M down to the bones.
    Points flowed(const Body& body) const {
        const Points inward = -vertex_normals(layers_.muscle, layers_.triangles);
        Points ends =
            flow_to_solid(body.tets, body.envelope.tet_vertex, wrap_, layers_.muscle, inward);
        for (Eigen::Index i = 0; i < ends.rows(); ++i) {
            if (layers_.is_kept[at(i)] != 0) {
                ends.row(i) = layers_.muscle.row(i);
            }
        }
        return ends;
    }

    Vec3 wrap_normal(const ClosestPoint& c) const {
        Vec3 n = Vec3::Zero();
        for (int k = 0; k < 3; ++k) {
            n += c.barycentric[k] * point(wrap_normals_, layers_.wrap.triangles(c.triangle, k));
        }
        return n.normalized();
    }

    // In order of their distance, each 5 cm from those before: the point of the wrap around the
    // nearest one that lies best under the vertex.
    void find_fixed_targets() {
        const std::vector<ClosestPoint> nearest = wrap_.surface().closest_points(layers_.skin);
        std::vector<Index> order(nearest.size());
        std::iota(order.begin(), order.end(), 0);
        std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) {
            return nearest[at(a)].distance < nearest[at(b)].distance;
        });
        std::vector<Index> chosen;
        for (const Index i : order) {
            if (nearest[at(i)].distance > kNearSkeleton) {
                break;
            }
            const Vec3 p = point(layers_.skin, i);
            const bool is_near = std::any_of(chosen.begin(), chosen.end(), [&](Index c) {
                return (point(layers_.skin, c) - p).norm() < kFixedSpacing;
            });
            if (layers_.is_kept[at(i)] != 0 || is_near) {
                continue;
            }
            chosen.push_back(i);
            fixed_[at(i)] = 1;
            // The end of the line that flows from it, or the nearest point where that is better.
            const ClosestPoint end = wrap_.surface().closest_point(point(x_, i));
            const Vec3 n = point(skin_normals_, i);
            const bool flows =
                alignment_error(p, n, end.point, wrap_normal(end)) <
                alignment_error(p, n, nearest[at(i)].point, wrap_normal(nearest[at(i)]));
            fixed_target_.row(i) = (flows ? end.point : nearest[at(i)].point).transpose();
        }
    }

    void find_targets() {
        parallel_for(weight_.size(), kWrapPiece, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) {
                const auto row = static_cast<Eigen::Index>(i);
                if (layers_.is_kept[i] != 0) {
                    continue;
                }
                const Vec3 p = point(x_, row);
                const ClosestPoint c = wrap_.surface().closest_point(p);
                if (wrap_.is_inside(p)) {
                    weight_[i] = kCollisionWeight;
                    target_.row(row) = (c.point + kAboveWrap * wrap_normal(c)).transpose();
                } else if (weight_[i] != kCollisionWeight) {
                    weight_[i] = fixed_[i] != 0 ? kFixedWeight : kClosestWeight;
                    target_.row(row) = fixed_[i] != 0 ? Eigen::RowVector3d(fixed_target_.row(row))
                                                      : Eigen::RowVector3d(c.point.transpose());
                }
            }
        });
    }

    // Where lines ran together, triangles have hardly any area: their corners go between their
    // neighbours and a little towards M, until they have.
    void open_thin_triangles() {
        const Eigen::VectorXd asked =
            kThinnestTriangle * triangle_areas(layers_.muscle, layers_.triangles);
        for (int round = 0; round < kOpenings; ++round) {
            const Eigen::VectorXd areas = triangle_areas(x_, layers_.triangles);
            std::vector<char> is_thin(weight_.size(), 0);
            bool is_done = true;
            for (Eigen::Index t = 0; t < areas.size(); ++t) {
                for (int k = 0; k < 3 && areas[t] < asked[t]; ++k) {
                    const Index v = layers_.triangles(t, k);
                    is_thin[at(v)] = layers_.is_kept[at(v)] == 0 ? 1 : 0;
                    is_done = is_done && is_thin[at(v)] == 0;
                }
            }
            if (is_done) {
                break;
            }
            const Points old = x_;
            for (std::size_t i = 0; i < is_thin.size(); ++i) {
                if (is_thin[i] == 0) {
                    continue;
                }
                Eigen::RowVector3d mean = Eigen::RowVector3d::Zero();
                for (const Index w : around_[i]) {
                    mean += old.row(w) / static_cast<double>(around_[i].size());
                }
                const auto row = static_cast<Eigen::Index>(i);
                x_.row(row) =
                    (1.0 - kTowardsMuscle) * mean + kTowardsMuscle * layers_.muscle.row(row);
            }
        }
    }

    void minimise(double bending) {
        open_thin_triangles();
        const std::vector<double> bend(weight_.size(), bending);
        const auto term = std::make_shared<ProjectiveBending>(x_, layers_.triangles, bend);
        std::vector<Index> all(weight_.size());
        std::iota(all.begin(), all.end(), 0);
        find_targets();
        std::vector<double> weights(weight_.size());
        for (std::size_t i = 0; i < weights.size(); ++i) {
            weights[i] = weight_[i] * area_[static_cast<Eigen::Index>(i)];
        }
        const auto pins = std::make_shared<Pins>(all, target_, weights);
        LocalGlobal solver(x_.rows(), {term, pins}, kept_);
        for (int round = 0; round < kRounds; ++round) {
            if (round > 0) {
                find_targets();
                pins->set_targets(target_);
            }
            solver.minimise(x_, {.max_iterations = kIterations, .tolerance = 1e-4});
        }
    }

    // Under the muscle surface everywhere: vertices that are not, or too near, go `clearance`
    // below their own vertex of it.
    void keep_inside() {
        const SignedDistance muscle({.points = layers_.muscle, .triangles = layers_.triangles});
        const Points normals = vertex_normals(layers_.muscle, layers_.triangles);
        const Eigen::VectorXd distance = muscle.at_all(x_);
        for (Eigen::Index i = 0; i < x_.rows(); ++i) {
            if (layers_.is_kept[at(i)] == 0 && distance[i] > -options_.clearance) {
                x_.row(i) = layers_.muscle.row(i) - options_.clearance * normals.row(i);
            }
        }
    }

    const LayeredTemplate& layers_;
    const LayerOptions& options_;
    SignedDistance wrap_;
    Points wrap_normals_;
    Points skin_normals_;
    Lists around_;
    Eigen::VectorXd area_;
    Points x_;
    std::vector<double> weight_;
    Points target_;
    std::vector<char> fixed_;
    Points fixed_target_;
    std::vector<Index> kept_;
};

}  // namespace

Points shrink_to_wrap(const Body& body, const LayeredTemplate& layers, const LayerOptions& options,
                      const Progress& progress) {
    return Shrinking(body, layers, options).run(progress);
}

}  // namespace sinew
