#pragma once

#include "sinew/body/musculoskeletal.h"

namespace sinew {

/// Curves of a muscle, all in multiples of fmax, optimal fibre length, slack length and greatest
/// velocity. Thelen2003: the equations of that paper. Millard2012: quintic Bezier curves with the
/// default shapes of [Millard2013].
double active_force_length(const MuscleUnit& unit, double fibre);
double passive_force_length(const MuscleUnit& unit, double fibre);
/// @param velocity    lengthening positive; -1 is the greatest shortening velocity
/// @param activation  slows down [Thelen2003, eq. 6]; Millard's curve does not depend on it
double force_velocity(const MuscleUnit& unit, double velocity, double activation = 1.0);
/// @param strain  (l - l_slack) / l_slack
double tendon_force(const MuscleUnit& unit, double strain);

/// What a muscle does at one length.
struct MuscleForce {
    double fibre = 0.0;      ///< fibre length, m
    double tendon = 0.0;     ///< tendon length, m
    double pennation = 0.0;  ///< rad
    double active = 0.0;     ///< along the tendon, N
    double passive = 0.0;    ///< along the tendon, N
    double total = 0.0;      ///< N
    bool is_slack = false;   ///< shorter than its tendon: it pulls on nothing
};

/// A tendon that does not stretch. Fibres keep their height: l sin(alpha) = l0 sin(alpha0).
/// @param length    of the whole unit, m
/// @param velocity  of the whole unit, lengthening positive, m/s
MuscleForce rigid_tendon_force(const MuscleUnit& unit, double length, double velocity,
                               double activation);

/// The fibre length at which fibre and tendon pull alike, without motion [Ryu2021, eq. 1 with
/// pennation that changes]. The root is bracketed from the start, so it is always found; units
/// without tendon are taken as rigid.
MuscleForce equilibrium_force(const MuscleUnit& unit, double length, double activation);

/// What a unit can pull at full activation, N, as OpenSim's static optimisation took it up to
/// version 2 (the results published with its models are of that time): the isometric balance of
/// fibre and elastic tendon, passive force included, times a generic force-velocity curve of the
/// whole unit's velocity,
///   1.8 - 1.8 / (1 + exp((0.04 - v) / 0.18)),  v = shortening, greatest velocities
/// with the passive curve exp(k (x - 1) / e) / exp(k), which does not vanish at optimal length.
double isokinetic_strength(const MuscleUnit& unit, double length, double velocity);

/// Speed of the fibre at which it is in balance with the tendon, m/s, for simulations with elastic
/// tendons. Bounded by the unit's greatest velocity on either side.
double fibre_velocity(const MuscleUnit& unit, double length, double fibre, double activation);

/// da/dt for an excitation in [0, 1] [Thelen2003, eqs. 1-2].
double activation_rate(const MuscleUnit& unit, double activation, double excitation);

}  // namespace sinew
