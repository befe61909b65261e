#include "sinew/base/error.h"
#include "sinew/base/text.h"
#include "sinew/io/osim.h"
#include "sinew/io/osim_parts.h"
#include "sinew/io/text_cursor.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstring>

namespace sinew {

namespace detail {

std::string name_or(const pugi::xml_node& node, std::string_view kind, std::size_t number) {
    const std::string name = node.attribute("name").value();
    return name.empty() ? fmt::format("{}_{}", kind, number + 1) : name;
}

std::string last_name(const std::string& path) {
    const std::size_t slash = path.find_last_of('/');
    return slash == std::string::npos ? path : path.substr(slash + 1);
}

namespace {

// Containers of XML that are no components of their own.
bool is_container(const pugi::xml_node& node) {
    const std::string_view name = node.name();
    return name == "objects" || name == "components" || name == "frames" || name == "coordinates";
}

// "/jointset/hip_r/pelvis_offset"
std::string component_path(pugi::xml_node node) {
    std::string path;
    for (; node && std::strcmp(node.name(), "Model") != 0; node = node.parent()) {
        if (node.type() != pugi::node_element || is_container(node)) {
            continue;
        }
        std::string name = node.attribute("name").value();
        if (name.empty()) {
            name = lower(node.name());
        }
        path = "/" + name + path;
    }
    return path;
}

// "/a/b" and "../c" make "/a/c".
std::string joined_path(std::string base, std::string_view step) {
    while (step.starts_with("../")) {
        base.erase(std::min(base.find_last_of('/'), base.size()));
        step.remove_prefix(3);
    }
    return base + "/" + std::string(step);
}

}  // namespace

pugi::xml_node owner_frame(const pugi::xml_node& node) {
    pugi::xml_node owner = node.parent();
    while (owner && std::strcmp(owner.name(), "Body") != 0 &&
           std::strcmp(owner.name(), "Ground") != 0 &&
           std::strcmp(owner.name(), "PhysicalOffsetFrame") != 0) {
        owner = owner.parent();
    }
    return owner;
}

pugi::xml_node socket_or(const pugi::xml_node& node, const std::string& socket, const char* name) {
    const pugi::xml_node found = socket_of(node, socket);
    return found ? found : node.child(name);
}

pugi::xml_node socket_of(const pugi::xml_node& node, const std::string& name) {
    for (const std::string& child : {"socket_" + name, "socket_" + name + "_connectee_name"}) {
        if (const pugi::xml_node found = node.child(child.c_str())) {
            return found;
        }
    }
    for (const pugi::xml_node& connector : node.child("connectors").children()) {
        if (name == connector.attribute("name").value()) {
            return connector.child("connectee_name");
        }
    }
    return {};
}

pugi::xml_node need_socket(const XmlFile& file, const pugi::xml_node& node,
                           const std::string& name) {
    const pugi::xml_node found = socket_of(node, name);
    return found ? found : file.need(node, ("socket_" + name).c_str());
}

std::vector<pugi::xml_node> objects_of(const pugi::xml_node& model, const char* set,
                                       std::initializer_list<std::string_view> endings) {
    std::vector<pugi::xml_node> out;
    for (const pugi::xml_node& node : model.child(set).child("objects").children()) {
        if (node.type() == pugi::node_element) {
            out.push_back(node);
        }
    }
    for (const pugi::xml_node& node : model.child("components").children()) {
        const std::string_view name = node.name();
        if (std::any_of(endings.begin(), endings.end(),
                        [&](std::string_view e) { return name.ends_with(e); })) {
            out.push_back(node);
        }
    }
    return out;
}

pugi::xml_node OsimReader::property(const pugi::xml_node& node, const char* name) const {
    const pugi::xml_node own = node.child(name);
    return own ? own : defaults.child(node.name()).child(name);
}

double OsimReader::number_or(const pugi::xml_node& node, const char* name, double fallback) const {
    const pugi::xml_node found = property(node, name);
    return found && !trimmed_text(found).empty() ? file.number(found) : fallback;
}

bool OsimReader::truth_or(const pugi::xml_node& node, const char* name, bool fallback) const {
    const pugi::xml_node found = property(node, name);
    return found && !trimmed_text(found).empty() ? file.truth(found) : fallback;
}

Index OsimReader::body(const pugi::xml_node& node) const {
    const std::string name = last_name(trimmed_text(node));
    if (name == "ground") {
        return -1;
    }
    const auto it = bodies.find(name);
    if (it == bodies.end()) {
        if (file.root().find_node([&](const pugi::xml_node& n) {
                return std::strcmp(n.name(), "StationDefinedFrame") == 0 &&
                       name == n.attribute("name").value();
            })) {
            file.fail(node, fmt::format("the StationDefinedFrame {}", sinew::quoted(name)),
                      "a body or an offset frame (PhysicalOffsetFrame)",
                      "replace it by a PhysicalOffsetFrame at the same place, which OpenSim's "
                      "scripting tells");
        }
        std::vector<std::string> known;
        for (const auto& [key, index] : bodies) {
            known.push_back(key);
        }
        file.fail(node, fmt::format("body {}{}", sinew::quoted(name), did_you_mean(name, known)),
                  "the name of a body of the model");
    }
    return it->second;
}

Index OsimReader::body_of_frame(const pugi::xml_node& node, Placement& offset) const {
    offset = {};
    const std::string text = trimmed_text(node);
    const auto [first, last] = frames.equal_range(last_name(text));
    if (first == last || bodies.contains(first->first)) {
        return body(node);
    }
    // Joints like to call their frames alike; the whole path tells them apart.
    auto frame = first;
    if (std::next(first) != last) {
        const std::string path =
            text.starts_with('/') ? text : joined_path(component_path(node.parent()), text);
        frame = std::find_if(first, last, [&](const auto& candidate) {
            return component_path(candidate.second) == path;
        });
        if (frame == last) {
            file.fail(node,
                      fmt::format("frame {}, of which there are {}", sinew::quoted(text),
                                  std::distance(first, last)),
                      "a path that means one of them, such as " +
                          sinew::quoted(component_path(first->second)));
        }
    }
    return body_of_offset(frame->second, offset);
}

Index OsimReader::body_of_offset(const pugi::xml_node& frame, Placement& offset) const {
    pugi::xml_node at = frame;
    for (std::size_t steps = 0; steps <= frames.size(); ++steps) {
        Placement own;
        if (const pugi::xml_node shift = property(at, "translation")) {
            own.position = file.vector(shift);
        }
        if (const pugi::xml_node angles = property(at, "orientation")) {
            own.rotation = rotation_from_xyz(file.vector(angles));
        }
        offset = own * offset;
        const pugi::xml_node parent = need_socket(file, at, "parent");
        const std::string name = last_name(trimmed_text(parent));
        const auto [first, last] = frames.equal_range(name);
        if (name == "..") {
            // Of what it is written in: a body, or another frame.
            at = owner_frame(at);
            if (std::strcmp(at.name(), "PhysicalOffsetFrame") == 0) {
                continue;
            }
            const auto it = bodies.find(at.attribute("name").value());
            return it == bodies.end() ? -1 : it->second;
        }
        if (first == last || bodies.contains(name)) {
            return body(parent);
        }
        at = first->second;
    }
    file.fail(frame, "offset frames in a loop", "frames that lead to a body");
}

Index OsimReader::coordinate(const pugi::xml_node& node) const {
    const std::string name = last_name(trimmed_text(node));
    const auto it = coordinates.find(name);
    if (it == coordinates.end()) {
        file.fail(node, fmt::format("coordinate {}", sinew::quoted(name)),
                  "the name of a coordinate of the model");
    }
    return it->second;
}

namespace {

using Kind = ScalarFunction::Kind;
struct FunctionClass {
    const char* name;
    Kind kind;
};
constexpr std::array<FunctionClass, 11> kFunctions = {
    {{"Constant", Kind::Constant},
     {"LinearFunction", Kind::Linear},
     {"PolynomialFunction", Kind::Polynomial},
     {"PiecewiseLinearFunction", Kind::PiecewiseLinear},
     {"SimmSpline", Kind::SimmSpline},
     {"NaturalCubicSpline", Kind::SimmSpline},
     {"natCubicSpline", Kind::SimmSpline},
     {"GCVSpline", Kind::NaturalSpline},
     {"CubicSpline", Kind::NaturalSpline},
     {"Sine", Kind::Sine},
     {"SineFunction", Kind::Sine}}};

}  // namespace

bool OsimReader::function_element(const pugi::xml_node& node, ScalarFunction& f) const {
    const std::string_view name = node.name();
    if (name == "MultiplierFunction") {
        f = function(node);
        f.scale *= number_or(node, "scale", 1.0);
        return true;
    }
    const auto known = std::find_if(kFunctions.begin(), kFunctions.end(),
                                    [&](const FunctionClass& c) { return name == c.name; });
    if (known == kFunctions.end()) {
        if (name.ends_with("Function") || name.ends_with("Spline")) {
            file.fail(node, fmt::format("function class {}", sinew::quoted(name)),
                      "Constant, LinearFunction, PolynomialFunction, PiecewiseLinearFunction, "
                      "SimmSpline, Sine or MultiplierFunction");
        }
        return false;
    }
    f = ScalarFunction{.kind = known->kind};
    if (known->kind == Kind::Constant) {
        f.coefficients = {number_or(node, "value", 0.0)};
    } else if (known->kind == Kind::Sine) {
        f.coefficients = {number_or(node, "amplitude", 1.0), number_or(node, "omega", 1.0),
                          number_or(node, "phase", 0.0), number_or(node, "offset", 0.0)};
    } else if (known->kind == Kind::Linear || known->kind == Kind::Polynomial) {
        f.coefficients = file.numbers(file.need(node, "coefficients"));
        if (f.coefficients.size() < (known->kind == Kind::Linear ? 2U : 1U)) {
            file.fail(node, fmt::format("{} coefficients", f.coefficients.size()), "more of them");
        }
    } else {
        if (name == "GCVSpline" && number_or(node, "half_order", 3.0) != 2.0) {
            ++left_out["order of GCVSpline, read as a natural cubic spline"];
        }
        f.x = file.numbers(file.need(node, "x"));
        f.y = file.numbers(file.need(node, "y"));
        if (f.x.size() != f.y.size() || f.x.size() < 2) {
            file.fail(node, fmt::format("{} x and {} y values", f.x.size(), f.y.size()),
                      "as many of either, at least 2");
        }
        for (std::size_t i = 1; i < f.x.size(); ++i) {
            if (f.x[i] <= f.x[i - 1]) {
                file.fail(node, fmt::format("x {} after {}", f.x[i], f.x[i - 1]),
                          "x values that rise");
            }
        }
    }
    return true;
}

ScalarFunction OsimReader::function(const pugi::xml_node& node) const {
    const pugi::xml_node holder = node.child("function") ? node.child("function") : node;
    ScalarFunction f;
    for (const pugi::xml_node& child : holder.children()) {
        if (function_element(child, f)) {
            return f;
        }
    }
    file.fail(node, "no function", "a function of a coordinate");
}

}  // namespace detail

namespace {

using detail::OsimReader;

Mat3 inertia_of(const OsimReader& r, const pugi::xml_node& body) {
    std::array<double, 6> v{};
    if (const pugi::xml_node all = r.property(body, "inertia")) {
        const std::vector<double> six = r.file.numbers(all, all.child_value(), 6);
        std::copy(six.begin(), six.end(), v.begin());
    } else {
        constexpr std::array<const char*, 6> kNames = {"inertia_xx", "inertia_yy", "inertia_zz",
                                                       "inertia_xy", "inertia_xz", "inertia_yz"};
        for (std::size_t i = 0; i < 6; ++i) {
            v[i] = r.number_or(body, kNames[i], 0.0);
        }
    }
    Mat3 I;
    I << v[0], v[3], v[4], v[3], v[1], v[5], v[4], v[5], v[2];
    return I;
}

int side_axis_of(const OsimReader& r, const pugi::xml_node& node, const std::string& quadrant,
                 int& sign) {
    sign = 0;
    std::string_view q = quadrant;
    if (q.empty() || q == "all" || q == "Unassigned") {
        return 0;
    }
    sign = 1;
    if (q[0] == '-' || q[0] == '+') {
        sign = q[0] == '-' ? -1 : 1;
        q.remove_prefix(1);
    }
    if (q.size() != 1 || std::string_view("xyzXYZ").find(q[0]) == std::string_view::npos) {
        r.file.fail(node, fmt::format("quadrant {}", sinew::quoted(quadrant)),
                    "all, x, -x, y, -y, z or -z");
    }
    return std::tolower(q[0]) - 'x';
}

void read_wraps(OsimReader& r, const pugi::xml_node& owner, Index body, const Placement& frame) {
    for (const pugi::xml_node& node : owner.child("WrapObjectSet").child("objects").children()) {
        if (node.type() != pugi::node_element) {
            continue;
        }
        const std::string_view type = node.name();
        WrapObject wrap{.name = detail::name_or(node, "wrap", r.model.wraps.size()), .body = body};
        if (const pugi::xml_node angles = r.property(node, "xyz_body_rotation")) {
            wrap.placement.rotation = rotation_from_xyz(r.file.vector(angles));
        }
        if (const pugi::xml_node at = r.property(node, "translation")) {
            wrap.placement.position = r.file.vector(at);
        }
        wrap.placement = frame * wrap.placement;
        wrap.is_active = r.truth_or(node, "active", true);
        wrap.side_axis =
            side_axis_of(r, node, trimmed_text(r.property(node, "quadrant")), wrap.side_sign);
        if (type == "WrapCylinder") {
            wrap.kind = WrapKind::Cylinder;
            wrap.size = Vec3(r.number_or(node, "radius", 1.0), r.number_or(node, "length", 1.0), 1);
        } else if (type == "WrapSphere") {
            wrap.kind = WrapKind::Sphere;
            wrap.size = Vec3(r.number_or(node, "radius", 1.0), 1.0, 1.0);
        } else if (type == "WrapEllipsoid") {
            wrap.kind = WrapKind::Ellipsoid;
            wrap.size = r.file.vector(r.file.need(node, "dimensions"));
        } else if (type == "WrapTorus") {
            wrap.kind = WrapKind::Torus;
            const double inner = r.number_or(node, "inner_radius", 0.0);
            const double outer = r.number_or(node, "outer_radius", 0.0);
            wrap.size = Vec3(0.5 * (outer - inner), 0.5 * (outer + inner), 1.0);
        } else {
            r.file.fail(node, fmt::format("wrap object class {}", sinew::quoted(type)),
                        "WrapCylinder, WrapSphere, WrapEllipsoid or WrapTorus");
        }
        if (!(wrap.size.minCoeff() > 0.0)) {
            r.file.fail(node, fmt::format("a size of {}", wrap.size.minCoeff()), "sizes > 0");
        }
        // Paths name their surfaces without the body, and OpenSim takes the first of that name.
        if (!r.wraps.emplace(wrap.name, static_cast<Index>(r.model.wraps.size())).second) {
            ++r.left_out[fmt::format("further wrap object named '{}'", wrap.name)];
            continue;
        }
        r.model.wraps.push_back(wrap);
    }
}

void read_bodies(OsimReader& r, const pugi::xml_node& model) {
    const std::vector<pugi::xml_node> nodes = detail::objects_of(model, "BodySet", {"Body"});
    if (nodes.empty()) {
        r.file.need(r.file.need(model, "BodySet"), "objects");
    }
    for (const pugi::xml_node& node : nodes) {
        const std::string name = r.file.need_attribute(node, "name");
        if (std::strcmp(node.name(), "Body") != 0) {
            r.file.fail(node, fmt::format("body class {}", sinew::quoted(node.name())), "Body");
        }
        if (name == "ground") {
            continue;
        }
        RigidBody body{.name = name};
        body.mass = r.number_or(node, "mass", 0.0);
        if (body.mass < 0.0) {
            r.file.fail(node, fmt::format("a mass of {} kg", body.mass), "a mass >= 0");
        }
        if (const pugi::xml_node com = r.property(node, "mass_center")) {
            body.com = r.file.vector(com);
        }
        body.inertia = inertia_of(r, node);
        if (!r.bodies.emplace(name, static_cast<Index>(r.model.bodies.size())).second) {
            r.file.fail(node, fmt::format("a second body named {}", sinew::quoted(name)),
                        "names that are given once");
        }
        r.model.bodies.push_back(body);
    }
}

// On bodies, on the ground, and on offset frames.
void read_all_wraps(OsimReader& r, const pugi::xml_node& model) {
    read_wraps(r, model.child("Ground"), -1, {});
    for (const pugi::xml_node& node : detail::objects_of(model, "BodySet", {"Body"})) {
        const std::string name = node.attribute("name").value();
        read_wraps(r, node, name == "ground" ? -1 : r.bodies[name], {});
    }
    for (const auto& [name, frame] : r.frames) {
        if (frame.child("WrapObjectSet").child("objects").first_child()) {
            Placement offset;
            const Index body = r.body_of_offset(frame, offset);
            read_wraps(r, frame, body, offset);
        }
    }
}

void read_couplers(OsimReader& r, const pugi::xml_node& model) {
    for (const pugi::xml_node& node : detail::objects_of(model, "ConstraintSet", {"Constraint"})) {
        if (std::strcmp(node.name(), "CoordinateCouplerConstraint") != 0) {
            detail::keep_osim_part(r, node, "ConstraintSet", "constraint without effect here");
            continue;
        }
        if (r.truth_or(node, "isDisabled", false) || !r.truth_or(node, "isEnforced", true)) {
            continue;
        }
        pugi::xml_node function = node.child("coupled_coordinates_function");
        CoordinateCoupler coupler{.name =
                                      detail::name_or(node, "coupler", r.model.couplers.size())};
        coupler.function = r.function(function ? function : node);
        coupler.function.scale *= r.number_or(node, "scale_factor", 1.0);
        coupler.independent = r.coordinate(r.file.need(node, "independent_coordinate_names"));
        coupler.dependent = r.coordinate(r.file.need(node, "dependent_coordinate_name"));
        r.model.couplers.push_back(coupler);
    }
}

void read_markers(OsimReader& r, const pugi::xml_node& model) {
    for (const pugi::xml_node& node : detail::objects_of(model, "MarkerSet", {"Marker"})) {
        const pugi::xml_node socket = detail::socket_of(node, "parent_frame");
        const pugi::xml_node frame = socket ? socket : r.file.need(node, "body");
        Placement offset;
        const Index body = r.body_of_frame(frame, offset);
        r.model.markers.push_back({detail::name_or(node, "marker", r.model.markers.size()), body,
                                   offset * r.file.vector(r.file.need(node, "location"))});
    }
}

pugi::xml_node named(const pugi::xml_node& model, const std::string& name,
                     std::string_view ending) {
    return model.find_node([&](const pugi::xml_node& n) {
        return std::string_view(n.name()).ends_with(ending) && name == n.attribute("name").value();
    });
}

void find_frames(OsimReader& r, const pugi::xml_node& node) {
    for (const pugi::xml_node& child : node.children()) {
        if (std::strcmp(child.name(), "PhysicalOffsetFrame") == 0) {
            r.frames.emplace(child.attribute("name").value(), child);
        }
        find_frames(r, child);
    }
}

// Every body hangs on the ground; what moves and weighs nothing is noted.
void check_tree(OsimReader& r, const pugi::xml_node& model) {
    std::vector<Index> joint_of(r.model.bodies.size(), -1);
    for (std::size_t j = 0; j < r.model.joints.size(); ++j) {
        joint_of[static_cast<std::size_t>(r.model.joints[j].child)] = static_cast<Index>(j);
    }
    std::vector<double> mass(r.model.bodies.size(), 0.0);  // with all beyond
    for (std::size_t b = 0; b < r.model.bodies.size(); ++b) {
        auto at = static_cast<Index>(b);
        std::string way = r.model.bodies[b].name;
        for (std::size_t steps = 0; at >= 0; ++steps) {
            mass[static_cast<std::size_t>(at)] += r.model.bodies[b].mass;
            const Index joint = joint_of[static_cast<std::size_t>(at)];
            if (joint < 0) {
                break;
            }
            const ModelJoint& up = r.model.joints[static_cast<std::size_t>(joint)];
            at = up.parent;
            way += at >= 0 ? " > " + r.model.bodies[static_cast<std::size_t>(at)].name : "";
            if (steps > r.model.bodies.size() || at == static_cast<Index>(b)) {
                r.file.fail(named(model, up.name, "Joint"),
                            fmt::format("a loop of bodies: {}", way),
                            "joints that lead to the ground");
            }
        }
    }
    // OpenSim lets bodies without mass move: kinematics and moment arms need none.
    for (const Coordinate& c : r.model.coordinates) {
        const auto child =
            static_cast<std::size_t>(r.model.joints[static_cast<std::size_t>(c.joint)].child);
        if (mass[child] == 0.0) {
            const std::string note = fmt::format(
                "body '{}' and all beyond it weigh nothing: good for kinematics and "
                "moment arms, not for dynamics",
                r.model.bodies[child].name);
            if (std::find(r.model.notes.begin(), r.model.notes.end(), note) ==
                r.model.notes.end()) {
                r.model.notes.push_back(note);
            }
        }
    }
}

MusculoskeletalModel read_document(const XmlFile& file) {
    const pugi::xml_node root = file.root();
    if (std::strcmp(root.name(), "OpenSimDocument") != 0) {
        file.fail(root, fmt::format("a document <{}>", root.name()), "an <OpenSimDocument>",
                  "choose an OpenSim model (.osim)");
    }
    const pugi::xml_node model = file.need(root, "Model");
    detail::update_osim_layout(file, model);
    OsimReader r{.file = file, .defaults = model.child("defaults")};
    r.model.name = model.attribute("name").value();
    r.model.osim_version = root.attribute("Version").as_int();
    if (const pugi::xml_node gravity = model.child("gravity")) {
        r.model.gravity = file.vector(gravity);
    }
    read_bodies(r, model);
    find_frames(r, model);
    read_all_wraps(r, model);
    detail::read_osim_joints(r, model);
    check_tree(r, model);
    r.model.credits = trimmed_text(model.child("credits"));
    r.model.publications = trimmed_text(model.child("publications"));
    detail::read_osim_shapes(r, model);
    sort_tree(r.model, file.name());
    read_couplers(r, model);
    read_markers(r, model);
    detail::read_osim_kept(r, model);
    detail::read_osim_forces(r, model);
    for (const auto& [type, count] : r.kept) {
        r.model.notes.push_back(
            fmt::format("carried along to .osim files, else unused: {} {}", count, type));
    }
    for (const auto& [type, count] : r.left_out) {
        r.model.notes.push_back(fmt::format("left out: {} {}", count, type));
    }
    require_valid(r.model, file.name());
    return r.model;
}

}  // namespace

MusculoskeletalModel read_osim(const std::filesystem::path& path) {
    return read_document(XmlFile(path));
}

MusculoskeletalModel parse_osim(std::string text, std::string_view file) {
    return read_document(XmlFile(std::move(text), std::string(file)));
}

}  // namespace sinew
