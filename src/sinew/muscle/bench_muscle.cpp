#include "sinew/base/units.h"
#include "sinew/geometry/measure.h"
#include "sinew/muscle/muscle_simulator.h"
#include "sinew/muscle/muscle_volume.h"

#include <algorithm>
#include <cmath>

// A straight, round muscle along y, on which force, volume and bulging can be judged without
// anatomy: fmax is peak stress times the belly's section. Made from cubes, hence without TetGen.

namespace sinew {

namespace {

/// A point of the square [-1, 1]^2 on the disc: squares become circles.
Vec2 on_disc(double u, double v) {
    const double largest = std::max(std::abs(u), std::abs(v));
    if (largest == 0.0) {
        return Vec2::Zero();
    }
    return Vec2(u, v) * (largest / std::hypot(u, v));
}

/// Radius at share s of the whole length: tendon, taper, belly, taper, tendon.
double radius_at(const BenchMuscle& b, double y) {
    const double from_end = std::min(y, 2.0 * b.tendon_length + b.belly_length - y);
    const double into = from_end - b.tendon_length;
    if (into <= 0.0) {
        return b.tendon_radius;
    }
    const double taper = b.taper * b.belly_length;
    if (into >= taper) {
        return b.belly_radius;
    }
    const double s = into / taper;
    return b.tendon_radius + (b.belly_radius - b.tendon_radius) * s * s * (3.0 - 2.0 * s);
}

/// The six tetrahedra of a cube around its diagonal 0-7; corner bits are x, y, z.
constexpr int kCubeTets[6][4] = {{0, 1, 3, 7}, {0, 3, 2, 7}, {0, 2, 6, 7},
                                 {0, 6, 4, 7}, {0, 4, 5, 7}, {0, 5, 1, 7}};

/// Peak stress times the belly's section, N.
double greatest_bench_force(const BenchMuscle& b) {
    return muscle_constants().fibre.peak_stress * kPi * b.belly_radius * b.belly_radius;
}

}  // namespace

MuscleVolume bench_muscle(const BenchMuscle& b) {
    const int n = 2 * std::max(1, b.around);
    const int rings = std::max(2, b.rings);
    const double length = 2.0 * b.tendon_length + b.belly_length;
    const auto id = [&](int i, int j, int k) {
        return static_cast<Index>((k * (n + 1) + j) * (n + 1) + i);
    };
    TetMesh mesh;
    mesh.points.resize((n + 1) * (n + 1) * (rings + 1), 3);
    std::vector<double> share(at(mesh.points.rows()));
    std::vector<double> tendon(share.size());
    for (int k = 0; k <= rings; ++k) {
        const double y = length * k / rings;
        const double r = radius_at(b, y);
        const double into = std::min(y, length - y) - b.tendon_length;
        for (int j = 0; j <= n; ++j) {
            for (int i = 0; i <= n; ++i) {
                const Vec2 d = r * on_disc(2.0 * i / n - 1.0, 2.0 * j / n - 1.0);
                const Index v = id(i, j, k);
                // Turned so that x, y (the way), z is right-handed with the cube's axes.
                mesh.points.row(v) = Eigen::RowVector3d(d.x(), y, -d.y());
                share[at(v)] = y / length;
                tendon[at(v)] = std::clamp(-into / 0.002 + 0.5, 0.0, 1.0);
            }
        }
    }
    mesh.tets.resize(6 * n * n * rings, 4);
    Eigen::Index t = 0;
    for (int k = 0; k < rings; ++k) {
        for (int j = 0; j < n; ++j) {
            for (int i = 0; i < n; ++i) {
                // Mirrored by quadrant, so that diagonals run to the corners of the square, which
                // the disc bends flat.
                const int flip = (i < n / 2 ? 1 : 0) | (j < n / 2 ? 2 : 0);
                for (const auto& tet : kCubeTets) {
                    for (int c = 0; c < 4; ++c) {
                        const int bits = tet[c] ^ flip;
                        mesh.tets(t, c) =
                            id(i + (bits & 1), j + (bits >> 1 & 1), k + (bits >> 2 & 1));
                    }
                    ++t;
                }
            }
        }
    }
    const Eigen::VectorXd volumes = tet_volumes(mesh);
    for (Eigen::Index k = 0; k < mesh.tets.rows(); ++k) {
        if (volumes[k] < 0.0) {
            std::swap(mesh.tets(k, 2), mesh.tets(k, 3));
        }
    }
    return make_muscle_volume(std::move(mesh), std::move(share), tendon, greatest_bench_force(b),
                              0.01);
}

MuscleScene bench_scene(const BenchMuscle& bench) {
    MuscleScene scene;
    const MuscleVolume one = bench_muscle(bench);
    scene.volume = join_muscles(std::span(&one, 1), scene.first_vertex);
    scene.names = {"bench"};
    scene.origin_frame = {-1};
    scene.insertion_frame = {0};
    scene.frames = 1;
    scene.fmax = {greatest_bench_force(bench)};
    return scene;
}

}  // namespace sinew
