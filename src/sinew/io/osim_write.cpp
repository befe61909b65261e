#include "sinew/base/error.h"
#include "sinew/base/text.h"
#include "sinew/base/units.h"
#include "sinew/io/atomic_file.h"
#include "sinew/io/osim.h"
#include "sinew/io/osim_parts.h"
#include "sinew/io/text_cursor.h"

#include <fmt/format.h>
#include <pugixml.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <sstream>

namespace sinew {

namespace {

using Node = pugi::xml_node;
using Kind = ScalarFunction::Kind;

void add(Node node, const char* name, const std::string& value) {
    node.append_child(name).text().set(value.c_str());
}

void add(Node node, const char* name, std::initializer_list<double> numbers) {
    std::string text;
    for (const double x : numbers) {
        text += text.empty() ? "" : " ";
        append_number(text, x);
    }
    add(node, name, text);
}

void add(Node node, const char* name, const Vec3& v) {
    add(node, name, {v.x(), v.y(), v.z()});
}

void add_list(Node node, const char* name, const std::vector<double>& numbers) {
    std::string text;
    for (const double x : numbers) {
        text += text.empty() ? "" : " ";
        append_number(text, x);
    }
    add(node, name, text);
}

Node add_object(Node node, const char* type, const std::string& name) {
    Node out = node.append_child(type);
    out.append_attribute("name").set_value(name.c_str());
    return out;
}

class OsimWriter {
public:
    explicit OsimWriter(const MusculoskeletalModel& model) : model_(model) {}

    std::string write() {
        require_valid(model_, "model");
        Node root = document_.append_child("OpenSimDocument");
        root.append_attribute("Version").set_value("40000");
        Node model = add_object(root, "Model", model_.name.empty() ? "model" : model_.name);
        Node ground = add_object(model, "Ground", "ground");
        add_wraps(ground, -1);
        add_shapes(ground, -1);
        if (!model_.credits.empty()) {
            add(model, "credits", model_.credits);
        }
        if (!model_.publications.empty()) {
            add(model, "publications", model_.publications);
        }
        add(model, "gravity", model_.gravity);
        add(model, "length_units", "meters");
        add(model, "force_units", "N");
        add_bodies(model);
        Node joints = add_object(model, "JointSet", "jointset").append_child("objects");
        for (std::size_t j = 0; j < model_.joints.size(); ++j) {
            add_joint(joints, static_cast<Index>(j));
        }
        add_couplers(model);
        Node forces = add_object(model, "ForceSet", "forceset").append_child("objects");
        for (const MuscleUnit& unit : model_.muscles) {
            add_muscle(forces, unit);
        }
        add_passive(forces);
        add_markers(model);
        for (const KeptPart& part : model_.kept) {
            add_kept(model, part);
        }
        for (const std::string& note : notes()) {
            model.prepend_child(pugi::node_comment).set_value(note.c_str());
        }
        std::ostringstream out;
        document_.save(out, "\t", pugi::format_default, pugi::encoding_utf8);
        return out.str();
    }

    std::vector<std::string> notes() const {
        std::vector<std::string> out;
        if (blended_ > 0) {
            out.push_back(fmt::format("{} blended points stay on the body of their greatest weight",
                                      blended_));
        }
        const auto stiff = std::count_if(model_.coordinates.begin(), model_.coordinates.end(),
                                         [](const Coordinate& c) { return c.stiffness > 0.0; });
        if (stiff > 0) {
            out.push_back(fmt::format("{} coordinates lose their stiffness", stiff));
        }
        return out;
    }

private:
    std::string body_path(Index body) const {
        return body < 0 ? "/ground" : "/bodyset/" + model_.bodies[at(body)].name;
    }
    std::string coordinate_path(Index coordinate) const {
        const Coordinate& c = model_.coordinates[at(coordinate)];
        return fmt::format("/jointset/{}/{}", model_.joints[at(c.joint)].name, c.name);
    }

    void add_bodies(Node model) {
        Node bodies = add_object(model, "BodySet", "bodyset").append_child("objects");
        for (std::size_t b = 0; b < model_.bodies.size(); ++b) {
            const RigidBody& body = model_.bodies[b];
            Node node = add_object(bodies, "Body", body.name);
            add_shapes(node, static_cast<Index>(b));
            add_wraps(node, static_cast<Index>(b));
            add(node, "mass", {body.mass});
            add(node, "mass_center", body.com);
            const Mat3& I = body.inertia;
            add(node, "inertia", {I(0, 0), I(1, 1), I(2, 2), I(0, 1), I(0, 2), I(1, 2)});
        }
    }

    void add_wraps(Node owner, Index body) {
        Node objects = add_object(owner, "WrapObjectSet", "wrapobjectset").append_child("objects");
        constexpr std::array<const char*, 4> kTypes = {"WrapSphere", "WrapCylinder",
                                                       "WrapEllipsoid", "WrapTorus"};
        for (const WrapObject& wrap : model_.wraps) {
            if (wrap.body != body) {
                continue;
            }
            Node node = add_object(objects, kTypes[at(wrap.kind)], wrap.name);
            add(node, "active", wrap.is_active ? "true" : "false");
            add(node, "xyz_body_rotation", xyz_from_rotation(wrap.placement.rotation));
            add(node, "translation", wrap.placement.position);
            std::string side = "all";
            if (wrap.side_sign != 0) {
                side = wrap.side_sign < 0 ? "-" : "";
                side += static_cast<char>('x' + wrap.side_axis);
            }
            add(node, "quadrant", side);
            switch (wrap.kind) {
                case WrapKind::Sphere:
                    add(node, "radius", {wrap.size[0]});
                    break;
                case WrapKind::Cylinder:
                    add(node, "radius", {wrap.size[0]});
                    add(node, "length", {wrap.size[1]});
                    break;
                case WrapKind::Ellipsoid:
                    add(node, "dimensions", wrap.size);
                    break;
                case WrapKind::Torus:
                    add(node, "inner_radius", {wrap.size[1] - wrap.size[0]});
                    add(node, "outer_radius", {wrap.size[1] + wrap.size[0]});
                    break;
            }
        }
    }

    static void add_function(Node parent, const std::string& name, const ScalarFunction& f) {
        Node holder = parent;
        std::string inner = name;
        if (f.scale != 1.0) {
            Node multiplier = add_object(parent, "MultiplierFunction", name);
            holder = multiplier.append_child("function");
            add(multiplier, "scale", {f.scale});
            inner = "function";
        }
        constexpr std::array<const char*, 7> kTypes = {"Constant",
                                                       "LinearFunction",
                                                       "PolynomialFunction",
                                                       "PiecewiseLinearFunction",
                                                       "SimmSpline",
                                                       "GCVSpline",
                                                       "Sine"};
        Node node = add_object(holder, kTypes[at(f.kind)], inner);
        if (f.kind == Kind::Constant) {
            add(node, "value", {f.coefficients[0]});
        } else if (f.kind == Kind::Linear || f.kind == Kind::Polynomial) {
            add_list(node, "coefficients", f.coefficients);
        } else if (f.kind == Kind::Sine) {
            constexpr std::array<const char*, 4> kNames = {"amplitude", "omega", "phase", "offset"};
            for (std::size_t i = 0; i < kNames.size(); ++i) {
                add(node, kNames[i], {f.coefficients[i]});
            }
        } else {
            if (f.kind == Kind::NaturalSpline) {
                add(node, "half_order", "2");
            }
            add_list(node, "x", f.x);
            add_list(node, "y", f.y);
        }
    }

    void add_frame(Node frames, const std::string& name, Index body, const Placement& place) const {
        Node frame = add_object(frames, "PhysicalOffsetFrame", name);
        add(frame, "socket_parent", body_path(body));
        add(frame, "translation", place.position);
        add(frame, "orientation", xyz_from_rotation(place.rotation));
    }

    // All joints but welds and ellipsoids are written as custom joints: their axes say everything.
    void add_joint(Node joints, Index number) {
        const ModelJoint& joint = model_.joints[at(number)];
        const bool is_weld = joint.kind == JointKind::Weld;
        const bool is_ellipsoid = joint.kind == JointKind::Ellipsoid;
        Node node = add_object(
            joints, is_weld ? "WeldJoint" : (is_ellipsoid ? "EllipsoidJoint" : "CustomJoint"),
            joint.name);
        add(node, "socket_parent_frame", joint.name + "_parent");
        add(node, "socket_child_frame", joint.name + "_child");
        Node coordinates = node.append_child("coordinates");
        for (const Coordinate& c : model_.coordinates) {
            if (c.joint != number) {
                continue;
            }
            Node out = add_object(coordinates, "Coordinate", c.name);
            add(out, "default_value", {c.rest});
            const double far = c.is_rotation ? kPi : 10.0;
            add(out, "range",
                {std::isfinite(c.low) ? c.low : -far, std::isfinite(c.high) ? c.high : far});
            add(out, "clamped", c.is_clamped ? "true" : "false");
            add(out, "locked", c.is_locked ? "true" : "false");
        }
        Node frames = node.append_child("frames");
        add_frame(frames, joint.name + "_parent", joint.parent, joint.parent_frame);
        add_frame(frames, joint.name + "_child", joint.child, joint.child_frame);
        if (is_weld) {
            node.remove_child(coordinates);
            return;
        }
        if (is_ellipsoid) {
            add(node, "radii_x_y_z", joint.radii);
            return;
        }
        constexpr std::array<const char*, 6> kNames = {
            "rotation1", "rotation2", "rotation3", "translation1", "translation2", "translation3"};
        Node transform = node.append_child("SpatialTransform");
        for (std::size_t i = 0; i < 6; ++i) {
            Node axis = add_object(transform, "TransformAxis", kNames[i]);
            add(axis, "coordinates",
                joint.axes[i].coordinate < 0
                    ? ""
                    : model_.coordinates[at(joint.axes[i].coordinate)].name);
            add(axis, "axis", joint.axes[i].axis);
            add_function(axis, "function", joint.axes[i].function);
        }
    }

    void add_couplers(Node model) {
        Node objects = add_object(model, "ConstraintSet", "constraintset").append_child("objects");
        for (const CoordinateCoupler& coupler : model_.couplers) {
            Node node = add_object(objects, "CoordinateCouplerConstraint", coupler.name);
            Node holder = node.append_child("coupled_coordinates_function");
            add_function(holder, "function", coupler.function);
            add(node, "independent_coordinate_names",
                model_.coordinates[at(coupler.independent)].name);
            add(node, "dependent_coordinate_name", model_.coordinates[at(coupler.dependent)].name);
        }
    }

    void add_point(Node points, const PathPoint& point, const std::string& usual_name) {
        const auto strongest =
            std::max_element(point.anchors.begin(), point.anchors.end(),
                             [](const auto& a, const auto& b) { return a.weight < b.weight; });
        blended_ += point.anchors.size() > 1 ? 1 : 0;
        const char* type = point.is_moving()      ? "MovingPathPoint"
                           : point.condition >= 0 ? "ConditionalPathPoint"
                                                  : "PathPoint";
        Node node = add_object(points, type, point.name.empty() ? usual_name : point.name);
        add(node, "socket_parent_frame", body_path(strongest->body));
        if (point.is_moving()) {
            constexpr std::array<const char*, 3> kSockets = {
                "socket_x_coordinate", "socket_y_coordinate", "socket_z_coordinate"};
            constexpr std::array<const char*, 3> kNames = {"x_location", "y_location",
                                                           "z_location"};
            Index any = -1;
            for (const PathPoint::Component& c : point.moving) {
                any = std::max(any, c.coordinate);
            }
            for (std::size_t k = 0; k < 3; ++k) {
                const bool moves = point.moving[k].coordinate >= 0;
                add(node, kSockets[k], coordinate_path(moves ? point.moving[k].coordinate : any));
                ScalarFunction fixed;
                fixed.coefficients = {strongest->position[static_cast<Eigen::Index>(k)]};
                add_function(node.append_child(kNames[k]), "function",
                             moves ? point.moving[k].function : fixed);
            }
            return;
        }
        add(node, "location", strongest->position);
        if (point.condition >= 0) {
            add(node, "socket_coordinate", coordinate_path(point.condition));
            add(node, "range", {point.low, point.high});
        }
    }

    void add_path(Node node, const std::string& name, const std::vector<PathPoint>& points,
                  const std::vector<PathWrap>& wraps) {
        Node path = add_object(node, "GeometryPath", "geometrypath");
        Node list = path.append_child("PathPointSet").append_child("objects");
        for (std::size_t k = 0; k < points.size(); ++k) {
            add_point(list, points[k], fmt::format("{}-P{}", name, k + 1));
        }
        Node surfaces = path.append_child("PathWrapSet").append_child("objects");
        for (std::size_t k = 0; k < wraps.size(); ++k) {
            const PathWrap& wrap = wraps[k];
            Node out = add_object(surfaces, "PathWrap", fmt::format("pathwrap_{}", k + 1));
            add(out, "wrap_object", model_.wraps[at(wrap.object)].name);
            add(out, "method", "hybrid");
            add(out, "range",
                fmt::format("{} {}", wrap.first == 0 ? -1 : wrap.first + 1,
                            wrap.last < 0 ? -1 : wrap.last + 1));
        }
    }

    void add_ligament(Node forces, const Ligament& ligament) {
        constexpr std::array<const char*, 3> kTypes = {"Ligament", "Blankevoort1991Ligament",
                                                       "PathSpring"};
        Node node = add_object(forces, kTypes[at(ligament.law)], ligament.name);
        add_path(node, ligament.name, ligament.points, ligament.wraps);
        switch (ligament.law) {
            case Ligament::Law::Curve:
                add(node, "resting_length", {ligament.slack});
                add(node, "pcsa_force", {ligament.force});
                add_function(node.append_child("force_length_curve"), "function", ligament.curve);
                break;
            case Ligament::Law::Toe:
                add(node, "slack_length", {ligament.slack});
                add(node, "linear_stiffness", {ligament.force});
                add(node, "transition_strain", {ligament.toe});
                add(node, "damping_coefficient", {ligament.damping});
                break;
            case Ligament::Law::Spring:
                add(node, "resting_length", {ligament.slack});
                add(node, "stiffness", {ligament.force});
                add(node, "dissipation", {ligament.damping});
                break;
        }
    }

    void add_passive(Node forces) {
        for (const Ligament& ligament : model_.ligaments) {
            add_ligament(forces, ligament);
        }
        for (const CoordinateLimit& limit : model_.limits) {
            const Coordinate& c = model_.coordinates[at(limit.coordinate)];
            const double unit = c.is_rotation ? kDegree : 1.0;
            Node node = add_object(forces, "CoordinateLimitForce", limit.name);
            add(node, "coordinate", c.name);
            add(node, "upper_stiffness", {limit.high_stiffness * unit});
            add(node, "upper_limit", {limit.high / unit});
            add(node, "lower_stiffness", {limit.low_stiffness * unit});
            add(node, "lower_limit", {limit.low / unit});
            add(node, "damping", {limit.damping * unit});
            add(node, "transition", {limit.transition / unit});
        }
        for (const CoordinateSpring& spring : model_.springs) {
            Node node = add_object(forces, "SpringGeneralizedForce", spring.name);
            add(node, "coordinate", model_.coordinates[at(spring.coordinate)].name);
            add(node, "stiffness", {spring.stiffness});
            add(node, "rest_length", {spring.rest});
            add(node, "viscosity", {spring.viscosity});
        }
        for (const Bushing& bushing : model_.bushings) {
            Node node = add_object(forces, "BushingForce", bushing.name);
            add(node, "socket_frame1", bushing.name + "_frame1");
            add(node, "socket_frame2", bushing.name + "_frame2");
            Node frames = node.append_child("frames");
            add_frame(frames, bushing.name + "_frame1", bushing.first, bushing.first_frame);
            add_frame(frames, bushing.name + "_frame2", bushing.second, bushing.second_frame);
            add(node, "rotational_stiffness", bushing.turning_stiffness);
            add(node, "translational_stiffness", bushing.shift_stiffness);
            add(node, "rotational_damping", bushing.turning_damping);
            add(node, "translational_damping", bushing.shift_damping);
        }
    }

    // Meshes by their files; one that lies apart from its body's frame gets a frame of its own.
    void add_shapes(Node owner, Index body) {
        Node list;
        Node components;
        std::size_t number = 0;
        for (const BodyShape& shape : model_.shapes) {
            if (shape.body != body || shape.file.empty()) {
                continue;
            }
            ++number;
            Node holder = owner;
            const bool is_apart =
                !shape.placement.rotation.isIdentity(0.0) || !shape.placement.position.isZero(0.0);
            if (is_apart) {
                components = components ? components : owner.append_child("components");
                holder = add_object(components, "PhysicalOffsetFrame",
                                    fmt::format("shape_frame_{}", number));
                add(holder, "socket_parent", "..");
                add(holder, "translation", shape.placement.position);
                add(holder, "orientation", xyz_from_rotation(shape.placement.rotation));
            }
            list = is_apart ? holder.append_child("attached_geometry")
                            : (owner.child("attached_geometry")
                                   ? owner.child("attached_geometry")
                                   : owner.append_child("attached_geometry"));
            Node mesh = add_object(
                list, "Mesh", shape.name.empty() ? fmt::format("geometry_{}", number) : shape.name);
            add(mesh, "socket_frame", "..");
            add(mesh, "scale_factors", shape.scale);
            Node looks = mesh.append_child("Appearance");
            add(looks, "color", {shape.colour[0], shape.colour[1], shape.colour[2]});
            add(mesh, "mesh_file", shape.file);
        }
    }

    // As it stood in the file that it came from.
    static void add_kept(Node model, const KeptPart& part) {
        Node set = model.child(part.set.c_str());
        if (!set) {
            set = add_object(model, part.set.c_str(), lower(part.set));
        }
        Node objects = set.child("objects") ? set.child("objects") : set.append_child("objects");
        objects.append_buffer(part.text.data(), part.text.size());
    }

    void add_muscle(Node forces, const MuscleUnit& unit) {
        const bool is_thelen = unit.law == MuscleLaw::Thelen2003;
        Node node = add_object(
            forces, is_thelen ? "Thelen2003Muscle" : "Millard2012EquilibriumMuscle", unit.name);
        add_path(node, unit.name, unit.points, unit.wraps);
        if (unit.least_activation > 0.0) {
            add(node, "min_control", {unit.least_activation});
        }
        add(node, "default_activation", {unit.start_activation});
        if (unit.start_fibre > 0.0) {
            add(node, "default_fiber_length", {unit.start_fibre});
        }
        add(node, "max_isometric_force", {unit.fmax});
        add(node, "optimal_fiber_length", {unit.fibre});
        add(node, "tendon_slack_length", {unit.tendon});
        add(node, "pennation_angle_at_optimal", {unit.pennation});
        add(node, "max_contraction_velocity", {unit.velocity});
        add(node, "ignore_tendon_compliance", unit.ignores_tendon_elasticity ? "true" : "false");
        add(node, "activation_time_constant", {unit.rise_time});
        add(node, "deactivation_time_constant", {unit.fall_time});
        if (is_thelen) {
            add(node, "FmaxTendonStrain", {unit.tendon_strain});
            add(node, "FmaxMuscleStrain", {unit.passive_strain});
            add(node, "KshapeActive", {unit.active_shape});
            add(node, "KshapePassive", {unit.passive_shape});
            add(node, "Af", {unit.curvature});
            add(node, "Flen", {unit.lengthening_force});
        } else {
            add(node, "fiber_damping", {unit.damping});
            for (const detail::ShapeProperty& p : detail::kShapeProperties) {
                Node curve = node.child(p.curve);
                if (!curve) {
                    curve = add_object(node, p.curve, unit.name + "_" + p.curve);
                }
                add(curve, p.name, {unit.shape.*p.value});
            }
            Node curve = add_object(node, "TendonForceLengthCurve", "tendon_curve");
            add(curve, "strain_at_one_norm_force", {unit.tendon_strain});
        }
    }

    void add_markers(Node model) {
        Node objects = add_object(model, "MarkerSet", "markerset").append_child("objects");
        for (const ModelMarker& marker : model_.markers) {
            Node node = add_object(objects, "Marker", marker.name);
            add(node, "socket_parent_frame", body_path(marker.body));
            add(node, "location", marker.position);
            add(node, "fixed", "false");
        }
    }

    const MusculoskeletalModel& model_;
    pugi::xml_document document_;
    int blended_ = 0;
};

}  // namespace

std::string format_osim(const MusculoskeletalModel& model) {
    return OsimWriter(model).write();
}

std::vector<std::string> write_osim(const std::filesystem::path& path,
                                    const MusculoskeletalModel& model) {
    OsimWriter writer(model);
    write_file_bytes(path, writer.write());
    return writer.notes();
}

}  // namespace sinew
