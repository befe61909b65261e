#include "sinew/base/error.h"
#include "sinew/body/function_value.h"
#include "sinew/io/atomic_file.h"
#include "sinew/io/mjcf.h"
#include "sinew/io/mjcf_reference.h"
#include "sinew/io/text_cursor.h"
#include "sinew/linalg/dense.h"

#include <Eigen/Geometry>
#include <fmt/format.h>
#include <pugixml.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <sstream>

namespace sinew {

namespace {

using Node = pugi::xml_node;
using Kind = ScalarFunction::Kind;

constexpr std::size_t kManyBodies = 50;  // from here on MuJoCo's usual buffers may overflow
constexpr int kConstraints = 5000;
constexpr int kContacts = 1000;
constexpr double kUsualArmature = 0.01;  // kg m^2, of joints that have none
constexpr double kUsualDamping = 0.1;    // N m s/rad

std::string text_of(std::initializer_list<double> numbers) {
    std::string out;
    for (const double x : numbers) {
        out += out.empty() ? "" : " ";
        append_number(out, x);
    }
    return out;
}

std::string text_of(const Vec3& v) {
    return text_of({v.x(), v.y(), v.z()});
}

void set(Node node, const char* name, const std::string& value) {
    node.append_attribute(name).set_value(value.c_str());
}

// w x y z, as MuJoCo writes turns.
void set_rotation(Node node, const Mat3& rotation) {
    if ((rotation - Mat3::Identity()).norm() < 1e-14) {
        return;
    }
    const Eigen::Quaterniond q(rotation);
    set(node, "quat", text_of({q.w(), q.x(), q.y(), q.z()}));
}

// +1 or -1 where the function is q or -q, else 0.
int unit_slope(const ScalarFunction& f) {
    if (f.kind != Kind::Linear || f.coefficients[1] != 0.0) {
        return 0;
    }
    const double slope = f.scale * f.coefficients[0];
    return slope == 1.0 ? 1 : (slope == -1.0 ? -1 : 0);
}

double value_at(const ScalarFunction& f, double x) {
    return FunctionEvaluator(f)(x).value;
}

class MjcfWriter {
public:
    MjcfWriter(const MusculoskeletalModel& model, const MjcfOptions& options) : model_(model) {
        if (options.up == UpAxis::Z) {
            // y becomes z, x stays.
            T_world_model_.rotation << 1, 0, 0, 0, 0, -1, 0, 1, 0;
        }
    }

    MjcfText write() {
        require_valid(model_, "model");
        rest_ = rest_values();
        root_ = document_.append_child("mujoco");
        set(root_, "model", model_.name.empty() ? "model" : model_.name);
        compiler_ = root_.append_child("compiler");
        set(compiler_, "angle", "radian");
        set(compiler_, "inertiafromgeom", "false");
        set(compiler_, "autolimits", "true");
        Node option = root_.append_child("option");
        set(option, "timestep", "0.002");
        // Muscles that shorten fast are stiff dampers, too stiff for explicit steps on light bones
        // that are damped themselves; equalities of other models do better with explicit ones.
        if (std::any_of(model_.coordinates.begin(), model_.coordinates.end(),
                        [](const Coordinate& c) { return c.damping > 0.0; })) {
            set(option, "integrator", "implicit");
        }
        set(option, "gravity", text_of(Vec3(T_world_model_.rotation * model_.gravity)));
        if (model_.bodies.size() > kManyBodies) {
            Node size = root_.append_child("size");
            set(size, "njmax", std::to_string(kConstraints));
            set(size, "nconmax", std::to_string(kContacts));
        }
        Node defaults = root_.append_child("default");
        set(defaults.append_child("geom"), "contype", "0");
        set(defaults.child("geom"), "conaffinity", "0");
        world_ = root_.append_child("worldbody");
        if (std::any_of(model_.bodies.begin(), model_.bodies.end(),
                        [](const RigidBody& b) { return b.touches_ground; })) {
            Node ground = world_.append_child("geom");
            set(ground, "name", "ground");
            set(ground, "type", "plane");
            set(ground, "size", "20 20 1");
            set(ground, "zaxis", text_of(Vec3(T_world_model_.rotation.col(1))));
            set(ground, "conaffinity", "1");
        }
        nodes_.resize(model_.bodies.size());
        for (const ModelJoint& joint : model_.joints) {
            add_body(joint);
        }
        add_markers();
        add_couplers();
        add_tendons();
        add_notes();
        std::ostringstream out;
        document_.save(out, "  ", pugi::format_default, pugi::encoding_utf8);
        return {out.str(), notes_};
    }

private:
    Node body_node(Index body) {
        return body < 0 ? world_ : nodes_[static_cast<std::size_t>(body)];
    }

    // What stands on the ground stands in the file's world.
    Placement in_body(Index body) const {
        return body < 0 ? T_world_model_ : Placement{};
    }

    void add_body(const ModelJoint& joint) {
        const RigidBody& body = model_.bodies[static_cast<std::size_t>(joint.child)];
        Node node = body_node(joint.parent).append_child("body");
        nodes_[static_cast<std::size_t>(joint.child)] = node;
        set(node, "name", body.name);
        detail::ReferenceChain chain;
        Placement shift;
        if (!joint.radii.isZero()) {
            shift.position.z() += joint.radii.z();
            notes_.push_back(
                fmt::format("joint '{}' rides on an ellipsoid, which MuJoCo does not know: its "
                            "shift stays that "
                            "of the rest pose",
                            joint.name));
        }
        chain.place = joint.parent_frame * shift * joint.child_frame.inverse();
        chain.centre = joint.child_frame.position;
        std::array<double, 6> values = {};
        for (std::size_t i = 0; i < 6; ++i) {
            const JointAxis& axis = joint.axes[i];
            chain.axes[i] = joint.child_frame.rotation * axis.axis;
            values[i] =
                value_at(axis.function, axis.coordinate < 0 ? 0.0 : rest_at(axis.coordinate));
        }
        // The body is written in the pose of rest, so that MuJoCo starts there with every
        // constraint met.
        chain = detail::with_references(chain, values);
        chain.place = in_body(joint.parent) * chain.place;
        set(node, "pos", text_of(chain.place.position));
        set_rotation(node, chain.place.rotation);
        bool moves = false;
        for (const std::size_t i : {3U, 4U, 5U, 0U, 1U, 2U}) {
            moves = add_axis(node, joint, i, chain, values[i]) || moves;
        }
        if (body.mass > 0.0) {
            add_inertia(node, body);
        } else if (moves) {
            add_small_inertia(node);
        }
        if (body.box.minCoeff() > 0.0) {
            Node geom = node.append_child("geom");
            set(geom, "type", "box");
            set(geom, "size", text_of(0.5 * body.box));
            set(geom, "pos", text_of(body.box_placement.position));
            set_rotation(geom, body.box_placement.rotation);
            if (body.touches_ground) {
                set(geom, "contype", "1");
            }
        }
    }

    void add_inertia(Node node, const RigidBody& body) {
        Node inertial = node.append_child("inertial");
        set(inertial, "pos", text_of(body.com));
        set(inertial, "mass", text_of({body.mass}));
        const Mat3 I = detail::possible_inertia(body.inertia, body.mass);
        set(inertial, "fullinertia",
            text_of({I(0, 0), I(1, 1), I(2, 2), I(0, 1), I(0, 2), I(1, 2)}));
        balanced_ += (I - body.inertia).norm() > 1e-12 ? 1 : 0;
    }

    // MuJoCo wants every moving body to weigh something.
    void add_small_inertia(Node node) {
        Node inertial = node.append_child("inertial");
        set(inertial, "pos", "0 0 0");
        set(inertial, "mass", "0.001");
        set(inertial, "diaginertia", "1e-6 1e-6 1e-6");
        ++small_;
    }

    // Of all coordinates at rest, those that follow others included.
    std::vector<double> rest_values() const {
        std::vector<double> q = rest_coordinates(model_);
        for (std::size_t round = 0; round < model_.couplers.size(); ++round) {
            for (const CoordinateCoupler& c : model_.couplers) {
                q[static_cast<std::size_t>(c.dependent)] =
                    value_at(c.function, q[static_cast<std::size_t>(c.independent)]);
            }
        }
        return q;
    }

    double rest_at(Index coordinate) const {
        return rest_[static_cast<std::size_t>(coordinate)];
    }

    // True where the axis moves.
    bool add_axis(Node node, const ModelJoint& joint, std::size_t i,
                  const detail::ReferenceChain& chain, double value) {
        const JointAxis& axis = joint.axes[i];
        if (axis.coordinate < 0) {
            return false;  // its constant is in the reference
        }
        const Coordinate& c = model_.coordinates[static_cast<std::size_t>(axis.coordinate)];
        const int sign = unit_slope(axis.function);
        const bool is_main = sign != 0 && !has_joint_.contains(axis.coordinate);
        Node out = node.append_child("joint");
        std::string name = c.name;
        if (is_main) {
            has_joint_[axis.coordinate] = name;
        } else {
            name = fmt::format("{}_in_{}_{}", c.name, joint.name, i);
            followers_.push_back({name, axis.coordinate, axis.function});
        }
        set(out, "name", name);
        set(out, "type", i < 3 ? "hinge" : "slide");
        set(out, "pos", text_of(joint.child_frame.position));
        const double direction = is_main ? sign : 1.0;
        set(out, "axis", text_of(Vec3(direction * chain.axes[i])));
        // Where the coordinate itself is the joint, direction takes care of -q.
        const double reference = is_main ? rest_at(axis.coordinate) : value;
        if (reference != 0.0) {
            set(out, "ref", text_of({reference}));
        }
        if (is_main && c.is_clamped && std::isfinite(c.low) && std::isfinite(c.high) &&
            c.low < c.high) {
            set(out, "range", text_of({c.low, c.high}));
        }
        // Without any, a foot's bones are thrown about by what pulls on them.
        const bool is_bare = c.armature <= 0.0 && c.damping <= 0.0 && joint.parent >= 0 && i < 3;
        bare_ += is_bare ? 1 : 0;
        const double armature = is_bare ? kUsualArmature : c.armature;
        const double damping = is_bare ? kUsualDamping : c.damping;
        if (armature > 0.0) {
            set(out, "armature", text_of({armature}));
        }
        if (damping > 0.0) {
            set(out, "damping", text_of({damping}));
        }
        if (c.stiffness > 0.0) {
            set(out, "stiffness", text_of({c.stiffness}));
            set(out, "springref", text_of({rest_at(axis.coordinate)}));
        }
        return true;
    }

    void add_markers() {
        for (const ModelMarker& marker : model_.markers) {
            Node site = body_node(marker.body).append_child("site");
            set(site, "name", "marker_" + marker.name);
            set(site, "pos", text_of(in_body(marker.body) * marker.position));
        }
    }

    // A polynomial of degree 4 in the offsets from the references.
    void add_follower(Node equality, const std::string& name, const std::string& leader,
                      Index coordinate, const std::function<double(double)>& f) {
        const Coordinate& c = model_.coordinates[static_cast<std::size_t>(coordinate)];
        const double x0 = rest_at(coordinate);
        const double low = std::min(std::isfinite(c.low) ? c.low : x0 - 1.0, x0);
        const double high = std::max(std::isfinite(c.high) ? c.high : low + 2.0, x0);
        const detail::ReferencePolynomial fit = detail::fit_polynomial(f, x0, low, high);
        Node joint = equality.append_child("joint");
        set(joint, "joint1", name);
        set(joint, "joint2", leader);
        const auto& p = fit.coefficients;
        set(joint, "polycoef", text_of({p[0], p[1], p[2], p[3], p[4]}));
        if (fit.error > 1e-9) {
            notes_.push_back(
                fmt::format("joint '{}' follows '{}' by a polynomial, at most {:.2g} off", name,
                            leader, fit.error));
        }
    }

    // Which coordinate leads in the end, and by which function.
    struct Lead {
        Index coordinate = -1;
        std::function<double(double)> function;
    };
    Lead lead_of(Index coordinate, std::function<double(double)> f, std::size_t depth = 0) const {
        for (const CoordinateCoupler& coupler : model_.couplers) {
            if (coupler.dependent == coordinate && depth <= model_.couplers.size()) {
                const FunctionEvaluator inner(coupler.function);
                return lead_of(
                    coupler.independent, [f, inner](double x) { return f(inner(x).value); },
                    depth + 1);
            }
        }
        return {coordinate, std::move(f)};
    }

    void add_couplers() {
        if (followers_.empty() && model_.couplers.empty()) {
            return;
        }
        Node equality = root_.append_child("equality");
        for (const Follower& follower : followers_) {
            const FunctionEvaluator function(follower.function);
            const Lead lead =
                lead_of(follower.coordinate, [function](double x) { return function(x).value; });
            if (!has_joint_.contains(lead.coordinate)) {
                add_value(lead.coordinate);
            }
            add_follower(equality, follower.name, has_joint_[lead.coordinate], lead.coordinate,
                         lead.function);
        }
        for (const CoordinateCoupler& coupler : model_.couplers) {
            const auto joint = has_joint_.find(coupler.dependent);
            if (joint == has_joint_.end()) {
                continue;  // what it moves follows the leading coordinate itself
            }
            const Lead lead = lead_of(coupler.dependent, [](double x) { return x; });
            if (!has_joint_.contains(lead.coordinate)) {
                add_value(lead.coordinate);
            }
            add_follower(equality, joint->second, has_joint_[lead.coordinate], lead.coordinate,
                         lead.function);
        }
    }

    // No axis is the coordinate itself: a small wheel of its own carries it.
    void add_value(Index coordinate) {
        const Coordinate& c = model_.coordinates[static_cast<std::size_t>(coordinate)];
        Node node = world_.append_child("body");
        set(node, "name", c.name + "_value");
        add_small_inertia(node);
        Node joint = node.append_child("joint");
        set(joint, "name", c.name);
        set(joint, "type", "hinge");
        set(joint, "armature", "0.01");
        if (rest_at(coordinate) != 0.0) {
            set(joint, "ref", text_of({rest_at(coordinate)}));
        }
        has_joint_[coordinate] = c.name;
    }

    // The site of a path point; "" where the point does not count.
    std::string add_site(const MuscleUnit& unit, std::size_t number, Index& body) {
        const PathPoint& point = unit.points[number];
        if (point.condition >= 0) {
            const double q = rest_at(point.condition);
            ++conditional_;
            if (q < point.low || q > point.high) {
                return "";
            }
        }
        const auto strongest =
            std::max_element(point.anchors.begin(), point.anchors.end(),
                             [](const auto& a, const auto& b) { return a.weight < b.weight; });
        blended_ += point.anchors.size() > 1 ? 1 : 0;
        Vec3 position = strongest->position;
        for (std::size_t k = 0; k < 3; ++k) {
            if (point.moving[k].coordinate >= 0) {
                position[static_cast<Eigen::Index>(k)] =
                    value_at(point.moving[k].function, rest_at(point.moving[k].coordinate));
            }
        }
        moving_ += point.is_moving() ? 1 : 0;
        const std::string name = fmt::format("{}_{}", unit.name, number + 1);
        Node site = body_node(strongest->body).append_child("site");
        set(site, "name", name);
        set(site, "pos", text_of(in_body(strongest->body) * position));
        body = strongest->body;
        return name;
    }

    // MuJoCo has no ellipsoids to wrap over: a long one becomes a cylinder along its longest axis,
    // a round one a sphere, with the mean radius of the section across.
    void add_round_shape(Node geom, const WrapObject& wrap) {
        constexpr double kLong = 1.3;
        Eigen::Index along = 0;
        wrap.size.maxCoeff(&along);
        const double a = wrap.size[(along + 1) % 3];
        const double b = wrap.size[(along + 2) % 3];
        if (wrap.size[along] < kLong * std::max(a, b)) {
            set(geom, "type", "sphere");
            set(geom, "size", text_of({std::cbrt(wrap.size.prod())}));
        } else {
            set_rotation(geom,
                         wrap.placement.rotation * turn_between(Vec3::UnitZ(), Vec3::Unit(along)));
            set(geom, "type", "cylinder");
            set(geom, "size", text_of({std::sqrt(a * b), wrap.size[along]}));
        }
        ++rounded_;
    }

    // A ring leads the path through its hole; a site in the middle does the same.
    void add_ring(Node spatial, const WrapObject& ring, const std::string& name) {
        Node site = body_node(ring.body).append_child("site");
        set(site, "name", name);
        set(site, "pos", text_of(in_body(ring.body) * ring.placement.position));
        set(spatial.append_child("site"), "site", name);
        ++rings_;
    }

    static bool has_side(const WrapObject& wrap) {
        return wrap.has_side_point || wrap.side_sign != 0;
    }

    std::string wrap_geom(Index object) {
        WrapObject wrap = model_.wraps[static_cast<std::size_t>(object)];
        wrap.placement = in_body(wrap.body) * wrap.placement;
        const std::string name = "wrap_" + wrap.name;
        if (has_wrap_[object]) {
            return name;
        }
        has_wrap_[object] = true;
        Node geom = body_node(wrap.body).append_child("geom");
        set(geom, "name", name);
        set(geom, "pos", text_of(wrap.placement.position));
        if (wrap.kind == WrapKind::Ellipsoid) {
            add_round_shape(geom, wrap);
        } else {
            set_rotation(geom, wrap.placement.rotation);
            const bool is_sphere = wrap.kind == WrapKind::Sphere;
            set(geom, "type", is_sphere ? "sphere" : "cylinder");
            set(geom, "size",
                is_sphere ? text_of({wrap.size[0]}) : text_of({wrap.size[0], 0.5 * wrap.size[1]}));
        }
        if (has_side(wrap)) {
            Node site = body_node(wrap.body).append_child("site");
            set(site, "name", name + "_side");
            const Vec3 out =
                wrap.has_side_point
                    ? wrap.side_point
                    : Vec3(2.0 * wrap.size[0] * wrap.side_sign * Vec3::Unit(wrap.side_axis));
            set(site, "pos", text_of(wrap.placement * out));
        }
        return name;
    }

    void add_tendons() {
        if (model_.muscles.empty()) {
            return;
        }
        Node tendons = root_.append_child("tendon");
        Node actuators = root_.append_child("actuator");
        for (const MuscleUnit& unit : model_.muscles) {
            add_tendon(tendons, unit);
            add_actuator(actuators, unit);
        }
    }

    void add_tendon(Node tendons, const MuscleUnit& unit) {
        Node spatial = tendons.append_child("spatial");
        set(spatial, "name", unit.name);
        Index last_body = -2;
        for (std::size_t k = 0; k < unit.points.size(); ++k) {
            Index body = -1;
            const std::string site = add_site(unit, k, body);
            if (site.empty()) {
                continue;
            }
            if (last_body != -2 && last_body != body) {
                add_wrap(spatial, unit, k);
            }
            set(spatial.append_child("site"), "site", site);
            last_body = body;
        }
    }

    // MuJoCo takes one surface between two sites.
    void add_wrap(Node spatial, const MuscleUnit& unit, std::size_t before) {
        for (const PathWrap& wrap : unit.wraps) {
            const WrapObject& object = model_.wraps[static_cast<std::size_t>(wrap.object)];
            const auto last =
                wrap.last < 0 ? unit.points.size() - 1 : static_cast<std::size_t>(wrap.last);
            if (!object.is_active || before <= static_cast<std::size_t>(wrap.first) ||
                before > last) {
                continue;
            }
            if (object.kind == WrapKind::Torus) {
                add_ring(spatial, object, fmt::format("{}_in_{}", unit.name, object.name));
                return;
            }
            const std::string name = wrap_geom(wrap.object);
            Node geom = spatial.append_child("geom");
            set(geom, "geom", name);
            if (has_side(object)) {
                set(geom, "sidesite", name + "_side");
            }
            return;
        }
    }

    // MuJoCo scales an actuator's length range to a range of fibre lengths; this pair makes its
    // fibre and tendon lengths ours, along the tendon. Its active curve is two parabolas that end
    // at lmin and lmax; 0.02 and 1.98 follow exp(-(l - 1)^2 / 0.45) [Thelen2003] within 0.09 from
    // 0.4 to 1.6, and fpmax its passive one within 0.1 up to 1.5.
    void add_actuator(Node actuators, const MuscleUnit& unit) {
        constexpr double kLow = 0.75;
        constexpr double kHigh = 1.05;
        const double fibre = unit.fibre * std::cos(unit.pennation);
        Node muscle = actuators.append_child("muscle");
        set(muscle, "name", unit.name);
        set(muscle, "tendon", unit.name);
        set(muscle, "timeconst",
            text_of({std::max(unit.rise_time, 1e-3), std::max(unit.fall_time, 1e-3)}));
        set(muscle, "range", text_of({kLow, kHigh}));
        set(muscle, "lengthrange",
            text_of({unit.tendon + kLow * fibre, unit.tendon + kHigh * fibre}));
        set(muscle, "force", text_of({unit.fmax * std::cos(unit.pennation)}));
        set(muscle, "vmax", text_of({std::max(unit.velocity, 0.1)}));
        set(muscle, "fvmax", text_of({std::max(unit.lengthening_force, 1.01)}));
        set(muscle, "lmin", "0.02");
        set(muscle, "lmax", "1.98");
        set(muscle, "fpmax", "0.85");
    }

    void add_notes() {
        if (small_ > 0) {
            notes_.push_back(fmt::format("{} moving bodies without mass were given 1 g", small_));
        }
        if (bare_ > 0) {
            notes_.push_back(
                fmt::format("{} joints were given {} kg m^2 and {} N m s/rad of their "
                            "own, so that steps of 2 ms hold",
                            bare_, kUsualArmature, kUsualDamping));
        }
        if (balanced_ > 0) {
            notes_.push_back(
                fmt::format("{} inertias that no solid body has were made possible", balanced_));
        }
        if (blended_ > 0) {
            notes_.push_back(fmt::format(
                "{} blended points stay on the body of their greatest weight", blended_));
        }
        if (moving_ > 0) {
            notes_.push_back(fmt::format("{} moving points stay where they are at rest", moving_));
        }
        if (conditional_ > 0) {
            notes_.push_back(
                fmt::format("{} conditional points are as they are at rest", conditional_));
        }
        if (rounded_ > 0) {
            notes_.push_back(fmt::format("{} ellipsoids became cylinders or spheres", rounded_));
        }
        if (rings_ > 0) {
            notes_.push_back(fmt::format("{} rings became points in their middles", rings_));
        }
    }

    struct Follower {
        std::string name;
        Index coordinate;
        ScalarFunction function;
    };

    const MusculoskeletalModel& model_;
    Placement T_world_model_ = {};
    pugi::xml_document document_;
    Node root_;
    Node world_;
    Node compiler_;
    std::vector<Node> nodes_ = {};
    std::vector<double> rest_ = {};  // of all coordinates
    std::map<Index, std::string> has_joint_ = {};
    std::map<Index, bool> has_wrap_ = {};
    std::vector<Follower> followers_ = {};
    std::vector<std::string> notes_ = {};
    int blended_ = 0;
    int moving_ = 0;
    int rounded_ = 0;
    int rings_ = 0;
    int conditional_ = 0;
    int small_ = 0;
    int bare_ = 0;
    int balanced_ = 0;
};

}  // namespace

MjcfText format_mjcf(const MusculoskeletalModel& model, const MjcfOptions& options) {
    return MjcfWriter(model, options).write();
}

std::vector<std::string> write_mjcf(const std::filesystem::path& path,
                                    const MusculoskeletalModel& model, const MjcfOptions& options) {
    const MjcfText mjcf = format_mjcf(model, options);
    write_file_bytes(path, mjcf.text);
    return mjcf.notes;
}

}  // namespace sinew
