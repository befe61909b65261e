#pragma once

#include "sinew/base/fields.h"
#include "sinew/base/progress.h"
#include "sinew/body/body.h"
#include "sinew/solver/solver_report.h"

#include <concepts>
#include <memory>
#include <span>
#include <vector>

namespace sinew {

struct FatGrowthOptions {
    double stretch = 15.0;         ///< w_stretch of the skin [Saito2015, section 3.3], > 0
    double pressure = 1.0;         ///< w_press, > 0
    double regularisation = 10.0;  ///< w_reg times gamma, > 0
    double bending = 30.0;         ///< smooths the border of growing regions, >= 0
    int iterations = 50;           ///< of each solve, at most, >= 1
    double floor = 0.35;           ///< fraction of its volume that fat keeps at least, (0, 1]
};

template <class Options, class Visitor>
requires std::same_as<std::remove_const_t<Options>, FatGrowthOptions>
void visit_fields(Options& o, Visitor&& v) {
    v(o.stretch, Field{.name = "stretch", .help = "resistance of the skin", .above = 0});
    v(o.pressure, Field{.name = "pressure", .help = "of fat on the skin", .above = 0});
    v(o.regularisation,
      Field{.name = "regularisation", .help = "against large displacements", .above = 0});
    v(o.bending, Field{.name = "bending", .help = "against wrinkles", .min = 0});
    v(o.iterations, Field{.name = "iterations", .help = "of each solve", .min = 1, .max = 10000});
    v(o.floor,
      Field{
          .name = "floor", .help = "fraction of its volume that fat keeps", .max = 1, .above = 0});
}

/// Another shape of the fat, and how the solver got there.
struct FatShape {
    Points points = Points(0, 3);  ///< of all tets
    SolverReport report = {};
};

/// The subcutaneous fat of a body: the tetrahedra between envelope and skin, mostly of fat. Growth
/// moves the skin and the layer's inside; all that is under the envelope stays.
class FatLayer {
public:
    /// @throws InputError  for a body without tets, skin or fat
    explicit FatLayer(const Body& body, const FatGrowthOptions& options = {});
    ~FatLayer();
    FatLayer(FatLayer&&) noexcept;
    FatLayer& operator=(FatLayer&&) noexcept;

    /// Fat as a fluid under the skin [Saito2015, eqs. 7-9]: with x~ and n~ the skin at rest,
    ///
    ///   sum_t w_stretch |F_t - P_SO(2)|^2
    ///     + sum_i -w_press g_i (x_i - x~_i) . n~_i + w_reg / g_i |x_i - x~_i|^2,  g_i = gamma f_i
    ///
    /// then the layer's inside by harmonic interpolation. Departs: the paper names no unit of
    /// length and sums over vertices; here lengths are in cm and each vertex and triangle counts
    /// with its area over 1 cm^2 and 0.5 cm^2, so that the resolution does not matter.
    /// The first call factorises what the interpolation needs: not from several threads at once.
    /// @param gamma  g_i, one per skin vertex, >= 0; 10 is about 4 cm on a trunk
    /// @param start  points of all tets to begin from, as of another pressure; nothing: at rest.
    ///               Residuals are relative to the pressure's forces in any case
    FatShape inflated(std::span<const double> gamma, const Progress& progress = {},
                      const Points* start = nullptr) const;

    /// Every fat tetrahedron to ratio times its volume [Komaritzan, eqs. 4.16-4.18]: what is there
    /// is strengthened. One factorisation serves every call.
    /// @param ratio  one per tetrahedron of the body, > 0; only those of fat count
    FatShape scaled(std::span<const double> ratio, const Progress& progress = {});

    /// Values of skin vertices carried to the tetrahedra of fat under them; 0 in others.
    std::vector<double> on_tets(std::span<const double> skin_values) const;
    /// sum over fat tetrahedra of weight * volume, m^3.
    double volume(const Points& x, std::span<const double> tet_weights) const;
    double volume(const Points& x) const;
    /// Fat under each skin vertex, volume per area, m.
    std::vector<double> thickness() const;
    const std::vector<Index>& tets() const;

private:
    struct Data;
    std::unique_ptr<Data> data_;
};

}  // namespace sinew
