#pragma once

#include "sinew/base/progress.h"
#include "sinew/body/body.h"

#include <vector>

namespace sinew::bench {

/// Numbers of muscle, fat and bone growth on one body. Times are of this machine, best of a few.
struct GrowthBench {
    long vertices = 0;
    long tets = 0;
    int threads = 0;

    // Muscles, all at once.
    double volume_error_16 = 0.0;              ///< total, alpha = 1.6, 100 iterations
    double volume_error_16_uncorrected = 0.0;  ///< the paper's energies alone (paper: 1.5 %)
    double volume_loss_16_without_term =
        0.0;                              ///< w_vol = 0, share of the whole volume (paper: 17 %)
    double median_muscle_error_16 = 0.0;  ///< of bellies of the new body against alpha^2
    double worst_muscle_error_16 = 0.0;   ///< the same, of those above 2 ml
    double total_muscle_error_16 = 0.0;   ///< of all bellies together
    double muscle_mesh_error_16 = 0.0;    ///< of surfaces against tetrahedra, worst above 2 ml
    long inverted_14 = 0;                 ///< where the solver ends
    long inverted_16 = 0;
    long inverted_14_of_body = 0;  ///< of the new body, after meshing/inversions.h
    long inverted_16_of_body = 0;

    // Convergence at alpha = 1.3.
    double skin_error_after_10_mm = 0.0;  ///< mean, against 200 iterations
    double skin_error_after_20_mm = 0.0;
    double skin_offset_after_10_mm = 0.0;          ///< the same across the skin: what can be seen
    std::vector<double> rest_hessian_energy = {};  ///< above the minimum, share of the first
    std::vector<double> exact_hessian_energy = {};

    // Interactive.
    double factor_s = 0.0;  ///< once, when the solver is made
    double set_ms = 0.0;    ///< new parameters
    double iteration_ms = 0.0;
    double updates_per_s = 0.0;  ///< iterations shown per second
    double ten_iterations_s = 0.0;
    int refactorisations = 0;

    // What the choice of tetrahedra prints onto the skin, alpha = 1.4 of all muscles, rms.
    double print_14_mm = 0.0;
    double print_14_without_envelope_mm = 0.0;

    // Fat at twice its volume: as a fluid, and as a swelling solid with the same volume.
    double fat_skin_stretch_fluid = 0.0;  ///< mean |F - R| of skin triangles
    double fat_skin_stretch_solid = 0.0;
    double fat_roughness_fluid = 0.0;  ///< mean change of the unit normal across edges, rad
    double fat_roughness_solid = 0.0;
    double fat_roughness_rest = 0.0;
    std::vector<MeshPart> fat_skins = {};  ///< "rest", "fluid" and "solid" [Saito2015, Figure 11]

    // Bones, legs and arms at 80 % and 125 %.
    double head_strain = 0.0;  ///< largest, within the heads
    double joint_gap_change_mm = 0.0;
    long bone_inverted = 0;
    long skin_intersections_rest = 0;  ///< pairs of triangles
    long skin_intersections = 0;       ///< the most of both
    double weight_error_kg = 0.0;      ///< of a target 10 kg above
    double body_fat_error = 0.0;       ///< of a target 5 %-points above, share
};

GrowthBench run_growth_bench(const Body& body, const Progress& progress = {});

/// The left biceps at rest, flexed by 4 with its ends held, and grown by 1.25 [Saito2015, Figure
/// 2].
struct FlexedMuscle {
    std::vector<MeshPart> shapes = {};  ///< "relaxed", "flexed", "grown"; "bulge": outwards, mm
    double flexed_volume = 1.0;         ///< over that at rest
    double grown_volume = 1.0;
};
FlexedMuscle flex_and_grow_biceps(const Body& body, const Progress& progress = {});

}  // namespace sinew::bench
