#include "sinew/motion/model_scaling.h"

#include "sinew/base/error.h"
#include "sinew/motion/muscle_paths.h"
#include "sinew/motion/passive_forces.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace sinew {

namespace {

constexpr double kLeastDistance = 0.05;  // m between two markers of a pair

Vec3 factor_of(std::span<const Vec3> factors, Index body) {
    return body < 0 ? Vec3(Vec3::Ones()) : factors[at(body)];
}

// How long a direction of the body becomes.
double stretch_along(const Vec3& factor, const Vec3& direction) {
    return factor.cwiseProduct(direction).norm() / direction.norm();
}

// A surface's three radii along its own axes.
void scale_wrap(WrapObject& wrap, const Vec3& s) {
    Vec3 along;
    for (int k = 0; k < 3; ++k) {
        along[k] = stretch_along(s, wrap.placement.rotation.col(k));
    }
    wrap.placement.position = s.cwiseProduct(wrap.placement.position);
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

void scale_inertia(RigidBody& body, const Vec3& s, double mass_ratio) {
    // Second moments S = int x x' dm = tr(I)/2 - I grow with the factors of both directions.
    const Mat3 S = 0.5 * body.inertia.trace() * Mat3::Identity() - body.inertia;
    const Mat3 scaled = mass_ratio * (s.asDiagonal() * S * s.asDiagonal());
    body.inertia = scaled.trace() * Mat3::Identity() - scaled;
    body.mass *= mass_ratio;
    body.com = s.cwiseProduct(body.com);
}

void scale_joint(ModelJoint& joint, const Vec3& parent, const Vec3& child) {
    joint.parent_frame.position = parent.cwiseProduct(joint.parent_frame.position);
    joint.child_frame.position = child.cwiseProduct(joint.child_frame.position);
    // Shifts that follow a rotation are anatomy (a knee's); those with a coordinate of their own
    // are measured.
    for (std::size_t i = 3; i < 6; ++i) {
        JointAxis& axis = joint.axes[i];
        const bool turns =
            std::any_of(joint.axes.begin(), joint.axes.begin() + 3, [&](const JointAxis& a) {
                return axis.coordinate >= 0 && a.coordinate == axis.coordinate;
            });
        if (axis.coordinate < 0 || turns) {
            const Vec3 along = joint.parent_frame.rotation * axis.axis;
            axis.function.scale *= stretch_along(parent, along);
        }
    }
    for (int k = 0; k < 3; ++k) {
        const Vec3 along = joint.parent_frame.rotation.col(k);
        joint.radii[k] *= stretch_along(parent, along);
    }
}

void scale_points(std::vector<PathPoint>& points, std::span<const Vec3> factors) {
    for (PathPoint& point : points) {
        for (PathPoint::Anchor& anchor : point.anchors) {
            anchor.position = factor_of(factors, anchor.body).cwiseProduct(anchor.position);
        }
        const Vec3 s = factor_of(factors, point.anchors[0].body);
        for (std::size_t k = 0; k < 3; ++k) {
            point.moving[k].function.scale *= s[static_cast<Eigen::Index>(k)];
        }
    }
}

// Lengths of ligaments at rest.
std::vector<double> ligament_lengths(const MusculoskeletalModel& model) {
    const KinematicTree tree(model);
    return MusclePaths(ligaments_as_muscles(model), tree)
        .evaluate(tree.place(rest_coordinates(model)))
        .length;
}

// Ligaments keep their strain at rest; frames and shapes move with their bodies.
void scale_passive(MusculoskeletalModel& model, std::span<const Vec3> factors,
                   const MusculoskeletalModel& before) {
    for (Ligament& ligament : model.ligaments) {
        scale_points(ligament.points, factors);
    }
    const std::vector<double> old_lengths = ligament_lengths(before);
    const std::vector<double> lengths = ligament_lengths(model);
    for (std::size_t k = 0; k < lengths.size(); ++k) {
        model.ligaments[k].slack *= old_lengths[k] > 0.0 ? lengths[k] / old_lengths[k] : 1.0;
    }
    for (Bushing& bushing : model.bushings) {
        Vec3& a = bushing.first_frame.position;
        Vec3& b = bushing.second_frame.position;
        a = factor_of(factors, bushing.first).cwiseProduct(a);
        b = factor_of(factors, bushing.second).cwiseProduct(b);
    }
    for (BodyShape& shape : model.shapes) {
        const Vec3 s = factor_of(factors, shape.body);
        shape.placement.position = s.cwiseProduct(shape.placement.position);
        for (int k = 0; k < 3; ++k) {
            shape.scale[k] *= stretch_along(s, shape.placement.rotation.col(k));
        }
    }
}

void scale_muscles(MusculoskeletalModel& model, std::span<const Vec3> factors,
                   const MusculoskeletalModel& before) {
    for (MuscleUnit& unit : model.muscles) {
        scale_points(unit.points, factors);
    }
    // Fibres and tendons keep their share of the path at rest.
    const KinematicTree tree_before(before);
    const KinematicTree tree(model);
    const PathState old_lengths =
        MusclePaths(before, tree_before).evaluate(tree_before.place(rest_coordinates(before)));
    const PathState lengths =
        MusclePaths(model, tree).evaluate(tree.place(rest_coordinates(model)));
    for (std::size_t m = 0; m < model.muscles.size(); ++m) {
        const double ratio = lengths.length[m] / old_lengths.length[m];
        if (std::isfinite(ratio) && ratio > 0.0) {
            model.muscles[m].fibre *= ratio;
            model.muscles[m].tendon *= ratio;
        }
    }
}

}  // namespace

MusculoskeletalModel scaled_model(const MusculoskeletalModel& model, std::span<const Vec3> factors,
                                  double mass) {
    SINEW_ASSERT(factors.size() == model.bodies.size(), "{} factors, {} bodies", factors.size(),
                 model.bodies.size());
    MusculoskeletalModel out = model;
    double total = 0.0;
    for (const RigidBody& body : model.bodies) {
        total += body.mass;
    }
    for (std::size_t b = 0; b < out.bodies.size(); ++b) {
        RigidBody& body = out.bodies[b];
        const Vec3& s = factors[b];
        const double ratio = mass > 0.0 && total > 0.0 ? mass / total : s.prod();
        scale_inertia(body, s, ratio);
        for (int k = 0; k < 3; ++k) {
            body.box[k] *= stretch_along(s, body.box_placement.rotation.col(k));
        }
        body.box_placement.position = s.cwiseProduct(body.box_placement.position);
    }
    for (ModelJoint& joint : out.joints) {
        scale_joint(joint, factor_of(factors, joint.parent), factor_of(factors, joint.child));
    }
    for (WrapObject& wrap : out.wraps) {
        scale_wrap(wrap, factor_of(factors, wrap.body));
    }
    for (ModelMarker& marker : out.markers) {
        marker.position = factor_of(factors, marker.body).cwiseProduct(marker.position);
    }
    scale_muscles(out, factors, model);
    scale_passive(out, factors, model);
    return out;
}

double marker_distance(const MarkerData& data, std::string_view first, std::string_view second) {
    const Index a = find_marker(data, first);
    const Index b = find_marker(data, second);
    if (a < 0 || b < 0) {
        return 0.0;
    }
    double sum = 0.0;
    std::size_t count = 0;
    for (std::size_t f = 0; f < data.times.size(); ++f) {
        const double d =
            (data.at(f, static_cast<std::size_t>(a)) - data.at(f, static_cast<std::size_t>(b)))
                .norm();
        if (std::isfinite(d)) {
            sum += d;
            ++count;
        }
    }
    return count > 0 ? sum / static_cast<double>(count) : 0.0;
}

std::vector<Vec3> factors_from_markers(const MusculoskeletalModel& model, const MarkerData& data,
                                       std::vector<ScalePair>& pairs) {
    std::vector<Vec3> out(model.bodies.size(), Vec3::Zero());
    double all = 0.0;
    std::size_t known = 0;
    for (std::size_t b = 0; b < model.bodies.size(); ++b) {
        double sum = 0.0;
        std::size_t count = 0;
        for (std::size_t i = 0; i < model.markers.size(); ++i) {
            for (std::size_t j = i + 1; j < model.markers.size(); ++j) {
                const ModelMarker& p = model.markers[i];
                const ModelMarker& q = model.markers[j];
                const double apart = (p.position - q.position).norm();
                const double measured = p.body == static_cast<Index>(b) && q.body == p.body
                                            ? marker_distance(data, p.name, q.name)
                                            : 0.0;
                if (apart >= kLeastDistance && measured > 0.0) {
                    pairs.push_back({model.bodies[b].name, p.name, q.name, measured, apart});
                    sum += measured / apart;
                    ++count;
                }
            }
        }
        if (count > 0) {
            out[b] = Vec3::Constant(sum / static_cast<double>(count));
            all += out[b].x();
            ++known;
        }
    }
    if (known == 0) {
        throw InputError({.where = fmt::format("model '{}'", model.name),
                          .found = "no body with two markers that the data have, too",
                          .needs = "pairs of markers to measure bodies by",
                          .remedy = "give a set-up of measurements (--setup)"});
    }
    for (Vec3& factor : out) {
        factor = factor.isZero() ? Vec3(Vec3::Constant(all / static_cast<double>(known))) : factor;
    }
    return out;
}

}  // namespace sinew
