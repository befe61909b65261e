#include "sinew/base/error.h"
#include "sinew/io/osim_parts.h"
#include "sinew/io/text_cursor.h"

#include <fmt/format.h>

#include <array>
#include <cstring>

namespace sinew::detail {

const std::array<ShapeProperty, 18> kShapeProperties = {{
    {"ActiveForceLengthCurve", "min_norm_active_fiber_length", &MillardShape::shortest},
    {"ActiveForceLengthCurve", "transition_norm_fiber_length", &MillardShape::shoulder},
    {"ActiveForceLengthCurve", "max_norm_active_fiber_length", &MillardShape::longest},
    {"ActiveForceLengthCurve", "shallow_ascending_slope", &MillardShape::shallow_slope},
    {"ActiveForceLengthCurve", "minimum_value", &MillardShape::least},
    {"FiberForceLengthCurve", "strain_at_zero_force", &MillardShape::passive_begin},
    {"FiberForceLengthCurve", "strain_at_one_norm_force", &MillardShape::passive_end},
    {"FiberForceLengthCurve", "stiffness_at_low_force", &MillardShape::passive_foot},
    {"FiberForceLengthCurve", "stiffness_at_one_norm_force", &MillardShape::passive_slope},
    {"FiberForceLengthCurve", "curviness", &MillardShape::passive_roundness},
    {"ForceVelocityCurve", "concentric_slope_at_vmax", &MillardShape::shortening_end},
    {"ForceVelocityCurve", "concentric_slope_near_vmax", &MillardShape::shortening_near},
    {"ForceVelocityCurve", "isometric_slope", &MillardShape::isometric_slope},
    {"ForceVelocityCurve", "eccentric_slope_at_vmax", &MillardShape::lengthening_end},
    {"ForceVelocityCurve", "eccentric_slope_near_vmax", &MillardShape::lengthening_near},
    {"ForceVelocityCurve", "max_eccentric_velocity_force_multiplier",
     &MillardShape::lengthening_force},
    {"ForceVelocityCurve", "concentric_curviness", &MillardShape::shortening_roundness},
    {"ForceVelocityCurve", "eccentric_curviness", &MillardShape::lengthening_roundness},
}};

namespace {

struct MuscleClass {
    std::string_view name;
    MuscleLaw law;
};
constexpr std::array<MuscleClass, 10> kMuscles = {
    {{"Thelen2003Muscle", MuscleLaw::Thelen2003},
     {"Thelen2003Muscle_Deprecated", MuscleLaw::Thelen2003},
     {"Schutte1993Muscle_Deprecated", MuscleLaw::Thelen2003},
     {"Delp1990Muscle_Deprecated", MuscleLaw::Thelen2003},
     {"Schutte1993Muscle", MuscleLaw::Thelen2003},
     {"Delp1990Muscle", MuscleLaw::Thelen2003},
     {"RigidTendonMuscle", MuscleLaw::Millard2012},
     {"Millard2012EquilibriumMuscle", MuscleLaw::Millard2012},
     {"Millard2012AccelerationMuscle", MuscleLaw::Millard2012},
     {"DeGrooteFregly2016Muscle", MuscleLaw::Millard2012}}};

void read_condition(const OsimReader& r, const pugi::xml_node& node, PathPoint& point) {
    const pugi::xml_node coordinate = socket_or(node, "coordinate", "coordinate");
    if (!coordinate) {
        r.file.fail(node, "no <coordinate>", "the coordinate that decides whether it counts");
    }
    point.condition = r.coordinate(coordinate);
    const pugi::xml_node range = r.file.need(node, "range");
    const std::vector<double> limits = r.file.numbers(range, range.child_value(), 2);
    point.low = std::min(limits[0], limits[1]);
    point.high = std::max(limits[0], limits[1]);
}

void read_motion(const OsimReader& r, const pugi::xml_node& node, PathPoint& point) {
    constexpr std::array<const char*, 3> kFunctions = {"x_location", "y_location", "z_location"};
    constexpr std::array<const char*, 3> kNames = {"x_coordinate", "y_coordinate", "z_coordinate"};
    for (std::size_t k = 0; k < 3; ++k) {
        ScalarFunction f;
        bool is_found = false;
        if (const pugi::xml_node holder = node.child(kFunctions[k])) {
            f = r.function(holder);
            is_found = true;
        }
        // Format 4 names the function itself "x_location".
        for (const pugi::xml_node& child : node.children()) {
            if (!is_found && std::strcmp(child.attribute("name").value(), kFunctions[k]) == 0) {
                is_found = r.function_element(child, f);
            }
        }
        if (!is_found) {
            r.file.fail(node, fmt::format("no <{}>", kFunctions[k]), "a function per component");
        }
        const pugi::xml_node coordinate = socket_or(node, kNames[k], kNames[k]);
        if (f.kind == ScalarFunction::Kind::Constant || !coordinate ||
            trimmed_text(coordinate).empty()) {
            point.anchors[0].position[static_cast<Eigen::Index>(k)] =
                f.kind == ScalarFunction::Kind::Constant ? f.scale * f.coefficients[0] : 0.0;
            continue;
        }
        point.moving[k] = {r.coordinate(coordinate), f};
    }
}

PathPoint read_point(const OsimReader& r, const pugi::xml_node& node) {
    const std::string_view type = node.name();
    PathPoint point{.name = node.attribute("name").value()};
    const pugi::xml_node frame = socket_or(node, "parent_frame", "body");
    if (!frame) {
        r.file.fail(node, "no <socket_parent_frame>", "the body that carries the point");
    }
    Placement offset;
    point.anchors.push_back({.body = r.body_of_frame(frame, offset)});
    if (type == "MovingPathPoint") {
        if (!offset.rotation.isIdentity() || !offset.position.isZero()) {
            r.file.fail(frame, "a moving point in an offset frame", "a body",
                        "give its functions in the body's own frame");
        }
        read_motion(r, node, point);
        return point;
    }
    if (type == "ConditionalPathPoint") {
        read_condition(r, node, point);
    } else if (type != "PathPoint") {
        r.file.fail(node, fmt::format("path point class {}", sinew::quoted(type)),
                    "PathPoint, ConditionalPathPoint or MovingPathPoint");
    }
    point.anchors[0].position = offset * r.file.vector(r.file.need(node, "location"));
    return point;
}

}  // namespace

void read_osim_path(OsimReader& r, const pugi::xml_node& node, std::vector<PathPoint>& points,
                    std::vector<PathWrap>& wraps) {
    const pugi::xml_node path = node.find_node(
        [](const pugi::xml_node& n) { return std::strcmp(n.name(), "GeometryPath") == 0; });
    if (!path) {
        r.file.fail(node, "no <GeometryPath>", "a path of points");
    }
    for (const pugi::xml_node& p : path.child("PathPointSet").child("objects").children()) {
        if (p.type() == pugi::node_element) {
            points.push_back(read_point(r, p));
        }
    }
    if (points.size() < 2) {
        r.file.fail(path, fmt::format("{} path points", points.size()), "at least 2");
    }
    for (const pugi::xml_node& w :
         path.child("PathWrapSet").child("objects").children("PathWrap")) {
        const std::string name = last_name(trimmed_text(r.file.need(w, "wrap_object")));
        const auto it = r.wraps.find(name);
        if (it == r.wraps.end()) {
            r.file.fail(w, fmt::format("wrap object {}", sinew::quoted(name)),
                        "the name of a wrap object of a body");
        }
        PathWrap wrap{.object = it->second};
        if (const pugi::xml_node range = w.child("range")) {
            const std::vector<double> limits = r.file.numbers(range, range.child_value(), 2);
            // Counted from 1; below 1 means the end of the path.
            wrap.first = limits[0] < 1.0 ? 0 : static_cast<Index>(limits[0]) - 1;
            wrap.last = limits[1] < 1.0 ? -1 : static_cast<Index>(limits[1]) - 1;
            const auto end = static_cast<Index>(points.size()) - 1;
            if (wrap.first >= (wrap.last < 0 ? end : wrap.last) || wrap.last > end) {
                r.file.fail(range, fmt::format("points {} to {}", limits[0], limits[1]),
                            fmt::format("a first before a last, of 1 to {}", end + 1));
            }
        }
        wraps.push_back(wrap);
    }
}

namespace {

double need_positive(const OsimReader& r, const pugi::xml_node& node, const char* name) {
    const pugi::xml_node found = r.property(node, name);
    if (!found) {
        r.file.fail(node, fmt::format("no <{}>", name), fmt::format("a <{}>", name));
    }
    const double value = r.file.number(found);
    if (!(value > 0.0)) {
        r.file.fail(found, fmt::format("{}", value), "a number > 0");
    }
    return value;
}

void read_parameters(const OsimReader& r, const pugi::xml_node& node, MuscleUnit& unit) {
    unit.fmax = need_positive(r, node, "max_isometric_force");
    unit.fibre = need_positive(r, node, "optimal_fiber_length");
    unit.tendon = r.number_or(node, "tendon_slack_length", 0.0);
    unit.pennation = r.property(node, "pennation_angle_at_optimal")
                         ? r.number_or(node, "pennation_angle_at_optimal", 0.0)
                         : r.number_or(node, "pennation_angle", 0.0);
    if (unit.tendon < 0.0 || unit.pennation < 0.0 || unit.pennation >= 1.57) {
        r.file.fail(node, fmt::format("tendon {} m, pennation {} rad", unit.tendon, unit.pennation),
                    "a tendon >= 0 and a pennation in [0, pi/2)");
    }
    const bool is_millard = unit.law == MuscleLaw::Millard2012;
    unit.velocity = r.number_or(node, "max_contraction_velocity", r.number_or(node, "Vmax", 10.0));
    unit.rise_time = r.number_or(node, "activation_time_constant", is_millard ? 0.010 : 0.015);
    unit.fall_time = r.number_or(node, "deactivation_time_constant", is_millard ? 0.040 : 0.050);
    unit.tendon_strain = r.number_or(node, "FmaxTendonStrain", is_millard ? 0.049 : 0.04);
    unit.passive_strain = r.number_or(node, "FmaxMuscleStrain", 0.6);
    unit.active_shape = r.number_or(node, "KshapeActive", 0.45);
    unit.passive_shape = r.number_or(node, "KshapePassive", 5.0);
    unit.curvature = r.number_or(node, "Af", 0.25);
    unit.lengthening_force = r.number_or(node, "Flen", 1.4);
    unit.damping = r.number_or(node, "fiber_damping", is_millard ? 0.1 : 0.0);
    unit.ignores_tendon_elasticity = r.truth_or(node, "ignore_tendon_compliance", false) ||
                                     std::strcmp(node.name(), "RigidTendonMuscle") == 0;
    unit.start_activation = r.number_or(node, "default_activation", unit.start_activation);
    unit.start_fibre = r.number_or(node, "default_fiber_length", 0.0);
    unit.tendon_strain = r.number_or(node, "tendon_strain_at_one_norm_force", unit.tendon_strain);
    if (const pugi::xml_node curve = node.child("TendonForceLengthCurve")) {
        unit.tendon_strain = r.number_or(curve, "strain_at_one_norm_force", unit.tendon_strain);
    }
    // OpenSim since version 3 keeps muscles at 0.01 even where a file says nothing; before, and
    // here, they may rest.
    unit.least_activation =
        r.number_or(node, "min_control", r.number_or(node, "minimum_activation", 0.0));
    if (unit.least_activation < 0.0 || unit.least_activation >= 1.0) {
        r.file.fail(node, fmt::format("a least activation of {}", unit.least_activation),
                    "a number in [0, 1)");
    }
}

// Curves of Millard's classes; DeGrooteFregly2016 and others have none.
void read_shape(const OsimReader& r, const pugi::xml_node& node, MillardShape& shape) {
    const pugi::xml_node passive = r.property(node, "FiberForceLengthCurve");
    if (passive && !r.property(passive, "stiffness_at_one_norm_force")) {
        const double begin = r.number_or(passive, "strain_at_zero_force", shape.passive_begin);
        const double end = r.number_or(passive, "strain_at_one_norm_force", shape.passive_end);
        shape.passive_slope = 2.0 / (end - begin);
    }
    for (const ShapeProperty& p : kShapeProperties) {
        if (const pugi::xml_node curve = r.property(node, p.curve)) {
            shape.*p.value = r.number_or(curve, p.name, shape.*p.value);
        }
    }
    const bool rises = shape.shortest < shape.shoulder && shape.shoulder < 0.95 &&
                       shape.longest > 1.1 && shape.shallow_slope > 0.0 &&
                       shape.passive_end > shape.passive_begin;
    // Slopes of neighbouring stations must differ and bend the right way [Millard2013].
    const double mean = 1.0 / (shape.passive_end - shape.passive_begin);
    const bool bends = shape.passive_foot > 0.0 && shape.passive_foot < mean &&
                       shape.passive_slope > mean && shape.shortening_end >= 0.0 &&
                       shape.shortening_near > shape.shortening_end &&
                       shape.isometric_slope > 1.0 && shape.lengthening_force > 1.0 &&
                       shape.lengthening_near > shape.lengthening_end &&
                       shape.lengthening_near < shape.lengthening_force - 1.0;
    if (!rises || !bends) {
        r.file.fail(node, "curves that do not rise and bend as a muscle's do",
                    "shapes within the bounds of Millard et al. 2013");
    }
}

// Classes whose curves the file gives as functions of their own, or that have others.
std::string stands_in(std::string_view type) {
    if (type == "DeGrooteFregly2016Muscle") {
        return "curves of DeGrooteFregly2016Muscle, read as Millard's";
    }
    if (type.starts_with("Schutte1993Muscle") || type.starts_with("Delp1990Muscle")) {
        return fmt::format("curves of {}, read as Thelen's", type);
    }
    return {};
}

}  // namespace

void read_osim_forces(OsimReader& reader, const pugi::xml_node& model) {
    for (const pugi::xml_node& node :
         objects_of(model, "ForceSet", {"Muscle", "Actuator", "Force", "Ligament", "Spring"})) {
        const MuscleClass* known = nullptr;
        for (const MuscleClass& c : kMuscles) {
            if (c.name == node.name()) {
                known = &c;
            }
        }
        if (!reader.truth_or(node, "appliesForce", true) ||
            reader.truth_or(node, "isDisabled", false)) {
            ++reader.left_out[fmt::format("switched-off {}", node.name())];
            continue;
        }
        if (known == nullptr) {
            if (!read_osim_passive(reader, node)) {
                keep_osim_part(reader, node, "ForceSet", "force without effect here");
            }
            continue;
        }
        if (const std::string curves = stands_in(node.name()); !curves.empty()) {
            ++reader.left_out[curves];
        }
        MuscleUnit unit{.name = name_or(node, "muscle", reader.model.muscles.size()),
                        .law = known->law};
        unit.is_deprecated = known->name.ends_with("_Deprecated");
        read_osim_path(reader, node, unit.points, unit.wraps);
        read_parameters(reader, node, unit);
        if (unit.law == MuscleLaw::Millard2012) {
            read_shape(reader, node, unit.shape);
        }
        reader.model.muscles.push_back(std::move(unit));
    }
}

}  // namespace sinew::detail
