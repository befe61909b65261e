#include "sinew/skinning/body_skinning.h"

#include "sinew/base/error.h"
#include "sinew/base/parallel.h"
#include "sinew/base/timer.h"
#include "sinew/energy/constant_forces.h"
#include "sinew/energy/masses.h"
#include "sinew/energy/pins.h"
#include "sinew/energy/projective_tets.h"
#include "sinew/geometry/measure.h"
#include "sinew/skinning/body_flesh.h"
#include "sinew/skinning/skin_contacts.h"
#include "sinew/skinning/skin_untangling.h"
#include "sinew/tissue/muscle_tensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

// A body of tetrahedra in motion [Komaritzan, section 4.3.3]. The energy of a frame is that of
// growth: shape and volume of tetrahedra with the stiffness of their tissues, springs from samples
// of the bones to where the bones are now, gravity if wanted, inertia if wanted. Activation changes
// the shapes that bellies strive for (growth tensors, [Kadlecek2022, eq. 4.15]), never the matrix.
//
// The same stepper (solver/frame_stepper.h) serves prisms of characters; contacts and untangling
// are theirs too. Vertices are numbered with the skin first (body_flesh.h), and state() hands
// positions out in the body's own order.
//
// A frame: targets of the springs, prediction from velocities, a start where the bones alone would
// take each vertex, half of the iterations, contacts, the other half, velocities. Starting from the
// bones rather than from the prediction matters: in a fast limb ten iterations would not carry the
// flesh after its bone. The prediction still enters as the inertia's target.

namespace sinew {
namespace {

constexpr std::size_t kBodyPiece = 4096;
constexpr double kBodyJump = 1.0;        // rad in a frame, of a bone
constexpr double kBodyWay = 0.5;         // in a frame, of the extent of the flesh
constexpr double kLooseDiagonal = 1e-7;  // of the largest, for what next to nothing holds

std::shared_ptr<ProjectiveTets> tets_of(const BodyFlesh& flesh, const Body& body,
                                        const TissueStiffness& stiffness) {
    const TetWeights weights = blended_weights(body, stiffness);
    return std::make_shared<ProjectiveTets>(flesh.mesh, weights.rotation, weights.volume);
}

// Twice the weight: terms carry a half, the paper's energies none [Saito2015, eq. 5].
std::shared_ptr<Pins> springs_of(const BodyFlesh& flesh, const TissueStiffness& stiffness) {
    const std::vector<double> weights(at(flesh.samples.rows()),
                                      2.0 * stiffness.unit * stiffness.springs);
    return std::make_shared<Pins>(flesh.corners, flesh.weights, flesh.samples, weights);
}

}  // namespace

struct BodySkinning::Data {
    Data(const Body& body, const BodySkinningOptions& options_in)
        : options(options_in),
          skeleton(skeleton_of(body.skeleton)),
          flesh(build_body_flesh(body, options.sliding)),
          tets(tets_of(flesh, body, options.stiffness)),
          attachment(springs_of(flesh, options.stiffness)) {}

    BodySkinningOptions options;
    CharacterSkeleton skeleton;
    BodyFlesh flesh;
    std::shared_ptr<ProjectiveTets> tets;
    std::shared_ptr<Pins> attachment;
    std::optional<FrameStepper> stepper;
    std::optional<MuscleTensors> tensors;  // of active muscles
    std::vector<double> activation;        // as it is now; empty: none
    std::vector<bool> is_passive;          // each muscle: a tendon of its own
    std::optional<SkinContacts> contacts;
    std::optional<SkinUntangling> untangling;  // of the skin that is shown
    std::optional<SkinEnclosure> enclosure;    // for `penetration`
    bool is_touching = false;                  // contacts of the last frame are in the stepper
    double rest_volume = 0.0;
    double extent = 0.0;  // of the flesh at rest, m

    Points x, v, targets;
    std::vector<double> diagonal;
    Points skin;                  // as it is shown
    State state;                  // of the body, as it is shown
    std::vector<Index> segments;  // that hang on each joint
    CharacterPose pose;
    std::vector<Eigen::Isometry3d> motion;  // of each joint in this frame

    void prepare(const Body& body);
    void activate(const std::vector<double>& now);
    void set_targets();
    bool follow_bones(const CharacterPose& last);
    void start_from_bones();
    void iterate(int count, BodyFrameReport& report);
    void find_contacts(BodyFrameReport& report);
    void set_velocities(const Points& before, bool is_jump);
    void forget_contacts();
    void show();
    BodyFrameReport step(const CharacterPose& to, bool with_momentum);
};

// All vertices are unknowns; bones hold by springs, since the tetrahedra do not resolve them.
void BodySkinning::Data::prepare(const Body& body) {
    const Points& rest = flesh.mesh.points;
    rest_volume = volume(rest, flesh.mesh.tets);
    extent = (rest.colwise().maxCoeff() - rest.colwise().minCoeff()).norm();
    std::vector<int> all(at(rest.rows()));
    std::iota(all.begin(), all.end(), 0);
    const std::vector<double> masses = lumped_masses(flesh.mesh, densities_of_tets(body));
    std::vector<double> inertia;
    if (options.dynamics) {
        inertia = masses;
        for (double& m : inertia) {
            m /= options.step * options.step;
        }
    }
    EnergyTerms terms = {tets, attachment};
    if (options.gravity != Vec3::Zero()) {
        terms.push_back(std::make_shared<ConstantForces>(gravity_forces(masses, options.gravity)));
    }
    stepper.emplace(rest.rows(), std::move(terms), std::move(all), std::move(inertia),
                    FrameStepperOptions{.least_diagonal = kLooseDiagonal});
    for (const Muscle& muscle : body.muscles) {
        is_passive.push_back(muscle.is_passive);
    }
    // Fibre directions and volumes, kept for every change of activation.
    tensors.emplace(body);
    if (options.collisions) {
        contacts.emplace(flesh.skin, flesh.mesh,
                         2.0 * options.stiffness.unit * options.stiffness.springs);
        untangling.emplace(flesh.skin);
    }
    x = rest;
    v = Points::Zero(x.rows(), 3);
    targets = flesh.samples;
    pose = rest_pose(skeleton);
    motion = pose;
    skin = flesh.skin.points;
    state = rest_state(body);
    state.velocities = v;
    state.segments.assign(body.skeleton.segments.size(), Eigen::Isometry3d::Identity());
    for (const Joint& joint : body.skeleton.joints) {
        segments.push_back(joint.child);
    }
}

// Bellies strive for another shape; the matrix of rest stays usable [Saito2015, section 3.1].
void BodySkinning::Data::activate(const std::vector<double>& now) {
    constexpr int kSmoothingRounds = 2;  // as growth has it
    activation = now;
    std::vector<double> active(is_passive.size(), 0.0);
    for (std::size_t m = 0; m < now.size(); ++m) {
        active[m] = is_passive[m] ? 0.0 : now[m];
    }
    tets->set_growth(tensors->contraction(active, kSmoothingRounds));
}

void BodySkinning::Data::set_targets() {
    for (Eigen::Index i = 0; i < targets.rows(); ++i) {
        targets.row(i) =
            (pose[at(flesh.sample_joint[at(i)])] * point(flesh.samples, i)).transpose();
    }
    attachment->set_targets(targets);
}

// Motions of the joints since the last pose; true when one turns or moves further in a frame than
// any motion does: between takes, in a damaged recording, or by hand.
// A radian in a frame, or half of the body's extent, is no motion of a person at any usual rate.
bool BodySkinning::Data::follow_bones(const CharacterPose& last) {
    bool is_jump = false;
    for (std::size_t j = 0; j < pose.size(); ++j) {
        motion[j] = pose[j] * last[j].inverse();
        const Vec3 now = last[j] * skeleton.joints[j].position;
        is_jump = is_jump || Eigen::AngleAxisd(motion[j].linear()).angle() > kBodyJump ||
                  (motion[j] * now - now).norm() > kBodyWay * extent;
    }
    return is_jump;
}

// Where the bones alone would take the flesh.
void BodySkinning::Data::start_from_bones() {
    parallel_for(at(x.rows()), kBodyPiece, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            const auto row = static_cast<Eigen::Index>(i);
            x.row(row) = (motion[at(flesh.joint[i])] * point(x, row)).transpose();
        }
    });
}

void BodySkinning::Data::iterate(int count, BodyFrameReport& report) {
    stepper->set_contacts(
        is_touching ? [this](const Points& now, Points& f) { contacts->add_force(now, f); }
                    : FrameStepper::ContactForces());
    report.add(stepper->iterate(x, {.iterations = count}));
}

void BodySkinning::Data::find_contacts(BodyFrameReport& report) {
    const Timer find;
    Points& base = contacts->base();
    for (Eigen::Index i = 0; i < base.rows(); ++i) {
        base.row(i) = (pose[at(flesh.joint[at(i)])] * point(flesh.skin.base_points, i)).transpose();
    }
    contacts->find_itself(x);
    report.contacts = contacts->count();
    is_touching = report.contacts > 0;
    if (is_touching) {
        diagonal.assign(stepper->free().size(), 0.0);
        contacts->add_diagonal(diagonal);
        stepper->factor_contacts(diagonal);
    }
    report.seconds_contacts = find.seconds();
}

// Contacts do not bounce: what touches takes the velocity of its bones. After a jump of the bones
// flesh starts anew.
void BodySkinning::Data::set_velocities(const Points& before, bool is_jump) {
    if (is_jump) {
        v.setZero();
        return;
    }
    stepper->set_velocities(before, x, options.damping, options.step, v);
    if (is_touching) {
        std::vector<Index> touching;
        contacts->add_vertices(touching);
        for (const Index i : touching) {
            const Vec3 p = point(before, i);
            v.row(i) = options.damping / options.step *
                       (motion[at(flesh.joint[at(i)])] * p - p).transpose();
        }
    }
}

void BodySkinning::Data::forget_contacts() {
    is_touching = false;
    if (contacts) {
        contacts->forget();
        untangling->forget();
    }
}

// The flesh as the simulation leaves it; with collisions, its skin without what is in itself.
void BodySkinning::Data::show() {
    skin = x.topRows(flesh.skin.points.rows());
    if (untangling) {
        untangling->steady(skin, motion);
        untangling->untangle(skin, motion);
    }
    parallel_for(at(x.rows()), kBodyPiece, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            const Index k = flesh.number[i];
            const auto row = static_cast<Eigen::Index>(i);
            state.positions.row(row) = k < skin.rows() ? skin.row(k) : x.row(k);
            state.velocities.row(row) = v.row(k);
        }
    });
    for (std::size_t j = 0; j < segments.size(); ++j) {
        state.segments[at(segments[j])] = pose[j];
    }
}

BodyFrameReport BodySkinning::Data::step(const CharacterPose& to, bool with_momentum) {
    BodyFrameReport report;
    const Timer total;
    const CharacterPose last = std::exchange(pose, to);
    const bool is_jump = follow_bones(last);
    set_targets();
    const Points before = x;
    // Sets the target of the inertia; where the search starts is chosen below.
    stepper->predict(x, v, with_momentum && options.dynamics ? options.step : 0.0);
    start_from_bones();
    if (is_jump) {
        stepper->predict_rest(x);
        forget_contacts();
    }
    if (!contacts) {
        iterate(options.iterations, report);
    } else {
        // A preliminary state with the contacts of the last frame, then one with those that it has
        // [Komaritzan, section 3.2.5].
        const int first = options.iterations / 2;
        iterate(first, report);
        find_contacts(report);
        iterate(options.iterations - first, report);
    }
    set_velocities(before, is_jump);
    state.time += with_momentum ? options.step : 0.0;
    const Timer last_part;
    show();
    report.seconds_contacts += last_part.seconds();
    report.seconds = total.seconds();
    return report;
}

BodySkinning::BodySkinning(const Body& body, const BodySkinningOptions& options)
    : data_(std::make_unique<Data>(body, options)) {
    data_->prepare(body);
}
BodySkinning::~BodySkinning() = default;
BodySkinning::BodySkinning(BodySkinning&&) noexcept = default;
BodySkinning& BodySkinning::operator=(BodySkinning&&) noexcept = default;

const CharacterSkeleton& BodySkinning::skeleton() const {
    return data_->skeleton;
}

void BodySkinning::set_activation(const Activation& activation) {
    Data& d = *data_;
    const std::vector<double>& a = activation.values;
    if ((!a.empty() && a.size() != d.is_passive.size()) ||
        !std::all_of(a.begin(), a.end(), [](double x) { return x >= 0.0 && x <= 1.0; })) {
        throw InputError(
            {.where = "activation",
             .found = fmt::format("{} values", a.size()),
             .needs = fmt::format("one in [0, 1] for each of {} muscles", d.is_passive.size()),
             .remedy = "give 0 for muscles that are relaxed"});
    }
    if (a != d.activation) {
        d.activate(a);
    }
}

BodyFrameReport BodySkinning::step(const CharacterPose& pose) {
    require_valid(pose, data_->skeleton);
    return data_->step(pose, true);
}

void BodySkinning::reset(const CharacterPose& pose, int settle) {
    Data& d = *data_;
    require_valid(pose, d.skeleton);
    d.pose = pose;
    for (Eigen::Index i = 0; i < d.x.rows(); ++i) {
        d.x.row(i) = (pose[at(d.flesh.joint[at(i)])] * point(d.flesh.mesh.points, i)).transpose();
    }
    d.v.setZero();
    d.state.time = 0.0;
    d.forget_contacts();
    for (int k = 0; k < settle; ++k) {
        if (d.untangling) {
            d.untangling->forget();  // what is shown then depends on where the flesh settles alone
        }
        d.step(pose, false);
        d.v.setZero();
    }
    if (settle == 0) {
        d.show();
    }
}

const State& BodySkinning::state() const {
    return data_->state;
}

const Points& BodySkinning::skin() const {
    return data_->skin;
}

const SkinOnBones& BodySkinning::skin_on_joints() const {
    return data_->flesh.skin;
}

SkinPenetration BodySkinning::penetration() {
    Data& d = *data_;
    if (!d.enclosure) {
        d.enclosure.emplace(d.flesh.skin);
    }
    return d.enclosure->penetration(d.skin);
}

double BodySkinning::volume_ratio() const {
    return volume(data_->x, data_->flesh.mesh.tets) / data_->rest_volume;
}

double BodySkinning::attachment_error() const {
    const Data& d = *data_;
    double sum = 0.0;
    for (Eigen::Index i = 0; i < d.targets.rows(); ++i) {
        Vec3 p = Vec3::Zero();
        for (int k = 0; k < 4; ++k) {
            p += d.flesh.weights(i, k) * point(d.x, d.flesh.corners(i, k));
        }
        sum += (p - point(d.targets, i)).squaredNorm();
    }
    return std::sqrt(sum / static_cast<double>(std::max<Eigen::Index>(1, d.targets.rows())));
}

}  // namespace sinew
