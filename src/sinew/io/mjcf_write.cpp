#include "sinew/base/error.h"
#include "sinew/base/units.h"
#include "sinew/body/function_value.h"
#include "sinew/io/atomic_file.h"
#include "sinew/io/mjcf.h"
#include "sinew/io/mjcf_writer.h"
#include "sinew/io/text_cursor.h"

#include <Eigen/Geometry>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <sstream>

namespace sinew {

namespace detail {

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

void set(pugi::xml_node node, const char* name, const std::string& value) {
    node.append_attribute(name).set_value(value.c_str());
}

void set_rotation(pugi::xml_node node, const Mat3& rotation) {
    if ((rotation - Mat3::Identity()).norm() < 1e-14) {
        return;
    }
    const Eigen::Quaterniond q(rotation);
    set(node, "quat", text_of({q.w(), q.x(), q.y(), q.z()}));
}

double value_at(const ScalarFunction& f, double x) {
    return FunctionEvaluator(f)(x).value;
}

namespace {

constexpr std::size_t kManyBodies = 50;  // from here on MuJoCo's usual buffers may overflow
constexpr int kConstraints = 5000;
constexpr int kContacts = 1000;

// Equalities that hold joints together, as stiff as steps of 2 ms allow.
constexpr const char* kStiffReference = "0.004 1";
constexpr const char* kStiffImpedance = "0.999 0.9999 0.001";

// +1 or -1 where the function is q or -q, else 0.
int unit_slope(const ScalarFunction& f) {
    if (f.kind != ScalarFunction::Kind::Linear || f.coefficients[1] != 0.0) {
        return 0;
    }
    const double slope = f.scale * f.coefficients[0];
    return slope == 1.0 ? 1 : (slope == -1.0 ? -1 : 0);
}

}  // namespace

MjcfWriter::MjcfWriter(const MusculoskeletalModel& model, const MjcfOptions& options)
    : model_(model), options_(options) {
    if (options.up == UpAxis::Z) {
        // y becomes z, x stays.
        T_world_model_.rotation << 1, 0, 0, 0, 0, -1, 0, 1, 0;
    }
}

void MjcfWriter::add_head() {
    root_ = document_.append_child("mujoco");
    set(root_, "model", model_.name.empty() ? "model" : model_.name);
    compiler_ = root_.append_child("compiler");
    set(compiler_, "angle", "radian");
    set(compiler_, "inertiafromgeom", "false");
    set(compiler_, "autolimits", "true");
    if (!options_.meshes.empty() && !model_.shapes.empty()) {
        set(compiler_, "meshdir", options_.meshes);
    }
    Node option = root_.append_child("option");
    set(option, "timestep", "0.002");
    set(option, "gravity", text_of(Vec3(T_world_model_.rotation * model_.gravity)));
    if (model_.bodies.size() > kManyBodies) {
        Node size = root_.append_child("size");
        set(size, "njmax", std::to_string(kConstraints));
        set(size, "nconmax", std::to_string(kContacts));
        // Muscles that shorten fast are stiff dampers, too stiff for explicit steps on the
        // light bones of such a model.
        set(option, "integrator", "implicit");
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
}

MjcfText MjcfWriter::write() {
    require_valid(model_, "model");
    rest_ = rest_values();
    add_head();
    nodes_.resize(model_.bodies.size());
    for (const ModelJoint& joint : model_.joints) {
        add_body(joint);
    }
    add_shapes();
    add_markers();
    add_tendons();
    add_couplers();
    add_notes();
    std::ostringstream out;
    document_.save(out, "  ", pugi::format_default, pugi::encoding_utf8);
    return {out.str(), notes_};
}

// Bones to look at; they weigh nothing and touch nothing.
void MjcfWriter::add_shapes() {
    if (options_.meshes.empty() || model_.shapes.empty()) {
        return;
    }
    Node assets = root_.insert_child_before("asset", world_);
    for (std::size_t k = 0; k < model_.shapes.size(); ++k) {
        const BodyShape& shape = model_.shapes[k];
        const std::string name = fmt::format("mesh_{}", k + 1);
        Node mesh = assets.append_child("mesh");
        set(mesh, "name", name);
        set(mesh, "file", shape.file);
        set(mesh, "scale", text_of(shape.scale));
        Node geom = body_node(shape.body).append_child("geom");
        const Placement T = in_body(shape.body) * shape.placement;
        set(geom, "type", "mesh");
        set(geom, "mesh", name);
        set(geom, "pos", text_of(T.position));
        set_rotation(geom, T.rotation);
        set(geom, "group", "1");
        set(geom, "rgba",
            text_of({shape.colour[0], shape.colour[1], shape.colour[2], shape.colour[3]}));
    }
}

void MjcfWriter::add_body(const ModelJoint& joint) {
    const RigidBody& body = model_.bodies[at(joint.child)];
    Node node = body_node(joint.parent).append_child("body");
    nodes_[at(joint.child)] = node;
    set(node, "name", body.name);
    ReferenceChain chain;
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
        values[i] = value_at(axis.function, axis.coordinate < 0 ? 0.0 : rest_at(axis.coordinate));
    }
    // The body is written in the pose of rest, so that MuJoCo starts there with every
    // constraint met.
    chain = with_references(chain, values);
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

void MjcfWriter::add_inertia(Node node, const RigidBody& body) {
    Node inertial = node.append_child("inertial");
    set(inertial, "pos", text_of(body.com));
    set(inertial, "mass", text_of({body.mass}));
    const Mat3 I = possible_inertia(body.inertia, body.mass);
    set(inertial, "fullinertia", text_of({I(0, 0), I(1, 1), I(2, 2), I(0, 1), I(0, 2), I(1, 2)}));
    balanced_ += (I - body.inertia).norm() > 1e-12 ? 1 : 0;
}

// MuJoCo wants every moving body to weigh something.
void MjcfWriter::add_small_inertia(Node node) {
    Node inertial = node.append_child("inertial");
    set(inertial, "pos", "0 0 0");
    set(inertial, "mass", "0.001");
    set(inertial, "diaginertia", "1e-6 1e-6 1e-6");
    ++small_;
}

// Of all coordinates at rest, those that follow others included.
std::vector<double> MjcfWriter::rest_values() const {
    std::vector<double> q = rest_coordinates(model_);
    for (std::size_t round = 0; round < model_.couplers.size(); ++round) {
        for (const CoordinateCoupler& c : model_.couplers) {
            q[at(c.dependent)] = value_at(c.function, q[at(c.independent)]);
        }
    }
    return q;
}

// True where the axis moves.
bool MjcfWriter::add_axis(Node node, const ModelJoint& joint, std::size_t i,
                          const ReferenceChain& chain, double value) {
    const JointAxis& axis = joint.axes[i];
    if (axis.coordinate < 0) {
        return false;  // its constant is in the reference
    }
    const Coordinate& c = model_.coordinates[at(axis.coordinate)];
    const int sign = unit_slope(axis.function);
    const bool is_main = sign != 0 && !has_joint_.contains(axis.coordinate);
    Node out = node.append_child("joint");
    std::string name = c.name;
    if (is_main) {
        has_joint_[axis.coordinate] = name;
    } else {
        name = fmt::format("{}_in_{}_{}", c.name, joint.name, i);
        followers_.push_back({name, axis.coordinate, axis.function, i >= 3});
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
    add_passive_joint(out, axis.coordinate, is_main);
    return true;
}

// What a joint does by itself: its own inertia and damping, and springs of the coordinate.
void MjcfWriter::add_passive_joint(Node joint, Index coordinate, bool is_main) {
    const Coordinate& c = model_.coordinates[at(coordinate)];
    if (c.armature > 0.0) {
        set(joint, "armature", text_of({c.armature}));
    }
    double damping = c.damping;
    double stiffness = c.stiffness;
    double turning = c.stiffness * rest_at(coordinate);  // stiffness times rest
    for (const CoordinateSpring& spring : model_.springs) {
        if (is_main && spring.coordinate == coordinate) {
            damping += spring.viscosity;
            stiffness += spring.stiffness;
            turning += spring.stiffness * spring.rest;
        }
    }
    if (damping > 0.0) {
        set(joint, "damping", text_of({damping}));
    }
    if (stiffness > 0.0) {
        set(joint, "stiffness", text_of({stiffness}));
        set(joint, "springref", text_of({turning / stiffness}));
    }
}

void MjcfWriter::add_markers() {
    for (const ModelMarker& marker : model_.markers) {
        Node site = body_node(marker.body).append_child("site");
        set(site, "name", "marker_" + marker.name);
        set(site, "pos", text_of(in_body(marker.body) * marker.position));
    }
}

// A polynomial of degree 4 in the offsets from the references.
void MjcfWriter::add_follower(Node equality, const Follower& follower, const std::string& leader,
                              Index coordinate, const std::function<double(double)>& f) {
    const Coordinate& c = model_.coordinates[at(coordinate)];
    const double x0 = rest_at(coordinate);
    const double low = std::min(std::isfinite(c.low) ? c.low : x0 - 1.0, x0);
    const double high = std::max(std::isfinite(c.high) ? c.high : low + 2.0, x0);
    const ReferencePolynomial fit = fit_polynomial(f, x0, low, high);
    Node joint = equality.append_child("joint");
    set(joint, "joint1", follower.name);
    set(joint, "joint2", leader);
    const auto& p = fit.coefficients;
    set(joint, "polycoef", text_of({p[0], p[1], p[2], p[3], p[4]}));
    set(joint, "solref", kStiffReference);
    set(joint, "solimp", kStiffImpedance);
    if (fit.error > 1e-9) {
        ++fitted_;
        FitError& worst = follower.is_slide ? worst_slide_ : worst_hinge_;
        worst = fit.error > worst.error ? FitError{follower.name, fit.error} : worst;
    }
}

MjcfWriter::Lead MjcfWriter::lead_of(Index coordinate, std::function<double(double)> f,
                                     std::size_t depth) const {
    for (const CoordinateCoupler& coupler : model_.couplers) {
        if (coupler.dependent == coordinate && depth <= model_.couplers.size()) {
            const FunctionEvaluator inner(coupler.function);
            return lead_of(
                coupler.independent, [f, inner](double x) { return f(inner(x).value); }, depth + 1);
        }
    }
    return {coordinate, std::move(f)};
}

void MjcfWriter::add_couplers() {
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
        add_follower(equality, follower, has_joint_[lead.coordinate], lead.coordinate,
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
        add_follower(equality,
                     {.name = joint->second,
                      .is_slide = !model_.coordinates[at(coupler.dependent)].is_rotation},
                     has_joint_[lead.coordinate], lead.coordinate, lead.function);
    }
}

// No axis is the coordinate itself: a small wheel of its own carries it.
void MjcfWriter::add_value(Index coordinate) {
    const Coordinate& c = model_.coordinates[at(coordinate)];
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

void MjcfWriter::add_notes() {
    if (fitted_ > 0) {
        std::string most;
        if (worst_slide_.error > 0.0) {
            most = fmt::format("{:.2g} mm ('{}')", 1e3 * worst_slide_.error, worst_slide_.joint);
        }
        if (worst_hinge_.error > 0.0) {
            most += fmt::format("{}{:.2g} degrees ('{}')", most.empty() ? "" : " and ",
                                worst_hinge_.error / kDegree, worst_hinge_.joint);
        }
        notes_.push_back(fmt::format(
            "{} joints follow others by polynomials of degree 4, at most {} off", fitted_, most));
    }
    if (small_ > 0) {
        notes_.push_back(fmt::format("{} moving bodies without mass were given 1 g", small_));
    }
    if (balanced_ > 0) {
        notes_.push_back(
            fmt::format("{} inertias that no solid body has were made possible", balanced_));
    }
    if (blended_ > 0) {
        notes_.push_back(
            fmt::format("{} blended points stay on the body of their greatest weight", blended_));
    }
    if (moving_ > 0) {
        notes_.push_back(fmt::format("{} moving points ride on slides of their own", moving_));
    }
    if (!model_.bushings.empty()) {
        notes_.push_back(fmt::format("{} bushings have no counterpart and are left out",
                                     model_.bushings.size()));
    }
    for (const CoordinateSpring& spring : model_.springs) {
        if (!has_joint_.contains(spring.coordinate)) {
            notes_.push_back(
                fmt::format("spring '{}' is left out: its coordinate has no joint", spring.name));
        }
    }
    if (options_.meshes.empty() && !model_.shapes.empty()) {
        notes_.push_back(fmt::format("{} meshes are left out", model_.shapes.size()));
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

}  // namespace detail

MjcfText format_mjcf(const MusculoskeletalModel& model, const MjcfOptions& options) {
    return detail::MjcfWriter(model, options).write();
}

std::vector<std::string> write_mjcf(const std::filesystem::path& path,
                                    const MusculoskeletalModel& model, const MjcfOptions& options) {
    const MjcfText mjcf = format_mjcf(model, options);
    write_file_bytes(path, mjcf.text);
    return mjcf.notes;
}

}  // namespace sinew
