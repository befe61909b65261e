#include "sinew/base/error.h"
#include "sinew/base/text.h"
#include "sinew/base/units.h"
#include "sinew/io/file_bytes.h"
#include "sinew/io/mjcf.h"
#include "sinew/io/mjcf_attributes.h"
#include "sinew/io/mjcf_inertia.h"
#include "sinew/io/mjcf_reference.h"
#include "sinew/io/text_cursor.h"
#include "sinew/io/xml_file.h"
#include "sinew/linalg/dense.h"

#include <Eigen/Geometry>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <map>
#include <sstream>

namespace sinew {

namespace {

using Node = pugi::xml_node;

class MjcfReader {
public:
    /// @param folder  that meshes are found from; empty: meshes weigh nothing
    MjcfReader(const XmlFile& file, const std::filesystem::path& folder)
        : file_(file), attributes_(file), scales_(file, attributes_, folder) {}

    MusculoskeletalModel read() {
        const Node root = file_.root();
        if (std::strcmp(root.name(), "mujoco") != 0) {
            file_.fail(root, fmt::format("a document <{}>", root.name()), "a <mujoco>");
        }
        model_.name = root.attribute("model") ? root.attribute("model").value() : "model";
        model_.gravity = Vec3(0.0, 0.0, -9.81);  // what MuJoCo assumes
        for (const Node& node : root.children("compiler")) {
            if (node.attribute("coordinate") &&
                std::strcmp(node.attribute("coordinate").value(), "local") != 0) {
                file_.fail(node, "global coordinates", "coordinate=\"local\"");
            }
        }
        for (const Node& node : root.children("option")) {
            if (node.attribute("gravity")) {
                model_.gravity = attributes_.vec(node, "gravity");
            }
        }
        for (const Node& node : root.children("include")) {
            file_.fail(node, "an <include> in a text without a folder", "a file on disk",
                       "read the model from its file");
        }
        for (const Node& world : root.children("worldbody")) {
            add_contents(world, -1, Placement{}, "");
        }
        for (const Node& node : root.children("equality")) {
            add_couplers(node);
        }
        for (const Node& node : root.children("tendon")) {
            for (const Node& spatial : node.children("spatial")) {
                tendons_.emplace(spatial.attribute("name").value(), spatial);
            }
            for (const Node& fixed : node.children("fixed")) {
                fixed_.emplace(fixed.attribute("name").value(), fixed);
            }
        }
        for (const Node& node : root.children("actuator")) {
            add_actuators(node);
        }
        add_notes();
        sort_tree(model_, file_.name());
        require_valid(model_, file_.name());
        return std::move(model_);
    }

private:
    struct Geom {
        Index body = -1;
        Placement placement = {};
        std::string type = {};
        std::vector<double> size = {};
    };
    struct Site {
        Index body = -1;
        Vec3 position = Vec3::Zero();
        Vec3 world = Vec3::Zero();
    };

    void add_contents(const Node& node, Index body, const Placement& T_world,
                      const std::string& cls) {
        for (const Node& site : node.children("site")) {
            const Placement T = attributes_.placement_of(site, cls);
            if (site.attribute("name")) {
                sites_[site.attribute("name").value()] = {body, T.position, T_world * T.position};
            }
        }
        for (const Node& geom : node.children("geom")) {
            Geom g{.body = body,
                   .placement = attributes_.placement_of(geom, cls),
                   .type = attributes_.get(geom, "type", cls)};
            g.type = g.type.empty() ? "sphere" : g.type;
            if (const std::string text = attributes_.get(geom, "size", cls); !text.empty()) {
                g.size = file_.numbers(geom, text);
            }
            if (const std::string ends = attributes_.get(geom, "fromto", cls); !ends.empty()) {
                const std::vector<double> x = file_.numbers(geom, ends, 6);
                const Vec3 a(x[0], x[1], x[2]);
                const Vec3 b(x[3], x[4], x[5]);
                g.placement.position = 0.5 * (a + b);
                g.placement.rotation = turn_between(Vec3::UnitZ(), attributes_.unit(geom, b - a));
            }
            if (geom.attribute("name")) {
                geoms_[geom.attribute("name").value()] = g;
            }
            if (g.type == "mesh") {
                add_shape(geom, g, cls);
            }
            if (body >= 0 && g.type == "box" && g.size.size() == 3) {
                RigidBody& rigid = model_.bodies[at(body)];
                if (rigid.box.isZero()) {
                    rigid.box = 2.0 * Vec3(g.size[0], g.size[1], g.size[2]);
                    rigid.box_placement = g.placement;
                    rigid.touches_ground = attributes_.get(geom, "contype", cls) != "0";
                }
            }
        }
        for (const Node& child : node.children("body")) {
            add_body(child, body, T_world,
                     child.attribute("childclass") ? child.attribute("childclass").value() : cls);
        }
    }

    void add_shape(const Node& geom, const Geom& g, const std::string& cls) {
        BodyShape shape{.body = g.body, .placement = g.placement};
        const std::filesystem::path file = scales_.mesh_of(geom, cls, shape.scale);
        if (!file.empty()) {
            shape.name = file.stem().string();
            shape.file = std::filesystem::absolute(file).lexically_normal().string();
            model_.shapes.push_back(std::move(shape));
        }
    }

    void add_body(const Node& node, Index parent, const Placement& T_parent,
                  const std::string& cls) {
        const Placement T = attributes_.placement_of(node, cls);
        const std::string name = node.attribute("name")
                                     ? node.attribute("name").value()
                                     : fmt::format("body_{}", model_.bodies.size() + 1);
        const Index body = add_joints(node, parent, T, name, cls);
        scales_.weigh(node, cls, model_.bodies[at(body)]);
        add_contents(node, body, T_parent * T, cls);
        // Bodies beyond it have come after it.
        const bool weighs = std::any_of(model_.bodies.begin() + body, model_.bodies.end(),
                                        [](const RigidBody& b) { return b.mass > 0.0; });
        if (!weighs && (node.child("joint") || node.child("freejoint"))) {
            file_.fail(node,
                       "a moving body with a mass of 0 kg and nothing beyond it that weighs more",
                       "a mass > 0");
        }
    }

    // MuJoCo applies joints one after the other: shifts, then turns about one point, make one joint
    // here; where that order ends, a body without mass comes in between. Returns the body itself.
    Index add_joints(const Node& node, Index parent, const Placement& T, const std::string& name,
                     const std::string& cls) {
        std::vector<Node> joints;
        for (const Node& child : node.children()) {
            if (std::strcmp(child.name(), "joint") == 0 ||
                std::strcmp(child.name(), "freejoint") == 0) {
                joints.push_back(child);
            }
        }
        Placement next = T;
        std::size_t i = 0;
        int part = 0;
        do {
            ModelJoint joint{
                .name = fmt::format("{}_joint", name), .kind = JointKind::Custom, .parent = parent};
            for (std::size_t k = 0; k < 3; ++k) {
                joint.axes[k].axis = joint.axes[3 + k].axis =
                    Vec3::Unit(static_cast<Eigen::Index>(k));
            }
            Vec3 centre = Vec3::Zero();
            int turns = 0;
            int shifts = 0;
            references_ = {};
            for (; i < joints.size(); ++i) {
                if (!take(joints[i], cls, name, joint, centre, shifts, turns)) {
                    break;
                }
            }
            const bool is_last = i == joints.size();
            joint.kind = shifts + turns == 0 ? JointKind::Weld : joint.kind;
            // The file's pose is that of the references; ours is that of zeros.
            detail::ReferenceChain chain{.place = next, .centre = centre};
            for (std::size_t k = 0; k < 6; ++k) {
                chain.axes[k] = joint.axes[k].axis;
                references_[k] = -references_[k];
            }
            chain = detail::with_references(chain, references_);
            for (std::size_t k = 0; k < 6; ++k) {
                joint.axes[k].axis = chain.axes[k];
            }
            next = chain.place;
            joint.parent_frame = next * Placement{Mat3::Identity(), centre};
            joint.child_frame.position = centre;
            joint.child = static_cast<Index>(model_.bodies.size());
            RigidBody body{.name = is_last ? name : fmt::format("{}_part_{}", name, ++part)};
            joint.name = is_last ? joint.name : body.name + "_joint";
            model_.bodies.push_back(body);
            model_.joints.push_back(joint);
            parent = joint.child;
            next = Placement{};
        } while (i < joints.size());
        return parent;
    }

    // Puts a joint of the file into `joint` where it fits behind what is there.
    bool take(const Node& node, const std::string& cls, const std::string& body, ModelJoint& joint,
              Vec3& centre, int& shifts, int& turns) {
        std::string type = std::strcmp(node.name(), "freejoint") == 0
                               ? "free"
                               : attributes_.get(node, "type", cls);
        type = type.empty() ? "hinge" : type;
        const bool is_first = shifts + turns == 0;
        const std::string name = node.attribute("name")
                                     ? node.attribute("name").value()
                                     : fmt::format("{}_q{}", body, model_.coordinates.size());
        const Vec3 pos = attributes_.vec_or(node, "pos", cls, Vec3::Zero());
        const auto add = [&](std::size_t axis, const Vec3& direction,
                             const std::string& coordinate) {
            joint.axes[axis].axis = direction;
            joint.axes[axis].coordinate = static_cast<Index>(model_.coordinates.size());
            joint.axes[axis].function = {.kind = ScalarFunction::Kind::Linear,
                                         .coefficients = {1.0, 0.0}};
            model_.coordinates.push_back({.name = coordinate,
                                          .joint = static_cast<Index>(model_.joints.size()),
                                          .is_rotation = axis < 3});
        };
        if (type == "free" || type == "ball") {
            if (!is_first) {
                return false;
            }
            centre = type == "ball" ? pos : Vec3::Zero();
            joint.kind = type == "ball" ? JointKind::Ball : JointKind::Free;
            for (std::size_t k = 0; k < 3; ++k) {
                add(k, Vec3::Unit(static_cast<Eigen::Index>(k)), name + "_r" + "xyz"[k]);
            }
            for (std::size_t k = 0; type == "free" && k < 3; ++k) {
                add(3 + k, Vec3::Unit(static_cast<Eigen::Index>(k)), name + "_t" + "xyz"[k]);
            }
            turns = 3;
            shifts = 3;
            return true;
        }
        const Vec3 axis =
            attributes_.unit(node, attributes_.vec_or(node, "axis", cls, Vec3::UnitZ()));
        if (type == "slide") {
            if (turns > 0 || shifts == 3) {
                return false;
            }
            add(3 + static_cast<std::size_t>(shifts++), axis, name);
        } else if (type == "hinge") {
            if (turns == 3 || (turns > 0 && (pos - centre).norm() > 1e-9)) {
                return false;
            }
            centre = pos;
            add(static_cast<std::size_t>(turns++), axis, name);
        } else {
            file_.fail(node, fmt::format("joint type {}", sinew::quoted(type)),
                       "free, ball, hinge or slide");
        }
        read_range(node, cls, type == "hinge");
        Coordinate& c = model_.coordinates.back();
        c.armature = number_or_zero(node, "armature", cls);
        c.damping = number_or_zero(node, "damping", cls);
        c.stiffness = number_or_zero(node, "stiffness", cls);
        if (const std::string text = attributes_.get(node, "ref", cls); !text.empty()) {
            const double reference = file_.numbers(node, text, 1)[0];
            c.rest = type == "hinge" ? attributes_.angle(reference) : reference;
            references_[at(type == "hinge" ? turns - 1 : 2 + shifts)] = c.rest;
        }
        return true;
    }

    double number_or_zero(const Node& node, const char* name, const std::string& cls) {
        const std::string text = attributes_.get(node, name, cls);
        return text.empty() ? 0.0 : std::max(0.0, file_.numbers(node, text, 1)[0]);
    }

    void read_range(const Node& node, const std::string& cls, bool is_turn) {
        const std::string text = attributes_.get(node, "range", cls);
        if (text.empty() || attributes_.get(node, "limited", cls) == "false") {
            return;
        }
        const std::vector<double> range = file_.numbers(node, text, 2);
        Coordinate& c = model_.coordinates.back();
        c.low = is_turn ? attributes_.angle(range[0]) : range[0];
        c.high = is_turn ? attributes_.angle(range[1]) : range[1];
        c.is_clamped = true;
    }

    void add_couplers(const Node& equality) {
        for (const Node& node : equality.children("joint")) {
            if (attributes_.get(node, "active", "") == "false") {
                continue;
            }
            const std::string first = node.attribute("joint1").value();
            const std::string second = node.attribute("joint2").value();
            const Index dependent = find_coordinate(model_, first);
            const Index leader = find_coordinate(model_, second);
            if (dependent < 0 || (leader < 0 && !second.empty())) {
                file_.fail(
                    node,
                    fmt::format("joints {} and {}", sinew::quoted(first), sinew::quoted(second)),
                    "names of joints that turn or slide");
            }
            std::vector<double> c = {0.0, 1.0, 0.0, 0.0, 0.0};
            if (node.attribute("polycoef")) {
                c = file_.numbers(node, node.attribute("polycoef").value());
            }
            Coordinate& q = model_.coordinates[at(dependent)];
            if (leader < 0) {
                // One joint alone is held where it is.
                q.rest += c.empty() ? 0.0 : c[0];
                q.is_locked = true;
                continue;
            }
            // Offsets from the references follow each other.
            model_.couplers.push_back(
                {.name = fmt::format("coupler_{}", model_.couplers.size() + 1),
                 .dependent = dependent,
                 .independent = leader,
                 .function = {.kind = ScalarFunction::Kind::Polynomial,
                              .coefficients = detail::expand_polynomial(
                                  c, model_.coordinates[at(leader)].rest, q.rest)}});
        }
    }

    void add_actuators(const Node& actuators) {
        for (const Node& node : actuators.children()) {
            const bool is_muscle = std::strcmp(node.name(), "muscle") == 0 ||
                                   attributes_.get(node, "gaintype", "") == "muscle";
            const std::string tendon = attributes_.get(node, "tendon", "");
            if (!is_muscle || tendon.empty()) {
                ++other_actuators_;
                continue;
            }
            if (is_pull_only(node)) {
                add_pull_only(node, tendon);
                continue;
            }
            const auto it = tendons_.find(tendon);
            if (it == tendons_.end()) {
                file_.fail(node, fmt::format("tendon {}", sinew::quoted(tendon)),
                           "the name of a spatial tendon");
            }
            add_muscle(node, it->second, tendon);
        }
    }

    // A muscle that no control can activate has its passive curve alone: that is how ligaments and
    // stops are written.
    bool is_pull_only(const Node& node) const {
        constexpr double kNone = 1e-6;
        const std::string text = attributes_.get(node, "ctrlrange", "");
        return std::strcmp(node.name(), "muscle") == 0 && !text.empty() &&
               file_.numbers(node, text, 2)[1] < kNone && node.attribute("lengthrange") &&
               node.attribute("range");
    }

    void add_pull_only(const Node& node, const std::string& tendon) {
        const auto numbers = [&](const char* name, std::size_t count) {
            return file_.numbers(node, file_.need_attribute(node, name), count);
        };
        const std::vector<double> lengths = numbers("lengthrange", 2);
        const std::vector<double> range = numbers("range", 2);
        if (!(lengths[1] > lengths[0]) || !(range[1] > range[0])) {
            file_.fail(node, "ranges of lengths that do not rise", "rising ranges");
        }
        // MuJoCo's passive curve: quadratic from L = 1 to (1 + lmax) / 2, then a line.
        const double unit = (lengths[1] - lengths[0]) / (range[1] - range[0]);
        const double slack = lengths[0] + (1.0 - range[0]) * unit;
        const double toe = 0.5 * (numbers("lmax", 1)[0] - 1.0);
        if (!(toe > 0.0)) {
            file_.fail(node, fmt::format("lmax {}", 1.0 + 2.0 * toe), "a number > 1");
        }
        const double stiffness = numbers("force", 1)[0] * numbers("fpmax", 1)[0] / toe;
        const std::string name = node.attribute("name") ? node.attribute("name").value() : tendon;
        if (const auto fixed = fixed_.find(tendon); fixed != fixed_.end()) {
            add_limit_end(fixed->second, name, slack, unit * toe, stiffness / unit);
            return;
        }
        const auto it = tendons_.find(tendon);
        if (it == tendons_.end()) {
            file_.fail(node, fmt::format("tendon {}", sinew::quoted(tendon)),
                       "the name of a tendon");
        }
        MuscleUnit band;
        read_points(it->second, band);
        model_.ligaments.push_back({.name = name,
                                    .points = std::move(band.points),
                                    .wraps = std::move(band.wraps),
                                    .law = Ligament::Law::Toe,
                                    .slack = slack,
                                    .force = stiffness * slack / unit,
                                    .toe = toe * unit / slack});
    }

    // NAME_upper and NAME_lower make one limit.
    void add_limit_end(const Node& fixed, const std::string& name, double end, double transition,
                       double stiffness) {
        const Node part = file_.need(fixed, "joint");
        const Index coordinate = find_coordinate(model_, file_.need_attribute(part, "joint"));
        if (coordinate < 0) {
            file_.fail(part, "an unknown joint", "a joint that turns or slides");
        }
        const double sign = file_.numbers(part, file_.need_attribute(part, "coef"), 1)[0];
        const bool is_upper = sign > 0.0;
        std::string stem = name;
        for (const std::string_view tail : {"_upper", "_lower"}) {
            stem = stem.ends_with(tail) ? stem.substr(0, stem.size() - tail.size()) : stem;
        }
        auto it = std::find_if(model_.limits.begin(), model_.limits.end(),
                               [&](const CoordinateLimit& l) { return l.name == stem; });
        if (it == model_.limits.end()) {
            constexpr double kFar = 1e6;  // where the other end is until it is read
            model_.limits.push_back(
                {.name = stem, .coordinate = coordinate, .low = -kFar, .high = kFar});
            it = model_.limits.end() - 1;
        }
        (is_upper ? it->high : it->low) = is_upper ? end : -end;
        (is_upper ? it->high_stiffness : it->low_stiffness) = stiffness;
        it->transition = transition;
    }

    void add_muscle(const Node& node, const Node& spatial, const std::string& tendon) {
        MuscleUnit unit{.name = node.attribute("name") ? node.attribute("name").value() : tendon};
        read_strength(node, read_points(spatial, unit), unit);
        model_.muscles.push_back(std::move(unit));
    }

    // Sites and surfaces of a tendon. Returns its length in the file's pose, surfaces left out.
    double read_points(const Node& spatial, MuscleUnit& unit) {
        double length = 0.0;
        double divisor = 0.0;  // of the pulley before the next site
        double branch = 1.0;
        Vec3 last = Vec3::Zero();
        std::vector<std::pair<Node, std::size_t>> wraps;
        for (const Node& part : spatial.children()) {
            if (std::strcmp(part.name(), "geom") == 0) {
                wraps.emplace_back(part, unit.points.size());
                continue;
            }
            if (std::strcmp(part.name(), "pulley") == 0) {
                divisor = file_.numbers(part, file_.need_attribute(part, "divisor"), 1)[0];
                if (!(divisor > 0.0)) {
                    file_.fail(part, fmt::format("a divisor of {}", divisor), "a number > 0");
                }
                continue;
            }
            if (std::strcmp(part.name(), "site") != 0) {
                file_.fail(part, fmt::format("<{}> in a tendon", part.name()),
                           "sites, geoms and pulleys");
            }
            const std::string name = file_.need_attribute(part, "site");
            const auto site = sites_.find(name);
            if (site == sites_.end()) {
                file_.fail(part, fmt::format("site {}", sinew::quoted(name)),
                           "the name of a site of a body");
            }
            PathPoint point;
            point.name = name;
            point.anchors = {{site->second.body, site->second.position, 1.0}};
            point.divisor = divisor;
            branch = divisor > 0.0 ? divisor : branch;
            length += unit.points.empty() || divisor > 0.0
                          ? 0.0
                          : (site->second.world - last).norm() / branch;
            divisor = 0.0;
            last = site->second.world;
            unit.points.push_back(point);
        }
        if (unit.points.size() < 2) {
            file_.fail(spatial, fmt::format("{} sites", unit.points.size()), "at least 2");
        }
        for (const auto& [geom, before] : wraps) {
            add_wrap(geom, before, unit);
        }
        return length;
    }

    void add_wrap(const Node& node, std::size_t before, MuscleUnit& unit) {
        const std::string name = file_.need_attribute(node, "geom");
        const auto found = geoms_.find(name);
        if (found == geoms_.end()) {
            file_.fail(node, fmt::format("geom {}", sinew::quoted(name)), "the name of a geom");
        }
        const Geom& geom = found->second;
        if ((geom.type != "sphere" && geom.type != "cylinder") || geom.size.empty()) {
            file_.fail(node, fmt::format("a wrap over a {}", geom.type), "a sphere or a cylinder");
        }
        const std::string side = node.attribute("sidesite").value();
        // Branches behind pulleys may touch a surface each: every touch has one of its own.
        std::string key = name + "\n" + side;
        std::string suffix;
        for (int use = 2; wraps_.contains(key) &&
                          std::any_of(unit.wraps.begin(), unit.wraps.end(),
                                      [&](const PathWrap& w) { return w.object == wraps_[key]; });
             ++use) {
            suffix = fmt::format("_{}", use);
            key = name + "\n" + side + suffix;
        }
        const auto [it, is_new] = wraps_.try_emplace(key, static_cast<Index>(model_.wraps.size()));
        if (is_new) {
            const bool is_sphere = geom.type == "sphere";
            WrapObject wrap{.name = (side.empty() ? name : name + "_" + side) + suffix,
                            .body = geom.body,
                            .kind = is_sphere ? WrapKind::Sphere : WrapKind::Cylinder,
                            .placement = geom.placement};
            // MuJoCo's cylinders do not end.
            wrap.size = Vec3(geom.size[0], 100.0, 1.0);
            if (!side.empty()) {
                read_side(node, side, wrap);
            }
            model_.wraps.push_back(wrap);
        }
        const Index first = static_cast<Index>(before) - 1;
        unit.wraps.push_back(
            {.object = it->second, .first = std::max(first, Index{0}), .last = first + 1});
    }

    void read_side(const Node& node, const std::string& side, WrapObject& wrap) {
        const auto site = sites_.find(side);
        if (site == sites_.end() || site->second.body != wrap.body) {
            file_.fail(node, fmt::format("side site {}", sinew::quoted(side)),
                       "a site on the body of the geom");
        }
        wrap.has_side_point = true;
        wrap.side_point = wrap.placement.inverse() * site->second.position;
    }

    void read_strength(const Node& node, double length, MuscleUnit& unit) {
        const auto numbers = [&](const char* name, std::vector<double> usual) {
            const std::string text = attributes_.get(node, name, "");
            if (!text.empty()) {
                const std::vector<double> given = file_.numbers(node, text);
                for (std::size_t k = 0; k < std::min(given.size(), usual.size()); ++k) {
                    usual[k] = given[k];
                }
            }
            return usual;
        };
        // <general> keeps range, force, scale, lmin, lmax, vmax, fpmax, fvmax in one list.
        const bool is_general = std::strcmp(node.name(), "general") == 0;
        std::vector<double> g =
            numbers("gainprm", {0.75, 1.05, -1.0, 200.0, 0.5, 1.6, 1.5, 1.3, 1.2});
        if (!is_general) {
            const std::vector<double> given = numbers("range", {0.75, 1.05});
            g = {given[0],
                 given[1],
                 numbers("force", {-1.0})[0],
                 numbers("scale", {200.0})[0],
                 0.5,
                 1.6,
                 numbers("vmax", {1.5})[0],
                 1.3,
                 numbers("fvmax", {1.2})[0]};
        }
        const std::vector<double> times =
            numbers(is_general ? "dynprm" : "timeconst", {0.01, 0.04});
        unit.rise_time = times[0];
        unit.fall_time = times[1];
        unit.velocity = g[6];
        unit.lengthening_force = g[8];
        unit.fmax = g[2];
        if (!(unit.fmax > 0.0)) {
            unit.fmax = g[3];
            ++scaled_;
        }
        const std::vector<double> range = {g[0], g[1]};
        const std::vector<double> lengths = numbers("lengthrange", {0.0, 0.0});
        if (lengths[1] > lengths[0] && range[1] > range[0]) {
            unit.fibre = (lengths[1] - lengths[0]) / (range[1] - range[0]);
            unit.tendon = std::max(0.0, lengths[0] - range[0] * unit.fibre);
        } else {
            unit.has_known_lengths = false;
            unit.fibre = std::max(0.5 * length, 1e-6);
            unit.tendon = 0.5 * length;
            ++guessed_;
        }
    }

    void add_notes() {
        const auto note = [&](int count, const char* what) {
            if (count > 0) {
                model_.notes.push_back(fmt::format("{} {}", count, what));
            }
        };
        note(scales_.unweighed(), "shapes were not weighed (meshes)");
        note(other_actuators_, "actuators are no muscles and were left out");
        note(scaled_, "muscles give no force; their scale is taken for it");
        note(guessed_,
             "muscles give no length range: half the path at rest is taken as fibre, half as "
             "tendon");
    }

    const XmlFile& file_;
    detail::MjcfAttributes attributes_;
    detail::MjcfScales scales_;
    MusculoskeletalModel model_ = {};
    std::map<std::string, Site> sites_ = {};
    std::map<std::string, Geom> geoms_ = {};
    std::map<std::string, Node> tendons_ = {};
    std::map<std::string, Node> fixed_ = {};
    std::map<std::string, Index> wraps_ = {};
    std::array<double, 6> references_ = {};  // of the joint being read
    int other_actuators_ = 0;
    int scaled_ = 0;
    int guessed_ = 0;
};

constexpr int kDeepestInclude = 20;
constexpr int kMostIncludes = 200;
constexpr std::uint64_t kMaxMjcfBytes = std::uint64_t{256} << 20;

XmlFile read_mjcf_xml(const std::filesystem::path& path) {
    return XmlFile(detail::with_blanks_between_attributes(read_file_bytes(path, kMaxMjcfBytes)),
                   path.string());
}

// Puts the contents of included files where they are included, as MuJoCo does; their paths are
// relative to the model's own file.
void expand_includes(Node node, const std::filesystem::path& folder, const XmlFile& file, int depth,
                     int& count) {
    for (Node child = node.first_child(); child;) {
        const Node next = child.next_sibling();
        if (std::strcmp(child.name(), "include") != 0) {
            expand_includes(child, folder, file, depth, count);
            child = next;
            continue;
        }
        const std::string name = child.attribute("file").value();
        if (depth >= kDeepestInclude || ++count > kMostIncludes) {
            file.fail(file.root(), fmt::format("too many files included, the last '{}'", name),
                      fmt::format("at most {} files, {} deep", kMostIncludes, kDeepestInclude));
        }
        const XmlFile included = read_mjcf_xml(folder / name);
        pugi::xml_document copy;
        copy.append_copy(included.root());
        expand_includes(copy.document_element(), folder, file, depth + 1, count);
        for (const Node& part : copy.document_element().children()) {
            node.insert_copy_before(part, child);
        }
        node.remove_child(child);
        child = next;
    }
}

}  // namespace

MusculoskeletalModel read_mjcf(const std::filesystem::path& path) {
    const XmlFile file = read_mjcf_xml(path);
    pugi::xml_document whole;
    whole.append_copy(file.root());
    int count = 0;
    expand_includes(whole.document_element(), path.parent_path(), file, 0, count);
    if (count == 0) {
        return MjcfReader(file, path.parent_path()).read();
    }
    std::ostringstream text;
    whole.save(text);
    const XmlFile expanded(text.str(), path.string() + " with what it includes");
    return MjcfReader(expanded, path.parent_path()).read();
}

MusculoskeletalModel parse_mjcf(const std::string& text, std::string name) {
    const XmlFile file(detail::with_blanks_between_attributes(text), std::move(name));
    return MjcfReader(file, {}).read();
}

}  // namespace sinew
