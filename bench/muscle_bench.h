#pragma once

#include "sinew/base/progress.h"
#include "sinew/muscle/fibre_field.h"

namespace sinew::bench {

/// Numbers of volumetric muscle on a muscle made in code. Times are of this machine.
struct MuscleBench {
    int threads = 0;
    long tets = 0;

    // The law.
    double stress_error = 0.0;    ///< against differences of the energy, relative
    double tangent_error = 0.0;   ///< against differences of the stress, relative
    double uniaxial_error = 0.0;  ///< against the closed form, share of the peak stress
    double fvm_fem_error = 0.0;   ///< forces of face normals against shape functions, relative

    // One muscle on the bench, ends held, full activation.
    double isometric_force = 0.0;      ///< N
    double isometric_predicted = 0.0;  ///< Fmax f(lambda) a, N
    double volume_change = 0.0;
    double volume_change_plain = 0.0;  ///< of tetrahedra with a volume each
    double section_growth = 0.0;       ///< of the largest section
    double section_growth_plain = 0.0;
    double tendon_strain = 0.0;
    double fibre_stretch = 0.0;

    // A soft block squeezed by a tenth: force over that of a finer mesh.
    double squeeze_plain = 0.0;
    double squeeze_patches = 0.0;

    // Time.
    double stable_step = 0.0;        ///< explicit forces, s
    double explicit_step_ms = 0.0;   ///< one explicit step
    double implicit_step_ms = 0.0;   ///< one step of 1/60 s
    double explicit_second_s = 0.0;  ///< computing one second, from the above
    double implicit_second_s = 0.0;
    double explicit_rest_error = 0.0;  ///< of explicit steps against Newton, relative, small mesh
    double implicit_rest_error = 0.0;

    // Spline solids.
    double spline_converged = 0.0;           ///< share of centroids
    double spline_error = 0.0;               ///< largest, m
    FibreDifference spline_difference = {};  ///< to the flow, rad

    // The ring.
    double torus_stable_step = 0.0;
    double torus_seconds = 0.0;
};

MuscleBench run_muscle_bench(bool is_short, const Progress& progress = {});

}  // namespace sinew::bench
