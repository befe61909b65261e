#include "sinew/body/musculoskeletal.h"

#include "sinew/base/error.h"

#include <Eigen/Geometry>
#include <fmt/format.h>

#include <cmath>
#include <set>

namespace sinew {

namespace {

[[noreturn]] void fail(std::string_view where, std::string found, std::string needs,
                       std::string remedy) {
    throw InputError({.where = std::string(where),
                      .found = std::move(found),
                      .needs = std::move(needs),
                      .remedy = std::move(remedy)});
}

void require_index(std::string_view where, std::string_view what, Index index, Index low,
                   std::size_t count) {
    if (index < low || index >= static_cast<Index>(count)) {
        fail(where, fmt::format("{} refers to number {}", what, index),
             fmt::format("a number from {} to {}", low, static_cast<Index>(count) - 1),
             "name a part that the model has");
    }
}

template <class Items>
void require_names(std::string_view where, std::string_view kind, const Items& items) {
    std::set<std::string_view> seen;
    for (const auto& item : items) {
        if (item.name.empty() || !seen.insert(item.name).second) {
            fail(where,
                 item.name.empty() ? fmt::format("a {} without a name", kind)
                                   : fmt::format("two {}s named '{}'", kind, item.name),
                 "names that are given once", "rename one of them");
        }
    }
}

void require_function(std::string_view where, std::string_view what, const ScalarFunction& f) {
    const bool has_knots = f.kind == ScalarFunction::Kind::PiecewiseLinear ||
                           f.kind == ScalarFunction::Kind::SimmSpline ||
                           f.kind == ScalarFunction::Kind::NaturalSpline;
    if (!has_knots) {
        const std::size_t needed = f.kind == ScalarFunction::Kind::Sine     ? 4
                                   : f.kind == ScalarFunction::Kind::Linear ? 2
                                                                            : 1;
        if (f.coefficients.size() < needed) {
            fail(where, fmt::format("{} has {} coefficients", what, f.coefficients.size()),
                 fmt::format("at least {}", needed), "complete the function");
        }
        return;
    }
    if (f.x.size() < 2 || f.x.size() != f.y.size()) {
        fail(where, fmt::format("{} has {} x and {} y values", what, f.x.size(), f.y.size()),
             "as many of either, at least 2", "complete the function");
    }
    for (std::size_t i = 1; i < f.x.size(); ++i) {
        if (f.x[i] <= f.x[i - 1]) {
            fail(where, fmt::format("{} has x values that do not rise at entry {}", what, i + 1),
                 "x values that rise", "sort the function's points");
        }
    }
}

void require_bodies(const MusculoskeletalModel& model, std::string_view where) {
    for (const RigidBody& body : model.bodies) {
        if (!(body.mass >= 0.0) || !body.com.allFinite() || !body.inertia.allFinite()) {
            fail(where, fmt::format("body '{}' with mass {}", body.name, body.mass),
                 "a mass >= 0 and finite numbers", "correct the body");
        }
    }
    std::vector<bool> has_joint(model.bodies.size(), false);
    for (const ModelJoint& joint : model.joints) {
        const std::string what = fmt::format("joint '{}'", joint.name);
        require_index(where, what, joint.child, 0, model.bodies.size());
        require_index(where, what, joint.parent, -1, model.bodies.size());
        if (joint.parent >= 0 && !has_joint[static_cast<std::size_t>(joint.parent)]) {
            fail(where, fmt::format("{} comes before the joint of its parent", what),
                 "parents first", "sort the tree");
        }
        if (has_joint[static_cast<std::size_t>(joint.child)]) {
            fail(where, fmt::format("{} is a second joint of one body", what), "one joint per body",
                 "remove one of them");
        }
        has_joint[static_cast<std::size_t>(joint.child)] = true;
        for (const JointAxis& axis : joint.axes) {
            require_index(where, what, axis.coordinate, -1, model.coordinates.size());
            require_function(where, what, axis.function);
            if (std::abs(axis.axis.norm() - 1.0) > 1e-6) {
                fail(where, fmt::format("{} has an axis of length {}", what, axis.axis.norm()),
                     "a unit vector", "correct the axis");
            }
        }
    }
    if (model.joints.size() != model.bodies.size()) {
        fail(where,
             fmt::format("{} bodies and {} joints", model.bodies.size(), model.joints.size()),
             "one joint per body", "join every body to another or to the ground");
    }
}

void require_point(const MusculoskeletalModel& model, std::string_view where,
                   const std::string& what, const PathPoint& point) {
    double total = 0.0;
    for (const PathPoint::Anchor& anchor : point.anchors) {
        require_index(where, what, anchor.body, -1, model.bodies.size());
        total += anchor.weight;
    }
    if (std::abs(total - 1.0) > 1e-9) {
        fail(where, fmt::format("{} has weights that sum to {}", what, total), "a sum of 1",
             "correct the weights");
    }
    require_index(where, what, point.condition, -1, model.coordinates.size());
    for (const PathPoint::Component& c : point.moving) {
        require_index(where, what, c.coordinate, -1, model.coordinates.size());
        require_function(where, what, c.function);
    }
}

// A chain of at least two points, and surfaces that the model has.
void require_path(const MusculoskeletalModel& model, std::string_view where,
                  const std::string& what, const std::vector<PathPoint>& points,
                  const std::vector<PathWrap>& wraps) {
    if (points.size() < 2) {
        fail(where, fmt::format("{} with {} path points", what, points.size()), "at least 2",
             "give it an origin and an insertion");
    }
    for (const PathPoint& point : points) {
        require_point(model, where, what, point);
    }
    for (const PathWrap& wrap : wraps) {
        require_index(where, what, wrap.object, 0, model.wraps.size());
    }
}

// Ligaments, stops, springs, bushings and shapes.
void require_passive(const MusculoskeletalModel& model, std::string_view where) {
    for (const Ligament& ligament : model.ligaments) {
        const std::string what = fmt::format("ligament '{}'", ligament.name);
        require_path(model, where, what, ligament.points, ligament.wraps);
        require_function(where, what, ligament.curve);
        if (!(ligament.slack > 0.0) || !(ligament.force >= 0.0) || !(ligament.toe > 0.0) ||
            !(ligament.damping >= 0.0)) {
            fail(where,
                 fmt::format("{} with slack length {} m, force {}, toe {}, damping {}", what,
                             ligament.slack, ligament.force, ligament.toe, ligament.damping),
                 "a slack length and toe > 0, force and damping >= 0", "correct the ligament");
        }
    }
    for (const CoordinateLimit& limit : model.limits) {
        const std::string what = fmt::format("limit '{}'", limit.name);
        require_index(where, what, limit.coordinate, 0, model.coordinates.size());
        if (!(limit.low <= limit.high) || !(limit.transition >= 0.0)) {
            fail(where,
                 fmt::format("{} from {} to {} with transition {}", what, limit.low, limit.high,
                             limit.transition),
                 "a lower end below the upper one, a transition >= 0", "correct the limit");
        }
    }
    for (const CoordinateSpring& spring : model.springs) {
        require_index(where, fmt::format("spring '{}'", spring.name), spring.coordinate, 0,
                      model.coordinates.size());
    }
    for (const Bushing& bushing : model.bushings) {
        const std::string what = fmt::format("bushing '{}'", bushing.name);
        require_index(where, what, bushing.first, -1, model.bodies.size());
        require_index(where, what, bushing.second, -1, model.bodies.size());
    }
    for (const BodyShape& shape : model.shapes) {
        require_index(where, fmt::format("shape '{}'", shape.name), shape.body, -1,
                      model.bodies.size());
    }
}

void require_muscles(const MusculoskeletalModel& model, std::string_view where) {
    for (const WrapObject& wrap : model.wraps) {
        const std::string what = fmt::format("wrap object '{}'", wrap.name);
        require_index(where, what, wrap.body, -1, model.bodies.size());
        if (!(wrap.size.minCoeff() > 0.0)) {
            fail(where, fmt::format("{} with a size of {}", what, wrap.size.minCoeff()),
                 "sizes > 0", "correct the surface");
        }
    }
    for (const MuscleUnit& muscle : model.muscles) {
        const std::string what = fmt::format("muscle '{}'", muscle.name);
        require_path(model, where, what, muscle.points, muscle.wraps);
        if (!(muscle.fmax > 0.0) || !(muscle.fibre > 0.0) || !(muscle.tendon >= 0.0) ||
            !(muscle.pennation >= 0.0) || !(muscle.pennation < 1.5707)) {
            fail(where,
                 fmt::format("{} with force {} N, fibre {} m, tendon {} m, pennation {} rad", what,
                             muscle.fmax, muscle.fibre, muscle.tendon, muscle.pennation),
                 "force and fibre > 0, tendon >= 0, pennation in [0, pi/2)",
                 "correct the muscle's parameters");
        }
    }
}

}  // namespace

Mat3 rotation_from_xyz(const Vec3& angles) {
    return (Eigen::AngleAxisd(angles.x(), Vec3::UnitX()) *
            Eigen::AngleAxisd(angles.y(), Vec3::UnitY()) *
            Eigen::AngleAxisd(angles.z(), Vec3::UnitZ()))
        .toRotationMatrix();
}

Vec3 xyz_from_rotation(const Mat3& R) {
    // R = Rx Ry Rz has R(0,2) = sin y, R(1,2) = -sin x cos y, R(0,1) = -cos y sin z.
    const double y = std::asin(std::clamp(R(0, 2), -1.0, 1.0));
    if (std::abs(R(0, 2)) > 1.0 - 1e-12) {
        return {std::atan2(R(2, 1), R(1, 1)), y, 0.0};
    }
    return {std::atan2(-R(1, 2), R(2, 2)), y, std::atan2(-R(0, 1), R(0, 0))};
}

std::string_view name_of(JointKind kind) {
    constexpr std::array<std::string_view, 9> kNames = {
        "weld", "hinge", "slider", "universal", "planar", "ball", "free", "custom", "ellipsoid"};
    return kNames[static_cast<std::size_t>(kind)];
}

std::string_view name_of(WrapKind kind) {
    constexpr std::array<std::string_view, 4> kNames = {"sphere", "cylinder", "ellipsoid", "torus"};
    return kNames[static_cast<std::size_t>(kind)];
}

std::string_view name_of(MuscleLaw law) {
    return law == MuscleLaw::Thelen2003 ? "Thelen2003" : "Millard2012";
}

std::vector<double> rest_coordinates(const MusculoskeletalModel& model) {
    std::vector<double> q;
    for (const Coordinate& coordinate : model.coordinates) {
        q.push_back(coordinate.rest);
    }
    return q;
}

namespace {

template <class Items>
Index find_name(const Items& items, std::string_view name) {
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (items[i].name == name) {
            return static_cast<Index>(i);
        }
    }
    return -1;
}

}  // namespace

Index find_body(const MusculoskeletalModel& model, std::string_view name) {
    return find_name(model.bodies, name);
}

Index find_coordinate(const MusculoskeletalModel& model, std::string_view name) {
    return find_name(model.coordinates, name);
}

Index find_column(const MotionTable& table, std::string_view name) {
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
        if (table.columns[i] == name) {
            return static_cast<Index>(i);
        }
    }
    return -1;
}

int coordinate_count(JointKind kind) {
    constexpr std::array<int, 9> kCounts = {0, 1, 1, 2, 3, 3, 6, 0, 3};
    return kCounts[static_cast<std::size_t>(kind)];
}

std::array<JointAxis, 6> standard_axes(JointKind kind, Index first) {
    std::array<JointAxis, 6> axes;
    for (int i = 0; i < 3; ++i) {
        axes[static_cast<std::size_t>(i)].axis = Vec3::Unit(i);
        axes[static_cast<std::size_t>(i + 3)].axis = Vec3::Unit(i);
    }
    Index next = first;
    const auto drive = [&](std::size_t i) {
        axes[i].coordinate = next++;
        axes[i].function.kind = ScalarFunction::Kind::Linear;
        axes[i].function.coefficients = {1.0, 0.0};
    };
    switch (kind) {
        case JointKind::Hinge:
            drive(2);
            break;
        case JointKind::Slider:
            drive(3);
            break;
        case JointKind::Universal:
            drive(0);
            drive(1);
            break;
        case JointKind::Planar:
            drive(2);
            drive(3);
            drive(4);
            break;
        case JointKind::Free:
        case JointKind::Ball:
        case JointKind::Ellipsoid:
            for (std::size_t i = 0; i < (kind == JointKind::Free ? 6U : 3U); ++i) {
                drive(i);
            }
            break;
        case JointKind::Weld:
        case JointKind::Custom:
            break;
    }
    return axes;
}

void sort_tree(MusculoskeletalModel& model, std::string_view where) {
    std::vector<int> joints_of(model.bodies.size(), 0);
    for (const ModelJoint& joint : model.joints) {
        ++joints_of[static_cast<std::size_t>(joint.child)];
    }
    for (std::size_t b = 0; b < model.bodies.size(); ++b) {
        if (joints_of[b] != 1) {
            fail(where,
                 fmt::format("body '{}' is the child of {} joints", model.bodies[b].name,
                             joints_of[b]),
                 "exactly one joint per body", "join every body to one parent");
        }
    }
    std::vector<ModelJoint> sorted;
    std::vector<Index> new_index(model.joints.size(), -1);
    std::vector<bool> is_placed(model.bodies.size(), false);
    while (sorted.size() < model.joints.size()) {
        const std::size_t before = sorted.size();
        for (std::size_t j = 0; j < model.joints.size(); ++j) {
            const ModelJoint& joint = model.joints[j];
            if (new_index[j] >= 0 ||
                (joint.parent >= 0 && !is_placed[static_cast<std::size_t>(joint.parent)])) {
                continue;
            }
            new_index[j] = static_cast<Index>(sorted.size());
            is_placed[static_cast<std::size_t>(joint.child)] = true;
            sorted.push_back(joint);
        }
        if (sorted.size() == before) {
            for (std::size_t j = 0; j < model.joints.size(); ++j) {
                if (new_index[j] < 0) {
                    fail(where,
                         fmt::format("joint '{}' belongs to a loop of bodies that does not reach "
                                     "the ground",
                                     model.joints[j].name),
                         "a tree of bodies rooted in the ground", "cut the loop at one joint");
                }
            }
        }
    }
    for (Coordinate& coordinate : model.coordinates) {
        coordinate.joint = new_index[static_cast<std::size_t>(coordinate.joint)];
    }
    model.joints = std::move(sorted);
}

void require_valid(const MusculoskeletalModel& model, std::string_view where) {
    require_names(where, "body", model.bodies);
    require_names(where, "joint", model.joints);
    require_names(where, "coordinate", model.coordinates);
    require_names(where, "muscle", model.muscles);
    require_bodies(model, where);
    for (const CoordinateCoupler& coupler : model.couplers) {
        const std::string what = fmt::format("coupler '{}'", coupler.name);
        require_index(where, what, coupler.dependent, 0, model.coordinates.size());
        require_index(where, what, coupler.independent, 0, model.coordinates.size());
        require_function(where, what, coupler.function);
    }
    for (const ModelMarker& marker : model.markers) {
        require_index(where, fmt::format("marker '{}'", marker.name), marker.body, -1,
                      model.bodies.size());
    }
    require_muscles(model, where);
    require_passive(model, where);
}

}  // namespace sinew
