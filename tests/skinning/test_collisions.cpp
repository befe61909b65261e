#include "sinew/base/random.h"
#include "sinew/geometry/measure.h"
#include "sinew/geometry/simplex.h"
#include "sinew/geometry/winding_number.h"
#include "sinew/mesh/connectivity.h"
#include "sinew/meshing/decimate.h"
#include "sinew/skinning/projective_skinning.h"
#include "sinew/skinning/skin_contacts.h"
#include "sinew/skinning/skin_enclosure.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/skinning/tube_arm.h"
#include "tests/support/capsule_person.h"

namespace sinew {
namespace {

// Made once for all tests.
const TriangleMesh& coarse_person() {
    static const TriangleMesh kSkin =
        decimated(support::capsule_person_skin(0.02), {.target_triangles = 5000, .evenness = 0.1});
    return kSkin;
}

// Joints turn by a share of an axis times an angle (rad): that of the first entry with which their
// name begins.
CharacterPose turned(const CharacterSkeleton& skeleton, double share,
                     const std::vector<std::pair<std::string_view, Vec3>>& turns) {
    JointRotations r;
    for (const CharacterJoint& joint : skeleton.joints) {
        const auto found = std::find_if(turns.begin(), turns.end(), [&](const auto& entry) {
            return joint.name.starts_with(entry.first);
        });
        const Vec3 turn = found->second;
        r.rotations.emplace_back(Eigen::AngleAxisd(share * turn.norm(), turn.normalized()));
    }
    return pose_of(skeleton, r);
}

// The elbow of a tube folds by 2.3 rad and stays there.
ProjectiveSkinning folded(const TriangleMesh& skin, SkinCollisions collisions) {
    const CharacterSkeleton skeleton = support::two_bones();
    ProjectiveSkinning skinning(skin, skeleton, {.collisions = collisions});
    for (int frame = 1; frame <= 35; ++frame) {
        skinning.step(support::bent(skeleton, 2.3 * std::min(1.0, frame / 25.0)));
    }
    return skinning;
}

// Mean depth of the vertices that pairs and contacts are for: inside of flesh that is not their own
// neighbourhood at rest.
double depth_beyond_the_crease(const ProjectiveSkinning& skinning) {
    const CharacterSkeleton skeleton = support::two_bones();
    const BoneCoupling coupling(skeleton, skinning.bones(), skinning.flesh());
    SkinContacts contacts(skinning.flesh(), 150.0);
    coupling.place_base(support::bent(skeleton, 2.3), contacts.base());
    const std::vector<Index> inside = contacts.inside(skinning.skin());
    double sum = 0.0;
    SkinEnclosure enclosure(skinning.flesh());
    for (const SkinEnclosure::Depth& d : enclosure.depths(skinning.skin())) {
        sum += std::binary_search(inside.begin(), inside.end(), d.vertex) ? d.depth : 0.0;
    }
    return sum / std::max(1.0, static_cast<double>(inside.size()));
}

TEST(SkinCollisions, KomaritzanFoldsAreKeptApartByPairs) {
    for (const int sides : {20, 36}) {
        const TriangleMesh skin = support::cylinder(0.05, 0.6, sides, sides * 3 / 2);
        const ProjectiveSkinning without = folded(skin, SkinCollisions::None);
        EXPECT_GT(depth_beyond_the_crease(without), 0.005);
        const ProjectiveSkinning with = folded(skin, SkinCollisions::Local);
        EXPECT_LT(depth_beyond_the_crease(with), 5e-4);
        // The bones do not lose their flesh.
        EXPECT_GT(with.volume_ratio(), 0.9);
    }
}

TEST(SkinCollisions, PairsDoNothingWhereNothingFolds) {
    const TriangleMesh skin = support::tube();
    const CharacterSkeleton skeleton = support::two_bones();
    ProjectiveSkinning without(skin, skeleton);
    ProjectiveSkinning with(skin, skeleton, {.collisions = SkinCollisions::Local});
    EXPECT_EQ(with.skin(), without.skin());
    for (int frame = 1; frame <= 10; ++frame) {
        const CharacterPose pose = support::bent(skeleton, 0.08 * frame);
        EXPECT_EQ(with.step(pose).contacts, 0);
        without.step(pose);
    }
    EXPECT_EQ(with.skin(), without.skin());
}

// At shoulders and necks, which turn about any axis, pairs are the wrong way round by their angles
// though the skin is smooth: moved apart, it would tear.
TEST(SkinCollisions, PairsThatHaveNotPassedEachOtherTearNothing) {
    const CharacterSkeleton skeleton = support::capsule_person();
    const TriangleMesh& skin = coarse_person();
    const Edges edges = unique_edges(skin.triangles);
    ProjectiveSkinning without(skin, skeleton);
    ProjectiveSkinning with(skin, skeleton, {.collisions = SkinCollisions::Local});
    for (const std::uint64_t seed : {104, 107}) {
        with.reset(rest_pose(skeleton));
        without.reset(rest_pose(skeleton));
        Random random(Seed{seed});
        std::vector<Vec3> turn;
        for (std::size_t j = 0; j < skeleton.size(); ++j) {
            const double x = random.normal();
            const double y = random.normal();
            const Vec3 axis = Vec3(x, y, random.normal()).normalized();
            turn.emplace_back(random.uniform(0.5, 1.3) * axis);
        }
        for (int frame = 1; frame <= 20; ++frame) {
            JointRotations r;
            for (const Vec3& t : turn) {
                r.rotations.emplace_back(
                    Eigen::AngleAxisd(frame / 20.0 * t.norm(), t.normalized()));
            }
            r.rotations[0].setIdentity();
            with.step(pose_of(skeleton, r));
            without.step(pose_of(skeleton, r));
        }
        double stretch = 0.0;
        for (Eigen::Index e = 0; e < edges.rows(); ++e) {
            const auto length = [&](const Points& x) {
                return (x.row(edges(e, 0)) - x.row(edges(e, 1))).norm();
            };
            stretch = std::max(
                stretch, (length(with.skin()) - length(without.skin())) / length(skin.points));
        }
        EXPECT_LT(stretch, 0.5) << "seed " << seed;
        EXPECT_LE(with.penetration().vertices, without.penetration().vertices) << "seed " << seed;
    }
}

TEST(SkinCollisions, KomaritzanGlobalCollisionsLeaveLessThanAMillimetre) {
    const TriangleMesh skin = support::tube();
    ProjectiveSkinning with = folded(skin, SkinCollisions::Global);
    EXPECT_LT(with.penetration().mean, 5e-4);
    EXPECT_LT(with.penetration().deepest, 1e-3);
}

// A hand on the body and a knee at the belly: no pair of the joints knows of them.
TEST(SkinCollisions, KomaritzanAPersonTouchesItselfEverywhere) {
    const CharacterSkeleton skeleton = support::capsule_person();
    const TriangleMesh skin = coarse_person();
    double mean[2] = {};
    double vertices[2] = {};
    for (const int k : {0, 1}) {
        ProjectiveSkinning skinning(
            skin, skeleton, {.collisions = k == 0 ? SkinCollisions::None : SkinCollisions::Global});
        for (int frame = 1; frame <= 36; ++frame) {
            skinning.step(support::dance(skeleton, frame));
            const ProjectiveSkinning::Penetration inside = skinning.penetration();
            mean[k] += inside.vertices * inside.mean;
            vertices[k] += inside.vertices;
        }
        mean[k] /= std::max(1.0, vertices[k]);
    }
    EXPECT_GT(mean[0], 5e-3);
    EXPECT_LT(mean[1], 1e-3);
    EXPECT_LT(vertices[1], 0.1 * vertices[0]);
}

// The prisms of bent joints are sheared and reach through each other: vertices in them that lie in
// the open do not collide. Every vertex that does is inside by the winding number of the skin, by
// another program.
TEST(SkinCollisions, OnlyWhatTheSkinEnclosesCollides) {
    const CharacterSkeleton skeleton = support::capsule_person();
    const TriangleMesh skin = coarse_person();
    ProjectiveSkinning skinning(skin, skeleton, {.dynamics = false});
    const BoneCoupling coupling(skeleton, skinning.bones(), skinning.flesh());
    SkinContacts contacts(skinning.flesh(), 150.0);
    std::size_t found = 0;
    for (int frame = 1; frame <= 10; ++frame) {
        const CharacterPose pose = turned(skeleton, frame,
                                          {{"hip", Vec3(-0.22, 0, 0.05)},
                                           {"knee", Vec3(0.22, 0, 0)},
                                           {"shoulder", Vec3(-0.15, 0.15, 0.15)},
                                           {"", Vec3(0.02, 0, 0.03)}});
        skinning.step(pose);
        coupling.place_base(pose, contacts.base());
        const std::vector<Index> inside = contacts.inside(skinning.points());
        const TriangleMesh now{.points = skinning.skin(), .triangles = skin.triangles};
        const WindingNumber winding(now);
        const Points normals = vertex_normals(now);
        for (const Index v : inside) {
            const Vec3 air = point(now.points, v) + 2e-5 * point(normals, v);
            EXPECT_GT(winding.exact_at(air), 0.5) << "frame " << frame << ", vertex " << v;
        }
        found += inside.size();
    }
    EXPECT_GT(found, 100u);
}

// A person that crouches further with every frame: creases of knees, hips and elbows, where skins
// meet that are neighbours at rest.
struct Croucher {
    CharacterSkeleton skeleton = support::capsule_person();
    TriangleMesh skin = coarse_person();

    CharacterPose pose(double share) const {
        return turned(skeleton, share,
                      {{"hip", Vec3(-1.9, 0, 0)},
                       {"knee", Vec3(2.2, 0, 0)},
                       {"elbow", Vec3(-1.5, 0, 0)},
                       {"", Vec3(0.2, 0, 0)}});
    }
};

// Vertices whose front is inside of the skin by its winding number, by another program.
std::vector<Index> enclosed_vertices(const Points& skin, const Triangles& triangles) {
    const TriangleMesh now{.points = skin, .triangles = triangles};
    const WindingNumber winding(now);
    const Eigen::VectorXd at = winding.at_all(skin + 1e-5 * vertex_normals(now));
    std::vector<Index> all;
    for (Index i = 0; i < skin.rows(); ++i) {
        if (at[i] > 0.5) {
            all.push_back(i);
        }
    }
    return all;
}

TEST(SkinCollisions, HardlyAnythingStaysEnclosedInCreases) {
    const Croucher croucher;
    std::size_t enclosed[2] = {};
    double deepest = 0.0;
    for (const int k : {0, 1}) {
        ProjectiveSkinning skinning(
            croucher.skin, croucher.skeleton,
            {.collisions = k == 0 ? SkinCollisions::None : SkinCollisions::Global});
        for (int frame = 1; frame <= 12; ++frame) {
            skinning.step(croucher.pose(frame / 12.0));
            enclosed[k] += enclosed_vertices(skinning.skin(), croucher.skin.triangles).size();
            deepest = k == 1 ? std::max(deepest, skinning.penetration().deepest) : 0.0;
        }
    }
    EXPECT_LT(deepest, 0.001);
    EXPECT_GT(enclosed[0], 300u);
    EXPECT_LT(static_cast<double>(enclosed[1]), 0.02 * static_cast<double>(enclosed[0]));
}

// What is reported is all that another program finds, creases included.
TEST(SkinCollisions, PenetrationCountsWhateverTheSkinEncloses) {
    const Croucher croucher;
    ProjectiveSkinning skinning(croucher.skin, croucher.skeleton, {.dynamics = false});
    for (int frame = 1; frame <= 6; ++frame) {
        skinning.step(croucher.pose(frame / 6.0));
    }
    const std::vector<Index> enclosed = enclosed_vertices(skinning.skin(), croucher.skin.triangles);
    SkinEnclosure enclosure(skinning.flesh());
    const std::vector<SkinEnclosure::Depth> depths = enclosure.depths(skinning.skin());
    ASSERT_GT(depths.size(), 50u);
    // Crumpled vertices may point either way, and those that only touch are left out.
    const auto found = static_cast<double>(
        std::count_if(depths.begin(), depths.end(), [&](const SkinEnclosure::Depth& d) {
            return std::binary_search(enclosed.begin(), enclosed.end(), d.vertex);
        }));
    EXPECT_GT(found, 0.95 * static_cast<double>(depths.size()));
    EXPECT_GT(found, 0.95 * static_cast<double>(enclosed.size()));
    EXPECT_EQ(skinning.penetration().vertices, static_cast<int>(depths.size()));
}

// Distance to the nearest triangle that faces the other way, outside of those around the vertex.
double facing_distance(const Points& x, const Triangles& triangles, Index vertex) {
    const TriangleMesh now{.points = x, .triangles = triangles};
    const Vec3 p = point(x, vertex);
    const Vec3 n = point(vertex_normals(now), vertex);
    double least = std::numeric_limits<double>::infinity();
    for (Eigen::Index t = 0; t < triangles.rows(); ++t) {
        const Vec3 a = point(x, triangles(t, 0));
        const Vec3 b = point(x, triangles(t, 1));
        const Vec3 c = point(x, triangles(t, 2));
        if ((triangles.row(t).array() != vertex).all() && (b - a).cross(c - a).dot(n) < 0.0) {
            least = std::min(least, closest_on_triangle(p, a, b, c).squared_distance);
        }
    }
    return std::sqrt(least);
}

// Depths are not of skin that merely passes near by.
TEST(SkinCollisions, ReportedDepthsAreThoseToSkinThatFacesTheOtherWay) {
    const Croucher croucher;
    ProjectiveSkinning skinning(croucher.skin, croucher.skeleton);
    for (int frame = 1; frame <= 12; ++frame) {
        skinning.step(croucher.pose(frame / 12.0));
    }
    SkinEnclosure enclosure(skinning.flesh());
    double reported = 0.0;
    double measured = 0.0;
    double deepest[2] = {};
    const std::vector<SkinEnclosure::Depth> depths = enclosure.depths(skinning.skin());
    for (const auto& [vertex, depth] : depths) {
        const double other = facing_distance(skinning.skin(), croucher.skin.triangles, vertex);
        reported += depth;
        measured += other;
        deepest[0] = std::max(deepest[0], depth);
        deepest[1] = std::max(deepest[1], other);
    }
    ASSERT_GT(depths.size(), 50u);
    EXPECT_GT(reported, 0.5 * measured);
    EXPECT_LT(reported, 2.0 * measured);
    EXPECT_GT(deepest[0], 0.5 * deepest[1]);
    EXPECT_LT(deepest[0], 2.0 * deepest[1]);
}

// The forearm comes from the front and goes on until the hand is behind the neck: an impossible
// pose. What it ends in must be one shape, not a fight of two.
TEST(SkinCollisions, AHandDrivenThroughTheNeckSettlesOnOneSide) {
    const CharacterSkeleton skeleton = support::capsule_person();
    const auto place = [&](std::string_view name) {
        return std::find_if(skeleton.joints.begin(), skeleton.joints.end(),
                            [&](const CharacterJoint& j) { return j.name == name; })
            ->position;
    };
    const Vec3 upper = place("elbow_l") - place("shoulder_l");
    const Vec3 lower = place("wrist_l") - place("elbow_l");
    const Vec3 raised(-0.5, 0.3, 0.81);
    const auto to_raised = Eigen::Quaterniond::FromTwoVectors(upper, raised);
    const auto pose_at = [&](double share) {
        // First the arm is raised, then the forearm folds back through the neck.
        const double first = std::min(1.0, 2.0 * share);
        const double second = std::max(0.0, 2.0 * share - 1.0);
        const auto fold =
            Eigen::Quaterniond::FromTwoVectors(to_raised * lower, Vec3(0.0, 0.1, -1.0));
        JointRotations r;
        for (const CharacterJoint& joint : skeleton.joints) {
            Eigen::Quaterniond turn = Eigen::Quaterniond::Identity();
            if (joint.name == "shoulder_l") {
                turn = turn.slerp(first, to_raised);
            } else if (joint.name == "elbow_l") {
                turn = turn.slerp(second, to_raised.inverse() * fold * to_raised);
            }
            r.rotations.push_back(turn);
        }
        return pose_of(skeleton, r);
    };
    ProjectiveSkinning skinning(coarse_person(), skeleton, {.collisions = SkinCollisions::Global});
    for (int frame = 1; frame <= 60; ++frame) {
        skinning.step(pose_at(std::min(1.0, frame / 40.0)));
    }
    const CharacterPose held = pose_at(1.0);
    std::vector<Index> hand;  // skin of the hand, at rest
    for (Eigen::Index i = 0; i < coarse_person().points.rows(); ++i) {
        if ((point(coarse_person().points, i) - place("hand_l")).norm() < 0.1) {
            hand.push_back(static_cast<Index>(i));
        }
    }
    ASSERT_GT(hand.size(), 20u);
    double jumps = 0.0;
    constexpr int kHeld = 10;
    for (int frame = 0; frame < kHeld; ++frame) {
        const Points before = skinning.skin();
        skinning.step(held);
        for (const Index i : hand) {
            jumps += (skinning.skin().row(i) - before.row(i)).norm() > 0.005 ? 1.0 : 0.0;
        }
    }
    EXPECT_LE(jumps / kHeld, 1.0);
    // Behind the neck, where the bones have it, and all of it.
    for (const Index i : hand) {
        EXPECT_LT(skinning.skin()(i, 2), 0.0) << i;
    }
}

TEST(SkinCollisions, EnclosureFollowsFewVerticesAsItFollowsAll) {
    const Croucher croucher;
    ProjectiveSkinning skinning(croucher.skin, croucher.skeleton, {.dynamics = false});
    for (int frame = 1; frame <= 4; ++frame) {
        skinning.step(croucher.pose(frame / 4.0));
    }
    SkinEnclosure few(skinning.flesh());
    SkinEnclosure all(skinning.flesh());
    Points x = skinning.skin();
    few.refit(x);
    std::vector<Index> moved;
    for (Index i = 0; i < x.rows(); i += 10) {
        x.row(i) += 0.05 * few.normal_at(i).transpose();
        moved.push_back(i);
    }
    few.refit_around(x, moved);
    all.refit(x);
    std::vector<Index> candidates;
    int enclosed = 0;
    for (Index i = 0; i < x.rows(); ++i) {
        const bool is_enclosed = all.is_enclosed(x, i, candidates);
        EXPECT_EQ(few.is_enclosed(x, i, candidates), is_enclosed) << i;
        enclosed += is_enclosed ? 1 : 0;
    }
    EXPECT_GT(enclosed, 50);
}

// A frame asks all vertices once, and at its end those that may differ: as good as all again.
TEST(SkinCollisions, WhoeverMayNotDifferIsEnclosedOrNotAsBefore) {
    const Croucher croucher;
    ProjectiveSkinning skinning(croucher.skin, croucher.skeleton, {.dynamics = false});
    for (int frame = 1; frame <= 4; ++frame) {
        skinning.step(croucher.pose(frame / 4.0));
    }
    SkinEnclosure enclosure(skinning.flesh());
    Points x = skinning.skin();
    std::vector<Index> all(static_cast<std::size_t>(x.rows()));
    std::iota(all.begin(), all.end(), 0);
    // One place after the other swells, in two steps.
    std::size_t differing = 0;
    for (Index part = 1; part <= 8; ++part) {
        enclosure.refit(x);
        const std::vector<char> before = enclosure.are_enclosed(x, all);
        const auto centre = part * x.rows() / 9;
        std::vector<Index> moved;
        for (Index i = 0; i < x.rows(); ++i) {
            if ((x.row(i) - x.row(centre)).norm() < 0.06) {
                moved.push_back(i);
            }
        }
        for (int step = 0; step < 2; ++step) {
            for (const Index i : moved) {
                x.row(i) += 0.02 * enclosure.normal_at(i).transpose();
            }
            enclosure.refit_around(x, moved);
        }
        const std::vector<Index> changed = enclosure.find_changed(x);
        const std::vector<char> after = enclosure.are_enclosed(x, all);
        EXPECT_LT(changed.size(), all.size() / 2);
        for (std::size_t i = 0; i < all.size(); ++i) {
            if (after[i] != before[i]) {
                EXPECT_TRUE(std::binary_search(changed.begin(), changed.end(), all[i])) << i;
                ++differing;
            }
        }
        enclosure.refit(x);
        EXPECT_EQ(enclosure.are_enclosed(x, all), after);
    }
    EXPECT_GT(differing, 0u);
    EXPECT_TRUE(enclosure.find_changed(x).empty());
}

// Stray triangles around a vertex: rays in all directions leave through one. As most of them do,
// the vertex would lie inside.
// Two balls that touch by noise at rest, and one that is modelled inside the first.
TEST(SkinCollisions, WhatHardlyTouchesAtRestMaySinkNoDeeper) {
    const TriangleMesh ball = support::sphere(3, 0.1);
    const TriangleMesh eye = support::sphere(2, 0.03);
    const auto n = static_cast<Index>(ball.points.rows());
    SkinOnBones skin;
    skin.points.resize(2 * n + eye.points.rows(), 3);
    skin.points << ball.points, ball.points, eye.points;
    const auto place_second = [&](Points& x, double at) {
        x.middleRows(n, n) = ball.points.rowwise() + Eigen::RowVector3d(at, 0.0, 0.0);
    };
    place_second(skin.points, 0.1985);  // 1.5 mm in each other, a tenth of an edge
    skin.triangles.resize(2 * ball.triangles.rows() + eye.triangles.rows(), 3);
    skin.triangles << ball.triangles, (ball.triangles.array() + n).matrix(),
        (eye.triangles.array() + 2 * n).matrix();
    skin.base_points = skin.points;
    skin.bone.assign(static_cast<std::size_t>(skin.points.rows()), 0);
    SkinEnclosure enclosure(skin);
    EXPECT_TRUE(enclosure.depths(skin.points).empty());
    EXPECT_TRUE(enclosure.is_inner(2 * n));
    // Apart, nothing is; a centimetre further in, what has touched counts like all around it.
    Points moved = skin.points;
    place_second(moved, 0.21);
    EXPECT_TRUE(enclosure.depths(moved).empty());
    place_second(moved, 0.1885);
    int touching = 0;
    for (const SkinEnclosure::Depth& d : enclosure.depths(moved)) {
        EXPECT_LT(d.vertex, 2 * n);
        touching += enclosure.may_collide(d.vertex) ? 0 : 1;
    }
    EXPECT_GT(touching, 0);
}

TEST(SkinCollisions, FlakesBoundNothing) {
    const TriangleMesh arm = support::tube();
    const Eigen::Index n = arm.points.rows();
    Index vertex = 0;  // half way up, furthest along x
    for (Index i = 0; i < n; ++i) {
        const auto far = [&](Index j) {
            return arm.points(j, 0) - std::abs(arm.points(j, 1) - 0.3);
        };
        vertex = far(i) > far(vertex) ? i : vertex;
    }
    constexpr Index kFlakes = 6;
    TriangleMesh skin;
    skin.points.resize(n + 3 * kFlakes, 3);
    skin.points.topRows(n) = arm.points;
    skin.triangles.resize(arm.triangles.rows() + kFlakes, 3);
    skin.triangles.topRows(arm.triangles.rows()) = arm.triangles;
    for (Index k = 0; k < kFlakes; ++k) {
        const double sign = k < 3 ? 1.0 : -1.0;
        const Vec3 u = Vec3::Unit((k + 1) % 3);
        const Vec3 v = sign * Vec3::Unit((k + 2) % 3);
        const Vec3 middle = point(arm.points, vertex) + 0.02 * sign * Vec3::Unit(k % 3);
        const Index first = static_cast<Index>(n) + 3 * k;
        skin.points.row(first) = (middle - 0.01 * u - 0.01 * v).transpose();
        skin.points.row(first + 1) = (middle + 0.02 * u - 0.01 * v).transpose();
        skin.points.row(first + 2) = (middle - 0.01 * u + 0.02 * v).transpose();
        skin.triangles.row(arm.triangles.rows() + k) << first, first + 1, first + 2;
    }
    const ProjectiveSkinning skinning(skin, support::two_bones());
    const SkinEnclosure enclosure(skinning.flesh());
    EXPECT_TRUE(enclosure.may_collide(vertex));
}

// Nothing jumps in a pose that is held: contacts find the same way out in every frame.
TEST(SkinCollisions, HeldPosesAreStill) {
    const Croucher croucher;
    ProjectiveSkinning skinning(croucher.skin, croucher.skeleton,
                                {.collisions = SkinCollisions::Global});
    for (int frame = 1; frame <= 35; ++frame) {
        skinning.step(croucher.pose(std::min(1.0, frame / 20.0)));
    }
    double moving = 0.0;
    constexpr int kHeld = 5;
    for (int frame = 0; frame < kHeld; ++frame) {
        const Points before = skinning.skin();
        skinning.step(croucher.pose(1.0));
        moving += static_cast<double>(
            ((skinning.skin() - before).rowwise().norm().array() > 0.01).count());
    }
    EXPECT_LT(moving / kHeld, 0.005 * static_cast<double>(skinning.skin().rows()));
}

// Contacts at rest are kept and depend on differences of places alone: a character that is lifted
// with its contacts keeps its shape.
TEST(SkinCollisions, ContactsAtRestNeitherFlickerNorStayBehind) {
    const CharacterSkeleton skeleton = support::two_bones();
    ProjectiveSkinning skinning = folded(support::tube(), SkinCollisions::Global);
    const CharacterPose pose = support::bent(skeleton, 2.3);
    for (int frame = 0; frame < 40; ++frame) {
        skinning.step(pose);
    }
    const Points before = skinning.skin();
    skinning.step(pose);
    EXPECT_LT((skinning.skin() - before).rowwise().norm().maxCoeff(), 5e-4);
    CharacterPose lifted = pose;
    const Vec3 up(0.0, 0.5, 0.0);
    for (Eigen::Isometry3d& T : lifted) {
        T.pretranslate(up);
    }
    skinning.reset(lifted, 60);
    const Points far = skinning.skin().rowwise() - up.transpose();
    skinning.reset(pose, 60);
    EXPECT_LT((far - skinning.skin()).rowwise().norm().maxCoeff(), 5e-4);
}

}  // namespace
}  // namespace sinew
