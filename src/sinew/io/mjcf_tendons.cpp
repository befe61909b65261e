#include "sinew/base/error.h"
#include "sinew/io/mjcf_writer.h"
#include "sinew/io/text_cursor.h"
#include "sinew/linalg/dense.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace sinew::detail {

namespace {

// Of slides that carry a path point: inertia of their own, so that the equality that leads them is
// stiff against muscles, and so little of it that the leading joint (some cm of slide per radian)
// does not feel it.
constexpr const char* kCarrierArmature = "0.5";  // kg

bool has_side(const WrapObject& wrap) {
    return wrap.has_side_point || wrap.side_sign != 0;
}

// A ligament's curve as a toe and a line: F = k e^2 / (2 e_t) to e_t, k (e - e_t / 2) beyond.
struct ToeLine {
    double toe = 0.0;
    double stiffness = 0.0;
    double error = 0.0;  // greatest difference over strains of 0 to 0.2, of the force at 0.2
};

double toe_force(double toe, double strain) {
    return strain < toe ? 0.5 * strain * strain / toe : strain - 0.5 * toe;
}

ToeLine fit_toe(const Ligament& ligament) {
    constexpr double kMost = 0.2;
    constexpr int kStrains = 41;
    constexpr int kToes = 60;
    if (ligament.law == Ligament::Law::Toe) {
        return {ligament.toe, ligament.force, 0.0};
    }
    if (ligament.law == Ligament::Law::Spring) {
        return {1e-3, ligament.force * ligament.slack, 0.0};
    }
    std::array<double, kStrains> wanted{};
    for (int i = 0; i < kStrains; ++i) {
        const double strain = kMost * i / (kStrains - 1);
        wanted[at(i)] = std::max(0.0, ligament.force * value_at(ligament.curve, 1.0 + strain));
    }
    ToeLine best;
    double least = 1e300;
    for (int t = 1; t <= kToes; ++t) {
        const double toe = 2.0 * kMost * t / kToes;
        double product = 0.0;
        double square = 0.0;
        for (int i = 0; i < kStrains; ++i) {
            const double f = toe_force(toe, kMost * i / (kStrains - 1));
            product += f * wanted[at(i)];
            square += f * f;
        }
        const double k = product / square;
        double sum = 0.0;
        double most = 0.0;
        for (int i = 0; i < kStrains; ++i) {
            const double off =
                std::abs(k * toe_force(toe, kMost * i / (kStrains - 1)) - wanted[at(i)]);
            sum += off * off;
            most = std::max(most, off);
        }
        if (sum < least) {
            least = sum;
            best = {toe, k, wanted.back() > 0.0 ? most / wanted.back() : 0.0};
        }
    }
    return best;
}

}  // namespace

// A point that moves with coordinates rides on slides of a small body of its own, which follow
// them.
pugi::xml_node MjcfWriter::add_carrier(const std::string& name, Index body, const PathPoint& point,
                                       const Vec3& position) {
    Node carrier = body_node(body).append_child("body");
    set(carrier, "name", name + "_carrier");
    set(carrier, "pos", text_of(in_body(body) * position));
    set_rotation(carrier, in_body(body).rotation);
    add_small_inertia(carrier);
    --small_;  // not one of the model's
    for (std::size_t k = 0; k < 3; ++k) {
        if (point.moving[k].coordinate < 0) {
            continue;
        }
        Node slide = carrier.append_child("joint");
        const std::string joint = fmt::format("{}_{}", name, "xyz"[k]);
        set(slide, "name", joint);
        set(slide, "type", "slide");
        set(slide, "axis", text_of(Vec3(Vec3::Unit(static_cast<Eigen::Index>(k)))));
        set(slide, "armature", kCarrierArmature);
        set(slide, "damping", "1");
        followers_.push_back({joint, point.moving[k].coordinate, point.moving[k].function, true});
    }
    return carrier;
}

// The site of a path point; "" where the point does not count.
std::string MjcfWriter::add_site(const std::string& owner, const PathPoint& point,
                                 std::size_t number, Index& body) {
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
    body = strongest->body;
    const std::string name = fmt::format("{}_{}", owner, number + 1);
    Node carrier = point.is_moving() ? add_carrier(name, body, point, position) : Node();
    Node site = (carrier ? carrier : body_node(body)).append_child("site");
    set(site, "name", name);
    set(site, "pos", carrier ? std::string("0 0 0") : text_of(in_body(body) * position));
    return name;
}

// MuJoCo has no ellipsoids to wrap over: a long one becomes a cylinder along its longest axis,
// a round one a sphere, with the mean radius of the section across.
void MjcfWriter::add_round_shape(Node geom, const WrapObject& wrap) {
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
void MjcfWriter::add_ring(Node spatial, const WrapObject& ring, const std::string& name) {
    Node site = body_node(ring.body).append_child("site");
    set(site, "name", name);
    set(site, "pos", text_of(in_body(ring.body) * ring.placement.position));
    set(spatial.append_child("site"), "site", name);
    ++rings_;
}

std::string MjcfWriter::wrap_geom(Index object) {
    WrapObject wrap = model_.wraps[at(object)];
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

void MjcfWriter::add_tendons() {
    const bool has_limits =
        std::any_of(model_.limits.begin(), model_.limits.end(),
                    [&](const CoordinateLimit& l) { return has_joint_.contains(l.coordinate); });
    if (model_.muscles.empty() && model_.ligaments.empty() && !has_limits) {
        return;
    }
    tendons_ = root_.append_child("tendon");
    actuators_ = root_.append_child("actuator");
    for (const MuscleUnit& unit : model_.muscles) {
        add_tendon(unit.name, unit.points, unit.wraps);
        add_actuator(unit);
    }
    for (const Ligament& ligament : model_.ligaments) {
        add_ligament(ligament);
    }
    for (const CoordinateLimit& limit : model_.limits) {
        add_limit(limit);
    }
}

void MjcfWriter::add_tendon(const std::string& name, const std::vector<PathPoint>& points,
                            const std::vector<PathWrap>& wraps) {
    Node spatial = tendons_.append_child("spatial");
    set(spatial, "name", name);
    Index last_body = -2;
    for (std::size_t k = 0; k < points.size(); ++k) {
        Index body = -1;
        const std::string site = add_site(name, points[k], k, body);
        if (site.empty()) {
            continue;
        }
        if (points[k].divisor > 0.0) {
            set(spatial.append_child("pulley"), "divisor", text_of({points[k].divisor}));
        } else if (last_body != -2 && last_body != body) {
            add_wrap(spatial, name, points, wraps, k);
        }
        set(spatial.append_child("site"), "site", site);
        last_body = body;
    }
}

// MuJoCo takes one surface between two sites.
void MjcfWriter::add_wrap(Node spatial, const std::string& owner,
                          const std::vector<PathPoint>& points, const std::vector<PathWrap>& wraps,
                          std::size_t before) {
    for (const PathWrap& wrap : wraps) {
        const WrapObject& object = model_.wraps[at(wrap.object)];
        const auto last = wrap.last < 0 ? points.size() - 1 : static_cast<std::size_t>(wrap.last);
        if (!object.is_active || before <= static_cast<std::size_t>(wrap.first) || before > last) {
            continue;
        }
        if (object.kind == WrapKind::Torus) {
            add_ring(spatial, object, fmt::format("{}_in_{}", owner, object.name));
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
// 0.4 to 1.6, and fpmax its passive one within 0.1 up to 1.5. 0.23 and 1.80 are the least squares
// of the usual narrower curve of [Millard2013] over 0.4 to 1.6.
void MjcfWriter::add_actuator(const MuscleUnit& unit) {
    constexpr double kLow = 0.75;
    constexpr double kHigh = 1.05;
    const double fibre = unit.fibre * std::cos(unit.pennation);
    Node muscle = actuators_.append_child("muscle");
    set(muscle, "name", unit.name);
    set(muscle, "tendon", unit.name);
    set(muscle, "timeconst",
        text_of({std::max(unit.rise_time, 1e-3), std::max(unit.fall_time, 1e-3)}));
    set(muscle, "range", text_of({kLow, kHigh}));
    set(muscle, "lengthrange", text_of({unit.tendon + kLow * fibre, unit.tendon + kHigh * fibre}));
    set(muscle, "force", text_of({unit.fmax * std::cos(unit.pennation)}));
    set(muscle, "vmax", text_of({std::max(unit.velocity, 0.1)}));
    set(muscle, "fvmax", text_of({std::max(unit.lengthening_force, 1.01)}));
    const bool is_narrow = unit.law == MuscleLaw::Millard2012;
    set(muscle, "lmin", is_narrow ? "0.23" : "0.02");
    set(muscle, "lmax", is_narrow ? "1.8" : "1.98");
    set(muscle, "fpmax", is_narrow ? "0.62" : "0.85");
}

// A muscle that is never activated pulls with MuJoCo's passive curve alone: with L = length / slack
// and b = (1 + lmax) / 2, force fpmax / 2 ((L - 1) / (b - 1))^2 up to b and a line of the slope
// fpmax / (b - 1) beyond. That is a ligament of toe b - 1 and stiffness fpmax / (b - 1).
void MjcfWriter::add_pull_only(const std::string& name, const std::string& tendon, double slack,
                               double scale, double toe, double stiffness) {
    Node muscle = actuators_.append_child("muscle");
    set(muscle, "name", name);
    set(muscle, "tendon", tendon);
    set(muscle, "ctrllimited", "true");
    set(muscle, "ctrlrange", "0 1e-9");
    set(muscle, "range", "0 1");
    set(muscle, "lengthrange", text_of({slack - scale, slack}));
    set(muscle, "force", "1");
    set(muscle, "lmax", text_of({1.0 + 2.0 * toe}));
    set(muscle, "fpmax", text_of({stiffness * toe}));
}

void MjcfWriter::add_ligament(const Ligament& ligament) {
    const ToeLine fit = fit_toe(ligament);
    if (!(fit.stiffness > 0.0)) {
        return;
    }
    add_tendon(ligament.name, ligament.points, ligament.wraps);
    add_pull_only(ligament.name, ligament.name, ligament.slack, ligament.slack, fit.toe,
                  fit.stiffness);
    if (fit.error > 0.01) {
        notes_.push_back(
            fmt::format("ligament '{}': its curve as a toe and a line, at most {:.2g} of its "
                        "force at a strain of 0.2 off",
                        ligament.name, fit.error));
    }
    if (ligament.damping > 0.0) {
        notes_.push_back(fmt::format("ligament '{}' loses its damping", ligament.name));
    }
}

// Either end as such a muscle on a tendon that is the coordinate itself.
void MjcfWriter::add_limit(const CoordinateLimit& limit) {
    const auto joint = has_joint_.find(limit.coordinate);
    if (joint == has_joint_.end()) {
        notes_.push_back(
            fmt::format("limit '{}' is left out: its coordinate has no joint of its "
                        "own",
                        limit.name));
        return;
    }
    constexpr double kLeastToe = 1e-3;
    for (const int sign : {1, -1}) {
        const double stiffness = sign > 0 ? limit.high_stiffness : limit.low_stiffness;
        if (!(stiffness > 0.0)) {
            continue;
        }
        const std::string name = fmt::format("{}_{}", limit.name, sign > 0 ? "upper" : "lower");
        Node fixed = tendons_.append_child("fixed");
        set(fixed, "name", name);
        Node part = fixed.append_child("joint");
        set(part, "joint", joint->second);
        set(part, "coef", text_of({static_cast<double>(sign)}));
        // -k step(x) x, about k x from half of the transition on.
        add_pull_only(name, name, sign > 0 ? limit.high : -limit.low, 1.0,
                      std::max(limit.transition, kLeastToe), stiffness);
    }
    if (limit.damping > 0.0) {
        notes_.push_back(fmt::format("limit '{}' loses its damping", limit.name));
    }
}

}  // namespace sinew::detail
