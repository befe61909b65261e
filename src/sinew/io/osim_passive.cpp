#include "sinew/base/error.h"
#include "sinew/base/units.h"
#include "sinew/io/osim_parts.h"
#include "sinew/io/text_cursor.h"

#include <fmt/format.h>

namespace sinew::detail {

namespace {

// OpenSim's curve where a ligament gives none, in lengths over the slack length.
ScalarFunction usual_ligament_curve() {
    ScalarFunction f{.kind = ScalarFunction::Kind::SimmSpline};
    f.x = {-5.0, 0.998, 0.999, 1.0, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.601, 1.602, 5.0};
    f.y = {0.0, 0.0, 0.0, 0.0, 0.035, 0.12, 0.26, 0.55, 1.17, 2.0, 2.0, 2.0, 2.0};
    return f;
}

double need_above_zero(const OsimReader& r, const pugi::xml_node& node, const char* name) {
    const double value = r.number_or(node, name, 0.0);
    if (!(value > 0.0)) {
        r.file.fail(node, fmt::format("a <{}> of {}", name, value), "a number > 0");
    }
    return value;
}

void read_ligament(OsimReader& r, const pugi::xml_node& node, Ligament::Law law) {
    Ligament ligament{.name = name_or(node, "ligament", r.model.ligaments.size()), .law = law};
    read_osim_path(r, node, ligament.points, ligament.wraps);
    switch (law) {
        case Ligament::Law::Curve: {
            ligament.slack = need_above_zero(r, node, "resting_length");
            ligament.force = r.number_or(node, "pcsa_force", 0.0);
            // Format 4 may name the function itself "force_length_curve".
            pugi::xml_node curve = r.property(node, "force_length_curve");
            ligament.curve = curve ? r.function(curve) : usual_ligament_curve();
            for (const pugi::xml_node& child : node.children()) {
                if (!curve &&
                    std::string_view(child.attribute("name").value()) == "force_length_curve") {
                    r.function_element(child, ligament.curve);
                }
            }
            break;
        }
        case Ligament::Law::Toe:
            ligament.slack = need_above_zero(r, node, "slack_length");
            ligament.force = r.number_or(node, "linear_stiffness", 1.0);
            ligament.toe = r.number_or(node, "transition_strain", 0.06);
            ligament.damping = r.number_or(node, "damping_coefficient", 0.003);
            break;
        case Ligament::Law::Spring:
            ligament.slack = need_above_zero(r, node, "resting_length");
            ligament.force = r.number_or(node, "stiffness", 0.0);
            ligament.damping = r.number_or(node, "dissipation", 0.0);
            break;
    }
    r.model.ligaments.push_back(std::move(ligament));
}

// Angles are degrees and stiffness is per degree, where the coordinate is an angle.
void read_limit(OsimReader& r, const pugi::xml_node& node) {
    CoordinateLimit limit{.name = name_or(node, "limit", r.model.limits.size())};
    limit.coordinate = r.coordinate(socket_or(node, "coordinate", "coordinate"));
    const double unit = r.model.coordinates[at(limit.coordinate)].is_rotation ? kDegree : 1.0;
    limit.high = unit * r.number_or(node, "upper_limit", 0.0);
    limit.low = unit * r.number_or(node, "lower_limit", 0.0);
    limit.high_stiffness = r.number_or(node, "upper_stiffness", 1.0) / unit;
    limit.low_stiffness = r.number_or(node, "lower_stiffness", 1.0) / unit;
    limit.damping = r.number_or(node, "damping", 0.001) / unit;
    limit.transition = unit * r.number_or(node, "transition", 0.1);
    if (limit.low > limit.high || limit.transition < 0.0) {
        r.file.fail(node,
                    fmt::format("limits {} to {}, transition {}", limit.low / unit,
                                limit.high / unit, limit.transition / unit),
                    "a lower limit below the upper one, a transition >= 0");
    }
    r.model.limits.push_back(std::move(limit));
}

void read_spring(OsimReader& r, const pugi::xml_node& node) {
    CoordinateSpring spring{.name = name_or(node, "spring", r.model.springs.size())};
    spring.coordinate = r.coordinate(socket_or(node, "coordinate", "coordinate"));
    spring.stiffness = r.number_or(node, "stiffness", 0.0);
    spring.rest = r.number_or(node, "rest_length", 0.0);
    spring.viscosity = r.number_or(node, "viscosity", 0.0);
    r.model.springs.push_back(std::move(spring));
}

// One of the two frames: a socket of format 4, or a body with a place in it.
Index bushing_frame(const OsimReader& r, const pugi::xml_node& node, int number,
                    Placement& placement) {
    if (const pugi::xml_node socket = socket_of(node, fmt::format("frame{}", number))) {
        return r.body_of_frame(socket, placement);
    }
    const auto old = [&](const char* what) {
        return node.child(fmt::format("{}_{}", what, number).c_str());
    };
    const pugi::xml_node name = old("body");
    if (!name) {
        r.file.fail(node, fmt::format("no <socket_frame{}>", number), "the frames that it joins");
    }
    if (const pugi::xml_node at = old("location_body")) {
        placement.position = r.file.vector(at);
    }
    if (const pugi::xml_node angles = old("orientation_body")) {
        placement.rotation = rotation_from_xyz(r.file.vector(angles));
    }
    return r.body(name);
}

void read_bushing(OsimReader& r, const pugi::xml_node& node) {
    Bushing bushing{.name = name_or(node, "bushing", r.model.bushings.size())};
    bushing.first = bushing_frame(r, node, 1, bushing.first_frame);
    bushing.second = bushing_frame(r, node, 2, bushing.second_frame);
    const auto read = [&](const char* name, Vec3& to) {
        if (const pugi::xml_node found = r.property(node, name)) {
            to = r.file.vector(found);
        }
    };
    read("rotational_stiffness", bushing.turning_stiffness);
    read("translational_stiffness", bushing.shift_stiffness);
    read("rotational_damping", bushing.turning_damping);
    read("translational_damping", bushing.shift_damping);
    r.model.bushings.push_back(std::move(bushing));
}

}  // namespace

bool read_osim_passive(OsimReader& reader, const pugi::xml_node& node) {
    const std::string_view type = node.name();
    if (type == "Ligament") {
        read_ligament(reader, node, Ligament::Law::Curve);
    } else if (type == "Blankevoort1991Ligament") {
        read_ligament(reader, node, Ligament::Law::Toe);
    } else if (type == "PathSpring") {
        read_ligament(reader, node, Ligament::Law::Spring);
    } else if (type == "CoordinateLimitForce") {
        read_limit(reader, node);
    } else if (type == "SpringGeneralizedForce") {
        read_spring(reader, node);
    } else if (type == "BushingForce") {
        read_bushing(reader, node);
    } else {
        return false;
    }
    return true;
}

}  // namespace sinew::detail
