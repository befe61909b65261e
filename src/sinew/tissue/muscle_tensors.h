#pragma once

#include "sinew/body/body.h"
#include "sinew/tissue/fibre_stretch.h"

#include <span>
#include <vector>

namespace sinew {

/// What the tetrahedra of a body are asked to become when its muscles grow or contract: each belly
/// brings the stretch of its muscle along its own fibres, by its fraction of the tetrahedron; all
/// else stays as it is.
class MuscleTensors {
public:
    /// Copies what it needs.
    /// @param keeps_volume  see blended_growth
    explicit MuscleTensors(const Body& body, bool keeps_volume = true);

    /// One tensor per tetrahedron.
    /// @param stretch  one per muscle
    std::vector<Mat3> tensors(std::span<const FibreStretch> stretch) const;

    /// Averages tensors that are not the identity with those of neighbours that are not, `rounds`
    /// times: shares are sampled, and tetrahedra coarser than muscles would show through the skin.
    void smooth(std::vector<Mat3>& tensors, int rounds) const;

    /// Tensors of active muscles, smoothed, by the rule of contraction_of.
    /// @param activation  one per muscle, [0, 1]
    std::vector<Mat3> contraction(std::span<const double> activation, int rounds) const;
    /// How these change with the activations, along da: nine numbers per tetrahedron, by columns,
    /// as EquilibriumSensitivity takes them for TermParameter::Growth. So the flesh of a body
    /// changes with its activations by derivative(Growth, contraction_rate(a, da)). Tensors that
    /// are still the identity count as smoothed where they begin to change.
    std::vector<double> contraction_rate(std::span<const double> activation,
                                         std::span<const double> da, int rounds) const;

private:
    void smooth(std::vector<Mat3>& tensors, const std::vector<char>& is_changing, int rounds) const;

    struct Belly {
        Index muscle;
        double fraction;
        Vec3 fibre;
    };
    bool keeps_volume_;
    std::vector<Index> start_ = {0};  // of each tetrahedron's bellies
    std::vector<Belly> bellies_ = {};
    std::vector<double> volume_ = {};
    Tets across_ = Tets(0, 4);  // neighbours
};

}  // namespace sinew
