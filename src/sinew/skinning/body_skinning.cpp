#include "sinew/skinning/body_skinning.h"

#include "sinew/base/error.h"
#include "sinew/base/timer.h"
#include "sinew/contact/tet_contact.h"
#include "sinew/energy/masses.h"
#include "sinew/energy/projective_collision.h"
#include "sinew/geometry/measure.h"
#include "sinew/solver/local_global.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace sinew {
namespace {

constexpr double kBodyRetain = 0.25;  // of an edge [Komaritzan, section 3.2.5]

void require_flesh(const Body& body) {
    if (body.tets.tets.rows() == 0 || body.attachments.points.size() == 0 ||
        body.skeleton.joints.empty()) {
        throw InputError(
            {.where = "body '" + body.name + "'",
             .found = fmt::format("{} tetrahedra, {} attachments, {} joints", body.tets.tets.rows(),
                                  body.attachments.points.size(), body.skeleton.joints.size()),
             .needs = "flesh that hangs on bones with joints",
             .remedy = "make one with `sinew build`"});
    }
}

// The joint that moves each segment.
std::vector<Index> joints_of_segments(const Skeleton& skeleton) {
    std::vector<Index> joint(skeleton.segments.size(), 0);
    for (std::size_t j = 0; j < skeleton.joints.size(); ++j) {
        joint[at(skeleton.joints[j].child)] = static_cast<Index>(j);
    }
    return joint;
}

// Each vertex hangs on the joint of the bone sample that is nearest along the flesh: rings around
// the samples grow, edge by edge, until all is taken.
std::vector<Index> nearest_joints(const Tets& tets, Eigen::Index vertices, const Tets& corners,
                                  std::span<const Index> joint_of_sample) {
    std::vector<Index> joint(at(vertices), -1);
    for (Eigen::Index i = 0; i < corners.rows(); ++i) {
        for (int k = 0; k < 4; ++k) {
            Index& j = joint[at(corners(i, k))];
            j = j < 0 ? joint_of_sample[at(i)] : j;
        }
    }
    for (bool is_growing = true; is_growing;) {
        is_growing = false;
        const std::vector<Index> before = joint;
        for (Eigen::Index t = 0; t < tets.rows(); ++t) {
            Index found = -1;
            for (int k = 0; k < 4; ++k) {
                found = std::max(found, before[at(tets(t, k))]);
            }
            for (int k = 0; k < 4 && found >= 0; ++k) {
                Index& j = joint[at(tets(t, k))];
                is_growing = is_growing || j < 0;
                j = j < 0 ? found : j;
            }
        }
    }
    for (Index& j : joint) {
        j = std::max<Index>(j, 0);
    }
    return joint;
}

}  // namespace

CharacterSkeleton skeleton_of(const Skeleton& skeleton) {
    const std::vector<Index> joint_of = joints_of_segments(skeleton);
    CharacterSkeleton character;
    for (const Joint& joint : skeleton.joints) {
        character.joints.push_back({.name = joint.name,
                                    .parent = joint.parent < 0 ? -1 : joint_of[at(joint.parent)],
                                    .position = joint.centre});
    }
    return character;
}

struct BodySkinning::Data {
    BodySkinningOptions options;
    CharacterSkeleton skeleton;
    Points rest;
    Tets tets;
    Tets corners;      // of the samples that hold
    Weights4 weights;  // barycentric
    Points samples;    // at rest
    std::vector<Index> sample_joint;
    std::vector<Index> vertex_joint;
    std::shared_ptr<ProjectiveAttachment> attachment;
    std::optional<TetContacts> finder;  // with collisions
    std::shared_ptr<ProjectiveContacts> touching;
    std::vector<PointTriangleContact> contacts;
    std::optional<LocalGlobal> solver;
    LocalGlobalOptions solve;
    std::vector<double> masses;
    double rest_volume = 0.0;
    Points x, v, targets;
    CharacterPose pose;

    void choose_samples(const Body& body);
    void set_targets();
    void solve_frame();
    bool find_contacts();
};

// Samples of bones away from joints that move.
void BodySkinning::Data::choose_samples(const Body& body) {
    const std::vector<Index> joint_of = joints_of_segments(body.skeleton);
    const EmbeddedPoints& points = body.attachments.points;
    const Points places = positions_of(points, body.tets.points, body.tets.tets);
    std::vector<std::vector<Vec3>> moving(body.skeleton.segments.size());
    for (const Joint& joint : body.skeleton.joints) {
        if (joint.type != JointType::Fixed && joint.parent >= 0) {
            moving[at(joint.parent)].push_back(joint.centre);
            moving[at(joint.child)].push_back(joint.centre);
        }
    }
    std::vector<std::size_t> kept;
    for (std::size_t i = 0; i < points.size(); ++i) {
        const Index segment = body.bones[at(body.attachments.bone[i])].segment;
        const Vec3 p = point(places, static_cast<Eigen::Index>(i));
        const std::vector<Vec3>& near = moving[at(segment)];
        if (std::none_of(near.begin(), near.end(), [&](const Vec3& centre) {
                return (centre - p).norm() < options.sliding;
            })) {
            kept.push_back(i);
        }
    }
    const auto count = static_cast<Eigen::Index>(kept.size());
    corners.resize(count, 4);
    weights.resize(count, 4);
    samples.resize(count, 3);
    for (Eigen::Index k = 0; k < count; ++k) {
        const std::size_t i = kept[at(k)];
        corners.row(k) = body.tets.tets.row(points.tet[i]);
        weights.row(k) = points.weights.row(static_cast<Eigen::Index>(i));
        samples.row(k) = places.row(static_cast<Eigen::Index>(i));
        sample_joint.push_back(joint_of[at(body.bones[at(body.attachments.bone[i])].segment)]);
    }
}

void BodySkinning::Data::solve_frame() {
    if (options.dynamics) {
        solver->advance(x, v, options.damping, solve);
    } else {
        solver->minimise(x, solve);
    }
}

// Contacts where the skin is now; true when they are others than before.
bool BodySkinning::Data::find_contacts() {
    std::vector<PointTriangleContact> found = finder->find(x);
    if (found == contacts) {
        return false;
    }
    contacts = std::move(found);
    touching->set_contacts(contacts);
    const std::shared_ptr<ProjectiveConstraints> all[] = {touching};
    solver->set_changing(contacts.empty() ? std::span(all).first(0) : std::span(all));
    return true;
}

void BodySkinning::Data::set_targets() {
    for (Eigen::Index i = 0; i < samples.rows(); ++i) {
        targets.row(i) = (pose[at(sample_joint[at(i)])] * point(samples, i)).transpose();
    }
    attachment->set_targets(targets);
}

BodySkinning::BodySkinning(const Body& body, const BodySkinningOptions& options)
    : data_(std::make_unique<Data>()) {
    require_flesh(body);
    Data& d = *data_;
    d.options = options;
    d.skeleton = skeleton_of(body.skeleton);
    d.rest = body.tets.points;
    d.tets = body.tets.tets;
    d.choose_samples(body);
    d.vertex_joint = nearest_joints(d.tets, d.rest.rows(), d.corners, d.sample_joint);
    d.rest_volume = volume(d.rest, d.tets);
    const std::vector<double> springs(at(d.samples.rows()),
                                      2.0 * options.stiffness.unit * options.stiffness.springs);
    d.attachment = std::make_shared<ProjectiveAttachment>(d.corners, d.weights, d.samples, springs);
    d.solver.emplace(d.rest.rows(),
                     LocalGlobal::Terms{make_tet_term(body, options.stiffness), d.attachment});
    if (options.dynamics) {
        d.masses = lumped_masses(body.tets, densities_of_tets(body));
        d.solver->set_dynamics(d.masses, options.step);
    }
    if (options.collisions) {
        const double edge = std::cbrt(d.rest_volume / static_cast<double>(d.tets.rows()));
        d.finder.emplace(body.tets, TetContactOptions{.neighbourhood = options.neighbourhood,
                                                      .retain = kBodyRetain * edge});
        d.touching = std::make_shared<ProjectiveContacts>(springs[0], 0.0);
    }
    d.solve = {.max_iterations = options.iterations, .tolerance = 1e-6};
    d.targets = d.samples;
    d.x = d.rest;
    d.v = Points::Zero(d.x.rows(), 3);
    d.pose = rest_pose(d.skeleton);
}
BodySkinning::~BodySkinning() = default;
BodySkinning::BodySkinning(BodySkinning&&) noexcept = default;
BodySkinning& BodySkinning::operator=(BodySkinning&&) noexcept = default;

const CharacterSkeleton& BodySkinning::skeleton() const {
    return data_->skeleton;
}

double BodySkinning::step(const CharacterPose& pose) {
    Data& d = *data_;
    require_valid(pose, d.skeleton);
    const Timer timer;
    const CharacterPose before = d.pose;
    d.pose = pose;
    d.set_targets();
    if (!d.options.dynamics) {
        // From where the bones alone would take the flesh.
        for (Eigen::Index i = 0; i < d.x.rows(); ++i) {
            const auto j = at(d.vertex_joint[at(i)]);
            d.x.row(i) = (pose[j] * (before[j].inverse() * point(d.x, i))).transpose();
        }
    }
    const Points x = d.x;
    const Points v = d.v;
    d.solve_frame();
    if (d.finder && d.find_contacts()) {
        d.x = x;
        d.v = v;
        d.solve_frame();
    }
    return timer.seconds();
}

void BodySkinning::reset(const CharacterPose& pose, int settle) {
    Data& d = *data_;
    require_valid(pose, d.skeleton);
    d.pose = pose;
    d.set_targets();
    for (Eigen::Index i = 0; i < d.x.rows(); ++i) {
        d.x.row(i) = (pose[at(d.vertex_joint[at(i)])] * point(d.rest, i)).transpose();
    }
    d.v.setZero();
    for (int k = 0; k < settle; ++k) {
        d.solver->minimise(d.x, d.solve);
        if (d.finder) {
            d.find_contacts();
        }
    }
    if (settle > 0 && d.options.dynamics) {
        d.solver->set_dynamics(d.masses, d.options.step);
    }
}

std::size_t BodySkinning::contacts() const {
    return data_->contacts.size();
}

const Points& BodySkinning::positions() const {
    return data_->x;
}

double BodySkinning::volume_ratio() const {
    return volume(data_->x, data_->tets) / data_->rest_volume;
}

double BodySkinning::attachment_error() const {
    const Data& d = *data_;
    double sum = 0.0;
    for (Eigen::Index i = 0; i < d.samples.rows(); ++i) {
        Vec3 p = Vec3::Zero();
        for (int k = 0; k < 4; ++k) {
            p += d.weights(i, k) * point(d.x, d.corners(i, k));
        }
        sum += (p - point(d.targets, i)).squaredNorm();
    }
    return std::sqrt(sum / static_cast<double>(std::max<Eigen::Index>(1, d.samples.rows())));
}

}  // namespace sinew
