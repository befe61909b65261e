#pragma once

#include "sinew/base/progress.h"
#include "sinew/motion/body_warp.h"
#include "sinew/motion/bone_depths.h"
#include "sinew/motion/joint_motions.h"

#include <Eigen/Core>

#include <functional>
#include <span>
#include <vector>

namespace sinew {

struct RoutingOptions {
    double length_weight = 10.0;     ///< w_l [Ryu2021, eq. 6]
    double excursion_weight = 50.0;  ///< w_Delta [Ryu2021, eq. 8]
    double curve_weight = 20.0;      ///< of the course of the whole curve; 0: the paper's energy
    double inner_tether = 0.2;       ///< holds waypoints near their bones, per (two pieces)^2
    double end_tether = 20.0;        ///< the same for origins and insertions, per (path length)^2
    double fold_weight = 0.2;        ///< of points where a path turns back, see RoutingEnergy
    double bone_weight = 2000.0;     ///< of paths inside bones, where the models have their meshes
    int max_iterations = 60;
};

/// Parts of the energy of one muscle's path.
struct RoutingEnergies {
    double direction = 0.0;  ///< E_direction [Ryu2021, eq. 7]
    double length = 0.0;     ///< E_length [Ryu2021, eq. 8]
    double curve = 0.0;      ///< ours
    double fold = 0.0;       ///< ours
    double bone = 0.0;       ///< ours
    double tether = 0.0;     ///< ours
    double waypoint(const RoutingOptions& o) const {
        return direction + o.length_weight * length;  // [Ryu2021, eq. 6]
    }
};

/// One muscle of a reference body and the same muscle in a body of other proportions.
///
///   E = E_direction + w_l E_length + w_c E_curve + w_f E_fold + w_b E_bone + tethers
///                                                                        [Ryu2021, eqs. 6-8]
///   E_direction = sum_k sum_j int |f x f'|^2
///   E_length = sum_j (theta_max - theta_max')^2 + (theta_min - theta_min')^2
///              + w_Delta (Delta - Delta')^2
///   E_curve = sum_j int ((L - mean L) - (L' - mean L'))^2 / Delta^2
///   E_fold = sum_k sum_j int max(0, c - u_k-1' . u_k')^2, c = the reference's, at most cos 100 deg
///   E_bone = sum_j int (mean_i psi(max(0, d_i' - d_i L0'/L0)) / L0')^2,  psi(e) = e^2 / (e + eps)
///
/// over pieces k of the path and motions j that the muscle takes part in; f is the unit direction
/// of a piece in the frame of the bone that its first point is on (of the last piece, also of the
/// bone that its last point is on); L is the path over its length at rest L0; d_i is the depth in
/// bones of points spread over the pieces, which the reference's own depth there excuses. Unknown
/// are the
/// coordinates of all points in all bodies they follow (LBS coordinates, eq. 2), in which points
/// are linear, so all derivatives are exact.
/// Departs: the angles and values of extremes are soft (weights exp(beta L)), since the argmax of a
/// sampled curve has no derivative; E_curve, E_fold, E_bone and the tethers are ours: without them
/// the energy does not see what curves do between their extremes, points that slide along their own
/// line, the sign of a direction, nor bones.
class RoutingEnergy {
public:
    /// @param bones        of the reference: how directions rotate with their bones
    /// @param motions      all of the model; those that move the muscle count
    /// @param is_relevant  per motion, whether it can move the muscle
    RoutingEnergy(const MuscleUnit& reference, const MuscleUnit& start,
                  std::span<const BodyWarp> bones, const MotionPlacements& before,
                  const MotionPlacements& after, std::span<const JointMotion> motions,
                  const std::vector<char>& is_relevant, double rest_before, double rest_after,
                  const RoutingOptions& options, const BoneDepths& bones_before = {},
                  const BoneDepths& bones_after = {});

    /// The unknowns where they begin.
    const Eigen::VectorXd& start() const {
        return start_;
    }
    /// The energy's residuals, E = |r|^2, and their derivatives.
    void residuals(const Eigen::VectorXd& x, Eigen::VectorXd& r, Eigen::MatrixXd* J) const;
    double value(const Eigen::VectorXd& x) const;
    RoutingEnergies energies(const Eigen::VectorXd& x) const;
    /// The unknowns that a muscle's points are.
    Eigen::VectorXd unknowns(const MuscleUnit& unit) const;
    /// Writes unknowns into a muscle's points.
    void apply(const Eigen::VectorXd& x, MuscleUnit& unit) const;
    /// Directions that E_direction is a sum over.
    int direction_count() const {
        return static_cast<int>(wanted_points_ * curves_.size());
    }
    /// Motions that the muscle takes part in.
    std::size_t motion_count() const {
        return curves_.size();
    }

private:
    struct Anchor {
        Index point = 0;
        Index body = -1;
        double weight = 1.0;
    };
    /// What the reference does over one motion.
    struct Curve {
        std::size_t motion = 0;
        std::vector<double> length = {};   ///< over that at rest
        std::vector<double> fold = {};     ///< least cosine between pieces, [sample][inner point]
        std::vector<double> excused = {};  ///< depth in bones, m, [sample][piece][point]
        std::vector<Vec3> direction = {};  ///< wanted, [sample][piece], last piece twice; world
        double first_extreme = 0.0;        ///< theta_max
        double last_extreme = 0.0;         ///< theta_min
        double excursion = 0.0;            ///< Delta
        double sharpness = 0.0;            ///< beta
    };

    void add_curve(const MuscleUnit& reference, std::span<const BodyWarp> bones,
                   const MotionPlacements& before, std::size_t motion, std::size_t samples,
                   double rest_before);
    void find_obstacles(const MuscleUnit& reference, const MotionPlacements& before,
                        double rest_before, const BoneDepths& bones_before,
                        const BoneDepths& bones_after);
    Eigen::Index rows() const;
    Eigen::Index add_motion(const Curve& curve, const Eigen::VectorXd& x, Eigen::Index row,
                            Eigen::VectorXd& r, Eigen::MatrixXd* J) const;
    Eigen::Index add_folds(const Curve& curve, const std::vector<Vec3>& positions, Eigen::Index row,
                           Eigen::VectorXd& r, Eigen::MatrixXd* J) const;
    Eigen::Index add_bones(const Curve& curve, const std::vector<Vec3>& positions, Eigen::Index row,
                           Eigen::VectorXd& r, Eigen::MatrixXd* J) const;
    Eigen::Index add_shape(const Curve& curve, const Eigen::VectorXd& length,
                           const Eigen::MatrixXd& slopes, Eigen::Index row, Eigen::VectorXd& r,
                           Eigen::MatrixXd* J) const;

    RoutingOptions options_;
    const MotionPlacements& after_;
    std::size_t points_ = 0;
    std::size_t wanted_points_ = 0;         ///< of the reference
    std::vector<char> has_direction_ = {};  ///< per piece: one of the reference is like it
    std::vector<Anchor> anchors_ = {};
    std::vector<Curve> curves_ = {};
    const BoneDepths* bones_after_ = nullptr;  ///< null: no bone comes near
    std::vector<std::size_t> obstacles_ = {};  ///< of these, bones that come near
    std::size_t samples_ = 0;
    double rest_after_ = 1.0;
    Eigen::VectorXd start_ = {};
    Eigen::VectorXd tether_ = {};  ///< weight of each unknown
};

/// Whether a muscle's path has points that are optimised: no surfaces, no points that move or come
/// and go with coordinates, no pulleys.
bool is_routable(const MuscleUnit& unit);

/// Places each waypoint that follows several bones at rest with the bone it follows most, and gives
/// it the coordinates of that position in all of them: where the optimisation begins [Ryu2021,
/// 5.1].
/// @param warped        a model after warped_model
/// @param keeps_blends  false: an inner waypoint becomes one on either of the two bones it follows
///                      most, in the order of the path, so that each point follows one bone
void anchor_waypoints(MusculoskeletalModel& warped, bool keeps_blends = true);

/// What became of one muscle.
struct RoutedMuscle {
    bool is_routed = false;  ///< false: its points stay as they were warped
    RoutingEnergies before = {};
    RoutingEnergies after = {};
    int iterations = 0;
    double farthest_move = 0.0;  ///< of a coordinate triple from where it began, m
    int directions = 0;          ///< that E_direction sums: pieces, the last twice, of all motions
};

/// Moves the points of all routable muscles of `model` to minima of RoutingEnergy.
/// @throws Cancelled
std::vector<RoutedMuscle> route_muscles(MusculoskeletalModel& model,
                                        const MusculoskeletalModel& reference,
                                        std::span<const BodyWarp> bones,
                                        const std::vector<JointMotion>& motions,
                                        const RoutingOptions& options = {},
                                        const Progress& progress = {});

/// Calls `visit(muscle, energy)` with the energy of each routable muscle, in parallel.
void for_each_routing(const MusculoskeletalModel& model, const MusculoskeletalModel& reference,
                      std::span<const BodyWarp> bones, const std::vector<JointMotion>& motions,
                      const RoutingOptions& options,
                      const std::function<void(std::size_t, const RoutingEnergy&)>& visit);

}  // namespace sinew
