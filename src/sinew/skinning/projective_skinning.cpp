#include "sinew/skinning/projective_skinning.h"

#include "sinew/base/error.h"
#include "sinew/base/parallel.h"
#include "sinew/base/timer.h"
#include "sinew/energy/projective_tets.h"
#include "sinew/geometry/measure.h"
#include "sinew/mesh/validity.h"
#include "sinew/skinning/skin_contacts.h"
#include "sinew/skinning/skin_folds.h"
#include "sinew/skinning/skin_untangling.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

// Fast Projective Skinning [Komaritzan, chapter 3], in the order of the thesis.
//
// Once, in the constructor and prepare(): radii of bones and joints (3.2.1, bone_volumes.h); prisms
// of flesh between skin and bones, split into tetrahedra (eq. 3.1, flesh_prisms.h); what holds the
// inner surface (3.2.2, bone_coupling.h); the system with a strain term per tetrahedron,
// factorised; pairs of folds from extreme poses, and a second factorisation with them (3.2.5).
//
// Every frame, in step(): bones place the inner surface, positions are predicted from velocities
// (algorithm 2.1), half of the iterations, contacts, the other half with contacts, velocities. What
// is shown is the skin, in global collisions after it was untangled.
//
// Unknowns are the vertices of the skin and those of the inner surface that nothing holds (virtual
// joints). All others are boundary values.
//
// Units: the thesis has its own unit of time and of stiffness, and its numbers are kept (options).
// A frame is `step` long whatever the recording's rate is.
//
// Departs: jumps of the recording, specks without flesh and vertices that are lost are caught
// (follow_jumps, put_back_lost): public characters have all of them. Rigged characters hold their
// inner surface by their own weights.

namespace sinew {
namespace {

constexpr int kBendFrames = 2;           // to settle in an extreme pose when folds are sought
constexpr int kLastSweeps = 20;          // over folds and shapes, after the last iteration
constexpr double kFarthest = 0.1;        // of the extent: stretch of the flesh that is never seen
constexpr double kJumpAngle = 1.0;       // rad in a frame, of a bone
constexpr double kJumpWay = 0.5;         // in a frame, of the extent of the skin
constexpr double kSpeck = 0.03;          // of its diagonal: smaller skeletons have another unit
constexpr double kBesideSkin = 0.1;      // of its diagonal, where joints may be
constexpr double kSpeckDiagonal = 1e-7;  // of the largest, for what next to no flesh holds

// The joint that holds each vertex most; -1: none.
std::vector<Index> strongest(const std::vector<std::vector<BlendSkinning::Weight>>& weights) {
    std::vector<Index> joints;
    for (const auto& row : weights) {
        const auto best = std::max_element(
            row.begin(), row.end(), [](const auto& a, const auto& b) { return a.value < b.value; });
        joints.push_back(best == row.end() ? -1 : best->bone);
    }
    return joints;
}

FleshPrisms checked_flesh(const TriangleMesh& skin, const CharacterSkeleton& skeleton,
                          const BoneVolumes& bones, const ProjectiveSkinningOptions& options,
                          std::span<const Index> held_by) {
    FleshPrisms flesh = build_flesh_prisms(skin, skeleton, bones,
                                           {.smoothing = options.smoothing, .held_by = held_by});
    if (flesh.tets.rows() == 0) {
        throw InputError({.where = "skin",
                          .found = "no triangle with flesh below it",
                          .needs = "a surface around the skeleton",
                          .remedy = "check that skin and skeleton have the same unit and place"});
    }
    return flesh;
}

// Most joints lie in the skin or a little beside it (tips of fingers, loose clothes).
// A skin in centimetres around a skeleton in metres is the commonest mistake of all.
void require_together(const TriangleMesh& skin, const CharacterSkeleton& skeleton) {
    const Vec3 low = skin.points.colwise().minCoeff();
    const Vec3 high = skin.points.colwise().maxCoeff();
    const double beside = kBesideSkin * (high - low).norm();
    Vec3 first = skeleton.joints[0].position;
    Vec3 last = first;
    std::size_t inside = 0;
    for (const CharacterJoint& joint : skeleton.joints) {
        first = first.cwiseMin(joint.position);
        last = last.cwiseMax(joint.position);
        inside += ((joint.position - low).array() > -beside).all() &&
                  ((high - joint.position).array() > -beside).all();
    }
    const bool is_speck = (last - first).norm() < kSpeck * (high - low).norm();
    if (2 * inside < skeleton.size() || is_speck) {
        const auto box = [](const Vec3& a, const Vec3& b) {
            return fmt::format("({:.3g}, {:.3g}, {:.3g}) to ({:.3g}, {:.3g}, {:.3g})", a.x(), a.y(),
                               a.z(), b.x(), b.y(), b.z());
        };
        throw InputError(
            {.where = "skeleton",
             .found = fmt::format("{} of {} joints are in the skin: joints from {}, skin from {} m",
                                  inside, skeleton.size(), box(first, last), box(low, high)),
             .needs = is_speck ? "a skeleton about as large as its skin" : "a skeleton in its skin",
             .remedy = "give both in the same unit, axes and place; joints in JSON are in metres"});
    }
}

BoneVolumes checked_bones(const TriangleMesh& skin, const CharacterSkeleton& skeleton,
                          const ProjectiveSkinningOptions& options, bool is_rigged) {
    check_ranges(options, "skinning options");
    require_valid(skin, "skin");
    require_valid(skeleton, "skeleton");
    if (skin.triangles.rows() == 0) {
        throw InputError({.where = "skin",
                          .found = "no triangles",
                          .needs = "a surface",
                          .remedy = "give a mesh with faces"});
    }
    if (!is_rigged) {
        require_together(skin, skeleton);
    }
    return build_bone_volumes(skin, skeleton);
}

// Strain alone, without a volume term. Stiffness may differ by joint.
std::shared_ptr<const ProjectiveTets> strain_of(const FleshPrisms& flesh,
                                                const CharacterSkeleton& skeleton,
                                                const BoneVolumes& bones, double stiffness) {
    std::vector<double> weight(at(flesh.tets.rows()));
    for (std::size_t t = 0; t < weight.size(); ++t) {
        const Index v = flesh.triangles(flesh.triangle_of[t], 0);
        const Index joint = bones.bones[at(flesh.bone[at(v)])].second;
        weight[t] = stiffness * skeleton.joints[at(joint)].stiffness;
    }
    const std::vector<double> none(weight.size(), 0.0);
    return std::make_shared<const ProjectiveTets>(
        TetMesh{.points = flesh.points, .tets = flesh.tets}, weight, none);
}

}  // namespace

struct ProjectiveSkinning::Data {
    Data(const TriangleMesh& surface, const CharacterSkeleton& skeleton_in,
         const ProjectiveSkinningOptions& options_in,
         std::vector<std::vector<BlendSkinning::Weight>> weights)
        : options(options_in),
          skeleton(skeleton_in),
          bones(checked_bones(surface, skeleton, options, !weights.empty())),
          flesh(checked_flesh(surface, skeleton, bones, options, strongest(weights))),
          coupling(skeleton, bones, flesh, {.slide = options.slide}),
          strain(strain_of(flesh, skeleton, bones, options.stiffness)) {
        if (!weights.empty()) {
            by_weights.emplace(flesh.points.bottomRows(flesh.skin_vertices), std::move(weights),
                               skeleton.size());
        }
    }

    ProjectiveSkinningOptions options;
    CharacterSkeleton skeleton;
    BoneVolumes bones;
    FleshPrisms flesh;
    BoneCoupling coupling;
    std::optional<BlendSkinning> by_weights;  // of the inner surface, where the skin is rigged
    std::shared_ptr<const ProjectiveTets> strain;
    std::vector<int> free;
    std::optional<FrameStepper> stepper;
    std::optional<SkinContacts> contacts;      // with shapes, once there are any, and with itself
    std::optional<SkinFolds> folds;            // at joints
    std::optional<SkinUntangling> untangling;  // of the skin that is shown, in global collisions
    std::optional<SkinEnclosure> enclosure;    // for `penetration`
    bool is_touching = false;                  // contacts of the last frame are in the stepper
    std::vector<MovingShape> shapes;
    // Of all prisms; the measure of volume_ratio().
    double rest_volume = 0.0;
    double extent = 0.0;           // of the skin at rest, m
    std::vector<double> farthest;  // that each vertex of the skin may be from its copy, m

    Points x, v;
    std::vector<double> diagonal;
    Points held;  // inner surface as the bones place it
    Points skin;
    CharacterPose pose;

    // Whose bone a tetrahedron hangs on.
    const CharacterJoint& joint_of(std::size_t tet) const {
        const Index corner = flesh.triangles(flesh.triangle_of[tet], 0);
        return skeleton.joints[at(bones.bones[at(flesh.bone[at(corner)])].second)];
    }
    void prepare();
    void find_folds();
    bool follow_jumps(const CharacterPose& to);
    void put_back_lost();
    void place_inner();
    void iterate(int count, SkinFrameReport& report);
    void find_contacts(SkinFrameReport& report);
    void push_apart();
    void rest_on_contacts(const Points& before);
    void forget_contacts();
    void show(const CharacterPose& before);
    SkinFrameReport step(const CharacterPose& to, bool with_momentum);
};

void ProjectiveSkinning::Data::prepare() {
    const Index S = flesh.skin_vertices;
    for (Index i = 0; i < S; ++i) {
        free.push_back(i);
    }
    for (const Index i : coupling.unheld()) {
        free.push_back(S + i);
    }
    // Masses by the volume of the tetrahedra around each vertex, and the density of their bone.
    const Eigen::VectorXd volumes = tet_volumes(flesh.points, flesh.tets);
    rest_volume = volumes.sum();
    extent = (flesh.points.colwise().maxCoeff() - flesh.points.colwise().minCoeff()).norm();
    // `mass` is that of the whole character and is spread by volume times the joints' own factors,
    // hence results do not depend on the mesh.
    std::vector<double> inertia;  // mass / dt^2 of every vertex
    if (options.dynamics) {
        inertia.assign(at(flesh.points.rows()), 0.0);
        std::vector<double> mass(at(flesh.tets.rows()));
        for (std::size_t t = 0; t < mass.size(); ++t) {
            mass[t] = volumes[static_cast<Eigen::Index>(t)] * joint_of(t).mass;
        }
        const double all = std::accumulate(mass.begin(), mass.end(), 0.0);
        for (Eigen::Index t = 0; t < flesh.tets.rows(); ++t) {
            for (int k = 0; k < 4; ++k) {
                inertia[at(flesh.tets(t, k))] +=
                    0.25 * mass[at(t)] / all * options.mass / (options.step * options.step);
            }
        }
    }
    for (Index i = 0; i < S; ++i) {
        farthest.push_back(2.0 * (point(flesh.points, i) - point(flesh.points, S + i)).norm() +
                           kFarthest * extent);
    }
    // What no flesh holds (points without triangles) rides on its bone.
    std::vector<char> is_held(at(S), 0);
    for (Eigen::Index t = 0; t < flesh.tets.rows(); ++t) {
        for (int k = 0; k < 4; ++k) {
            if (flesh.tets(t, k) < S) {
                is_held[at(flesh.tets(t, k))] = 1;
            }
        }
    }
    for (std::size_t i = 0; i < is_held.size(); ++i) {
        farthest[i] = is_held[i] != 0 ? farthest[i] : 0.0;
    }
    stepper.emplace(flesh.points.rows(), EnergyTerms{strain}, free, std::move(inertia),
                    FrameStepperOptions{.least_diagonal = kSpeckDiagonal});
    x = flesh.points;
    v = Points::Zero(x.rows(), 3);
    held = x;
    skin = x.topRows(S);
    pose = rest_pose(skeleton);
    if (options.collisions != SkinCollisions::None) {
        find_folds();
    }
    if (options.collisions == SkinCollisions::Global) {
        untangling.emplace(flesh);
    }
}

// Bends all joints far, one set after the other; the matrix of all pairs is made once.
void ProjectiveSkinning::Data::find_folds() {
    SkinContacts finder(flesh, options.contact_weight);
    const auto simulate = [&](const CharacterPose& extreme) -> SkinFolds::Folded {
        for (Index i = 0; i < flesh.skin_vertices; ++i) {
            const BoneVolume& bone = bones.bones[at(flesh.bone[at(i)])];
            x.row(i) = (extreme[at(bone.first)] * point(flesh.points, i)).transpose();
        }
        pose = extreme;
        for (int k = 0; k < kBendFrames; ++k) {
            step(extreme, false);
        }
        coupling.place_base(pose, finder.base());
        return {x, finder.inside(x)};
    };
    // Extreme poses are simulated with the very system that will be used, so pairs are those that
    // this flesh makes. Two frames each: poses need not converge to show who meets whom.
    SkinFolds found(flesh, skeleton, bones, options.contact_weight, simulate);
    folds.emplace(std::move(found));
    stepper->factor_contacts(folds->diagonal(free.size()));
    x = flesh.points;
    v.setZero();
    skin = x.topRows(flesh.skin_vertices);
    pose = rest_pose(skeleton);
    if (options.collisions == SkinCollisions::Global) {
        contacts.emplace(std::move(finder));
        contacts->forget();
    }
}

// A bone that turns or moves further in a frame than any motion has jumped: between takes, in a
// damaged recording, or by hand. Its flesh is taken along and starts anew, without the velocity of
// the jump; true when there was one.
bool ProjectiveSkinning::Data::follow_jumps(const CharacterPose& to) {
    std::vector<char> is_jump(bones.bones.size(), 0);
    for (std::size_t b = 0; b < is_jump.size(); ++b) {
        const BoneVolume& bone = bones.bones[b];
        const Eigen::Isometry3d turn = to[at(bone.first)] * pose[at(bone.first)].inverse();
        const Vec3 now = pose[at(bone.first)] * bone.origin;
        is_jump[b] = Eigen::AngleAxisd(turn.linear()).angle() > kJumpAngle ||
                     (turn * now - now).norm() > kJumpWay * extent;
    }
    if (std::none_of(is_jump.begin(), is_jump.end(), [](char is) { return is != 0; })) {
        return false;
    }
    const Index S = flesh.skin_vertices;
    for (const int i : free) {
        const std::size_t b = at(flesh.bone[at(i < S ? i : i - S)]);
        if (is_jump[b] != 0) {
            const auto joint = at(bones.bones[b].first);
            x.row(i) = (to[joint] * (pose[joint].inverse() * point(x, i))).transpose();
            v.row(i).setZero();
        }
    }
    return true;
}

// Specks of a damaged skin may have next to no flesh that holds them. What is far from its bone, or
// nowhere, goes back to where the bone alone would take it.
void ProjectiveSkinning::Data::put_back_lost() {
    const Index S = flesh.skin_vertices;
    for (Index i = 0; i < S; ++i) {
        const double way = (point(x, i) - point(x, S + i)).norm();
        if (!(way < farthest[at(i)])) {
            const auto joint = at(bones.bones[at(flesh.bone[at(i)])].first);
            x.row(i) = (pose[joint] * point(flesh.points, i)).transpose();
            v.row(i).setZero();
        }
    }
}

// The inner surface goes where the bones take it, except where nothing holds it.
void ProjectiveSkinning::Data::place_inner() {
    coupling.place_inner(pose, held);
    const Index S = flesh.skin_vertices;
    if (by_weights) {
        const Points blended = by_weights->posed(pose, BlendMethod::Linear);
        for (Index i = 0; i < S; ++i) {
            if (!by_weights->weights(i).empty()) {
                held.row(S + i) = blended.row(i);
            }
        }
    }
    for (const Index i : coupling.unheld()) {
        held.row(S + i) = x.row(S + i);
    }
    x.bottomRows(S) = held.bottomRows(S);
}

void ProjectiveSkinning::Data::iterate(int count, SkinFrameReport& report) {
    FrameStepper::ContactForces forces;
    if (is_touching) {
        forces = [this](const Points& now, Points& f) {
            if (contacts) {
                contacts->add_force(now, f);
            }
            if (folds) {
                folds->add_force(now, f);
            }
        };
    }
    stepper->set_contacts(std::move(forces));
    report.add(stepper->iterate(x, {.iterations = count}));
}

// Finds what touches now. With folds alone the matrix stays as it is: pairs that do not collide
// hold their vertices where the first half of the iterations has put them.
void ProjectiveSkinning::Data::find_contacts(SkinFrameReport& report) {
    const Timer find;
    const bool is_global = contacts && options.collisions == SkinCollisions::Global;
    if (folds) {
        report.contacts =
            is_global ? folds->test(x, pose, contacts->enclosed_at(x)) : folds->test(x, pose);
    }
    for (int sweep = 0; sweep < kLastSweeps && report.contacts > 0; ++sweep) {
        folds->push_apart(x);
    }
    if (contacts) {
        contacts->find_shapes(x, shapes);
        if (options.collisions == SkinCollisions::Global) {
            coupling.place_base(pose, contacts->base());
            contacts->find_itself(x);
        }
        report.contacts += contacts->count();
    }
    is_touching = report.contacts > 0;
    if (is_touching && contacts) {
        diagonal.assign(free.size(), 0.0);
        contacts->add_diagonal(diagonal);
        if (folds) {
            folds->add_active_diagonal(diagonal);
        }
        stepper->factor_contacts(diagonal);
    }
    report.seconds_contacts = find.seconds();
}

void ProjectiveSkinning::Data::push_apart() {
    for (int sweep = 0; sweep < kLastSweeps; ++sweep) {
        if (folds) {
            folds->push_apart(x);
        }
        if (contacts) {
            contacts->push_out_of_shapes(x);
        }
    }
}

// What touches skin takes the velocity of its bones: contacts do not bounce, which would part them
// in one frame and bring them together again in the next.
void ProjectiveSkinning::Data::rest_on_contacts(const Points& before) {
    std::vector<Index> touching;
    contacts->add_vertices(touching);
    folds->add_vertices(touching);
    const Index S = flesh.skin_vertices;
    for (const Index i : touching) {
        v.row(i) = options.damping / options.step * (x.row(S + i) - before.row(S + i));
    }
}

void ProjectiveSkinning::Data::forget_contacts() {
    is_touching = false;
    if (contacts) {
        contacts->forget();
    }
    if (folds) {
        folds->forget();
    }
    if (untangling) {
        untangling->forget();
    }
}

// The skin as the simulation leaves it; in global collisions, without what is still in each other.
void ProjectiveSkinning::Data::show(const CharacterPose& before) {
    skin = x.topRows(flesh.skin_vertices);
    if (untangling) {
        std::vector<Eigen::Isometry3d> motion;
        for (const BoneVolume& bone : bones.bones) {
            motion.push_back(pose[at(bone.first)] * before[at(bone.first)].inverse());
        }
        untangling->steady(skin, motion);
        untangling->untangle(skin, motion);
    }
}

SkinFrameReport ProjectiveSkinning::Data::step(const CharacterPose& to, bool with_momentum) {
    SkinFrameReport report;
    const Timer total;
    if (follow_jumps(to)) {
        forget_contacts();
    }
    const CharacterPose last_pose = std::exchange(pose, to);
    const Points before = x;
    place_inner();
    x = stepper->predict(x, v, with_momentum && options.dynamics ? options.step : 0.0);
    if (!contacts && !folds) {
        iterate(options.iterations, report);
    } else {
        // A preliminary state, then one with the contacts that it has [Komaritzan, section 3.2.5:
        // two matrices]. In global collisions what has touched in the last frame still does.
        is_touching = is_touching && untangling;
        if (folds && !is_touching) {
            folds->let_go();
        }
        const int first = options.iterations / 2;
        iterate(first, report);
        find_contacts(report);
        iterate(options.iterations - first, report);
        if (is_touching) {
            const Timer last;
            push_apart();
            report.seconds_contacts += last.seconds();
        }
    }
    stepper->set_velocities(before, x, options.damping, options.step, v);
    if (untangling && is_touching) {
        rest_on_contacts(before);
    }
    put_back_lost();
    const Timer last;
    show(last_pose);
    report.seconds_contacts += last.seconds();
    report.seconds = total.seconds();
    return report;
}

ProjectiveSkinning::ProjectiveSkinning(const TriangleMesh& skin, const CharacterSkeleton& skeleton,
                                       const ProjectiveSkinningOptions& options,
                                       std::vector<std::vector<BlendSkinning::Weight>> weights)
    : data_(std::make_unique<Data>(skin, skeleton, options, std::move(weights))) {
    data_->prepare();
}
ProjectiveSkinning::~ProjectiveSkinning() = default;
ProjectiveSkinning::ProjectiveSkinning(ProjectiveSkinning&&) noexcept = default;
ProjectiveSkinning& ProjectiveSkinning::operator=(ProjectiveSkinning&&) noexcept = default;

SkinFrameReport ProjectiveSkinning::step(const CharacterPose& pose) {
    require_valid(pose, data_->skeleton);
    return data_->step(pose, true);
}

void ProjectiveSkinning::reset(const CharacterPose& pose, int settle) {
    require_valid(pose, data_->skeleton);
    Data& d = *data_;
    const Eigen::Isometry3d& root = pose[0];
    for (Eigen::Index i = 0; i < d.x.rows(); ++i) {
        d.x.row(i) = (root * point(d.flesh.points, i)).transpose();
    }
    // Clenched fingers are too far from rest for flesh to find its way: it starts near the end.
    if (d.by_weights) {
        const Points inner = d.by_weights->posed(pose, BlendMethod::Linear);
        const BlendSkinning outer(d.flesh.points.topRows(d.flesh.skin_vertices),
                                  d.by_weights->all_weights(), d.skeleton.size());
        const Points skin = outer.posed(pose, BlendMethod::Linear);
        for (Index i = 0; i < d.flesh.skin_vertices; ++i) {
            if (!d.by_weights->weights(i).empty()) {
                d.x.row(i) = skin.row(i);
                d.x.row(d.flesh.skin_vertices + i) = inner.row(i);
            }
        }
    }
    d.v.setZero();
    d.pose = pose;
    d.forget_contacts();
    d.skin = d.x.topRows(d.flesh.skin_vertices);
    for (int k = 0; k < settle; ++k) {
        if (d.untangling) {
            d.untangling->forget();  // what is shown then depends on where the flesh settles alone
        }
        d.step(pose, false);
        d.v.setZero();
    }
    d.place_inner();
}

void ProjectiveSkinning::place(const CharacterPose& pose, const Points& skin) {
    require_valid(pose, data_->skeleton);
    Data& d = *data_;
    SINEW_ASSERT(skin.rows() == d.flesh.skin_vertices, "{} points for {} vertices", skin.rows(),
                 d.flesh.skin_vertices);
    d.x.topRows(skin.rows()) = skin;
    d.v.setZero();
    d.pose = pose;
    d.forget_contacts();
    d.place_inner();
    d.skin = skin;
}

void ProjectiveSkinning::set_shapes(std::vector<MovingShape> shapes) {
    data_->shapes = std::move(shapes);
    if (!data_->shapes.empty() && !data_->contacts) {
        data_->contacts.emplace(data_->flesh, data_->options.contact_weight);
    }
}

const Points& ProjectiveSkinning::skin() const {
    return data_->skin;
}
const Points& ProjectiveSkinning::points() const {
    return data_->x;
}
const FleshPrisms& ProjectiveSkinning::flesh() const {
    return data_->flesh;
}
const BoneVolumes& ProjectiveSkinning::bones() const {
    return data_->bones;
}
SkinOnBones ProjectiveSkinning::skin_on_joints() const {
    SkinOnBones on_joints = data_->flesh;
    for (Index& bone : on_joints.bone) {
        bone = data_->bones.bones[at(bone)].first;
    }
    return on_joints;
}
Eigen::Index ProjectiveSkinning::simulated_vertices() const {
    return static_cast<Eigen::Index>(data_->free.size());
}

SkinPenetration ProjectiveSkinning::penetration() {
    Data& d = *data_;
    if (!d.enclosure) {
        d.enclosure.emplace(d.flesh);
    }
    return d.enclosure->penetration(d.skin);
}

double ProjectiveSkinning::volume_ratio() const {
    return volume(data_->x, data_->flesh.tets) / data_->rest_volume;
}

}  // namespace sinew
