#include "sinew/base/error.h"
#include "sinew/base/units.h"
#include "sinew/body/girths.h"
#include "sinew/body/names.h"
#include "sinew/build/figure.h"
#include "sinew/build/figure_mesh.h"
#include "sinew/build/figure_rig.h"
#include "sinew/build/figure_skin.h"
#include "sinew/geometry/measure.h"
#include "sinew/geometry/uv_atlas.h"
#include "sinew/io/data_folder.h"
#include "sinew/io/figure_files.h"
#include "sinew/mesh/connectivity.h"
#include "sinew/meshing/health.h"

#include <Eigen/Geometry>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numbers>
#include <set>

#include "tests/build/coarse_figure.h"

namespace sinew {
namespace {

FigureTable table() {
    return read_figure(data_folder() / "figure");
}

SurfaceMeasures measures_of(const TriangleMesh& mesh) {
    return check_health(mesh, {.find_intersections = false, .intersections = {}}).measures;
}

const FigureJoint& joint_named(const FigureTable& t, const std::string& name) {
    return *std::find_if(t.joints.begin(), t.joints.end(),
                         [&](const FigureJoint& j) { return j.name == name; });
}

TEST(Figure, IsWholeClosedManifoldSymmetricAndStandsOnTheGround) {
    const FigureTable t = table();
    const Template& figure = support::coarse_figure();
    require_valid(figure, "figure");
    EXPECT_EQ(figure.bones.size(), 222u);
    EXPECT_EQ(figure.muscles.size(), 358u);
    EXPECT_EQ(figure.landmarks.size(), 44u);
    std::set<std::string> groups;
    double muscle_volume = 0.0, table_volume = 0.0;
    for (const Bone& bone : figure.bones) {
        const SurfaceMeasures m = measures_of(bone.mesh);
        EXPECT_TRUE(m.is_closed && m.is_manifold && m.volume > 0.0) << bone.name;
    }
    for (const Muscle& muscle : figure.muscles) {
        const SurfaceMeasures m = measures_of(muscle.mesh);
        EXPECT_TRUE(m.is_closed && m.is_manifold && m.volume > 0.0) << muscle.name;
        EXPECT_GE(muscle.origin, 0) << muscle.name;
        EXPECT_GE(muscle.insertion, 0) << muscle.name;
        ASSERT_NE(find_attribute(muscle.mesh.point_data, "tendon"), nullptr);
        groups.insert(muscle.group);
        muscle_volume += muscle.volume;
    }
    for (const FigurePart& part : t.parts) {
        if (part.kind == FigureKind::Muscle) {
            table_volume += part.volume * (part.mirror ? 2.0 : 1.0);
        }
    }
    EXPECT_NEAR(muscle_volume, table_volume, 0.06 * table_volume);  // intercostals have no volume
    const auto all_groups = muscle_groups();
    EXPECT_EQ(groups, std::set<std::string>(all_groups.begin(), all_groups.end()));
    const SurfaceMeasures skin = measures_of(figure.skin);
    EXPECT_EQ(skin.components, 1);
    EXPECT_EQ(skin.genus, 0);
    EXPECT_TRUE(skin.is_manifold);
    EXPECT_NEAR(skin.volume, 0.066, 0.003);
    EXPECT_NEAR(figure.skin.points.col(1).minCoeff(), 0.0, 1e-12);

    // Right parts mirror left ones exactly.
    for (const std::string name : {"femur", "biceps_brachii_long_head", "gluteus_maximus"}) {
        const auto mesh_of = [&](const std::string& full) -> const TriangleMesh& {
            for (const Bone& bone : figure.bones) {
                if (bone.name == full) {
                    return bone.mesh;
                }
            }
            return figure
                .muscles[static_cast<std::size_t>(
                    find_muscles(figure.muscles, full, "test").front())]
                .mesh;
        };
        const TriangleMesh& left = mesh_of(name + "_l");
        const TriangleMesh& right = mesh_of(name + "_r");
        EXPECT_EQ(left.points.col(0), Eigen::VectorXd(-right.points.col(0)));
        EXPECT_EQ(left.points.col(1), right.points.col(1));
        EXPECT_GT(enclosed_volume(right.points, right.triangles), 0.0);
    }
}

TEST(FigureStance, ATurnsTheArmFortyDegreesOutAndKeepsTheFeetFlat) {
    const FigureTable a = shape_figure(table(), {.pose = FigurePose::A});
    const Vec3 arm = joint_named(a, "wrist_l").centre - joint_named(a, "shoulder_l").centre;
    const double angle = std::acos(-arm.normalized().y()) / kDegree;
    EXPECT_NEAR(angle, 40.0, 3.0);
    const Vec3 leg = joint_named(a, "ankle_l").centre - joint_named(a, "hip_l").centre;
    const double apart = 2.0 * std::atan2(leg.x(), -leg.y()) / kDegree;
    EXPECT_GT(apart, 7.0);
    EXPECT_LT(apart, 14.0);
}

TEST(FigureStance, KeepsTheAnatomicalRangeOfTurnedJoints) {
    const FigureTable before = table();
    const FigureTable after = shape_figure(before, {.pose = FigurePose::A});
    const FigureJoint& stored = joint_named(before, "shoulder_l");
    const FigureJoint& posed = joint_named(after, "shoulder_l");
    EXPECT_NEAR(stored.limits[1].high - posed.limits[1].high, 30.0 * kDegree, 1e-9);
    EXPECT_NEAR(posed.limits[0].high, stored.limits[0].high, 1e-9);
    // Turning back by the stance gives the stored arm again.
    const Vec3 elbow = joint_named(after, "elbow_l").centre;
    const Vec3 back =
        posed.centre + Eigen::AngleAxisd(-30.0 * kDegree, posed.axes[1]) * (elbow - posed.centre);
    EXPECT_LT((back - joint_named(before, "elbow_l").centre).norm(), 1e-3);
}

TEST(FigureStance, KeepsBonesRigid) {
    const FigureTable before = table();
    const FigureTable after = shape_figure(before, {.pose = FigurePose::A});
    for (std::size_t p = 0; p < before.parts.size(); ++p) {
        const FigurePart& part = before.parts[p];
        if (part.kind != FigureKind::Bone) {
            continue;
        }
        for (std::size_t s = 0; s < part.strokes.size(); ++s) {
            const auto& x = part.strokes[s].stations;
            const auto& y = after.parts[p].strokes[s].stations;
            for (std::size_t i = 1; i < x.size(); ++i) {
                EXPECT_NEAR((x[i].position - x[0].position).norm(),
                            (y[i].position - y[0].position).norm(), 1e-9)
                    << part.name;
            }
        }
    }
}

TEST(FigureOptions, StatureAndLimbsChangeWhatTheyNameOnly) {
    const FigureTable t = table();
    const FigureTable tall =
        shape_figure(t, {.pose = FigurePose::Measured, .stature = 1.1 * t.stature});
    EXPECT_NEAR(joint_named(tall, "hip_l").centre.y(), 1.1 * joint_named(t, "hip_l").centre.y(),
                1e-9);
    EXPECT_NEAR(tall.parts[0].volume, 1.331 * t.parts[0].volume, 1e-9);
    const FigureTable arms = shape_figure(t, {.pose = FigurePose::Measured, .arm_length = 1.2});
    const auto reach = [](const FigureTable& x) {
        return (joint_named(x, "wrist_l").centre - joint_named(x, "shoulder_l").centre).norm();
    };
    EXPECT_NEAR(reach(arms), 1.2 * reach(t), 0.005 * reach(t));
    EXPECT_EQ(joint_named(arms, "hip_l").centre, joint_named(t, "hip_l").centre);
    const FigureTable legs = shape_figure(t, {.pose = FigurePose::Measured, .leg_length = 0.9});
    EXPECT_LT(legs.stature, t.stature - 0.05);
    EXPECT_NEAR(joint_named(legs, "ankle_l").centre.y(), joint_named(t, "ankle_l").centre.y(),
                0.005);
}

TEST(FigureOptions, OutOfRangeAreRefused) {
    const FigureTable t = table();
    EXPECT_THROW(shape_figure(t, {.stature = 0.2}), InputError);
    EXPECT_THROW(shape_figure(t, {.stature = 5.0}), InputError);
    EXPECT_THROW(shape_figure(t, {.arm_length = 0.0}), InputError);
    FigureTable bare = t;
    bare.variants.clear();
    EXPECT_THROW(shape_figure(bare, {.sex = FigureSex::Female}), InputError);
    bare.stances.clear();
    EXPECT_THROW(shape_figure(bare, {}), InputError);
}

TEST(FigureSex, FemaleHasNarrowerShouldersWiderHipsLessMuscleAndAWholeSkin) {
    const FigureTable t = table();
    const FigureTable male = shape_figure(t, {});
    const FigureTable female = shape_figure(t, {.sex = FigureSex::Female});
    const auto relative = [](const FigureTable& x, const std::string& joint) {
        return joint_named(x, joint).centre.x() / x.stature;
    };
    EXPECT_LT(relative(female, "shoulder_l"), 0.97 * relative(male, "shoulder_l"));
    EXPECT_GT(relative(female, "hip_l"), 1.04 * relative(male, "hip_l"));
    const auto muscle = [](const FigureTable& x) {
        double sum = 0.0;
        for (const FigurePart& part : x.parts) {
            sum += part.kind == FigureKind::Muscle ? part.volume : 0.0;
        }
        return sum / std::pow(x.stature, 3);
    };
    EXPECT_NEAR(muscle(female) / muscle(male), 0.80, 0.05);
    const SurfaceMeasures skin = measures_of(mesh_skin(female, {.cell = 0.008}));
    EXPECT_EQ(skin.components, 1);
    EXPECT_EQ(skin.genus, 0);
    EXPECT_TRUE(skin.is_manifold);
}

// In the measured stance fingers hang and feet stand. Found on it: fingers free over 59 mm.
TEST(FigureSkin, HasFreeFingersAndPartedToesOnAGridOfTheirOwn) {
    const FigureTable t = shape_figure(table(), {.pose = FigurePose::Measured});
    const SkinMeshes skins = mesh_skins(t, {.cell = 0.006, .digit_cell = 0.0016});
    const SurfaceMeasures m = check_health(skins.detailed).measures;
    EXPECT_EQ(m.components, 1);
    EXPECT_EQ(m.genus, 0);
    EXPECT_TRUE(m.is_manifold && m.is_closed);
    EXPECT_EQ(m.intersections, 0);

    const auto pieces = [](const TriangleMesh& skin, const Vec3& on, const Vec3& normal,
                           const Bounds& where) {
        int count = 0;
        for (const auto& loop : section_loops(skin.points, skin.triangles, on, normal)) {
            Bounds box;
            for (const Vec3& x : loop) {
                box.add(x);
            }
            count += where.contains(box.centre()) ? 1 : 0;
        }
        return count;
    };
    Bounds hand;
    hand.add(Vec3(0.19, 0.5, -0.1));
    hand.add(Vec3(0.30, 0.8, 0.2));  // without the thumb
    const auto free_length = [&](const TriangleMesh& skin) {
        double tip = 1.0;
        for (Eigen::Index i = 0; i < skin.points.rows(); ++i) {
            if (hand.contains(point(skin.points, i))) {
                tip = std::min(tip, skin.points(i, 1));
            }
        }
        double length = 0.0;
        for (double y = 0.030; y < 0.070; y += 0.001) {
            const int fingers = pieces(skin, Vec3(0, tip + y, 0), Vec3::UnitY(), hand);
            length = fingers >= 4 ? y : length;
        }
        return length;
    };
    EXPECT_GE(free_length(skins.detailed), 0.057);
    EXPECT_LT(free_length(skins.plain), 0.045);

    // Across the toes, in the middle of their free length.
    Bounds foot;
    foot.add(Vec3(0.03, -0.1, 0.0));
    foot.add(Vec3(0.2, 0.1, 0.3));
    const Vec3 toes(0.12, 0.0, 0.105);
    const Vec3 ahead = Vec3(0.62, 0.0, 1.0).normalized();
    EXPECT_EQ(pieces(skins.detailed, toes, ahead, foot), 5);
    EXPECT_LE(pieces(skins.plain, toes, ahead, foot), 2);

    // The front of the trunk bends less: no stripes, no folds at the groin.
    const auto bending = [](const TriangleMesh& skin) {
        const Points normals = vertex_normals(skin);
        const Edges edges = unique_edges(skin.triangles);
        double sum = 0.0;
        for (Eigen::Index e = 0; e < edges.rows(); ++e) {
            const Vec3 x = point(skin.points, edges(e, 0));
            if (std::abs(x.x()) < 0.11 && x.y() > 0.8 && x.y() < 1.2 && x.z() > 0.06) {
                sum += (normals.row(edges(e, 0)) - normals.row(edges(e, 1))).squaredNorm();
            }
        }
        return sum;
    };
    EXPECT_LT(bending(skins.detailed), 0.6 * bending(skins.plain));

    // Both sides are alike.
    std::set<std::array<double, 3>> left, right;
    for (Eigen::Index i = 0; i < skins.detailed.points.rows(); ++i) {
        const Vec3 x = point(skins.detailed.points, i);
        (x.x() > 0.0 ? left : right).insert({std::abs(x.x()), x.y(), x.z()});
    }
    EXPECT_EQ(left.size(), right.size());
}

// Both heads of the biceps, for one, share the tendon that ends on the radius.
TEST(FigureMuscles, OfTheArmBeginAndEndOnTheBonesTheyName) {
    const FigureTable t = table();
    const std::set<std::string> groups = {"deltoid", "rotator_cuff", "biceps", "triceps"};
    constexpr double kNear = 0.008;  // m, between the middle of an end and the bone
    int checked = 0;
    for (const FigurePart& part : t.parts) {
        if (part.kind != FigureKind::Muscle || !groups.contains(part.group)) {
            continue;
        }
        for (const bool is_origin : {true, false}) {
            const std::string& name = is_origin ? part.origin : part.insertion;
            const auto bone =
                std::find_if(t.parts.begin(), t.parts.end(),
                             [&](const FigurePart& other) { return other.name == name; });
            ASSERT_NE(bone, t.parts.end()) << part.name;
            const std::vector<FigureShape> shapes = shapes_of(*bone);
            double nearest = 1.0;
            for (const FigureStroke& stroke : part.strokes) {
                const FigureStation& end =
                    is_origin ? stroke.stations.front() : stroke.stations.back();
                nearest = std::min(nearest, part_distance(shapes, end.position, FigureLayer::Part) -
                                                std::min(end.a, end.b));
            }
            EXPECT_LT(nearest, kNear) << part.name << " and " << name;
            ++checked;
        }
    }
    EXPECT_EQ(checked, 30);
}

// Texture coordinates of our own skin: every triangle is upright in the unit square, charts do not
// lie on each other, and areas keep their ratio.
TEST(FigureSkin, IsUnwrappedIntoChartsWithLittleDistortion) {
    const TriangleMesh& skin = support::coarse_figure().skin;
    const Attribute* uv = find_attribute(skin.triangle_data, kCornerUv);
    ASSERT_NE(uv, nullptr);
    ASSERT_EQ(uv->count(), static_cast<std::size_t>(skin.triangles.rows()));
    constexpr int kCells = 512;
    std::vector<int> covered(kCells * kCells, 0);
    std::vector<double> ratio;
    double flat = 0.0;
    double whole = 0.0;
    for (Eigen::Index t = 0; t < skin.triangles.rows(); ++t) {
        const double* q = uv->values.data() + 6 * t;
        const double area = (q[2] - q[0]) * (q[5] - q[1]) - (q[4] - q[0]) * (q[3] - q[1]);
        ASSERT_GT(area, 0.0) << t;
        for (int k = 0; k < 6; ++k) {
            ASSERT_GE(q[k], 0.0);
            ASSERT_LE(q[k], 1.0);
        }
        const Vec3 a = point(skin.points, skin.triangles(t, 0));
        const double rest = (point(skin.points, skin.triangles(t, 1)) - a)
                                .cross(point(skin.points, skin.triangles(t, 2)) - a)
                                .norm();
        ratio.push_back(area / rest);
        flat += area;
        whole += rest;
        const auto cell = [](double x) { return static_cast<int>(x * kCells); };
        for (int y = cell(std::min({q[1], q[3], q[5]})); y <= cell(std::max({q[1], q[3], q[5]}));
             ++y) {
            for (int x = cell(std::min({q[0], q[2], q[4]}));
                 x <= cell(std::max({q[0], q[2], q[4]})); ++x) {
                const double u = (x + 0.5) / kCells;
                const double v = (y + 0.5) / kCells;
                const double b = ((q[2] - u) * (q[5] - v) - (q[4] - u) * (q[3] - v)) / area;
                const double c = ((q[4] - u) * (q[1] - v) - (q[0] - u) * (q[5] - v)) / area;
                covered[static_cast<std::size_t>(y * kCells + x)] += b > 0 && c > 0 && b + c < 1;
            }
        }
    }
    // Around ears and between toes a chart may touch itself.
    EXPECT_LT(std::count_if(covered.begin(), covered.end(), [](int n) { return n > 1; }), 30);
    EXPECT_GT(flat / 2.0, 0.35);  // of the picture
    for (double& r : ratio) {
        r *= whole / flat;
    }
    std::sort(ratio.begin(), ratio.end());
    EXPECT_GT(ratio[ratio.size() / 20], 0.8);
    EXPECT_LT(ratio[ratio.size() * 19 / 20], 1.25);
}

// Men have 1.2 to 1.7 l inside the skull (the atlas's holds 1.58 l, its closed hull a little more),
// which is closed but for the foramen magnum, the orbits and the nose.
TEST(FigureSkull, IsAShellAroundTheBrain) {
    const FigureTable table = read_figure(data_folder() / "figure");
    const auto skull = std::find_if(table.parts.begin(), table.parts.end(),
                                    [](const FigurePart& part) { return part.name == "skull"; });
    ASSERT_NE(skull, table.parts.end());
    FigurePart solid = *skull;
    std::erase_if(solid.strokes, [](const FigureStroke& stroke) {
        return stroke.is_cut && !stroke.mirror && stroke.stations.front().position.z() < 0.0;
    });
    const TriangleMesh shell = mesh_part(*skull, {.cell = 0.004});
    const TriangleMesh filled = mesh_part(solid, {.cell = 0.004});
    const double brain = enclosed_volume(filled) - enclosed_volume(shell);
    EXPECT_GT(brain, 1.2e-3);
    EXPECT_LT(brain, 1.7e-3);
    EXPECT_EQ(connected_components(shell.triangles, shell.points.rows()).count, 1);
}

}  // namespace
}  // namespace sinew
