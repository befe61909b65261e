#include "sinew/base/error.h"
#include "sinew/io/osim_parts.h"
#include "sinew/io/text_cursor.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace sinew::detail {

namespace {

constexpr int kSpatialTransform = 10901;  // from here on joints have a <SpatialTransform>

void move_children(pugi::xml_node from, pugi::xml_node to) {
    while (pugi::xml_node child = from.first_child()) {
        to.append_move(child);
    }
}

// Names of version 1 for points and surfaces of paths.
void rename_path_parts(pugi::xml_node node) {
    constexpr std::array<std::array<const char*, 2>, 6> kNames = {
        {{"MusclePointSet", "PathPointSet"},
         {"MusclePoint", "PathPoint"},
         {"MuscleViaPoint", "ConditionalPathPoint"},
         {"MovingMusclePoint", "MovingPathPoint"},
         {"MuscleWrapSet", "PathWrapSet"},
         {"MuscleWrap", "PathWrap"}}};
    for (pugi::xml_node child : node.children()) {
        for (const auto& [old_name, name] : kNames) {
            if (std::strcmp(child.name(), old_name) == 0) {
                child.set_name(name);
            }
        }
        rename_path_parts(child);
    }
}

// A muscle of version 1 holds its points itself.
void collect_path(pugi::xml_node force) {
    if (force.child("GeometryPath") || !force.child("PathPointSet")) {
        return;
    }
    pugi::xml_node path = force.append_child("GeometryPath");
    for (const char* name : {"PathPointSet", "PathWrapSet"}) {
        if (pugi::xml_node set = force.child(name)) {
            path.append_move(set);
        }
    }
}

// <TransformAxisSet> lists axes that say themselves whether they turn or shift.
void name_axes(pugi::xml_node joint) {
    pugi::xml_node set = joint.child("TransformAxisSet");
    if (!set) {
        return;
    }
    set.set_name("SpatialTransform");
    if (pugi::xml_node objects = set.child("objects")) {
        move_children(objects, set);
    }
    int rotations = 0;
    int translations = 0;
    for (pugi::xml_node axis : set.children("TransformAxis")) {
        const std::string text = trimmed_text(axis.child("is_rotation"));
        const bool turns = text == "true" || text == "1";
        const std::string name = fmt::format("{}{}", turns ? "rotation" : "translation",
                                             turns ? ++rotations : ++translations);
        if (!axis.attribute("name")) {
            axis.append_attribute("name");
        }
        axis.attribute("name").set_value(name.c_str());
        if (pugi::xml_node coordinate = axis.child("coordinate")) {
            coordinate.set_name("coordinates");
        }
    }
}

// X -> X^-1. Rotations about a1, a2, a3 become -a3, -a2, -a1; shifts change sign.
void negate(ScalarFunction& f) {
    f.scale = -f.scale;
}

bool turns(const ModelJoint& joint) {
    return std::any_of(joint.axes.begin(), joint.axes.begin() + 3, [](const JointAxis& a) {
        return a.coordinate >= 0 || a.function.coefficients[0] != 0.0;
    });
}

bool shifts(const ModelJoint& joint) {
    return std::any_of(joint.axes.begin() + 3, joint.axes.end(), [](const JointAxis& a) {
        return a.coordinate >= 0 || a.function.coefficients[0] != 0.0;
    });
}

}  // namespace

void update_osim_layout(const XmlFile& file, pugi::xml_node model) {
    // Version 1.6: everything stood in the engine that computes with it.
    if (pugi::xml_node holder = model.child("DynamicsEngine")) {
        for (pugi::xml_node engine : holder.children()) {
            if (engine.child("JointSet").find_node([](const pugi::xml_node& n) {
                    return std::strcmp(n.name(), "DofSet") == 0;
                })) {
                file.fail(engine, "joints of OpenSim 1.5 or before", "version 1.6 or later",
                          "open the file in OpenSim 2 to 4 and save it");
            }
            move_children(engine, model);
        }
    }
    if (pugi::xml_node forces = model.child("ActuatorSet"); forces && !model.child("ForceSet")) {
        forces.set_name("ForceSet");
    }
    pugi::xml_node forces = model.child("ForceSet").child("objects");
    rename_path_parts(forces);
    for (pugi::xml_node force : forces.children()) {
        collect_path(force);
    }
    if (file.root().attribute("Version").as_int() < kSpatialTransform) {
        for (pugi::xml_node body : model.child("BodySet").child("objects").children("Body")) {
            for (pugi::xml_node joint : body.child("Joint").children()) {
                name_axes(joint);
            }
        }
    }
}

void reverse_osim_joint(OsimReader& r, const pugi::xml_node& node, ModelJoint& joint) {
    if (joint.kind == JointKind::Ellipsoid) {
        r.file.fail(node, "a reversed EllipsoidJoint", "the body nearer to the ground as parent",
                    "exchange parent and child in OpenSim");
    }
    std::swap(joint.parent, joint.child);
    std::swap(joint.parent_frame, joint.child_frame);
    const bool has_both = turns(joint) && shifts(joint);
    joint.kind = joint.kind == JointKind::Weld ? JointKind::Weld : JointKind::Custom;
    for (JointAxis& axis : joint.axes) {
        negate(axis.function);
    }
    std::swap(joint.axes[0], joint.axes[2]);
    if (!has_both) {
        return;
    }
    // T^-1 turns first and shifts then: two joints with a body in between.
    constexpr double kMass = 1e-4;     // kg
    constexpr double kInertia = 1e-8;  // kg m^2
    for (std::size_t i = 0; i < 3; ++i) {
        for (std::size_t k = 3; k < 6; ++k) {
            if (joint.axes[i].coordinate >= 0 &&
                joint.axes[i].coordinate == joint.axes[k].coordinate) {
                r.file.fail(node, "a reversed joint with a coordinate that turns and shifts",
                            "the body nearer to the ground as parent",
                            "exchange parent and child in OpenSim");
            }
        }
    }
    RigidBody between{.name = joint.name + "_between", .mass = kMass};
    between.inertia = kInertia * Mat3::Identity();
    const auto middle = static_cast<Index>(r.model.bodies.size());
    r.bodies.emplace(between.name, middle);
    r.model.bodies.push_back(between);
    ModelJoint second{.name = joint.name + "_shift", .kind = JointKind::Custom};
    second.parent = middle;
    second.child = joint.child;
    second.child_frame = joint.child_frame;
    second.axes = standard_axes(JointKind::Weld, 0);
    for (std::size_t k = 3; k < 6; ++k) {
        second.axes[k] = joint.axes[k];
        joint.axes[k] = standard_axes(JointKind::Weld, 0)[k];
        if (second.axes[k].coordinate >= 0) {
            r.model.coordinates[at(second.axes[k].coordinate)].joint =
                static_cast<Index>(r.model.joints.size());
        }
    }
    joint.child = middle;
    joint.child_frame = {};
    r.model.joints.push_back(second);
}

void orient_osim_joints(OsimReader& r, const std::vector<pugi::xml_node>& nodes) {
    // From the ground outwards; a joint whose child is reached before its parent is turned round.
    std::vector<bool> is_reached(r.model.bodies.size(), false);
    std::vector<bool> is_done(r.model.joints.size(), false);
    const auto reached = [&](Index body) { return body < 0 || is_reached[at(body)]; };
    const std::size_t count = r.model.joints.size();
    for (bool goes_on = true; goes_on;) {
        goes_on = false;
        for (const bool reverses : {false, true}) {
            for (std::size_t j = 0; j < count && !(reverses && goes_on); ++j) {
                const ModelJoint& joint = r.model.joints[j];
                const Index near = reverses ? joint.child : joint.parent;
                const Index far = reverses ? joint.parent : joint.child;
                if (is_done[j] || !reached(near) || reached(far)) {
                    continue;
                }
                is_done[j] = true;
                is_reached[at(far)] = true;
                goes_on = true;
                if (reverses) {
                    ModelJoint turned = joint;
                    reverse_osim_joint(r, j < nodes.size() ? nodes[j] : pugi::xml_node(), turned);
                    r.model.joints[j] = turned;
                    is_reached.resize(r.model.bodies.size(), true);
                    r.model.notes.push_back(fmt::format(
                        "joint '{}' was turned round: its child lies nearer to the ground",
                        turned.name));
                }
            }
        }
    }
}

}  // namespace sinew::detail
