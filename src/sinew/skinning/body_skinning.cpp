#include "sinew/skinning/body_skinning.h"

#include "sinew/base/parallel.h"
#include "sinew/base/timer.h"
#include "sinew/energy/masses.h"
#include "sinew/energy/pins.h"
#include "sinew/energy/projective_tets.h"
#include "sinew/geometry/measure.h"
#include "sinew/skinning/body_flesh.h"
#include "sinew/skinning/skin_contacts.h"
#include "sinew/skinning/skin_untangling.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

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
    std::optional<SkinContacts> contacts;
    std::optional<SkinUntangling> untangling;  // of the skin that is shown
    std::optional<SkinEnclosure> enclosure;    // for `penetration`
    bool is_touching = false;                  // contacts of the last frame are in the stepper
    double rest_volume = 0.0;
    double extent = 0.0;  // of the flesh at rest, m

    Points x, v, targets;
    std::vector<double> diagonal;
    Points skin;       // as it is shown
    Points positions;  // of the body's vertices, as they are shown
    CharacterPose pose;
    std::vector<Eigen::Isometry3d> motion;  // of each joint in this frame

    void prepare(const Body& body);
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

void BodySkinning::Data::prepare(const Body& body) {
    const Points& rest = flesh.mesh.points;
    rest_volume = volume(rest, flesh.mesh.tets);
    extent = (rest.colwise().maxCoeff() - rest.colwise().minCoeff()).norm();
    std::vector<int> all(at(rest.rows()));
    std::iota(all.begin(), all.end(), 0);
    std::vector<double> inertia;
    if (options.dynamics) {
        inertia = lumped_masses(flesh.mesh, densities_of_tets(body));
        for (double& m : inertia) {
            m /= options.step * options.step;
        }
    }
    stepper.emplace(rest.rows(), EnergyTerms{tets, attachment}, std::move(all), std::move(inertia),
                    FrameStepperOptions{.least_diagonal = kLooseDiagonal});
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
    positions = body.tets.points;
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
            positions.row(static_cast<Eigen::Index>(i)) = k < skin.rows() ? skin.row(k) : x.row(k);
        }
    });
}

BodyFrameReport BodySkinning::Data::step(const CharacterPose& to, bool with_momentum) {
    BodyFrameReport report;
    const Timer total;
    const CharacterPose last = std::exchange(pose, to);
    const bool is_jump = follow_bones(last);
    set_targets();
    const Points before = x;
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

const Points& BodySkinning::positions() const {
    return data_->positions;
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
