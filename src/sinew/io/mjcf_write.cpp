#include "sinew/base/error.h"
#include "sinew/io/atomic_file.h"
#include "sinew/io/mjcf.h"
#include "sinew/io/text_cursor.h"
#include "sinew/linalg/dense.h"

#include <Eigen/Geometry>
#include <fmt/format.h>
#include <pugixml.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>

namespace sinew {

namespace {

using Node = pugi::xml_node;
using Kind = ScalarFunction::Kind;

constexpr std::size_t kManyBodies = 50;  // from here on MuJoCo's usual buffers may overflow
constexpr int kConstraints = 5000;
constexpr int kContacts = 1000;

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
    switch (f.kind) {
        case Kind::Constant:
            return f.scale * f.coefficients[0];
        case Kind::Linear:
            return f.scale * (f.coefficients[0] * x + f.coefficients[1]);
        case Kind::Polynomial: {
            double y = 0.0;
            for (const double c : f.coefficients) {
                y = y * x + c;
            }
            return f.scale * y;
        }
        case Kind::Sine:
            return f.scale *
                   (f.coefficients[0] * std::sin(f.coefficients[1] * x + f.coefficients[2]) +
                    f.coefficients[3]);
        default: {
            // Knots alone decide the polynomial; between them the chord is near enough.
            const auto at = std::upper_bound(f.x.begin() + 1, f.x.end() - 1, x);
            const auto i = static_cast<std::size_t>(at - f.x.begin()) - 1;
            const double t = (x - f.x[i]) / (f.x[i + 1] - f.x[i]);
            return f.scale * (f.y[i] + t * (f.y[i + 1] - f.y[i]));
        }
    }
}

class MjcfWriter {
public:
    explicit MjcfWriter(const MusculoskeletalModel& model) : model_(model) {}

    MjcfText write() {
        require_valid(model_, "model");
        root_ = document_.append_child("mujoco");
        set(root_, "model", model_.name.empty() ? "model" : model_.name);
        compiler_ = root_.append_child("compiler");
        set(compiler_, "angle", "radian");
        set(compiler_, "inertiafromgeom", "false");
        set(compiler_, "autolimits", "true");
        Node option = root_.append_child("option");
        set(option, "timestep", "0.002");
        set(option, "gravity", text_of(model_.gravity));
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
            set(ground, "zaxis", "0 1 0");
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

    void add_body(const ModelJoint& joint) {
        const RigidBody& body = model_.bodies[static_cast<std::size_t>(joint.child)];
        Node node = body_node(joint.parent).append_child("body");
        nodes_[static_cast<std::size_t>(joint.child)] = node;
        set(node, "name", body.name);
        Placement shift;
        for (const std::size_t i : {3U, 4U, 5U}) {
            if (joint.axes[i].coordinate < 0) {
                shift.position += value_at(joint.axes[i].function, 0.0) * joint.axes[i].axis;
            }
        }
        if (!joint.radii.isZero()) {
            shift.position.z() += joint.radii.z();
            notes_.push_back(
                fmt::format("joint '{}' rides on an ellipsoid, which MuJoCo does not know: its "
                            "shift stays that "
                            "of the rest pose",
                            joint.name));
        }
        const Placement T = joint.parent_frame * shift * joint.child_frame.inverse();
        set(node, "pos", text_of(T.position));
        set_rotation(node, T.rotation);
        bool moves = false;
        for (const std::size_t i : {3U, 4U, 5U, 0U, 1U, 2U}) {
            moves = add_axis(node, joint, i) || moves;
        }
        if (body.mass > 0.0) {
            add_inertia(node, body);
        } else if (moves) {
            bound_mass_ = true;
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
        const Mat3& I = body.inertia;
        set(inertial, "fullinertia",
            text_of({I(0, 0), I(1, 1), I(2, 2), I(0, 1), I(0, 2), I(1, 2)}));
        const double largest = I.diagonal().maxCoeff();
        if (I.diagonal().minCoeff() <= 0.0 || I.trace() - 2.0 * largest < 0.0) {
            balance_ = true;
        }
    }

    // True where the axis moves.
    bool add_axis(Node node, const ModelJoint& joint, std::size_t i) {
        const JointAxis& axis = joint.axes[i];
        if (axis.coordinate < 0) {
            if (i < 3 && value_at(axis.function, 0.0) != 0.0) {
                notes_.push_back(fmt::format("joint '{}': a constant turn of {} rad was left out",
                                             joint.name, value_at(axis.function, 0.0)));
            }
            return false;
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
        set(out, "axis", text_of(Vec3(direction * (joint.child_frame.rotation * axis.axis))));
        if (is_main && c.is_clamped && std::isfinite(c.low) && std::isfinite(c.high) &&
            c.low < c.high) {
            set(out, "range", text_of({c.low, c.high}));
        }
        if (c.armature > 0.0) {
            set(out, "armature", text_of({c.armature}));
        }
        if (c.damping > 0.0) {
            set(out, "damping", text_of({c.damping}));
        }
        if (c.stiffness > 0.0) {
            set(out, "stiffness", text_of({c.stiffness}));
            set(out, "springref", text_of({c.rest}));
        }
        return true;
    }

    void add_markers() {
        for (const ModelMarker& marker : model_.markers) {
            Node site = body_node(marker.body).append_child("site");
            set(site, "name", "marker_" + marker.name);
            set(site, "pos", text_of(marker.position));
        }
    }

    // A polynomial of degree 4 through the function over the coordinate's range.
    void add_follower(Node equality, const std::string& name, const std::string& leader,
                      const Coordinate& c, const ScalarFunction& f) {
        const double low = std::isfinite(c.low) ? c.low : -1.0;
        const double high = std::isfinite(c.high) && c.high > low ? c.high : low + 2.0;
        constexpr int kSamples = 41;
        Eigen::MatrixXd A(kSamples, 5);
        Eigen::VectorXd y(kSamples);
        for (int k = 0; k < kSamples; ++k) {
            const double x = low + (high - low) * k / (kSamples - 1);
            y[k] = value_at(f, x);
            for (int p = 0; p < 5; ++p) {
                A(k, p) = std::pow(x, p);
            }
        }
        const Eigen::VectorXd coefficients = least_squares(A, y);
        const double error = (A * coefficients - y).cwiseAbs().maxCoeff();
        Node joint = equality.append_child("joint");
        set(joint, "joint1", name);
        set(joint, "joint2", leader);
        set(joint, "polycoef",
            text_of({coefficients[0], coefficients[1], coefficients[2], coefficients[3],
                     coefficients[4]}));
        if (error > 1e-9) {
            notes_.push_back(
                fmt::format("joint '{}' follows '{}' by a polynomial, at most {:.2g} off", name,
                            leader, error));
        }
    }

    void add_couplers() {
        if (followers_.empty() && model_.couplers.empty()) {
            return;
        }
        Node equality = root_.append_child("equality");
        for (const Follower& follower : followers_) {
            const Coordinate& c = model_.coordinates[static_cast<std::size_t>(follower.coordinate)];
            if (!has_joint_.contains(follower.coordinate)) {
                // No axis is the coordinate itself: a massless slider of its own carries it.
                Node node = world_.append_child("body");
                set(node, "name", c.name + "_value");
                Node joint = node.append_child("joint");
                set(joint, "name", c.name);
                set(joint, "type", "slide");
                bound_mass_ = true;
                has_joint_[follower.coordinate] = c.name;
            }
            add_follower(equality, follower.name, has_joint_[follower.coordinate], c,
                         follower.function);
        }
        for (const CoordinateCoupler& coupler : model_.couplers) {
            add_follower(equality,
                         model_.coordinates[static_cast<std::size_t>(coupler.dependent)].name,
                         model_.coordinates[static_cast<std::size_t>(coupler.independent)].name,
                         model_.coordinates[static_cast<std::size_t>(coupler.independent)],
                         coupler.function);
        }
    }

    // The site of a path point; "" where the point does not count.
    std::string add_site(const MuscleUnit& unit, std::size_t number, Index& body) {
        const PathPoint& point = unit.points[number];
        if (point.condition >= 0) {
            const double q = model_.coordinates[static_cast<std::size_t>(point.condition)].rest;
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
                const auto c = static_cast<std::size_t>(point.moving[k].coordinate);
                position[static_cast<Eigen::Index>(k)] =
                    value_at(point.moving[k].function, model_.coordinates[c].rest);
            }
        }
        moving_ += point.is_moving() ? 1 : 0;
        const std::string name = fmt::format("{}_{}", unit.name, number + 1);
        Node site = body_node(strongest->body).append_child("site");
        set(site, "name", name);
        set(site, "pos", text_of(position));
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
        set(site, "pos", text_of(ring.placement.position));
        set(spatial.append_child("site"), "site", name);
        ++rings_;
    }

    std::string wrap_geom(Index object) {
        const WrapObject& wrap = model_.wraps[static_cast<std::size_t>(object)];
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
        if (wrap.side_sign != 0) {
            Node site = body_node(wrap.body).append_child("site");
            set(site, "name", name + "_side");
            const Vec3 out = 2.0 * wrap.size[0] * wrap.side_sign * Vec3::Unit(wrap.side_axis);
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
            if (object.side_sign != 0) {
                set(geom, "sidesite", name + "_side");
            }
            return;
        }
    }

    // MuJoCo scales an actuator's length range to a range of fibre lengths; this pair makes its
    // fibre and tendon lengths ours.
    void add_actuator(Node actuators, const MuscleUnit& unit) {
        constexpr double kLow = 0.75;
        constexpr double kHigh = 1.05;
        Node muscle = actuators.append_child("muscle");
        set(muscle, "name", unit.name);
        set(muscle, "tendon", unit.name);
        set(muscle, "timeconst", text_of({unit.rise_time, unit.fall_time}));
        set(muscle, "range", text_of({kLow, kHigh}));
        set(muscle, "lengthrange",
            text_of({unit.tendon + kLow * unit.fibre, unit.tendon + kHigh * unit.fibre}));
        set(muscle, "force", text_of({unit.fmax}));
        set(muscle, "vmax", text_of({unit.velocity}));
        set(muscle, "fvmax", text_of({std::max(unit.lengthening_force, 1.01)}));
    }

    void add_notes() {
        if (bound_mass_) {
            set(compiler_, "boundmass", "1e-4");
            set(compiler_, "boundinertia", "1e-7");
            notes_.push_back("moving bodies without mass were given 0.1 g");
        }
        if (balance_) {
            set(compiler_, "balanceinertia", "true");
            notes_.push_back("inertias that no solid body can have are balanced by MuJoCo");
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
    pugi::xml_document document_;
    Node root_;
    Node world_;
    Node compiler_;
    std::vector<Node> nodes_ = {};
    std::map<Index, std::string> has_joint_ = {};
    std::map<Index, bool> has_wrap_ = {};
    std::vector<Follower> followers_ = {};
    std::vector<std::string> notes_ = {};
    int blended_ = 0;
    int moving_ = 0;
    int rounded_ = 0;
    int rings_ = 0;
    int conditional_ = 0;
    bool bound_mass_ = false;
    bool balance_ = false;
};

}  // namespace

MjcfText format_mjcf(const MusculoskeletalModel& model) {
    return MjcfWriter(model).write();
}

std::vector<std::string> write_mjcf(const std::filesystem::path& path,
                                    const MusculoskeletalModel& model) {
    const MjcfText mjcf = format_mjcf(model);
    write_file_bytes(path, mjcf.text);
    return mjcf.notes;
}

}  // namespace sinew
