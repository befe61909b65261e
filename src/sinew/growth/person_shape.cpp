#include "sinew/growth/person_shape.h"

#include "sinew/base/error.h"
#include "sinew/base/parallel.h"
#include "sinew/base/units.h"
#include "sinew/body/rest_shape.h"
#include "sinew/body/summary.h"
#include "sinew/geometry/measure.h"
#include "sinew/growth/person_anatomy.h"
#include "sinew/meshing/intersections.h"
#include "sinew/meshing/inversions.h"

#include <Eigen/Geometry>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

// A form becomes a shape in four steps: the frame's maps blended by harmonic weights (framed), fat
// that moves the skin and hangs (displaced_skin) with the inside following, soft walls between legs
// and at the armpits (part_limbs), visceral fat. All are explicit functions of the form. No solver
// runs but the harmonic fields, whose factor is kept, so a fit can try thousands of forms.
//
// surface() does the same for skin vertices alone: measures need no more. body() adds what only the
// result needs: skin that crosses is held back or smoothed, inverted tetrahedra are mended, bones
// and joints are placed, tissue fractions are updated.

namespace sinew {

namespace {

constexpr double kLeastFatLeft = 0.05;  // of its thickness
constexpr double kWallGap = 0.004;      // m, of soft walls
constexpr double kArmpit = 0.05;        // m below the shoulder where its wall begins
constexpr double kFatDensity = 900.0;   // kg/m^3
// Of skin that is held back: rounds at most, what a round takes away, how it fades.
constexpr int kMostPartings = 12;
constexpr double kHeldBack = 0.12;
constexpr int kFadingRounds = 4;
constexpr int kMostSmoothings = 60;  // of skin that crosses even so
constexpr int kHealingRounds = 4;

// d -> gap log(1 + exp(d / gap)): never below 0, and the order of what it moves is kept.
// Smooth and strictly increasing, so that differences exist and tetrahedra do not collapse.
double soft_wall(double d) {
    const double t = d / kWallGap;
    return t > 30.0 ? d : kWallGap * std::log1p(std::exp(t));
}

/// Points of the tets that are looked at: all, or those of the skin.
class PointSet {
public:
    explicit PointSet(Eigen::Index all) : count_(all) {}
    explicit PointSet(const std::vector<Index>& some)
        : count_(static_cast<Eigen::Index>(some.size())), some_(&some) {}
    Eigen::Index size() const {
        return count_;
    }
    std::size_t vertex(Eigen::Index row) const {
        return some_ != nullptr ? at((*some_)[at(row)]) : at(row);
    }

private:
    Eigen::Index count_ = 0;
    const std::vector<Index>* some_ = nullptr;
};

// Linear blending: scales hardly differ between neighbours, so there is no candy wrapper here.
Points framed(const PersonAnatomy& a, const FrameMaps& maps, const PointSet& set) {
    Points x(set.size(), 3);
    parallel_for(at(set.size()), 1024, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            const auto row = static_cast<Eigen::Index>(i);
            const std::size_t v = set.vertex(row);
            const Vec3 p = point(a.rest.tets.points, static_cast<Eigen::Index>(v));
            const Vec3 anchor = point(a.anchors, static_cast<Eigen::Index>(v));
            Vec3 sum = Vec3::Zero();
            for (const PersonAnatomy::PartWeight& w : a.weights[v]) {
                sum += w.weight * maps.parts[w.part].in_flesh(p, anchor);
            }
            x.row(row) = sum.transpose();
        }
    });
    return x;
}

// How far fat under the skin moves each of its vertices.
Points displaced_skin(const PersonAnatomy& a, const PersonForm& form) {
    Eigen::MatrixXd way =
        a.maps * Eigen::Map<const Eigen::VectorXd>(form.fat.data(), kPersonFatRegions);
    for (Eigen::Index i = 0; i < way.rows(); ++i) {
        double& s = way(i, 0);
        s -= form.fat_lost;
        if (s >= 0.0) {
            // d = room (1 - exp(-s / room)): never further than there is room.
            const double room = a.room[at(i)];
            // Slope 1 at s = 0: small changes are as asked for.
            s = room > 0.0 ? room * (1.0 - std::exp(-s / room)) : 0.0;
        } else {
            const double most = (1.0 - kLeastFatLeft) * a.to_lose[i];
            s = most > 0.0 ? -most * (1.0 - std::exp(s / most)) : 0.0;
        }
    }
    average(a.around, way, 3);
    way = way.cwiseMax(-(1.0 - kLeastFatLeft) * a.to_lose);
    Points moved = (a.normals.array().colwise() * way.col(0).array().max(0.0) +
                    a.columns.array().colwise() * way.col(0).array().min(0.0))
                       .matrix();
    if (form.fat_modulus > 0.0) {
        // The body that people are made of stands already: what is gained or lost counts.
        Eigen::MatrixXd down(way.rows(), 1);
        for (Eigen::Index i = 0; i < way.rows(); ++i) {
            const double before = a.thickness[at(i)];
            const double after = std::max(0.0, before + way(i, 0));
            down(i, 0) = hanging_fat(after, a.normals(i, 1), form.fat_modulus) -
                         hanging_fat(before, a.normals(i, 1), form.fat_modulus);
        }
        average(a.around, down, 3);
        moved.col(1) -= down.col(0);
    }
    return moved;
}

// Soft walls between the legs, and between each arm and the trunk: flesh that widens does not go
// through what faces it.
// Walls are planes: x = 0 between the legs, and per side the plane that halves the angle between
// arm and trunk, beginning 5 cm below the shoulder. How far a point obeys goes with how clearly it
// belongs to a limb.
void part_limbs(const PersonAnatomy& a, const std::vector<Vec3>& joints, const PointSet& set,
                Points& x) {
    for (Eigen::Index row = 0; row < set.size(); ++row) {
        const std::size_t v = set.vertex(row);
        double& at_x = x(row, 0);
        if (a.left[v] > 0.5 && a.left[v] > a.right[v]) {
            at_x += (2.0 * a.left[v] - 1.0) * (soft_wall(at_x) - at_x);
        } else if (a.right[v] > 0.5) {
            at_x -= (2.0 * a.right[v] - 1.0) * (soft_wall(-at_x) + at_x);
        }
    }
    for (const std::size_t side : {std::size_t{0}, std::size_t{1}}) {
        // The plane that halves the angle between arm and vertical.
        const Vec3& top = joints[a.shoulder[side]];
        const Vec3 arm_axis = (joints[a.elbow[side]] - top).normalized();
        const Vec3 between = (arm_axis - Vec3::UnitY()).normalized();
        const Vec3 out = (arm_axis - arm_axis.dot(between) * between).normalized();
        for (Eigen::Index row = 0; row < set.size(); ++row) {
            const Vec3 from = point(x, row) - top;
            const double below = std::clamp(from.dot(between) / kArmpit, 0.0, 1.0);
            const double d = from.dot(out);
            if (below <= 0.0 || std::abs(d) > 0.2) {
                continue;
            }
            const double belongs = 2.0 * a.arm[side][set.vertex(row)] - 1.0;
            const double moved = belongs > 0.0 ? soft_wall(d) - d : -soft_wall(-d) - d;
            x.row(row) += below * std::abs(belongs) * moved * out.transpose();
        }
    }
}

double lowest(const Points& skin) {
    return skin.rows() > 0 ? skin.col(1).minCoeff() : 0.0;
}

// All that measures need of a shape whose skin is known; `maps` are before the lift.
MeasuredShape measured_surface(const PersonAnatomy& a, const FrameMaps& maps, double lift,
                               Points skin) {
    MeasuredShape m = a.measured;
    m.skin = std::move(skin);
    const Vec3 up(0.0, lift, 0.0);
    for (std::size_t j = 0; j < maps.joints.size(); ++j) {
        if (const auto it = m.joints.find(a.rest.skeleton.joints[j].name); it != m.joints.end()) {
            it->second = maps.joints[j] + up;
        }
    }
    for (std::size_t k = 0; k < a.rest.landmarks.size(); ++k) {
        const Landmark& landmark = a.rest.landmarks[k];
        const Index v = a.landmark_vertex[k];
        m.landmarks[landmark.name] =
            landmark.position + (m.skin.row(v) - a.rest.skin.mesh.points.row(v)).transpose();
    }
    for (std::size_t p = 0; p < a.parts.size(); ++p) {
        const std::string& name = a.parts[p].name;
        for (const std::size_t side : {std::size_t{0}, std::size_t{1}}) {
            if (name == (side == 0 ? "scapula_l" : "scapula_r")) {
                m.acromion[side] = maps.parts[p].on_bone(a.measured.acromion[side]) + up;
            }
            if (name == "pelvis") {
                m.ischium[side] = maps.parts[p].on_bone(a.measured.ischium[side]) + up;
            }
        }
    }
    return m;
}

// Masses of tetrahedra before and after visceral fat came: generic tissue that it pushes apart
// keeps its volume, what is gained is fat.
// Masses are linear in volumes but for visceral fat, whose gain counts only where it is positive.
PersonMasses masses_of(const PersonAnatomy& a, const Eigen::VectorXd& before,
                       const Eigen::VectorXd& after) {
    const double gained = (after - before).cwiseMax(0.0).dot(a.generic_share);
    return {.all = a.density.dot(after) - a.generic_to_fat * gained,
            .fat = a.fat_density.dot(after) + a.fat_weight * gained,
            .muscle = a.muscle_density.dot(after)};
}

// d (sum_t w_t V_t) / dx, with dV/dx_k = face opposite to k, as a vector inwards, over 3.
void add_volume_gradient(const Points& x, const Tets& tets, const Eigen::VectorXd& w,
                         Points& gradient) {
    for (Eigen::Index t = 0; t < tets.rows(); ++t) {
        const Vec3 x0 = point(x, tets(t, 0));
        const Vec3 e1 = point(x, tets(t, 1)) - x0;
        const Vec3 e2 = point(x, tets(t, 2)) - x0;
        const Vec3 e3 = point(x, tets(t, 3)) - x0;
        const Vec3 g1 = w[t] / 6.0 * e2.cross(e3);
        const Vec3 g2 = w[t] / 6.0 * e3.cross(e1);
        const Vec3 g3 = w[t] / 6.0 * e1.cross(e2);
        gradient.row(tets(t, 1)) += g1.transpose();
        gradient.row(tets(t, 2)) += g2.transpose();
        gradient.row(tets(t, 3)) += g3.transpose();
        gradient.row(tets(t, 0)) -= (g1 + g2 + g3).transpose();
    }
}

}  // namespace

double hanging_fat(double thickness, double up, double modulus) {
    const double sheared = kFatDensity * kGravity * thickness * thickness / (2.0 * modulus);
    return sheared * (1.0 - 2.0 / 3.0 * up * up);
}

std::span<const std::string> person_fat_regions() {
    static const std::vector<std::string> kNames = {"belly",      "flanks",   "chest",  "back",
                                                    "buttocks",   "hips",     "thighs", "calves",
                                                    "upper_arms", "forearms", "chin",   "face"};
    return kNames;
}

PersonShaper::PersonShaper(const Body& body) {
    if (body.tets.tets.rows() == 0 || body.attachments.bone.empty() ||
        body.envelope.mesh.points.rows() != body.skin.mesh.points.rows()) {
        throw InputError({.where = "making a person of body '" + body.name + "'",
                          .found = "no tetrahedra, no bones in them, or no layer of fat",
                          .needs = "a body for simulation",
                          .remedy = "make the body with 'sinew build'"});
    }
    anatomy_ = std::make_unique<PersonAnatomy>(body);
}
PersonShaper::~PersonShaper() = default;
PersonShaper::PersonShaper(PersonShaper&&) noexcept = default;
PersonShaper& PersonShaper::operator=(PersonShaper&&) noexcept = default;

const Body& PersonShaper::rest() const {
    return anatomy_->rest;
}

MeasuredShape PersonShaper::surface(const PersonForm& form) const {
    const PersonAnatomy& a = *anatomy_;
    const FrameMaps maps = frame_maps(a.rest, a.parts, form.frame);
    const PointSet skin(a.rest.skin.tet_vertex);
    Points x = framed(a, maps, skin) + displaced_skin(a, form);
    part_limbs(a, maps.joints, skin, x);
    x += form.visceral * a.visceral_skin;
    const double lift = -lowest(x);
    x.col(1).array() += lift;
    return measured_surface(a, maps, lift, std::move(x));
}

PersonShaper::Shape PersonShaper::shape(const PersonForm& form) const {
    const PersonAnatomy& a = *anatomy_;
    const FrameMaps maps = frame_maps(a.rest, a.parts, form.frame);
    const PointSet all(a.rest.tets.points.rows());
    Shape result;
    Points x = framed(a, maps, all) + a.fat_field.displacement(displaced_skin(a, form));
    part_limbs(a, maps.joints, all, x);
    result.before_visceral = tet_volumes(x, a.rest.tets.tets);
    x += form.visceral * a.visceral_unit;
    result.masses = masses_of(a, result.before_visceral, tet_volumes(x, a.rest.tets.tets));
    Points skin = positions_of(a.rest.skin, x);
    result.lift = -lowest(skin);
    x.col(1).array() += result.lift;
    skin.col(1).array() += result.lift;
    result.measured = measured_surface(a, maps, result.lift, std::move(skin));
    result.points = std::move(x);
    return result;
}

// Adjoint: d mass / d positions once, carried back through the walls (a 3 x 3 matrix per point, by
// differences) and through the transposed field of fat to the skin. A neighbouring form then needs
// no solve.
struct PersonShaper::MassesNear::Data {
    const PersonAnatomy& a;
    PersonForm form;
    Points fat;              // displacement by fat, of all points
    Points skin;             // and of the skin
    Points x;                // before visceral fat
    Eigen::VectorXd before;  // volumes there
    PersonMasses here;
    std::array<Points, 2> by_points;  // d all, d fat / d x
    std::array<Points, 2> by_skin;    // d all, d fat / d displaced skin
};

PersonShaper::MassesNear::~MassesNear() = default;
PersonShaper::MassesNear::MassesNear(MassesNear&&) noexcept = default;
PersonShaper::MassesNear::MassesNear(std::unique_ptr<Data> data) : data_(std::move(data)) {}

PersonShaper::MassesNear PersonShaper::masses_near(const PersonForm& form) const {
    const PersonAnatomy& a = *anatomy_;
    const Tets& tets = a.rest.tets.tets;
    const FrameMaps maps = frame_maps(a.rest, a.parts, form.frame);
    const PointSet all(a.rest.tets.points.rows());
    const Points skin = displaced_skin(a, form);
    auto data =
        std::make_unique<MassesNear::Data>(MassesNear::Data{.a = a,
                                                            .form = form,
                                                            .fat = a.fat_field.displacement(skin),
                                                            .skin = skin,
                                                            .x = {},
                                                            .before = {},
                                                            .here = {},
                                                            .by_points = {},
                                                            .by_skin = {}});
    const Points unparted = framed(a, maps, all) + data->fat;
    data->x = unparted;
    part_limbs(a, maps.joints, all, data->x);
    data->before = tet_volumes(data->x, tets);
    const Points after = data->x + form.visceral * a.visceral_unit;
    const Eigen::VectorXd volumes = tet_volumes(after, tets);
    data->here = masses_of(a, data->before, volumes);

    // By positions: after visceral fat, and before it where generic tissue was pushed apart.
    const Eigen::VectorXd pushed =
        ((volumes - data->before).array() > 0.0)
            .select(a.generic_share, Eigen::VectorXd::Zero(volumes.size()));
    const std::array<Eigen::VectorXd, 2> at_end = {a.density - a.generic_to_fat * pushed,
                                                   a.fat_density + a.fat_weight * pushed};
    const std::array<Eigen::VectorXd, 2> at_start = {a.generic_to_fat * pushed,
                                                     -a.fat_weight * pushed};
    // How walls pass on what moves, per point: three columns of differences.
    constexpr double kProbe = 1e-6;  // m
    std::array<Points, 3> passed;
    for (int c = 0; c < 3; ++c) {
        Points moved = unparted;
        moved.col(c).array() += kProbe;
        part_limbs(a, maps.joints, all, moved);
        passed[at(c)] = (moved - data->x) / kProbe;
    }
    for (std::size_t m = 0; m < 2; ++m) {
        Points gradient = Points::Zero(data->x.rows(), 3);
        add_volume_gradient(after, tets, at_end[m], gradient);
        if (form.visceral > 0.0) {
            add_volume_gradient(data->x, tets, at_start[m], gradient);
        }
        Points back(gradient.rows(), 3);
        for (int c = 0; c < 3; ++c) {
            back.col(c) = passed[at(c)].cwiseProduct(gradient).rowwise().sum();
        }
        data->by_skin[m] = a.fat_field.transposed(back);
        data->by_points[m] = std::move(gradient);
    }
    return MassesNear(std::move(data));
}

PersonMasses PersonShaper::MassesNear::here() const {
    return data_->here;
}

PersonMasses PersonShaper::MassesNear::operator()(const PersonForm& form) const {
    const Data& d = *data_;
    PersonMasses masses = d.here;
    const auto add = [&](const std::array<Points, 2>& by, const Points& moved) {
        masses.all += by[0].cwiseProduct(moved).sum();
        masses.fat += by[1].cwiseProduct(moved).sum();
    };
    if (form.frame != d.form.frame) {
        const FrameMaps maps = frame_maps(d.a.rest, d.a.parts, form.frame);
        const PointSet all(d.x.rows());
        Points x = framed(d.a, maps, all) + d.fat;
        part_limbs(d.a, maps.joints, all, x);
        add(d.by_points, x - d.x);
    }
    if (form.fat != d.form.fat || form.fat_lost != d.form.fat_lost) {
        add(d.by_skin, displaced_skin(d.a, form) - d.skin);
    }
    if (form.visceral != d.form.visceral) {
        const PersonMasses other =
            masses_of(d.a, d.before,
                      tet_volumes(d.x + form.visceral * d.a.visceral_unit, d.a.rest.tets.tets));
        masses.all += other.all - d.here.all;
        masses.fat += other.fat - d.here.fat;
    }
    return masses;
}

namespace {

// The frame alone: no flesh widened, no fat gained.
// The shape that crossings are taken back towards: nothing gained, so it crosses no more than the
// body did that it was made of.
PersonForm bare_form(const PersonForm& form) {
    PersonForm bare{.frame = form.frame};
    for (double* flesh : {&bare.frame.trunk_flesh, &bare.frame.thigh_flesh, &bare.frame.shin_flesh,
                          &bare.frame.shoulder_flesh, &bare.frame.upper_arm_flesh,
                          &bare.frame.forearm_flesh, &bare.frame.neck_flesh}) {
        *flesh = std::min(1.0, *flesh);
    }
    return bare;
}

// x = bare + (1 - held) (full - bare) per skin vertex: `held` rises where triangles cross and fades
// around, until none do. Positions of the bare frame keep apart as those of the rest body do.
// @param at_crossings  what crossings hold, before and after
// @returns  vertices that are held
Eigen::Index part_skin(const PersonAnatomy& a, const Points& bare, PersonShaper::Shape& shape,
                       Eigen::VectorXd& at_crossings) {
    TriangleMesh skin{.points = shape.measured.skin, .triangles = a.rest.skin.mesh.triangles};
    if (at_crossings.size() == 0) {
        at_crossings = Eigen::VectorXd::Zero(skin.points.rows());
    }
    // Crossings can only rise from round to round, so the loop ends; the next form starts from what
    // was held, so that neighbouring forms become neighbouring bodies.
    Eigen::VectorXd held;
    for (int round = 0;; ++round) {
        // Fades over a few vertices, however many rounds it takes.
        held = at_crossings;
        for (int fading = 0; fading < kFadingRounds; ++fading) {
            Eigen::MatrixXd around = held;
            average(a.around, around, 1);
            held = held.cwiseMax(around.col(0));
        }
        skin.points = shape.measured.skin;
        skin.points -= (held.asDiagonal() * (shape.measured.skin - bare)).eval();
        const Intersections crossing = find_self_intersections(skin);
        if (crossing.pairs.empty() || round == kMostPartings) {
            break;
        }
        std::vector<char> is_crossed(at(held.size()), 0);
        for (const auto& [s, t] : crossing.pairs) {
            for (int k = 0; k < 3; ++k) {
                is_crossed[at(skin.triangles(s, k))] = is_crossed[at(skin.triangles(t, k))] = 1;
            }
        }
        for (Eigen::Index i = 0; i < held.size(); ++i) {
            if (is_crossed[at(i)] != 0) {
                at_crossings[i] = std::min(1.0, std::max(at_crossings[i], held[i]) + kHeldBack);
            }
        }
    }
    const Eigen::Index count = (held.array() > 1e-3).count();
    if (count > 0) {
        shape.points += a.fat_field.displacement(skin.points - shape.measured.skin);
    }
    return count;
}

// Armpits of short and heavy people may cross in the bare frame already, or where tetrahedra were
// mended. There the skin is smoothed, and no further around than it takes.
// @returns  whether anything crossed
bool smooth_crossings(const PersonAnatomy& a, TriangleMesh& skin) {
    auto pairs = find_self_intersections(skin).pairs;
    const bool has_crossed = !pairs.empty();
    for (int round = 0; round < kMostSmoothings && !pairs.empty(); ++round) {
        std::vector<Index> near;
        std::vector<char> is_near(at(skin.points.rows()), 0);
        const auto add = [&](Index v) {
            if (is_near[at(v)] == 0) {
                is_near[at(v)] = 1;
                near.push_back(v);
            }
        };
        for (const auto& [s, t] : pairs) {
            for (int k = 0; k < 3; ++k) {
                add(skin.triangles(s, k));
                add(skin.triangles(t, k));
            }
        }
        const std::size_t crossed = near.size();
        for (std::size_t i = 0; i < crossed; ++i) {
            std::for_each(a.around[at(near[i])].begin(), a.around[at(near[i])].end(), add);
        }
        Points next(static_cast<Eigen::Index>(near.size()), 3);
        for (std::size_t i = 0; i < near.size(); ++i) {
            Vec3 mean = Vec3::Zero();
            for (const Index w : a.around[at(near[i])]) {
                mean += point(skin.points, w) / static_cast<double>(a.around[at(near[i])].size());
            }
            next.row(static_cast<Eigen::Index>(i)) =
                0.5 * (point(skin.points, near[i]) + mean).transpose();
        }
        for (std::size_t i = 0; i < near.size(); ++i) {
            skin.points.row(near[i]) = next.row(static_cast<Eigen::Index>(i));
        }
        pairs = find_self_intersections(skin).pairs;
    }
    return has_crossed;
}

// Nothing inside out and no skin through skin. Each may undo the other: a few rounds.
MendedInversions healed(const PersonAnatomy& a, const Points& x) {
    MendedInversions mended = mend_inversions(a.rest.tets, x);
    for (int round = 0; round < kHealingRounds; ++round) {
        const Points before = positions_of(a.rest.skin, mended.x);
        TriangleMesh skin{.points = before, .triangles = a.rest.skin.mesh.triangles};
        if (!smooth_crossings(a, skin)) {
            break;
        }
        mended.x =
            mend_inversions(a.rest.tets, mended.x + a.fat_field.displacement(skin.points - before),
                            {}, a.rest.skin.tet_vertex)
                .x;
    }
    return mended;
}

// What visceral fat gained becomes fat.
// Fractions are of the tetrahedron as it is after: generic tissue keeps its volume, the rest is
// fat.
void add_visceral_fat(Body& body, const Eigen::VectorXd& before) {
    const Eigen::VectorXd after = tet_volumes(body.tets);
    Index fat = -1;
    for (std::size_t m = 0; m < body.materials.size(); ++m) {
        fat = body.materials[m].tissue == Tissue::Fat ? static_cast<Index>(m) : fat;
    }
    TissueShares shares;
    for (std::size_t t = 0; t + 1 < body.shares.start.size(); ++t) {
        const auto row = static_cast<Eigen::Index>(t);
        const bool is_sound = before[row] > 0.0 && after[row] > before[row];
        const double grown = is_sound ? 1.0 - before[row] / after[row] : 0.0;
        double gained = 0.0;
        for (Index e = body.shares.start[t]; e < body.shares.start[t + 1]; ++e) {
            double fraction = body.shares.fraction[at(e)];
            const Tissue tissue = body.materials[at(body.shares.material[at(e)])].tissue;
            if (tissue == Tissue::Generic && grown > 1e-6) {
                gained += grown * fraction;
                fraction *= 1.0 - grown;
            }
            shares.material.push_back(body.shares.material[at(e)]);
            shares.part.push_back(body.shares.part[at(e)]);
            shares.fraction.push_back(fraction);
        }
        if (gained > 0.0) {
            const auto begin = static_cast<std::size_t>(shares.start.back());
            const auto known =
                std::find(shares.material.begin() + static_cast<std::ptrdiff_t>(begin),
                          shares.material.end(), fat);
            if (known != shares.material.end()) {
                shares.fraction[at(known - shares.material.begin())] += gained;
            } else {
                shares.material.push_back(fat);
                shares.part.push_back(-1);
                shares.fraction.push_back(gained);
            }
        }
        shares.start.push_back(static_cast<Index>(shares.material.size()));
    }
    body.shares = std::move(shares);
}

}  // namespace

PersonShaper::Made PersonShaper::body(const PersonForm& form, Eigen::VectorXd held) const {
    const PersonAnatomy& d = *anatomy_;
    const FrameMaps maps = frame_maps(d.rest, d.parts, form.frame);
    Shape made = shape(form);
    const Eigen::Index parted = part_skin(d, surface(bare_form(form)).skin, made, held);
    const Vec3 up(0.0, made.lift, 0.0);
    MovedBones moved;
    for (const Bone& bone : d.rest.bones) {
        const PartMap& map = maps.parts[d.part_of_segment[at(bone.segment)]];
        Points points = bone.mesh.points;
        for (Eigen::Index i = 0; i < points.rows(); ++i) {
            points.row(i) = (map.on_bone(point(points, i)) + up).transpose();
        }
        moved.bones.push_back(std::move(points));
    }
    moved.attachments =
        positions_of(d.rest.attachments.points, d.rest.tets.points, d.rest.tets.tets);
    for (std::size_t k = 0; k < d.rest.attachments.bone.size(); ++k) {
        const auto row = static_cast<Eigen::Index>(k);
        const Bone& bone = d.rest.bones[at(d.rest.attachments.bone[k])];
        moved.attachments.row(row) = (maps.parts[d.part_of_segment[at(bone.segment)]].on_bone(
                                          point(moved.attachments, row)) +
                                      up)
                                         .transpose();
    }
    for (const Vec3& joint : maps.joints) {
        moved.joints.push_back(joint + up);
    }
    const MendedInversions mended = healed(d, made.points);
    Made result{.body = with_rest_shape(d.rest, mended.x, moved),
                .mended_tets = mended.before,
                .parted_skin = parted,
                .held = std::move(held)};
    if (form.visceral > 0.0) {
        add_visceral_fat(result.body, made.before_visceral);
    }
    // Force goes with the cross-section, the 2/3 power of the volume.
    const std::vector<double> old_volumes = muscle_volumes_in_tets(d.rest);
    const std::vector<double> volumes = muscle_volumes_in_tets(result.body);
    for (std::size_t m = 0; m < volumes.size(); ++m) {
        if (old_volumes[m] > 0.0) {
            result.body.muscles[m].fmax *= std::pow(volumes[m] / old_volumes[m], 2.0 / 3.0);
        }
    }
    return result;
}

}  // namespace sinew
