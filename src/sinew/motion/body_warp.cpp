#include "sinew/motion/body_warp.h"

#include "sinew/base/error.h"
#include "sinew/body/function_value.h"
#include "sinew/motion/muscle_paths.h"
#include "sinew/motion/passive_forces.h"

#include <Eigen/Geometry>
#include <Eigen/LU>

#include <algorithm>
#include <cmath>

// A model whose bones have other shapes [Ryu2021, section 3.2]. Each body has a map of its own
// frame; everything that is fixed to it goes through that map: joint centres, path points,
// surfaces, mass centres, meshes. Fibres and tendons keep their part of the path's length at rest.
//
// Masses and moments: the second moment S = tr(I)/2 - I of a body transforms as S' = (m'/m) A S A^T
// under a linear map A. Bones are not mapped linearly; they take the linear map nearest to theirs.

namespace sinew {

namespace {

constexpr double kMostOfHeads = 0.8;  // of a bone's new length; heads are pressed beyond that

// Along a bone: where z goes, and how fast.
struct Along {
    double z = 0.0;
    double slope = 1.0;
};

Along along_bone(const BodyWarp& w, double z) {
    const double head = BodyWarp::kHeadFraction * w.length;
    const double total = w.elongation * w.length;
    const double press = std::min(1.0, kMostOfHeads * total / (head * (w.proximal + w.distal)));
    const double first = press * w.proximal;
    const double last = press * w.distal;
    const double shaft = (total - head * (first + last)) / (w.length - 2.0 * head);
    if (z < head) {
        return {first * z, first};
    }
    if (z > w.length - head) {
        return {total + last * (z - w.length), last};
    }
    return {first * head + shaft * (z - head), shaft};
}

// From 0 at the proximal head to 1 at the distal one, flat at both.
double progress_along(const BodyWarp& w, double z) {
    const double head = BodyWarp::kHeadFraction * w.length;
    const double t = std::clamp((z - head) / (w.length - 2.0 * head), 0.0, 1.0);
    return t * t * (3.0 - 2.0 * t);
}

double across_bone(const BodyWarp& w, double z) {
    return w.proximal + (w.distal - w.proximal) * progress_along(w, z);
}

const BodyWarp& warp_of(std::span<const BodyWarp> warps, Index body) {
    static const BodyWarp kNone = {};
    return body < 0 ? kNone : warps[at(body)];
}

// How long a direction becomes.
double stretch_along(const Mat3& stretch, const Vec3& direction) {
    return (stretch * direction).norm() / direction.norm();
}

// The function s (f - f0) + target, where f0 is its value now.
void move_function(ScalarFunction& f, double value, double s, double target) {
    f.scale *= s;
    if (f.scale == 0.0) {
        f = {.kind = ScalarFunction::Kind::Constant, .coefficients = {target}};
        return;
    }
    const double shift = (target - s * value) / f.scale;
    if (shift == 0.0) {
        return;
    }
    for (double& y : f.y) {
        y += shift;
    }
    if (f.x.empty()) {
        f.coefficients.back() += shift;  // all kinds end in their constant
    }
}

double value_at_rest(const MusculoskeletalModel& model, const ScalarFunction& f, Index coordinate) {
    const double q = coordinate >= 0 ? model.coordinates[at(coordinate)].rest : 0.0;
    return FunctionEvaluator(f)(q).value;
}

// A surface's radii along its own axes.
void warp_surface(WrapObject& wrap, const BodyWarp& warp) {
    const Vec3 centre = wrap.placement.position;
    const Mat3 stretch = warp.stretch(centre);
    Vec3 along;
    for (int k = 0; k < 3; ++k) {
        along[k] = stretch_along(stretch, wrap.placement.rotation.col(k));
    }
    wrap.placement = {warp.turn(centre) * wrap.placement.rotation, warp(centre)};
    wrap.side_point = along.cwiseProduct(wrap.side_point);
    const double across = 0.5 * (along.x() + along.y());
    switch (wrap.kind) {
        case WrapKind::Sphere:
            wrap.size.x() *= std::cbrt(along.prod());
            break;
        case WrapKind::Cylinder:
            wrap.size.x() *= across;
            wrap.size.y() *= along.z();
            break;
        case WrapKind::Ellipsoid:
            wrap.size = wrap.size.cwiseProduct(along);
            break;
        case WrapKind::Torus:
            wrap.size.x() *= across;
            wrap.size.y() *= across;
            break;
    }
}

void warp_body(RigidBody& body, const BodyWarp& warp, double mass_ratio) {
    // Second moments S = int x x' dm = tr(I)/2 - I grow with the map of both directions.
    const Mat3 A = warp.whole();
    const Mat3 S = 0.5 * body.inertia.trace() * Mat3::Identity() - body.inertia;
    const Mat3 grown = mass_ratio * (A * S * A.transpose());
    body.inertia = grown.trace() * Mat3::Identity() - grown;
    body.mass *= mass_ratio;
    body.com = warp(body.com);
    for (int k = 0; k < 3; ++k) {
        body.box[k] *= stretch_along(A, body.box_placement.rotation.col(k));
    }
    body.box_placement.position = warp(body.box_placement.position);
}

// Shifts that follow a rotation are anatomy (a knee's); those with a coordinate of their own are
// measured and stay.
bool is_anatomy(const ModelJoint& joint, const JointAxis& shift) {
    return shift.coordinate < 0 ||
           std::any_of(joint.axes.begin(), joint.axes.begin() + 3,
                       [&](const JointAxis& turn) { return turn.coordinate == shift.coordinate; });
}

void warp_joint(const MusculoskeletalModel& model, ModelJoint& joint, const BodyWarp& parent,
                const BodyWarp& child) {
    // Where the joint's centre is in the parent at rest: c = P v with v = sum_i axis_i f_i.
    Mat3 axes;
    Vec3 shifts = Vec3::Zero();
    for (int i = 0; i < 3; ++i) {
        const JointAxis& axis = joint.axes[at(i + 3)];
        axes.col(i) = axis.axis;
        shifts[i] =
            is_anatomy(joint, axis) ? value_at_rest(model, axis.function, axis.coordinate) : 0.0;
    }
    const Placement before = joint.parent_frame;
    const Vec3 centre = before * Vec3(axes * shifts);
    const Mat3 stretch = parent.stretch(centre);
    joint.parent_frame = {parent.turn(centre) * before.rotation, parent(before.position)};
    // It goes to warp(c), and its course about that grows as the bone does there.
    const Vec3 moved =
        joint.parent_frame.rotation.transpose() * (parent(centre) - joint.parent_frame.position);
    const Vec3 targets = axes.inverse() * moved;
    for (int i = 0; i < 3; ++i) {
        JointAxis& axis = joint.axes[at(i + 3)];
        if (is_anatomy(joint, axis)) {
            move_function(axis.function, shifts[i],
                          stretch_along(stretch, before.rotation * axis.axis), targets[i]);
        }
        joint.radii[i] *= stretch_along(stretch, before.rotation.col(i));
    }
    const Vec3 end = joint.child_frame.position;
    joint.child_frame = {child.turn(end) * joint.child_frame.rotation, child(end)};
}

void warp_points(const MusculoskeletalModel& model, std::vector<PathPoint>& points,
                 std::span<const BodyWarp> warps) {
    for (PathPoint& point : points) {
        if (point.is_moving()) {
            // The point at rest goes where its bone goes, its course about it grows with the bone.
            Vec3 rest = point.anchors[0].position;
            for (int k = 0; k < 3; ++k) {
                const PathPoint::Component& c = point.moving[at(k)];
                rest[k] =
                    c.coordinate >= 0 ? value_at_rest(model, c.function, c.coordinate) : rest[k];
            }
            const BodyWarp& warp = warp_of(warps, point.anchors[0].body);
            const Vec3 target = warp(rest);
            const Mat3 stretch = warp.stretch(rest);
            for (int k = 0; k < 3; ++k) {
                PathPoint::Component& c = point.moving[at(k)];
                if (c.coordinate >= 0) {
                    move_function(c.function, rest[k], stretch(k, k), target[k]);
                }
            }
        }
        for (PathPoint::Anchor& anchor : point.anchors) {
            anchor.position = warp_of(warps, anchor.body)(anchor.position);
        }
    }
}

// A mesh in memory is bent with its bone; one that is only named can but be stretched.
void warp_shape(BodyShape& shape, const BodyWarp& warp) {
    if (warp.is_bone && shape.mesh != nullptr) {
        auto bent = std::make_shared<TriangleMesh>(*shape.mesh);
        for (Eigen::Index i = 0; i < bent->points.rows(); ++i) {
            const Vec3 p = bent->points.row(i).transpose();
            const Vec3 placed = shape.placement * Vec3(shape.scale.cwiseProduct(p));
            bent->points.row(i) = (shape.placement.inverse() * warp(placed)).transpose();
        }
        shape.mesh = std::move(bent);
        shape.scale = Vec3::Ones();
        shape.file.clear();
        return;
    }
    const Mat3 stretch = warp.is_bone ? warp.whole() : warp.stretch(shape.placement.position);
    for (int k = 0; k < 3; ++k) {
        shape.scale[k] *= stretch_along(stretch, shape.placement.rotation.col(k));
    }
    shape.placement.position = warp(shape.placement.position);
}

// Of the muscles of `paths`, over the bodies of `model`.
std::vector<double> lengths_at_rest(const MusculoskeletalModel& model,
                                    const MusculoskeletalModel& paths) {
    const KinematicTree tree(model);
    return MusclePaths(paths, tree).evaluate(tree.place(rest_coordinates(model))).length;
}

// Ligaments keep their strain at rest; frames and shapes move with their bodies.
void warp_passive(MusculoskeletalModel& out, std::span<const BodyWarp> warps,
                  const MusculoskeletalModel& before) {
    for (Ligament& ligament : out.ligaments) {
        warp_points(before, ligament.points, warps);
    }
    const std::vector<double> old_lengths = lengths_at_rest(before, ligaments_as_muscles(before));
    const std::vector<double> lengths = lengths_at_rest(out, ligaments_as_muscles(out));
    for (std::size_t k = 0; k < lengths.size(); ++k) {
        out.ligaments[k].slack *= old_lengths[k] > 0.0 ? lengths[k] / old_lengths[k] : 1.0;
    }
    const auto warp_frame = [&](Index body, Placement& frame) {
        const BodyWarp& warp = warp_of(warps, body);
        frame = {warp.turn(frame.position) * frame.rotation, warp(frame.position)};
    };
    for (Bushing& bushing : out.bushings) {
        warp_frame(bushing.first, bushing.first_frame);
        warp_frame(bushing.second, bushing.second_frame);
    }
    for (BodyShape& shape : out.shapes) {
        warp_shape(shape, warp_of(warps, shape.body));
    }
}

void warp_muscles(MusculoskeletalModel& out, std::span<const BodyWarp> warps,
                  const MusculoskeletalModel& before) {
    for (MuscleUnit& unit : out.muscles) {
        warp_points(before, unit.points, warps);
    }
    // Fibres and tendons keep their share of the path at rest.
    const std::vector<double> old_lengths = lengths_at_rest(before, before);
    const std::vector<double> lengths = lengths_at_rest(out, out);
    for (std::size_t m = 0; m < out.muscles.size(); ++m) {
        const double ratio = lengths[m] / old_lengths[m];
        if (std::isfinite(ratio) && ratio > 0.0) {
            out.muscles[m].fibre *= ratio;
            out.muscles[m].tendon *= ratio;
        }
    }
}

}  // namespace

Vec3 BodyWarp::operator()(const Vec3& p) const {
    if (!is_bone) {
        return linear * p;
    }
    const Vec3 x = T_body_bone.inverse() * p;
    const double across = across_bone(*this, x.z());
    const Vec3 grown(across * x.x(), across * x.y(), along_bone(*this, x.z()).z);
    const Eigen::AngleAxisd twist(torsion * progress_along(*this, x.z()), Vec3::UnitZ());
    return T_body_bone * Vec3(twist * grown);
}

Mat3 BodyWarp::turn(const Vec3& p) const {
    if (!is_bone) {
        return Mat3::Identity();
    }
    const double z = (T_body_bone.inverse() * p).z();
    const Vec3 axis = T_body_bone.rotation.col(2);
    return Eigen::AngleAxisd(torsion * progress_along(*this, z), axis).toRotationMatrix();
}

Mat3 BodyWarp::stretch(const Vec3& p) const {
    if (!is_bone) {
        return linear;
    }
    const double z = (T_body_bone.inverse() * p).z();
    const double across = across_bone(*this, z);
    const Mat3& R = T_body_bone.rotation;
    return R * Vec3(across, across, along_bone(*this, z).slope).asDiagonal() * R.transpose();
}

Mat3 BodyWarp::whole() const {
    if (!is_bone) {
        return linear;
    }
    const double across = 0.5 * (proximal + distal);
    const Mat3& R = T_body_bone.rotation;
    return R * Vec3(across, across, elongation).asDiagonal() * R.transpose();
}

BodyWarp BodyWarp::scaling(const Vec3& factors) {
    return {.linear = factors.asDiagonal()};
}

MusculoskeletalModel warped_model(const MusculoskeletalModel& model,
                                  std::span<const BodyWarp> warps,
                                  std::span<const double> mass_ratios) {
    SINEW_ASSERT(warps.size() == model.bodies.size() && mass_ratios.size() == warps.size(),
                 "{} warps, {} mass ratios, {} bodies", warps.size(), mass_ratios.size(),
                 model.bodies.size());
    MusculoskeletalModel out = model;
    for (std::size_t b = 0; b < out.bodies.size(); ++b) {
        warp_body(out.bodies[b], warps[b], mass_ratios[b]);
    }
    for (ModelJoint& joint : out.joints) {
        warp_joint(model, joint, warp_of(warps, joint.parent), warp_of(warps, joint.child));
    }
    for (WrapObject& wrap : out.wraps) {
        warp_surface(wrap, warp_of(warps, wrap.body));
    }
    for (ModelMarker& marker : out.markers) {
        marker.position = warp_of(warps, marker.body)(marker.position);
    }
    warp_muscles(out, warps, model);
    warp_passive(out, warps, model);
    return out;
}

}  // namespace sinew
