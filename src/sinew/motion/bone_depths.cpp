#include "sinew/motion/bone_depths.h"

#include "sinew/base/parallel.h"
#include "sinew/motion/muscle_paths.h"

#include <algorithm>

// Bones as depths on grids, and how much of muscles' lines runs inside them. Joints are bones that
// touch, so a line across one may be inside two: the deeper one counts.

namespace sinew {

namespace {

constexpr int kDepthPoints = 8;  // of a straight piece, where depth is looked up

TriangleMesh bones_of(const MusculoskeletalModel& model, Index body) {
    TriangleMesh out;
    for (const BodyShape& shape : model.shapes) {
        if (shape.body != body || shape.mesh == nullptr || shape.mesh->triangles.rows() == 0) {
            continue;
        }
        const Eigen::Index points = out.points.rows();
        const Eigen::Index triangles = out.triangles.rows();
        out.points.conservativeResize(points + shape.mesh->points.rows(), 3);
        for (Eigen::Index i = 0; i < shape.mesh->points.rows(); ++i) {
            const Vec3 p = shape.mesh->points.row(i).transpose();
            out.points.row(points + i) =
                (shape.placement * Vec3(shape.scale.cwiseProduct(p))).transpose();
        }
        out.triangles.conservativeResize(triangles + shape.mesh->triangles.rows(), 3);
        out.triangles.bottomRows(shape.mesh->triangles.rows()) =
            shape.mesh->triangles.array() + static_cast<Index>(points);
    }
    return out;
}

}  // namespace

BoneDepths::BoneDepths(const MusculoskeletalModel& model) {
    for (std::size_t b = 0; b < model.bodies.size(); ++b) {
        const TriangleMesh mesh = bones_of(model, static_cast<Index>(b));
        if (mesh.triangles.rows() == 0) {
            continue;
        }
        auto grid = std::make_shared<const DepthGrid>(mesh);
        if (!grid->is_empty()) {
            bodies_.push_back(static_cast<Index>(b));
            grids_.push_back(std::move(grid));
        }
    }
}

std::vector<std::size_t> BoneDepths::beside(const std::vector<Vec3>& path,
                                            const MotionPlacements& placed, std::size_t motion,
                                            std::size_t sample, double margin) const {
    Vec3 low = path.front();
    Vec3 high = path.front();
    for (const Vec3& p : path) {
        low = low.cwiseMin(p);
        high = high.cwiseMax(p);
    }
    std::vector<std::size_t> out;
    for (std::size_t k = 0; k < bodies_.size(); ++k) {
        const Vec3 centre = placed.body(motion, sample, bodies_[k]) *
                            Vec3(0.5 * (grids_[k]->low() + grids_[k]->high()));
        const double radius = 0.5 * (grids_[k]->high() - grids_[k]->low()).norm() + margin;
        const Vec3 outside = (low - centre).cwiseMax(centre - high).cwiseMax(0.0);
        if (outside.squaredNorm() < radius * radius) {
            out.push_back(k);
        }
    }
    return out;
}

double BoneDepths::depth_at(const std::vector<std::size_t>& bones, const Vec3& p,
                            const MotionPlacements& placed, std::size_t motion, std::size_t sample,
                            Vec3* gradient) const {
    double deepest = 0.0;
    for (const std::size_t k : bones) {
        const Placement& T = placed.body(motion, sample, bodies_[k]);
        Vec3 slope = Vec3::Zero();
        const double depth = grids_[k]->at(T.rotation.transpose() * (p - T.position),
                                           gradient == nullptr ? nullptr : &slope);
        if (depth > deepest) {
            deepest = depth;
            if (gradient != nullptr) {
                *gradient = T.rotation * slope;
            }
        }
    }
    return deepest;
}

BonePenetration measure_penetration(const MusculoskeletalModel& model, const BoneDepths& bones,
                                    const std::vector<JointMotion>& motions) {
    BonePenetration out;
    if (bones.is_empty()) {
        return out;
    }
    const KinematicTree tree(model);
    const MusclePaths paths(model, tree);
    const MotionPlacements placed(model, motions);
    const PathState rest = paths.evaluate(tree.place(rest_coordinates(model)));
    struct Sums {
        double deepest = 0.0;
        double depth = 0.0;
        double inside = 0.0;
        double count = 0.0;
    };
    std::vector<Sums> of(model.muscles.size());
    parallel_for(of.size(), 1, [&](std::size_t begin, std::size_t end) {
        for (std::size_t m = begin; m < end; ++m) {
            const MuscleUnit& unit = model.muscles[m];
            const auto moved_by = paths.coordinates(m);
            for (std::size_t j = 0; j < motions.size(); ++j) {
                if (rest.length[m] <= 0.0 || std::find(moved_by.begin(), moved_by.end(),
                                                       motions[j].coordinate) == moved_by.end()) {
                    continue;
                }
                for (std::size_t s = 0; s < motions[j].poses.size(); ++s) {
                    std::vector<Vec3> points;
                    for (const PathPoint& point : unit.points) {
                        Vec3 p = Vec3::Zero();
                        for (const PathPoint::Anchor& a : point.anchors) {
                            p += a.weight * (placed.body(j, s, a.body) * a.position);
                        }
                        points.push_back(p);
                    }
                    const std::vector<std::size_t> near = bones.beside(points, placed, j, s);
                    for (std::size_t k = 0; k + 1 < points.size(); ++k) {
                        const double share =
                            (points[k + 1] - points[k]).norm() / (rest.length[m] * kDepthPoints);
                        for (int i = 0; i < kDepthPoints; ++i) {
                            const Vec3 p =
                                points[k] + (i + 0.5) / kDepthPoints * (points[k + 1] - points[k]);
                            const double depth = bones.depth_at(near, p, placed, j, s);
                            of[m].deepest = std::max(of[m].deepest, depth / rest.length[m]);
                            of[m].depth += share * depth / rest.length[m];
                            of[m].inside += depth > 0.0 ? share : 0.0;
                        }
                    }
                    of[m].count += 1.0;
                }
            }
        }
    });
    double muscles = 0.0;
    for (std::size_t m = 0; m < of.size(); ++m) {
        if (of[m].count == 0.0) {
            continue;
        }
        muscles += 1.0;
        out.depth += of[m].depth / of[m].count;
        out.inside += of[m].inside / of[m].count;
        if (of[m].deepest > out.deepest) {
            out.deepest = of[m].deepest;
            out.muscle = model.muscles[m].name;
        }
    }
    out.depth /= std::max(1.0, muscles);
    out.inside /= std::max(1.0, muscles);
    return out;
}

}  // namespace sinew
