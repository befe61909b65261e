#include "sinew/base/error.h"
#include "sinew/base/units.h"
#include "sinew/io/osim_parts.h"
#include "sinew/io/text_cursor.h"

#include <Eigen/Geometry>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

namespace sinew::detail {

namespace {

struct JointClass {
    const char* name;
    JointKind kind;
};
constexpr std::array<JointClass, 10> kJoints = {{{"WeldJoint", JointKind::Weld},
                                                 {"PinJoint", JointKind::Hinge},
                                                 {"SliderJoint", JointKind::Slider},
                                                 {"UniversalJoint", JointKind::Universal},
                                                 {"PlanarJoint", JointKind::Planar},
                                                 {"BallJoint", JointKind::Ball},
                                                 {"GimbalJoint", JointKind::Ball},
                                                 {"FreeJoint", JointKind::Free},
                                                 {"CustomJoint", JointKind::Custom},
                                                 {"EllipsoidJoint", JointKind::Ellipsoid}}};

bool find_kind(std::string_view type, JointKind& kind) {
    for (const JointClass& known : kJoints) {
        if (type == known.name) {
            kind = known.kind;
            return true;
        }
    }
    return false;
}

Placement placement_of(const OsimReader& r, const pugi::xml_node& position,
                       const pugi::xml_node& angles) {
    Placement placement;
    if (position) {
        placement.position = r.file.vector(position);
    }
    if (angles) {
        placement.rotation = rotation_from_xyz(r.file.vector(angles));
    }
    return placement;
}

// A frame by its name: one of the joint's own offset frames, another one, or a body itself.
Index frame_body(const OsimReader& r, const pugi::xml_node& joint, const pugi::xml_node& socket,
                 Placement& offset) {
    const std::string name = last_name(trimmed_text(socket));
    for (const pugi::xml_node& frame : joint.child("frames").children("PhysicalOffsetFrame")) {
        if (name == frame.attribute("name").value()) {
            const Placement own =
                placement_of(r, frame.child("translation"), frame.child("orientation"));
            const Index body = r.body_of_frame(need_socket(r.file, frame, "parent"), offset);
            offset = offset * own;
            return body;
        }
    }
    return r.body_of_frame(socket, offset);
}

void add_coordinates(OsimReader& r, const pugi::xml_node& list, Index joint) {
    for (const pugi::xml_node& node : list.children("Coordinate")) {
        Coordinate c{.name = name_or(node, "coordinate", r.model.coordinates.size()),
                     .joint = joint};
        c.rest = r.number_or(node, "default_value", 0.0);
        if (const pugi::xml_node range = r.property(node, "range")) {
            const std::vector<double> limits = r.file.numbers(range, range.child_value(), 2);
            c.low = limits[0];
            c.high = limits[1];
        }
        c.is_locked = r.truth_or(node, "locked", false);
        c.is_clamped = r.truth_or(node, "clamped", false);
        if (r.truth_or(node, "prescribed", false)) {
            ++r.left_out["prescribed motion of a coordinate"];
        }
        if (!r.coordinates.emplace(c.name, static_cast<Index>(r.model.coordinates.size())).second) {
            r.file.fail(node, fmt::format("a second coordinate named {}", sinew::quoted(c.name)),
                        "names that are given once");
        }
        r.model.coordinates.push_back(c);
    }
}

void read_custom_axes(OsimReader& r, const pugi::xml_node& node, ModelJoint& joint) {
    joint.axes = standard_axes(JointKind::Weld, 0);
    const pugi::xml_node transform = r.file.need(node, "SpatialTransform");
    std::size_t next = 0;
    for (const pugi::xml_node& axis : transform.children("TransformAxis")) {
        constexpr std::array<const char*, 6> kNames = {
            "rotation1", "rotation2", "rotation3", "translation1", "translation2", "translation3"};
        std::size_t i = next++;
        for (std::size_t k = 0; k < 6; ++k) {
            if (std::strcmp(axis.attribute("name").value(), kNames[k]) == 0) {
                i = k;
            }
        }
        if (i >= 6) {
            r.file.fail(axis, "a seventh axis", "three rotations and three translations");
        }
        JointAxis& out = joint.axes[i];
        out.axis = r.file.vector(r.file.need(axis, "axis"));
        if (out.axis.norm() < 1e-9) {
            r.file.fail(axis, "an axis of length 0", "a direction");
        }
        out.axis.normalize();
        const std::string name = trimmed_text(axis.child("coordinates"));
        if (name.empty()) {
            out.function = ScalarFunction{};
            if (axis.child("Constant") || axis.child("function")) {
                out.function = r.function(axis);
            }
            continue;
        }
        if (name.find_first_of(" \t") != std::string::npos) {
            r.file.fail(axis, fmt::format("an axis that follows {}", sinew::quoted(name)),
                        "one coordinate per axis");
        }
        out.coordinate = r.coordinate(axis.child("coordinates"));
        out.function = r.function(axis);
        if (i >= 3) {
            // A coordinate that only shifts is a length.
            bool turns = false;
            for (std::size_t k = 0; k < 3; ++k) {
                turns = turns || joint.axes[k].coordinate == out.coordinate;
            }
            r.model.coordinates[at(out.coordinate)].is_rotation = turns;
        }
    }
}

Mat3 turned_about_z(double angle) {
    return Eigen::AngleAxisd(angle, Vec3::UnitZ()).toRotationMatrix();
}

// Format 4 leaves coordinates with default values out.
void fill_coordinates(OsimReader& r, const std::string& name, Index joint, Index from, int to) {
    for (Index k = from; k < to; ++k) {
        Coordinate c{.name = fmt::format("{}_coord_{}", name, k), .joint = joint};
        r.coordinates[c.name] = static_cast<Index>(r.model.coordinates.size());
        r.model.coordinates.push_back(c);
    }
}

// The scapula glides on the thorax and wings about an axis of its own: an ellipsoid joint to a body
// that weighs next to nothing, and a hinge beyond it. Frames of the first are turned by 90 degrees,
// so that abduction and elevation are positive; its radii are given along the thorax's axes
// [Seth2016].
void add_scapulothoracic(OsimReader& r, const pugi::xml_node& node, const ModelJoint& joint,
                         const pugi::xml_node& coordinate_list) {
    constexpr double kMass = 1e-4;     // kg; simulators want more than none
    constexpr double kInertia = 1e-8;  // kg m^2
    const auto first = static_cast<Index>(r.model.coordinates.size());
    const auto number = static_cast<Index>(r.model.joints.size());
    add_coordinates(r, coordinate_list, number);
    const auto count = static_cast<Index>(r.model.coordinates.size()) - first;
    if (count > 4) {
        r.file.fail(node, fmt::format("{} coordinates", count), "4");
    }
    fill_coordinates(r, joint.name, number, count, 4);
    const pugi::xml_node radii_node = r.file.need(node, "thoracic_ellipsoid_radii_x_y_z");
    const Vec3 radii = r.file.vector(radii_node);
    if (!(radii.minCoeff() > 0.0)) {
        r.file.fail(radii_node, "a radius of 0 or less", "three radii, m");
    }
    const Mat3 quarter = turned_about_z(0.5 * kPi);

    RigidBody between{.name = joint.name + "_ellipsoid", .mass = kMass};
    between.inertia = kInertia * Mat3::Identity();
    const auto glider = static_cast<Index>(r.model.bodies.size());
    r.bodies.emplace(between.name, glider);
    r.model.bodies.push_back(between);

    ModelJoint glides{.name = joint.name, .kind = JointKind::Ellipsoid};
    glides.parent = joint.parent;
    glides.child = glider;
    glides.parent_frame = joint.parent_frame * Placement{quarter, Vec3::Zero()};
    glides.child_frame.rotation = quarter;
    glides.axes = standard_axes(JointKind::Ellipsoid, first);
    glides.radii = Vec3(radii.y(), radii.x(), radii.z());
    r.model.joints.push_back(glides);

    // The axis lies in the plane that touches the ellipsoid, 0 along y.
    Placement axis;
    if (const pugi::xml_node origin = node.child("scapula_winging_axis_origin")) {
        const std::vector<double> at = r.file.numbers(origin, origin.child_value(), 2);
        axis.position = Vec3(at[0], at[1], 0.0);
    }
    const double direction = r.number_or(node, "scapula_winging_axis_direction", 0.0);
    const Vec3 along(-std::sin(direction), std::cos(direction), 0.0);
    axis.rotation.col(0) = along.cross(Vec3::UnitZ());
    axis.rotation.col(1) = along.cross(Vec3(axis.rotation.col(0)));
    axis.rotation.col(2) = along;
    ModelJoint wings{.name = joint.name + "_winging", .kind = JointKind::Hinge};
    wings.parent = glider;
    wings.child = joint.child;
    wings.parent_frame = axis;
    wings.child_frame = joint.child_frame * axis;
    wings.axes = standard_axes(JointKind::Hinge, first + 3);
    r.model.coordinates.back().joint = number + 1;
    r.model.joints.push_back(wings);
}

void add_joint(OsimReader& r, const pugi::xml_node& node, ModelJoint joint,
               const pugi::xml_node& coordinate_list) {
    if (std::strcmp(node.name(), "ScapulothoracicJoint") == 0) {
        add_scapulothoracic(r, node, joint, coordinate_list);
        return;
    }
    if (!find_kind(node.name(), joint.kind)) {
        r.file.fail(node, fmt::format("joint class {}", sinew::quoted(node.name())),
                    "WeldJoint, PinJoint, SliderJoint, UniversalJoint, PlanarJoint, BallJoint, "
                    "GimbalJoint, EllipsoidJoint, ScapulothoracicJoint, FreeJoint or CustomJoint");
    }
    const Index number = static_cast<Index>(r.model.joints.size());
    const Index first = static_cast<Index>(r.model.coordinates.size());
    add_coordinates(r, coordinate_list, number);
    const Index count = static_cast<Index>(r.model.coordinates.size()) - first;
    if (joint.kind == JointKind::Custom) {
        read_custom_axes(r, node, joint);
    } else {
        const int needed = coordinate_count(joint.kind);
        fill_coordinates(r, joint.name, number, count, needed);
        if (count > needed) {
            r.file.fail(node, fmt::format("{} coordinates", count), fmt::format("{}", needed));
        }
        joint.axes = standard_axes(joint.kind, first);
        if (joint.kind == JointKind::Ellipsoid) {
            const pugi::xml_node radii = r.file.need(node, "radii_x_y_z");
            joint.radii = r.file.vector(radii);
            if (joint.radii.minCoeff() < 0.0) {
                r.file.fail(radii, "a radius below 0", "three radii, m");
            }
        }
        for (std::size_t i = 3; i < 6; ++i) {
            if (joint.axes[i].coordinate >= 0) {
                r.model.coordinates[at(joint.axes[i].coordinate)].is_rotation = false;
            }
        }
    }
    r.model.joints.push_back(std::move(joint));
}

// A reversed joint of format 3 keeps its tree: only the direction of its motion is the other one.
void reverse_last(OsimReader& r, const pugi::xml_node& node) {
    const std::size_t j = r.model.joints.size() - 1;
    ModelJoint joint = r.model.joints[j];
    std::swap(joint.parent, joint.child);
    std::swap(joint.parent_frame, joint.child_frame);
    reverse_osim_joint(r, node, joint);
    r.model.joints[j] = joint;
}

// One end of a joint: <socket_parent_frame>, or as versions 30500 to 30502 had it, <parent_body>
// with a place in it.
Index joint_end(const OsimReader& r, const pugi::xml_node& node, const std::string& end,
                Placement& frame) {
    const pugi::xml_node old = socket_of(node, end + "_body");
    const Index body =
        frame_body(r, node, old ? old : need_socket(r.file, node, end + "_frame"), frame);
    frame = frame * placement_of(r, node.child(("location_in_" + end).c_str()),
                                 node.child(("orientation_in_" + end).c_str()));
    return body;
}

void read_joint_set(OsimReader& r, const std::vector<pugi::xml_node>& joints) {
    std::vector<pugi::xml_node> nodes;
    for (const pugi::xml_node& node : joints) {
        ModelJoint joint{.name = name_or(node, "joint", r.model.joints.size())};
        joint.parent = joint_end(r, node, "parent", joint.parent_frame);
        joint.child = joint_end(r, node, "child", joint.child_frame);
        if (joint.child == joint.parent) {
            r.file.fail(node, "a joint of a body with itself", "two bodies");
        }
        const pugi::xml_node list = node.child("coordinates");
        add_joint(r, node, std::move(joint),
                  list ? list : node.child("CoordinateSet").child("objects"));
        if (r.truth_or(node, "reverse", false)) {
            reverse_last(r, node);
        }
        nodes.resize(r.model.joints.size(), node);
    }
    orient_osim_joints(r, nodes);
    for (std::size_t j = 0; j < r.model.joints.size(); ++j) {
        if (r.model.joints[j].child < 0) {
            r.file.fail(nodes[std::min(j, nodes.size() - 1)], "the ground as a child",
                        "joints that lead from the ground outwards");
        }
    }
}

void read_joints_in_bodies(OsimReader& r, const pugi::xml_node& bodies) {
    for (const pugi::xml_node& body : bodies.children("Body")) {
        for (const pugi::xml_node& node : body.child("Joint").children()) {
            if (node.type() != pugi::node_element) {
                continue;
            }
            // Early files leave a joint's name out; it is then its body's.
            ModelJoint joint{.name = node.attribute("name").value()};
            joint.name = joint.name.empty() ? body.attribute("name").value() : joint.name;
            joint.child = r.bodies.at(body.attribute("name").value());
            joint.parent = r.body(r.file.need(node, "parent_body"));
            joint.parent_frame = placement_of(r, node.child("location_in_parent"),
                                              node.child("orientation_in_parent"));
            joint.child_frame = placement_of(r, node.child("location"), node.child("orientation"));
            add_joint(r, node, std::move(joint), node.child("CoordinateSet").child("objects"));
            if (r.truth_or(node, "reverse", false)) {
                reverse_last(r, node);
            }
        }
    }
}

}  // namespace

void read_osim_joints(OsimReader& reader, const pugi::xml_node& model) {
    const pugi::xml_node bodies = model.child("BodySet").child("objects");
    if (const auto joints = objects_of(model, "JointSet", {"Joint"}); !joints.empty()) {
        read_joint_set(reader, joints);
    } else {
        read_joints_in_bodies(reader, bodies);
    }
}

}  // namespace sinew::detail
