#include "bench/muscle_bench.h"

#include "sinew/base/parallel.h"
#include "sinew/base/random.h"
#include "sinew/base/timer.h"
#include "sinew/geometry/measure.h"
#include "sinew/muscle/bouncing_torus.h"
#include "sinew/muscle/muscle_simulator.h"
#include "sinew/muscle/muscle_volume.h"
#include "sinew/muscle/spline_solid.h"

#include <Eigen/Geometry>
#include <Eigen/LU>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "tests/support/squeezed_block.h"

namespace sinew::bench {

namespace {

template <class Function>
auto difference(const Function& f, const Mat3& F, int i) {
    constexpr double h = 1e-4;
    const auto at = [&](double d) {
        Mat3 G = F;
        G(i) += d;
        return f(G);
    };
    using Value = decltype(f(F));
    return Value((8.0 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12.0 * h));
}

void check_law(MuscleBench& b) {
    Random random(Seed{1});
    const Vec3 a(0.6, -0.3, 0.7);
    for (const auto& [constants, activation] :
         {std::pair{muscle_constants(), 0.0}, std::pair{muscle_constants(), 0.7},
          std::pair{tendon_constants(), 0.0}}) {
        const MuscleMaterial law(constants, a, activation);
        for (int n = 0; n < 40; ++n) {
            Mat3 F = Mat3::Identity();
            for (int i = 0; i < 9; ++i) {
                F(i) += random.uniform(-0.3, 0.3);
            }
            const Mat3 P = law.stress(F);
            const Mat9 C = law.tangent(F, Tangent::Exact);
            Mat3 D;
            Mat9 H;
            for (int i = 0; i < 9; ++i) {
                D(i) = difference([&](const Mat3& G) { return law.energy(G); }, F, i);
                const Mat3 column = difference([&](const Mat3& G) { return law.stress(G); }, F, i);
                H.col(i) = column.reshaped();
            }
            b.stress_error = std::max(b.stress_error, (P - D).norm() / P.norm());
            b.tangent_error = std::max(b.tangent_error, (C - H).norm() / C.norm());
        }
    }
    const MuscleConstants c = muscle_constants();
    for (double l = 0.6; l < 1.6; l += 0.05) {
        const double side = 1.0 / std::sqrt(l);
        const Mat3 F = Vec3(l, side, side).asDiagonal();
        const Mat3 P = muscle_stress(c, F, Vec3::UnitX(), 0.5).P;
        const double axial = P(0, 0) - P(1, 1) / (l * side) * side * side;
        const double expected =
            2.0 * (c.matrix.A + c.matrix.B / l) * (l - 1.0 / (l * l)) + c.fibre.at(l, 0.5).tension;
        b.uniaxial_error =
            std::max(b.uniaxial_error, std::abs(axial - expected) / c.fibre.peak_stress);
    }
}

/// [Teran2003, section 4]: a sixth of -sigma times the cross product of each face, to its corners;
/// against the integral of sigma grad N over the deformed tetrahedron.
void check_forces(MuscleBench& b) {
    const MuscleVolume v = bench_muscle({.rings = 20, .around = 2});
    Random random(Seed{2});
    Points x = v.mesh.points;
    for (Eigen::Index i = 0; i < x.size(); ++i) {
        x.data()[i] += random.uniform(-3e-4, 3e-4);
    }
    const FiniteVolumeTets elements(v.mesh);
    Points fvm = Points::Zero(x.rows(), 3);
    Points fem = Points::Zero(x.rows(), 3);
    constexpr int kFaces[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};
    for (Eigen::Index t = 0; t < v.mesh.tets.rows(); ++t) {
        const Mat3 F = elements.deformation_gradient(x, t);
        const Mat3 sigma = muscle_cauchy_stress(muscle_constants(), F, point(v.fibre, t), 0.5);
        for (const auto& face : kFaces) {
            const Vec3 p = point(x, v.mesh.tets(t, face[0]));
            const Vec3 cross = (point(x, v.mesh.tets(t, face[1])) - p)
                                   .cross(point(x, v.mesh.tets(t, face[2])) - p);
            for (const int c : face) {
                fvm.row(v.mesh.tets(t, c)) -= (sigma * cross / 6.0).transpose();
            }
        }
        const Mat3 D = edge_matrix(x, v.mesh.tets, t);
        const Mat3 G = sigma * D.inverse().transpose() * (D.determinant() / 6.0);
        for (int c = 0; c < 4; ++c) {
            const Vec3 g = c == 0 ? Vec3(-G.rowwise().sum()) : Vec3(G.col(c - 1));
            fem.row(v.mesh.tets(t, c)) -= g.transpose();
        }
    }
    b.fvm_fem_error = (fvm - fem).norm() / fem.norm();
}

MuscleState contracted(const BenchMuscle& bench, int patch, double activation, MuscleState& rest) {
    MuscleSimulator simulator(bench_scene(bench),
                              {.gravity = Vec3::Zero(), .dilatation = {.patch_tets = patch}});
    simulator.settle();
    rest = simulator.states()[0];
    for (const double share : {0.5, 1.0}) {
        simulator.set_activation(std::vector{share * activation});
        simulator.settle();
    }
    return simulator.states()[0];
}

void time_steps(const BenchMuscle& bench, MuscleBench& b) {
    MuscleSimulator simulator(bench_scene(bench), {.gravity = Vec3::Zero()});
    b.tets = simulator.scene().volume.mesh.tets.rows();
    b.stable_step = simulator.stable_step();
    simulator.set_activation(std::vector{0.5});
    constexpr int kExplicit = 20;
    Timer timer;
    simulator.advance_explicit(0.5 * b.stable_step, kExplicit, 30.0);
    b.explicit_step_ms = 1e3 * timer.seconds() / kExplicit;
    b.explicit_second_s = 1e-3 * b.explicit_step_ms / (0.5 * b.stable_step);
    constexpr int kImplicit = 6;
    Timer implicit;
    for (int i = 0; i < kImplicit; ++i) {
        simulator.advance(1.0 / 60.0);
    }
    b.implicit_step_ms = 1e3 * implicit.seconds() / kImplicit;
    b.implicit_second_s = 60.0 * 1e-3 * b.implicit_step_ms;
}

void compare_rest(MuscleBench& b) {
    const BenchMuscle small{.belly_length = 0.06, .tendon_length = 0.02, .rings = 8, .around = 1};
    const MuscleSimulatorOptions still{.gravity = Vec3::Zero(), .damping = 20.0};
    MuscleSimulator newton(bench_scene(small), still);
    MuscleSimulator implicit(bench_scene(small), still);
    MuscleSimulator stepped(bench_scene(small), still);
    for (MuscleSimulator* s : {&newton, &implicit, &stepped}) {
        s->set_activation(std::vector{0.5});
    }
    newton.settle();
    for (int i = 0; i < 60; ++i) {
        implicit.advance(1.0 / 60.0);
    }
    const double step = 0.5 * stepped.stable_step();
    stepped.advance_explicit(step, static_cast<int>(0.04 / step), 40.0);
    const double moved = (newton.positions() - newton.scene().volume.mesh.points).norm();
    b.implicit_rest_error = (implicit.positions() - newton.positions()).norm() / moved;
    b.explicit_rest_error = (stepped.positions() - newton.positions()).norm() / moved;
}

}  // namespace

MuscleBench run_muscle_bench(bool is_short, const Progress& progress) {
    MuscleBench b;
    b.threads = thread_count();
    auto stage = progress.stage("bench muscle", 7);
    check_law(b);
    check_forces(b);
    stage.advance();
    const BenchMuscle bench{.rings = is_short ? 24 : 40, .around = is_short ? 2 : 3};
    MuscleState rest;
    const MuscleState full = contracted(bench, 8, 1.0, rest);
    b.isometric_force = full.force;
    b.isometric_predicted =
        bench_scene(bench).fmax[0] * FibreCurve::active_shape(full.mean_fibre_stretch);
    b.volume_change = full.volume_change;
    b.section_growth = full.belly_section / rest.belly_section - 1.0;
    b.tendon_strain = full.mean_tendon_stretch - 1.0;
    b.fibre_stretch = full.mean_fibre_stretch;
    stage.advance();
    const MuscleState plain = contracted(bench, 1, 1.0, rest);
    b.volume_change_plain = plain.volume_change;
    b.section_growth_plain = plain.belly_section / rest.belly_section - 1.0;
    stage.advance();
    const double fine = support::squeeze_force(7, 8);
    b.squeeze_plain = support::squeeze_force(4, 1) / fine;
    b.squeeze_patches = support::squeeze_force(4, 8) / fine;
    stage.advance();
    time_steps(bench, b);
    compare_rest(b);
    stage.advance();
    const MuscleVolume v = bench_muscle(bench);
    const SplineFibres spline(v);
    const InverseMapReport inverse = check_inverse_map(spline.solid(), v.mesh);
    b.spline_converged = inverse.converged;
    b.spline_error = inverse.largest_error;
    b.spline_difference = compare_fibres(fibre_directions(spline, v.mesh), v.fibre, v.mesh);
    stage.advance();
    const TorusRun torus = bounce_torus({.around = 24, .across = 2, .duration = 0.5});
    b.torus_stable_step = torus.stable_step;
    b.torus_seconds = torus.seconds;
    stage.advance();
    return b;
}

}  // namespace sinew::bench
