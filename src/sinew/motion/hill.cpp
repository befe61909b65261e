#include "sinew/motion/hill.h"

#include "sinew/motion/bezier_curve.h"

#include <algorithm>
#include <cmath>

// Hill-type muscle: a contractile element and a passive one side by side, in line with a tendon
// [Ryu2021, eq. 1],
//
//   F_tendon(l - l_f cos a) = F_max (a f_l(l_f) f_v(v) + f_p(l_f)) cos a,    l_f sin a = constant.
//
// Fibres keep their height, so the pennation angle follows from the fibre's length. Curves are
// those of Thelen or of Millard; the unit says which. Forces in N, lengths in m, velocities of
// curves in maximal velocities (optimal lengths times `velocity` per second), activations in [0,
// 1].
//
// Three forces of increasing effort: with a rigid tendon in closed form, the equilibrium of fibre
// and tendon by root finding, and the isokinetic strength that older OpenSim versions used in
// static optimisation, which is kept to compare with their results.

namespace sinew {

namespace {

constexpr double kToeForce = 0.33;  // of the tendon, in fmax, where the toe ends [Thelen2003]
constexpr double kToeShape = 3.0;

// Fibres never get shorter than this part of their optimal length.
constexpr double kShortest = 0.01;

// An exponential toe up to a third of F_max, then a line; the factor 99 e^3 / (166 e^3 - 67) makes
// the slopes agree where they meet.
double thelen_tendon(double strain, double strain_at_max) {
    if (strain <= 0.0) {
        return 0.0;
    }
    // Value and slope are continuous at the end of the toe.
    const double e3 = std::exp(kToeShape);
    const double toe = 99.0 * strain_at_max * e3 / (166.0 * e3 - 67.0);
    if (strain <= toe) {
        return kToeForce * std::expm1(kToeShape * strain / toe) / std::expm1(kToeShape);
    }
    return kToeForce + (1.0 - kToeForce) * (strain - toe) / (strain_at_max - toe);
}

// Hill's hyperbola while shortening, a second one towards lengthening_force while lengthening. Less
// active muscles are slower: velocity counts over 0.25 + 0.75 a.
double thelen_velocity(const MuscleUnit& unit, double velocity, double activation) {
    const double k = velocity / (0.25 + 0.75 * activation);
    if (k <= -1.0) {
        return 0.0;
    }
    if (k <= 0.0) {
        return (1.0 + k) / (1.0 - k / unit.curvature);
    }
    const double room = unit.lengthening_force - 1.0;
    const double slope = 2.0 + 2.0 / unit.curvature;
    return (room + k * slope * unit.lengthening_force) / (room + k * slope);
}

double fibre_height(const MuscleUnit& unit) {
    return unit.fibre * std::sin(unit.pennation);
}

struct Fibre {
    double length = 0.0;
    double cosine = 1.0;
};
// From the fibre's length along the tendon.
Fibre fibre_of(const MuscleUnit& unit, double along) {
    const double height = fibre_height(unit);
    const double length = std::hypot(along, height);
    return {length, length > 0.0 ? along / length : 1.0};
}

// Both elements pull along the fibre; only the part along the tendon, cos(pennation), is passed on.
MuscleForce force_at(const MuscleUnit& unit, double length, double along, double fibre_speed,
                     double activation) {
    const Fibre f = fibre_of(unit, along);
    const double x = f.length / unit.fibre;
    const double v = fibre_speed / (unit.velocity * unit.fibre);
    MuscleForce out;
    out.fibre = f.length;
    out.tendon = length - along;
    out.pennation = std::acos(std::clamp(f.cosine, -1.0, 1.0));
    out.active = unit.fmax * activation * active_force_length(unit, x) *
                 force_velocity(unit, v, activation) * f.cosine;
    out.passive = unit.fmax * passive_force_length(unit, x) * f.cosine;
    out.total = out.active + out.passive;
    return out;
}

}  // namespace

double active_force_length(const MuscleUnit& unit, double fibre) {
    if (unit.law == MuscleLaw::Millard2012) {
        return millard_active_curve(unit.shape)(fibre);
    }
    const double d = fibre - 1.0;
    return std::exp(-d * d / unit.active_shape);
}

double passive_force_length(const MuscleUnit& unit, double fibre) {
    if (unit.law == MuscleLaw::Millard2012) {
        return millard_passive_curve(unit.shape)(fibre);
    }
    if (fibre <= 1.0) {
        return 0.0;
    }
    return std::expm1(unit.passive_shape * (fibre - 1.0) / unit.passive_strain) /
           std::expm1(unit.passive_shape);
}

double force_velocity(const MuscleUnit& unit, double velocity, double activation) {
    if (unit.law == MuscleLaw::Millard2012) {
        return millard_velocity_curve(unit.shape)(velocity);
    }
    return thelen_velocity(unit, velocity, activation);
}

double tendon_force(const MuscleUnit& unit, double strain) {
    if (unit.law == MuscleLaw::Millard2012) {
        // The curve's strain axis scales with the strain at fmax.
        return strain <= 0.0 ? 0.0 : millard_tendon_curve()(0.049 * strain / unit.tendon_strain);
    }
    return thelen_tendon(strain, unit.tendon_strain);
}

MuscleForce rigid_tendon_force(const MuscleUnit& unit, double length, double velocity,
                               double activation) {
    const double along = length - unit.tendon;
    if (along <= kShortest * unit.fibre) {
        MuscleForce slack = force_at(unit, length, kShortest * unit.fibre, 0.0, 0.0);
        slack.tendon = unit.tendon;
        slack.active = slack.passive = slack.total = 0.0;
        slack.is_slack = true;
        return slack;
    }
    // d(along)/dt = v; fibres keep their height, so dl/dt = cos(alpha) v.
    const Fibre f = fibre_of(unit, along);
    return force_at(unit, length, along, f.cosine * velocity, activation);
}

MuscleForce equilibrium_force(const MuscleUnit& unit, double length, double activation) {
    if (unit.tendon <= 0.0 || unit.ignores_tendon_elasticity) {
        return rigid_tendon_force(unit, length, 0.0, activation);
    }
    // Monotone in `along`: a longer fibre strains the tendon less and itself more, so the root is
    // bracketed by the shortest fibre and the slack tendon.
    const auto balance = [&](double along, MuscleForce& force) {
        force = force_at(unit, length, along, 0.0, activation);
        return unit.fmax * tendon_force(unit, (length - along) / unit.tendon - 1.0) - force.total;
    };
    // The tendon is slack at the upper end and strained without bound towards the lower.
    double low = kShortest * unit.fibre;
    double high = length - unit.tendon;
    if (high <= low) {
        return rigid_tendon_force(unit, length, 0.0, activation);
    }
    MuscleForce force;
    double f_low = balance(low, force);
    if (f_low <= 0.0) {
        // Even at its shortest the fibre pulls more than the tendon bears: no more is passed on.
        force.total += f_low;
        force.passive = std::min(force.passive, force.total);
        force.active = force.total - force.passive;
        force.is_slack = true;
        return force;
    }
    double f_high = balance(high, force);
    // False position with halved ends (Illinois), bisection when it does not gain enough.
    for (int i = 0; i < 200 && high - low > 1e-15 * length; ++i) {
        double x = f_high < 0.0 ? high - f_high * (high - low) / (f_high - f_low) : high;
        if (!(x > low && x < high) || i % 2 == 1) {
            x = 0.5 * (low + high);
        }
        const double f = balance(x, force);
        if (f == 0.0) {
            break;
        }
        if (f > 0.0) {
            low = x;
            f_low = f;
            f_high *= 0.5;
        } else {
            high = x;
            f_high = f;
            f_low *= 0.5;
        }
        if (std::abs(f) < 1e-12 * unit.fmax) {
            break;
        }
    }
    return force;
}

double isokinetic_strength(const MuscleUnit& unit, double length, double velocity) {
    const double height = fibre_height(unit);
    const auto pull_of = [&](double along) {
        const double fibre = std::hypot(along, height);
        const double x = fibre / unit.fibre;
        const double passive =
            std::exp(unit.passive_shape * ((x - 1.0) / unit.passive_strain - 1.0));
        return (active_force_length(unit, x) + passive) * along / fibre;
    };
    double low = kShortest * unit.fibre;
    double high = length - unit.tendon;
    if (high <= low) {
        return 0.0;
    }
    double pull = pull_of(high);
    if (unit.tendon > 0.0) {
        // The tendon pulls more towards the lower end, and nothing at the upper.
        for (int i = 0; i < 52; ++i) {
            const double along = 0.5 * (low + high);
            const double tendon = tendon_force(unit, (length - along) / unit.tendon - 1.0);
            pull = pull_of(along);
            (tendon > pull ? low : high) = along;
        }
    }
    // A sigmoid in place of Hill's hyperbola, with its constants as OpenSim has them.
    const double shortening = -std::cos(unit.pennation) * velocity / (unit.velocity * unit.fibre);
    return unit.fmax * pull * (1.8 - 1.8 / (1.0 + std::exp((0.04 - shortening) / 0.18)));
}

double fibre_velocity(const MuscleUnit& unit, double length, double fibre, double activation) {
    const double height = fibre_height(unit);
    const double along = std::sqrt(
        std::max(fibre * fibre - height * height, kShortest * kShortest * unit.fibre * unit.fibre));
    const double cosine = along / std::hypot(along, height);
    const double x = fibre / unit.fibre;
    // What the contractile element must bear, in F_max along the fibre; the velocity with which it
    // does is found by bisection, for f_v has no inverse at activation 0.
    const double wanted = tendon_force(unit, (length - along) / unit.tendon - 1.0) / cosine -
                          passive_force_length(unit, x);
    const double scale = activation * active_force_length(unit, x);
    // Force rises with velocity; damping in parallel makes the balance solvable without activation.
    const double damping = std::max(unit.damping, 0.01);
    double low = -1.0;
    double high = 1.0;
    for (int i = 0; i < 60; ++i) {
        const double v = 0.5 * (low + high);
        const double f = scale * force_velocity(unit, v, activation) + damping * v;
        (f < wanted ? low : high) = v;
    }
    return 0.5 * (low + high) * unit.velocity * unit.fibre;
}

// da/dt = (u - a) / tau, with a time constant that depends on the activation and on the direction
// [Thelen2003].
double activation_rate(const MuscleUnit& unit, double activation, double excitation) {
    const double k = 0.5 + 1.5 * activation;
    const double time = excitation > activation ? unit.rise_time * k : unit.fall_time / k;
    return (excitation - activation) / time;
}

}  // namespace sinew
