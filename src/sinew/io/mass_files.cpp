#include "sinew/io/mass_files.h"

#include "sinew/base/error.h"
#include "sinew/base/text.h"
#include "sinew/io/text_cursor.h"
#include "sinew/io/xml_file.h"
#include "sinew/linalg/svd3.h"

#include <Eigen/Geometry>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>

namespace sinew {

namespace {

constexpr double kBlendDistance = 0.08;  // m
constexpr double kCentimetre = 0.01;     // m
constexpr double kRotationSlack = 0.5;   // of the entries of R'R from those of the unit matrix

class MassReader {
public:
    MassReader(const XmlFile& skeleton, const XmlFile& muscles, const MassOptions& options)
        : skeleton_(skeleton), muscles_(muscles), options_(options) {}

    MusculoskeletalModel read() {
        const pugi::xml_node root = skeleton_.root();
        if (std::strcmp(root.name(), "Skeleton") != 0) {
            skeleton_.fail(root, fmt::format("a document <{}>", root.name()), "a <Skeleton>",
                           "give the skeleton first and the muscles after it");
        }
        model_.name = root.attribute("name").value();
        model_.gravity = Vec3(0.0, -9.81, 0.0);  // what MASS simulates with
        for (const pugi::xml_node& node : root.children("Node")) {
            const std::string name = skeleton_.need_attribute(node, "name");
            if (!index_.emplace(name, static_cast<Index>(index_.size())).second) {
                skeleton_.fail(node, fmt::format("a second node named {}", sinew::quoted(name)),
                               "names that are given once");
            }
        }
        for (const pugi::xml_node& node : root.children("Node")) {
            read_node(node);
        }
        sort_tree(model_, skeleton_.name());
        require_valid(model_, skeleton_.name());
        const pugi::xml_node units = muscles_.root();
        if (std::strcmp(units.name(), "Muscle") != 0) {
            muscles_.fail(units, fmt::format("a document <{}>", units.name()), "a <Muscle>",
                          "give the skeleton first and the muscles after it");
        }
        for (const pugi::xml_node& unit : units.children("Unit")) {
            read_unit(unit);
        }
        require_valid(model_, muscles_.name());
        return std::move(model_);
    }

private:
    double attribute_number(const XmlFile& file, const pugi::xml_node& node, const char* name) {
        return file.numbers(node, file.need_attribute(node, name), 1)[0];
    }

    // A rigid placement in the world. Files carry slightly crooked rotations: the nearest true one.
    Placement placement_of(const pugi::xml_node& node) {
        const pugi::xml_node t = skeleton_.need(node, "Transformation");
        const std::vector<double> linear =
            skeleton_.numbers(t, skeleton_.need_attribute(t, "linear"), 9);
        const std::vector<double> shift =
            skeleton_.numbers(t, skeleton_.need_attribute(t, "translation"), 3);
        Placement placement;
        placement.position = Vec3(shift[0], shift[1], shift[2]);
        placement.rotation << linear[0], linear[1], linear[2], linear[3], linear[4], linear[5],
            linear[6], linear[7], linear[8];
        const Mat3 slack = placement.rotation.transpose() * placement.rotation - Mat3::Identity();
        if (slack.cwiseAbs().maxCoeff() > kRotationSlack || placement.rotation.determinant() <= 0) {
            skeleton_.fail(t, "a matrix far from any rotation", "a rotation");
        }
        placement.rotation = nearest_rotation(placement.rotation);
        return placement;
    }

    void read_node(const pugi::xml_node& node) {
        const std::string name = node.attribute("name").value();
        const std::string parent_name = skeleton_.need_attribute(node, "parent");
        const pugi::xml_node body_node = skeleton_.need(node, "Body");
        const pugi::xml_node joint_node = skeleton_.need(node, "Joint");
        const Placement T_joint = placement_of(joint_node);
        joint_place_.push_back(T_joint);
        add_body(body_node, name, T_joint);
        ModelJoint joint{.name = name + "_joint"};
        joint.child = static_cast<Index>(model_.bodies.size()) - 1;
        joint.parent_frame = T_joint;
        if (parent_name != "None") {
            const auto it = index_.find(parent_name);
            if (it == index_.end()) {
                skeleton_.fail(node, fmt::format("parent {}", sinew::quoted(parent_name)),
                               "the name of a node, or None");
            }
            joint.parent = it->second;
            parents_.push_back(joint.parent);
            if (static_cast<std::size_t>(joint.parent) >= joint_place_.size() ||
                joint.parent == joint.child) {
                skeleton_.fail(
                    node, fmt::format("parent {} does not come before", sinew::quoted(parent_name)),
                    "parents before children");
            }
            joint.parent_frame = joint_place_[at(joint.parent)].inverse() * T_joint;
        } else {
            parents_.push_back(-1);
        }
        joint.recorded_as = joint_node.attribute("bvh").value();
        add_coordinates(joint_node, name, joint);
        model_.joints.push_back(std::move(joint));
    }

    void add_body(const pugi::xml_node& node, const std::string& name, const Placement& T_joint) {
        RigidBody body{.name = name};
        body.mass = attribute_number(skeleton_, node, "mass");
        if (!(body.mass > 0.0)) {
            skeleton_.fail(node, fmt::format("a mass of {} kg", body.mass), "a mass > 0");
        }
        const std::vector<double> size =
            skeleton_.numbers(node, skeleton_.need_attribute(node, "size"), 3);
        body.box = Vec3(size[0], size[1], size[2]);
        const Placement T_box = placement_of(node);
        body.box_placement = T_joint.inverse() * T_box;
        body.com = body.box_placement.position;
        const Vec3 s = body.box.cwiseProduct(body.box);
        const Mat3 R = body.box_placement.rotation;
        // A homogeneous box.
        body.inertia = body.mass / 12.0 * R *
                       Vec3(s.y() + s.z(), s.x() + s.z(), s.x() + s.y()).asDiagonal() *
                       R.transpose();
        body.touches_ground = std::strcmp(node.attribute("contact").value(), "On") == 0;
        // Meshes are in the world of the rest pose, in centimetres.
        if (const char* file = node.attribute("obj").value(); *file != '\0') {
            model_.shapes.push_back({.name = name,
                                     .body = static_cast<Index>(model_.bodies.size()),
                                     .file = std::string("bones/") + file,
                                     .placement = T_joint.inverse(),
                                     .scale = Vec3::Constant(kCentimetre)});
        }
        model_.bodies.push_back(body);
    }

    void add_coordinates(const pugi::xml_node& node, const std::string& name, ModelJoint& joint) {
        const std::string type = skeleton_.need_attribute(node, "type");
        const Index first = static_cast<Index>(model_.coordinates.size());
        const Index number = static_cast<Index>(model_.joints.size());
        const auto add = [&](const char* suffix, bool is_rotation) {
            model_.coordinates.push_back(
                {.name = name + suffix, .joint = number, .is_rotation = is_rotation});
        };
        if (type == "Weld") {
            joint.kind = JointKind::Weld;
            joint.axes = standard_axes(joint.kind, first);
            return;
        }
        if (type == "Revolute") {
            joint.kind = JointKind::Hinge;
            joint.axes = standard_axes(joint.kind, first);
            const std::vector<double> axis =
                skeleton_.numbers(node, skeleton_.need_attribute(node, "axis"), 3);
            joint.axes[2].axis = Vec3(axis[0], axis[1], axis[2]).normalized();
            add("", true);
        } else if (type == "Ball" || type == "Free") {
            joint.kind = type == "Ball" ? JointKind::Ball : JointKind::Free;
            joint.axes = standard_axes(joint.kind, first);
            add("_rx", true);
            add("_ry", true);
            add("_rz", true);
            if (type == "Free") {
                add("_tx", false);
                add("_ty", false);
                add("_tz", false);
            }
        } else {
            skeleton_.fail(node, fmt::format("joint type {}", sinew::quoted(type)),
                           "Free, Ball, Revolute or Weld");
        }
        if (node.attribute("lower") && node.attribute("upper")) {
            const std::size_t count = model_.coordinates.size() - static_cast<std::size_t>(first);
            const std::vector<double> low =
                skeleton_.numbers(node, node.attribute("lower").value(), count);
            const std::vector<double> high =
                skeleton_.numbers(node, node.attribute("upper").value(), count);
            for (std::size_t k = 0; k < count; ++k) {
                Coordinate& c = model_.coordinates[static_cast<std::size_t>(first) + k];
                c.low = low[k];
                c.high = high[k];
                c.is_clamped = true;
            }
        }
    }

    PathPoint point_of(const Vec3& world, Index body, bool is_inner) const {
        const auto anchor = [&](Index b, double weight) {
            return PathPoint::Anchor{b, joint_place_[at(b)].inverse() * world, weight};
        };
        PathPoint point;
        std::size_t nearest = 0;
        std::vector<double> distance;
        for (const Placement& T : joint_place_) {
            distance.push_back((world - T.position).norm());
            nearest = distance.back() < distance[nearest] ? distance.size() - 1 : nearest;
        }
        const Index parent = parents_[nearest];
        if (!options_.blends_waypoints || !is_inner || distance[nearest] >= kBlendDistance ||
            parent < 0) {
            const bool takes_nearest =
                options_.blends_waypoints && is_inner && distance[nearest] < kBlendDistance;
            point.anchors = {anchor(takes_nearest ? static_cast<Index>(nearest) : body, 1.0)};
            return point;
        }
        const double a = 1.0 / std::sqrt(std::max(distance[nearest], 1e-12));
        const double b = 1.0 / std::sqrt(std::max(distance[at(parent)], 1e-12));
        point.anchors = {anchor(static_cast<Index>(nearest), a / (a + b)),
                         anchor(parent, b / (a + b))};
        return point;
    }

    void read_unit(const pugi::xml_node& node) {
        MuscleUnit unit{.name = muscles_.need_attribute(node, "name")};
        unit.fmax = attribute_number(muscles_, node, "f0");
        unit.pennation = attribute_number(muscles_, node, "pen_angle");
        const double lm = attribute_number(muscles_, node, "lm");
        const double lt = attribute_number(muscles_, node, "lt");
        if (!(unit.fmax > 0.0) || !(lm > 0.0) || !(lt >= 0.0)) {
            muscles_.fail(node, fmt::format("f0 {}, lm {}, lt {}", unit.fmax, lm, lt),
                          "f0 and lm > 0, lt >= 0");
        }
        std::vector<Vec3> world;
        std::vector<Index> bodies;
        for (const pugi::xml_node& w : node.children("Waypoint")) {
            const std::string body = muscles_.need_attribute(w, "body");
            const auto it = index_.find(body);
            if (it == index_.end()) {
                std::vector<std::string> known;
                for (const auto& [key, index] : index_) {
                    known.push_back(key);
                }
                muscles_.fail(
                    w, fmt::format("body {}{}", sinew::quoted(body), did_you_mean(body, known)),
                    "the name of a node of the skeleton");
            }
            const std::vector<double> p = muscles_.numbers(w, muscles_.need_attribute(w, "p"), 3);
            world.emplace_back(p[0], p[1], p[2]);
            bodies.push_back(it->second);
        }
        if (world.size() < 2) {
            muscles_.fail(node, fmt::format("{} waypoints", world.size()), "at least 2");
        }
        double length = 0.0;
        for (std::size_t i = 0; i < world.size(); ++i) {
            const bool is_inner = i > 0 && i + 1 < world.size();
            unit.points.push_back(point_of(world[i], bodies[i], is_inner));
            unit.points.back().name = fmt::format("{}-P{}", unit.name, i + 1);
            length += i > 0 ? (world[i] - world[i - 1]).norm() : 0.0;
        }
        unit.fibre = lm * length;
        unit.tendon = lt * length;
        // Constants of the MASS program's curves.
        unit.active_shape = 0.5;
        unit.passive_shape = 4.0;
        unit.passive_strain = 0.6;
        unit.tendon_strain = 0.033;
        model_.muscles.push_back(std::move(unit));
    }

    const XmlFile& skeleton_;
    const XmlFile& muscles_;
    MassOptions options_;
    MusculoskeletalModel model_ = {};
    std::map<std::string, Index> index_ = {};
    std::vector<Placement> joint_place_ = {};
    std::vector<Index> parents_ = {};
};

}  // namespace

MusculoskeletalModel read_mass(const std::filesystem::path& skeleton,
                               const std::filesystem::path& muscles, const MassOptions& options) {
    const XmlFile first(skeleton);
    const XmlFile second(muscles);
    return MassReader(first, second, options).read();
}

MusculoskeletalModel parse_mass(std::string skeleton, std::string muscles,
                                const MassOptions& options) {
    const XmlFile first(std::move(skeleton), "skeleton");
    const XmlFile second(std::move(muscles), "muscles");
    return MassReader(first, second, options).read();
}

}  // namespace sinew
