#pragma once

#include "sinew/body/musculoskeletal.h"

#include <Eigen/Core>

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace sinew {

/// A model whose bodies MuJoCo moves, with contact against the ground, while muscles pull through
/// our own paths.
class MujocoWorld {
public:
    /// @param mjcf  the model as MuJoCo's XML (format_mjcf); its muscles are not needed and cost
    /// time
    /// @throws InputError  when MuJoCo refuses it or lacks a coordinate
    MujocoWorld(const MusculoskeletalModel& model, const std::string& mjcf);
    ~MujocoWorld();
    MujocoWorld(MujocoWorld&&) noexcept;
    MujocoWorld& operator=(MujocoWorld&&) noexcept;

    /// One number per coordinate of the model.
    void set_state(std::span<const double> q, std::span<const double> speed);
    std::vector<double> q() const;
    std::vector<double> speed() const;
    double time() const;   ///< s
    int contacts() const;  ///< points that touched in the last step

    /// M(q), kg m^2 (or kg m, kg).
    Eigen::MatrixXd mass_matrix();
    /// Velocity terms and gravity, N m or N.
    std::vector<double> bias();
    /// Accelerations under these generalised forces, contacts and joint stops included.
    std::vector<double> forward(std::span<const double> forces);
    /// Generalised forces that the accelerations need besides contacts and stops.
    std::vector<double> inverse(std::span<const double> acceleration);

    /// Goes on by one step. Muscles pull at these activations along rigid tendons.
    /// @param activation  one per muscle, in [0, 1]
    void step(std::span<const double> activation);
    double step_size() const;  ///< s

private:
    struct World;
    std::unique_ptr<World> world_;
};

}  // namespace sinew
