#include "sinew/motion/acceleration_tracking.h"

#include "sinew/base/units.h"
#include "sinew/motion/coordination.h"
#include "sinew/motion/ground_contact.h"
#include "sinew/motion/hill.h"
#include "sinew/motion/limb_turns.h"
#include "sinew/motion/load_wrench.h"
#include "sinew/motion/static_optimisation.h"

#include <Eigen/Cholesky>

#include <algorithm>
#include <array>
#include <cmath>

// Coordination of a model's muscles for wanted accelerations [Ryu2021, section 6.3]. What muscles
// lack of the torques that a motion needs is r; with feet that stand held by the ground (J q'' = 0,
// J their Jacobian) it costs the accelerations
//
//   y = A r,   A = M^-1 - M^-1 J' (J M^-1 J')^-1 J M^-1,
//
// root included, and min |y|^2 + w |a|^2 with A B a + y = A tau is coordinate_muscles() of the
// columns A B with S = 1. (Of B itself with S = (A A)^-1 the same, but A is singular where the
// ground takes all.) Since A J' = 0, it does not matter how the ground's forces were guessed.
// Departs: the
// ground holds feet like glue, where the paper has complementarity (eq. 11); fingers and toes,
// which have limits there, move as the motion says.

namespace sinew {

namespace {

constexpr double kFrameTime = 0.02;  // s
constexpr double kLeastLoad = 1.0;   // N, of a foot that stands
constexpr double kSoftest = 1e-12;   // of J A J', where joints cannot give way
constexpr int kSettled = 10;         // frames of rest before and after

struct KeyAngle {
    LimbTurn turn;
    double left;  // deg, at the far end of the motion
    double right;
};
struct SkillShape {
    std::vector<KeyAngle> angles = {};
    double seconds = 2.0;  // there and back
    bool is_standing_on_both = true;
};

SkillShape shape_of(Skill skill) {
    using enum LimbTurn;
    switch (skill) {
        case Skill::Squat:
            return {{{HipFlexion, 75.0, 75.0},
                     {KneeFlexion, 90.0, 90.0},
                     {AnkleDorsiflexion, 25.0, 25.0},
                     {ShoulderFlexion, 60.0, 60.0}},
                    3.0};
        case Skill::ArmLift:
            return {{{HipFlexion, 0.0, 0.0},
                     {KneeFlexion, 0.0, 0.0},
                     {ShoulderAbduction, 90.0, 90.0},
                     {ElbowFlexion, 20.0, 20.0}},
                    2.0};
        case Skill::Kick:
            break;
    }
    // The right leg swings up from behind, the left stands.
    return {{{HipFlexion, 0.0, 70.0},
             {KneeFlexion, 0.0, 20.0},
             {AnkleDorsiflexion, 0.0, -10.0},
             {ShoulderFlexion, 30.0, -20.0}},
            1.2,
            false};
}

// The lowest joint of a leg, which stays where it stands.
Vec3 standing_point(const MusculoskeletalModel& model, const std::vector<BodySegment>& segments,
                    const ModelPlacement& placed, bool is_both) {
    Vec3 sum = Vec3::Zero();
    double count = 0.0;
    for (const BodySide side : {BodySide::Left, BodySide::Right}) {
        if (side == BodySide::Right && !is_both) {
            continue;
        }
        for (const ModelJoint& joint : model.joints) {
            const BodySegment& s = segments[at(joint.child)];
            if (s.kind == SegmentKind::Foot && s.side == side && joint.parent >= 0 &&
                segments[at(joint.parent)].kind == SegmentKind::Tibia) {
                sum += placed.bodies[at(joint.child)] * joint.child_frame.position;
                count += 1.0;
                break;
            }
        }
    }
    return count > 0.0 ? Vec3(sum / count) : Vec3(Vec3::Zero());
}

// Coordinates that shift the whole model along x, y and z of the ground; -1: none.
std::array<Index, 3> root_shifts(const MusculoskeletalModel& model) {
    std::array<Index, 3> out = {-1, -1, -1};
    const KinematicTree tree(model);
    const ModelPlacement placed = tree.place(rest_coordinates(model));
    for (std::size_t d = 0; d < tree.dofs().size(); ++d) {
        const KinematicTree::Dof& dof = tree.dofs()[d];
        const MotionColumn& column = placed.columns[d];
        if (model.joints[at(dof.joint)].parent >= 0 || column.angular.norm() > 1e-9) {
            continue;
        }
        for (int axis = 0; axis < 3; ++axis) {
            if (std::abs(column.linear[axis]) > 0.99) {
                out[static_cast<std::size_t>(axis)] = dof.coordinate;
            }
        }
    }
    return out;
}

std::vector<double> frame_row(const std::vector<double>& all, std::size_t row, std::size_t n) {
    const auto begin = all.begin() + static_cast<std::ptrdiff_t>(row * n);
    return {begin, begin + static_cast<std::ptrdiff_t>(n)};
}

// What does not change between frames.
class Tracker {
public:
    Tracker(const MusculoskeletalModel& model, const TrackingOptions& options)
        : model_(model),
          options_(options),
          tree_(model),
          paths_(model, tree_),
          dynamics_(model, tree_),
          dense_(model.coordinates.size()),
          position_(model.coordinates.size(), -1) {
        const std::vector<BodySegment> segments = find_segments(model);
        for (const Index c : muscle_driven_coordinates(model, paths_)) {
            const Coordinate& k = model.coordinates[at(c)];
            const ModelJoint& joint = model.joints[at(k.joint)];
            const SegmentKind kind = segments[at(joint.child)].kind;
            const bool is_digit = (kind == SegmentKind::Foot || kind == SegmentKind::Hand) &&
                                  joint.parent >= 0 && segments[at(joint.parent)].kind == kind;
            if (k.is_rotation && !is_digit) {
                position_[at(c)] = static_cast<Index>(driven_.size());
                driven_.push_back(c);
            }
        }
        moving_ = driven_;
        for (std::size_t c = 0; c < model.coordinates.size(); ++c) {
            const Coordinate& k = model.coordinates[c];
            if (model.joints[at(k.joint)].parent < 0 && position_[c] < 0 && !k.is_locked) {
                moving_.push_back(static_cast<Index>(c));
            }
        }
        problem_.cost = options.w_reg;
        problem_.low.assign(model.muscles.size(), 0.0);
        problem_.high.assign(model.muscles.size(), 1.0);
    }

    const std::vector<Index>& driven() const {
        return driven_;
    }

    // Accelerations that are missed, per driven coordinate.
    Eigen::VectorXd missed(const ExternalLoads& loads, double time, const std::vector<double>& q,
                           const std::vector<double>& speed, const std::vector<double>& wanted,
                           CoordinationResult& solved) {
        tree_.place(q, placement_);
        wrenches_.clear();
        add_loads_at(loads, placement_, time, wrenches_);
        const std::vector<double> needed = dynamics_.inverse(placement_, speed, wanted, wrenches_);
        const auto n = static_cast<Eigen::Index>(driven_.size());
        problem_.tau.resize(n);
        for (Eigen::Index i = 0; i < n; ++i) {
            problem_.tau[i] = needed[at(driven_[static_cast<std::size_t>(i)])];
        }
        const Eigen::MatrixXd B = muscle_columns(speed);
        const Eigen::MatrixXd A = mobility();
        problem_.tau = A * problem_.tau;
        problem_.reserve = Eigen::MatrixXd::Identity(n, n);
        set_columns(A * B);
        solved = coordinate_muscles(problem_, guess_);
        if (!solved.has_converged) {
            solved = coordinate_muscles(problem_);
        }
        guess_ = solved.has_converged ? solved.multiplier : Eigen::VectorXd{};
        return solved.reserve;
    }

private:
    // A of the driven coordinates: what torques there do to accelerations.
    Eigen::MatrixXd mobility() const {
        const Eigen::MatrixXd whole = dynamics_.mass_matrix(placement_);
        const auto n = static_cast<Eigen::Index>(moving_.size());
        Eigen::MatrixXd M(n, n);
        for (Eigen::Index i = 0; i < n; ++i) {
            for (Eigen::Index j = 0; j < n; ++j) {
                M(i, j) = whole(moving_[static_cast<std::size_t>(i)],
                                moving_[static_cast<std::size_t>(j)]);
            }
        }
        Eigen::MatrixXd A = M.ldlt().solve(Eigen::MatrixXd::Identity(n, n));
        const Eigen::MatrixXd J = standing_rows();
        if (J.rows() > 0) {
            const Eigen::MatrixXd AJ = A * J.transpose();
            Eigen::MatrixXd K = J * AJ;
            K.diagonal().array() += kSoftest * K.diagonal().maxCoeff();
            A -= AJ * K.ldlt().solve(AJ.transpose());
        }
        const auto driven = static_cast<Eigen::Index>(driven_.size());
        return A.topLeftCorner(driven, driven);
    }

    // Six rows of the Jacobian per body that the ground carries now.
    Eigen::MatrixXd standing_rows() const {
        std::vector<Index> feet;
        for (const BodyLoad& load : wrenches_) {
            if (load.force.norm() > kLeastLoad &&
                std::find(feet.begin(), feet.end(), load.body) == feet.end()) {
                feet.push_back(load.body);
            }
        }
        Eigen::MatrixXd J(static_cast<Eigen::Index>(6 * feet.size()),
                          static_cast<Eigen::Index>(moving_.size()));
        std::vector<double> row(model_.coordinates.size());
        for (std::size_t f = 0; f < feet.size(); ++f) {
            const Vec3 p = placement_.bodies[at(feet[f])].position;
            for (int k = 0; k < 6; ++k) {
                std::fill(row.begin(), row.end(), 0.0);
                for (const Index d : tree_.chain(feet[f])) {
                    const MotionColumn& column = placement_.columns[at(d)];
                    const Vec3 v =
                        k < 3 ? column.angular : Vec3(column.linear + column.angular.cross(p));
                    row[at(tree_.dofs()[at(d)].coordinate)] += v[k % 3];
                }
                tree_.fold_couplers(placement_, row);
                for (std::size_t i = 0; i < moving_.size(); ++i) {
                    J(static_cast<Eigen::Index>(6 * f) + k, static_cast<Eigen::Index>(i)) =
                        row[at(moving_[i])];
                }
            }
        }
        return J;
    }

    // B: generalised forces of every muscle at full activation; passive forces go to the other
    // side.
    Eigen::MatrixXd muscle_columns(const std::vector<double>& speed) {
        paths_.evaluate(placement_, state_);
        const std::vector<double> u = tree_.coupled_speeds(placement_, speed);
        Eigen::MatrixXd B = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(driven_.size()),
                                                  static_cast<Eigen::Index>(model_.muscles.size()));
        for (std::size_t m = 0; m < model_.muscles.size(); ++m) {
            paths_.scatter(state_, m, dense_);
            double velocity = 0.0;
            for (std::size_t c = 0; c < dense_.size(); ++c) {
                velocity += dense_[c] * u[c];
            }
            tree_.fold_couplers(placement_, dense_);
            const MuscleForce f =
                rigid_tendon_force(model_.muscles[m], state_.length[m], velocity, 1.0);
            for (std::size_t c = 0; c < dense_.size(); ++c) {
                if (const Index k = position_[c]; k >= 0 && dense_[c] != 0.0) {
                    B(k, static_cast<Eigen::Index>(m)) = -dense_[c] * f.active;
                    problem_.tau[k] += dense_[c] * f.passive;
                }
            }
        }
        return B;
    }

    void set_columns(const Eigen::MatrixXd& columns) {
        problem_.start.assign(1, 0);
        problem_.row.clear();
        problem_.value.clear();
        for (Eigen::Index m = 0; m < columns.cols(); ++m) {
            for (Eigen::Index k = 0; k < columns.rows(); ++k) {
                if (columns(k, m) != 0.0) {
                    problem_.row.push_back(static_cast<Index>(k));
                    problem_.value.push_back(columns(k, m));
                }
            }
            problem_.start.push_back(static_cast<Index>(problem_.row.size()));
        }
    }

    const MusculoskeletalModel& model_;
    TrackingOptions options_;
    KinematicTree tree_;
    MusclePaths paths_;
    RigidDynamics dynamics_;
    std::vector<double> dense_;
    std::vector<Index> position_;  // of a coordinate among the driven ones; -1: none
    std::vector<Index> driven_ = {};
    std::vector<Index> moving_ = {};  // driven ones, then the root's
    ModelPlacement placement_ = {};
    PathState state_ = {};
    std::vector<BodyLoad> wrenches_ = {};
    CoordinationProblem problem_ = {};
    Eigen::VectorXd guess_ = {};
};

}  // namespace

std::string_view name_of(Skill skill) {
    constexpr std::array<std::string_view, 3> kNames = {"squat", "arm lift", "kick"};
    return kNames[static_cast<std::size_t>(skill)];
}

bool can_do(const MusculoskeletalModel& model, Skill skill) {
    const LimbPoser poser(model);
    const std::array<Index, 3> shifts = root_shifts(model);
    const LimbTurn needed =
        skill == Skill::ArmLift ? LimbTurn::ShoulderAbduction : LimbTurn::KneeFlexion;
    const auto feet = find_feet(model, {});
    return poser.has(needed, BodySide::Left) && poser.has(needed, BodySide::Right) &&
           !feet.empty() &&
           std::all_of(shifts.begin(), shifts.end(), [](Index c) { return c >= 0; });
}

MotionTable skill_motion(const MusculoskeletalModel& model, Skill skill) {
    const SkillShape shape = shape_of(skill);
    const LimbPoser poser(model);
    const KinematicTree tree(model);
    const std::vector<BodySegment> segments = find_segments(model);
    const std::array<Index, 3> shifts = root_shifts(model);
    MotionTable out{.name = std::string(name_of(skill))};
    for (const Coordinate& c : model.coordinates) {
        out.columns.push_back(c.name);
    }
    const int moving = static_cast<int>(std::lround(shape.seconds / kFrameTime));
    Vec3 stand = Vec3::Zero();
    for (int f = 0; f <= moving + 2 * kSettled; ++f) {
        // A cosine there and back; it begins and ends without a jerk of speed.
        const double t = std::clamp(static_cast<double>(f - kSettled) / moving, 0.0, 1.0);
        const double part = 0.5 * (1.0 - std::cos(2.0 * kPi * t));
        std::vector<LimbAngle> angles;
        for (const KeyAngle& key : shape.angles) {
            angles.push_back({key.turn, BodySide::Left, kDegree * key.left * part});
            angles.push_back({key.turn, BodySide::Right, kDegree * key.right * part});
        }
        std::vector<double> q = poser.pose(angles);
        // Feet stay where they stood.
        const Vec3 now = standing_point(model, segments, tree.place(q), shape.is_standing_on_both);
        stand = f == 0 ? now : stand;
        for (int axis = 0; axis < 3; ++axis) {
            if (const Index c = shifts[static_cast<std::size_t>(axis)]; c >= 0) {
                q[at(c)] += stand[axis] - now[axis];
            }
        }
        out.times.push_back(kFrameTime * f);
        out.values.insert(out.values.end(), q.begin(), q.end());
    }
    return out;
}

TrackedMotion track_accelerations(const MusculoskeletalModel& model, const MotionTable& motion,
                                  const TrackingOptions& options, const Progress& progress) {
    const CoordinateMotion m = coordinate_motion(model, motion, 0.0);
    const ExternalLoads loads = estimate_ground_loads(model, m);
    Tracker tracker(model, options);
    const std::size_t n = model.coordinates.size();
    TrackedMotion out{.times = m.times};
    out.activations.name = "activations";
    out.activations.times = m.times;
    for (const MuscleUnit& unit : model.muscles) {
        out.activations.columns.push_back(unit.name);
    }
    for (std::size_t f = 0; f < m.times.size(); ++f) {
        for (const Index c : tracker.driven()) {
            out.wanted = std::max(out.wanted, std::abs(m.acceleration[f * n + at(c)]));
        }
    }
    Progress::Stage stage = progress.stage("coordination", m.times.size());
    std::size_t met = 0;
    for (std::size_t f = 0; f < m.times.size(); ++f) {
        CoordinationResult solved;
        const Eigen::VectorXd missed =
            tracker.missed(loads, m.times[f], frame_row(m.q, f, n), frame_row(m.speed, f, n),
                           frame_row(m.acceleration, f, n), solved);
        Eigen::Index worst = 0;
        const double most = missed.size() > 0 ? missed.cwiseAbs().maxCoeff(&worst) : 0.0;
        out.missed.push_back(most);
        out.worst.push_back(
            missed.size() > 0
                ? model.coordinates[at(tracker.driven()[static_cast<std::size_t>(worst)])].name
                : std::string{});
        met += most <= options.tolerated * out.wanted ? 1 : 0;
        out.unsolved_frames += solved.has_converged ? 0 : 1;
        out.activations.values.insert(out.activations.values.end(), solved.activation.begin(),
                                      solved.activation.end());
        stage.advance();
    }
    out.met = static_cast<double>(met) / static_cast<double>(m.times.size());
    return out;
}

}  // namespace sinew
