#include "sinew/base/error.h"
#include "sinew/base/parallel.h"
#include "sinew/base/units.h"
#include "sinew/build/cut_grid.h"
#include "sinew/build/figure_mesh.h"
#include "sinew/build/muscle_field.h"
#include "sinew/geometry/measure.h"
#include "sinew/geometry/sampling.h"
#include "sinew/geometry/signed_distance.h"
#include "sinew/mesh/connectivity.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>

#include "tests/build/coarse_figure.h"
#include "tests/support/shapes.h"

namespace sinew {
namespace {

Vec3 middle_of(const TriangleMesh& mesh, Eigen::Index t) {
    return (mesh.points.row(mesh.triangles(t, 0)) + mesh.points.row(mesh.triangles(t, 1)) +
            mesh.points.row(mesh.triangles(t, 2)))
               .transpose() /
           3.0;
}

std::vector<MuscleEnd> label(const TriangleMesh& mesh,
                             const std::function<MuscleEnd(const Vec3&)>& end_at) {
    std::vector<MuscleEnd> ends;
    for (Eigen::Index t = 0; t < mesh.triangles.rows(); ++t) {
        ends.push_back(end_at(middle_of(mesh, t)));
    }
    return ends;
}

double quantile(std::vector<double> values, double q) {
    std::sort(values.begin(), values.end());
    return values.at(static_cast<std::size_t>(q * static_cast<double>(values.size() - 1)));
}

/// Angles between fibres and surface on the epimysium, rad.
std::vector<double> angles_to_surface(const TriangleMesh& mesh, const std::vector<MuscleEnd>& ends,
                                      const MuscleField& field) {
    const SurfaceSamples samples = sample_surface(mesh, 4000, Seed{3});
    const Points normals = triangle_normals(mesh);
    std::vector<double> angles;
    for (std::size_t i = 0; i < samples.triangle.size(); ++i) {
        if (ends[static_cast<std::size_t>(samples.triangle[i])] == MuscleEnd::None) {
            const Vec3 d = field.direction(point(samples.points, static_cast<Eigen::Index>(i)));
            angles.push_back(std::asin(std::abs(d.dot(point(normals, samples.triangle[i])))));
        }
    }
    return angles;
}

/// A spindle along Y, cut off flat at both ends.
TriangleMesh spindle(double thin, double thick, double length) {
    TriangleMesh mesh = support::cylinder(1.0, length, 64, 80);
    for (Eigen::Index i = 0; i < mesh.points.rows(); ++i) {
        const double s = std::sin(std::numbers::pi * mesh.points(i, 1) / length);
        const double r = thin + (thick - thin) * s * s;
        mesh.points(i, 0) *= r;
        mesh.points(i, 2) *= r;
    }
    return mesh;
}

MuscleEnd flat_end(double y, double length) {
    return y < 1e-9 ? MuscleEnd::Origin
                    : (y > length - 1e-9 ? MuscleEnd::Insertion : MuscleEnd::None);
}

// u = y / length solves the problem: the gradient is the axis everywhere.
TEST(MuscleField, Saito2015FibresOfACylinderFollowItsAxisWithinADegree) {
    const double length = 0.12;
    const TriangleMesh upright = support::cylinder(0.013, length, 48, 10);
    const auto ends = label(upright, [&](const Vec3& x) { return flat_end(x.y(), length); });
    for (const support::Rigid& motion : support::rigid_motions(3, Seed{5})) {
        TriangleMesh mesh = upright;
        mesh.points = support::moved(upright.points, motion);
        const MuscleField field(mesh, ends);
        ASSERT_TRUE(field.has_converged());
        const Vec3 axis = motion.linear() * Vec3::UnitY();
        Random random(Seed{9});
        for (int i = 0; i < 500; ++i) {
            const double r = 0.0129 * std::sqrt(random.uniform());
            const double a = random.uniform(0.0, 2.0 * std::numbers::pi);
            const double y = random.uniform(0.001, 0.999) * length;
            const Vec3 x = motion * Vec3(r * std::cos(a), y, r * std::sin(a));
            EXPECT_LT(std::acos(std::min(1.0, field.direction(x).dot(axis))), 1.0 * kDegree) << y;
            EXPECT_NEAR(field.potential(x), y / length, 0.01);
        }
    }
}

TEST(MuscleField, Saito2015FibresOfASpindleAreTangentToItsSurface) {
    const double length = 0.16;
    const TriangleMesh mesh = spindle(0.004, 0.022, length);
    const auto ends = label(mesh, [&](const Vec3& x) { return flat_end(x.y(), length); });
    const MuscleField field(mesh, ends);
    const std::vector<double> angles = angles_to_surface(mesh, ends, field);
    EXPECT_LT(quantile(angles, 0.95), 3.0 * kDegree);
    // The walls themselves slope by up to 20 degrees.
    EXPECT_GT(std::acos(field.direction(Vec3(0.011, 0.04, 0.0)).y()), 8.0 * kDegree);
}

/// Two oblique bellies, 120 mm long, from outer sheets to the two sides of a central tendon (left
/// out), thicker in the middle. `across` tells for each vertex how far it is from sheet to tendon.
TriangleMesh feather(std::vector<double>& across) {
    const TetMesh block = support::box_of_tets({14, 70, 12}, Vec3(1.0, 1.0, 1.0));
    const Compacted box = without_unused_points(block.points, boundary_triangles(block.tets));
    const Eigen::Index n = box.points.rows();
    TriangleMesh mesh;
    mesh.points.resize(2 * n, 3);
    mesh.triangles.resize(2 * box.triangles.rows(), 3);
    for (Eigen::Index i = 0; i < n; ++i) {
        const Vec3 q = point(box.points, i);
        const double x = 0.025 - 0.022 * q.x();
        const double y = 0.5 * (0.025 - x) + 0.12 * q.y();
        const double half = 0.008 + 0.004 * std::cos(30.0 * (y - 0.06));
        mesh.points.row(i) << x, y, half * (2.0 * q.z() - 1.0);
        mesh.points.row(n + i) << -x, y, half * (2.0 * q.z() - 1.0);
    }
    for (Eigen::Index t = 0; t < box.triangles.rows(); ++t) {
        const auto abc = box.triangles.row(t);
        // Right: the block's first axis runs to smaller x, which turns the triangles over.
        mesh.triangles.row(t) << abc[0], abc[2], abc[1];
        mesh.triangles.row(box.triangles.rows() + t) << abc[0] + static_cast<Index>(n),
            abc[1] + static_cast<Index>(n), abc[2] + static_cast<Index>(n);
    }
    across.clear();
    for (int side = 0; side < 2; ++side) {
        for (Eigen::Index i = 0; i < n; ++i) {
            across.push_back(box.points(i, 0));
        }
    }
    return mesh;
}

TEST(MuscleField, Saito2015FibresOfABipennateMuscleAreTangentToItsSurface) {
    std::vector<double> across;
    const TriangleMesh mesh = feather(across);
    ASSERT_TRUE(is_watertight(mesh));
    ASSERT_GT(enclosed_volume(mesh), 0.0);
    std::vector<MuscleEnd> ends;
    for (Eigen::Index t = 0; t < mesh.triangles.rows(); ++t) {
        double mean = 0.0;
        for (Eigen::Index k = 0; k < 3; ++k) {
            mean += across[static_cast<std::size_t>(mesh.triangles(t, k))] / 3.0;
        }
        ends.push_back(mean < 1e-9       ? MuscleEnd::Origin
                       : mean > 1 - 1e-9 ? MuscleEnd::Insertion
                                         : MuscleEnd::None);
    }
    const MuscleField field(mesh, ends, {}, {}, {.cells = 12000.0});
    const std::vector<double> angles = angles_to_surface(mesh, ends, field);
    EXPECT_LT(quantile(angles, 0.95), 3.0 * kDegree);
    // From both sides to the middle.
    EXPECT_GT(field.direction(Vec3(-0.014, 0.06, 0.0)).x(), 0.7);
    EXPECT_LT(field.direction(Vec3(0.014, 0.06, 0.0)).x(), -0.7);
}

// A sheet between two parallel edges, sheared by 45 degrees: plain flow crosses it at right angles
// to the edges, flow that knows the direction follows the sheet's other two sides.
TEST(MuscleField, FollowsKnownDirectionsAcrossASheet) {
    const TetMesh block = support::box_of_tets({20, 30, 2}, Vec3(0.05, 0.12, 0.005));
    Compacted sheet = without_unused_points(block.points, boundary_triangles(block.tets));
    TriangleMesh mesh{.points = sheet.points, .triangles = sheet.triangles};
    mesh.points.col(1) += mesh.points.col(0);
    const Vec3 known = Vec3(1.0, 1.0, 0.0).normalized();
    std::vector<double> along;
    for (Eigen::Index i = 0; i < mesh.points.rows(); ++i) {
        along.insert(along.end(), known.begin(), known.end());
    }
    const auto ends = label(mesh, [](const Vec3& x) {
        return x.x() < 1e-9          ? MuscleEnd::Origin
               : x.x() > 0.05 - 1e-9 ? MuscleEnd::Insertion
                                     : MuscleEnd::None;
    });
    const Vec3 middle(0.025, 0.085, 0.0025);
    const auto angle = [&](const MuscleField& field) {
        return std::acos(std::min(1.0, field.direction(middle).dot(known)));
    };
    EXPECT_GT(angle(MuscleField(mesh, ends)), 30.0 * kDegree);
    // tan = tan(45 degrees) / preference
    EXPECT_NEAR(angle(MuscleField(mesh, ends, {}, along)), std::atan(1.0 / 8.0), 2.0 * kDegree);
}

// Without data the two furthest vertices are the ends, and the bone of origin tells which is which.
TEST(MuscleEnds, AreEstimatedFromTheMeshAndTheBones) {
    Muscle muscle;
    muscle.name = "spindle";
    muscle.mesh = spindle(0.004, 0.02, 0.2);
    muscle.belly_begin = 0.2;
    muscle.belly_end = 0.9;
    muscle.origin = 0;
    Bone above;
    above.mesh = support::sphere(1, 0.01, Vec3(0.0, 0.22, 0.0));
    const std::vector<double> shares = muscle_shares(muscle, {above});
    const std::vector<double> tendon = muscle_tendon(muscle, shares);
    for (Eigen::Index i = 0; i < muscle.mesh.points.rows(); ++i) {
        const double way = 1.0 - muscle.mesh.points(i, 1) / 0.2;
        EXPECT_NEAR(shares[static_cast<std::size_t>(i)], way, 0.06);
        if (std::abs(way - 0.2) > 0.08 && std::abs(way - 0.9) > 0.08) {
            EXPECT_EQ(tendon[static_cast<std::size_t>(i)], way < 0.2 || way > 0.9 ? 1.0 : 0.0);
        }
    }
    const std::vector<MuscleField> fields = compute_muscle_fields({muscle}, {above});
    EXPECT_LT(fields[0].direction(Vec3(0.0, 0.1, 0.0)).y(), -0.99);
    EXPECT_GT(fields[0].tendon(Vec3(0.0, 0.19, 0.0)), 0.9);
    EXPECT_LT(fields[0].tendon(Vec3(0.0, 0.1, 0.0)), 0.1);
}

// Strokes and sheets of the figure's table are the centre lines of its muscles. (Of the suite that
// makes the figure, so that it is made once.)
TEST(Figure, FieldsFollowTheCentreLinesOfItsMuscles) {
    const Template& figure = support::coarse_figure();
    const std::vector<MuscleField> fields =
        compute_muscle_fields(figure.muscles, figure.bones, {.cells = 800.0});
    int good = 0;
    for (std::size_t m = 0; m < fields.size(); ++m) {
        const Muscle& muscle = figure.muscles[m];
        EXPECT_TRUE(fields[m].has_converged()) << muscle.name;
        const Attribute& line = *find_attribute(muscle.mesh.point_data, "fibre");
        const SurfaceSamples samples = sample_surface(muscle.mesh, 200, Seed{m});
        double mean = 0.0;
        for (std::size_t i = 0; i < samples.triangle.size(); ++i) {
            const auto row = static_cast<Eigen::Index>(i);
            Vec3 d = Vec3::Zero();
            for (Eigen::Index k = 0; k < 3; ++k) {
                const auto v =
                    static_cast<std::size_t>(muscle.mesh.triangles(samples.triangle[i], k));
                d += samples.barycentric(row, k) *
                     Vec3(line.values[3 * v], line.values[3 * v + 1], line.values[3 * v + 2]);
            }
            const double cosine =
                fields[m].direction(point(samples.points, row)).dot(d.normalized());
            mean += std::acos(std::clamp(cosine, -1.0, 1.0)) / 200.0;
        }
        good += mean < 25.0 * kDegree ? 1 : 0;
        if (mean >= 25.0 * kDegree) {
            RecordProperty(muscle.name, fmt::format("{:.1f} degrees", mean / kDegree));
        }
    }
    EXPECT_GE(good, 0.95 * static_cast<double>(fields.size()));
}

// The mirror image of a field is what the mirrored muscle gives when computed by itself.
TEST(MuscleField, TheOtherSideIsAMirrorImage) {
    Muscle left;
    left.name = "spindle_l";
    left.mesh = support::cylinder(0.01, 0.1, 24, 10);
    std::vector<double> share;
    for (Eigen::Index i = 0; i < left.mesh.points.rows(); ++i) {
        left.mesh.points(i, 0) += 0.1 + 0.2 * left.mesh.points(i, 1);  // oblique, off the middle
    }
    const double low = left.mesh.points.col(1).minCoeff();
    const double high = left.mesh.points.col(1).maxCoeff();
    for (Eigen::Index i = 0; i < left.mesh.points.rows(); ++i) {
        share.push_back((left.mesh.points(i, 1) - low) / (high - low));
    }
    left.mesh.point_data.push_back({.name = "share", .components = 1, .values = share});
    Muscle right = left;
    right.name = "spindle_r";
    right.mesh = reflected(left.mesh);
    const std::vector<MuscleField> both = compute_muscle_fields({left, right}, {}, {.cells = 800});
    const MuscleField alone = compute_muscle_fields({right}, {}, {.cells = 800})[0];
    for (Eigen::Index i = 0; i < right.mesh.points.rows(); i += 7) {
        const Vec3 x = point(right.mesh.points, i);
        EXPECT_LT((both[1].direction(x) - alone.direction(x)).norm(), 0.03);
        EXPECT_NEAR(both[1].potential(x), alone.potential(x), 0.01);
        const Vec3 d = both[0].direction(Vec3(-x.x(), x.y(), x.z()));
        EXPECT_LT((both[1].direction(x) - Vec3(-d.x(), d.y(), d.z())).norm(), 1e-9);
    }
}

TEST(MuscleField, RefusesASurfaceWithoutEndsOrInside) {
    const TriangleMesh mesh = support::cylinder(0.01, 0.1, 12, 4);
    const auto count = static_cast<std::size_t>(mesh.triangles.rows());
    EXPECT_THROW(MuscleField(mesh, std::vector<MuscleEnd>(count, MuscleEnd::None)), InputError);
    EXPECT_THROW(MuscleField(mesh, std::vector<MuscleEnd>(3, MuscleEnd::Origin)), InputError);
    TriangleMesh inward = mesh;
    inward.triangles.col(1).swap(inward.triangles.col(2));
    const auto ends = label(inward, [](const Vec3& x) { return flat_end(x.y(), 0.1); });
    EXPECT_THROW(MuscleField(inward, ends), InputError);
}

// Volume and first moments of the cut cells against the closed form.
TEST(CutGrid, IntegratesOverTheInsideOfASphere) {
    const double radius = 0.02;
    const TriangleMesh ball = support::sphere(4, radius, Vec3(0.003, -0.001, 0.002));
    const CutGrid grid = cut_grid(ball.points, ball.triangles, 0.0023, 2);
    double volume = 0.0, work = 0.0;
    Vec3 first = Vec3::Zero();
    Mat3 C;
    C << 3.0, 0.5, -0.4, 0.5, 2.0, 0.7, -0.4, 0.7, 1.5;
    const Vec3 g(0.3, -1.1, 0.6);  // gradient of a linear function, per cell
    for (const CutGrid::Cell& cell : grid.cells) {
        const Vec3 at(cell.at[0], cell.at[1], cell.at[2]);
        volume += cell.volume();
        first += cell.volume() * at + Vec3(cell.moments[1], cell.moments[3], cell.moments[9]);
        const CellStiffness K = cell_stiffness(cell.moments, C);
        for (std::size_t a = 0; a < 8; ++a) {
            for (std::size_t b = 0; b < 8; ++b) {
                const auto value = [&](std::size_t c) {
                    return g.dot(Vec3(static_cast<double>(c & 1), static_cast<double>(c >> 1 & 1),
                                      static_cast<double>(c >> 2)));
                };
                work += value(a) * K[a][b] * value(b);
            }
        }
        for (const auto& row : K) {
            double sum = 0.0;
            for (const double entry : row) {
                sum += entry;
            }
            EXPECT_NEAR(sum, 0.0, 1e-12);  // constants cost nothing
        }
    }
    const double exact = enclosed_volume(ball);
    EXPECT_NEAR(volume * std::pow(grid.edge, 3), exact, 2e-3 * exact);
    EXPECT_NEAR(work, g.dot(C * g) * volume, 1e-9 * work);
    const Vec3 centre = grid.low + grid.edge * first / volume;
    EXPECT_LT((centre - Vec3(0.003, -0.001, 0.002)).norm(), 2e-5);
}

// Over a box inside the cell, three points of Gauss's rule along each axis are exact.
TEST(CutGrid, StiffnessOfAPartlyFilledCellAgreesWithQuadrature) {
    const std::array<double, 3> low = {0.0, 0.2, 0.35}, high = {0.6, 1.0, 0.9};
    CutGrid::Moments moments = {};
    for (std::size_t m = 0; m < 27; ++m) {
        const std::array<double, 3> power = {m % 3 + 1.0, m / 3 % 3 + 1.0, m / 9 + 1.0};
        moments[m] = 1.0;
        for (std::size_t a = 0; a < 3; ++a) {
            moments[m] *= (std::pow(high[a], power[a]) - std::pow(low[a], power[a])) / power[a];
        }
    }
    Mat3 C;
    C << 2.0, 0.3, -0.2, 0.3, 1.0, 0.4, -0.2, 0.4, 0.7;
    const std::array<double, 3> place = {0.5 - std::sqrt(0.15), 0.5, 0.5 + std::sqrt(0.15)};
    const std::array<double, 3> weight = {5.0 / 18.0, 8.0 / 18.0, 5.0 / 18.0};
    CellStiffness wanted = {};
    for (std::size_t q = 0; q < 27; ++q) {
        const std::array<std::size_t, 3> at = {q % 3, q / 3 % 3, q / 9};
        double w = 1.0;
        std::array<double, 3> x = {};
        for (std::size_t a = 0; a < 3; ++a) {
            x[a] = low[a] + (high[a] - low[a]) * place[at[a]];
            w *= (high[a] - low[a]) * weight[at[a]];
        }
        std::array<Vec3, 8> gradient;
        for (std::size_t c = 0; c < 8; ++c) {
            for (std::size_t d = 0; d < 3; ++d) {
                double product = 1.0;
                for (std::size_t a = 0; a < 3; ++a) {
                    const bool is_far = (c >> a & 1) == 1;
                    product *= a == d ? (is_far ? 1.0 : -1.0) : (is_far ? x[a] : 1.0 - x[a]);
                }
                gradient[c][static_cast<Eigen::Index>(d)] = product;
            }
        }
        for (std::size_t a = 0; a < 8; ++a) {
            for (std::size_t b = 0; b < 8; ++b) {
                wanted[a][b] += w * gradient[a].dot(C * gradient[b]);
            }
        }
    }
    const CellStiffness K = cell_stiffness(moments, C);
    for (std::size_t a = 0; a < 8; ++a) {
        for (std::size_t b = 0; b < 8; ++b) {
            EXPECT_NEAR(K[a][b], wanted[a][b], 1e-14);
        }
    }
}

}  // namespace
}  // namespace sinew
