#include "sinew/base/error.h"
#include "sinew/base/timer.h"
#include "sinew/geometry/measure.h"
#include "sinew/mesh/connectivity.h"
#include "sinew/meshing/child_process.h"
#include "sinew/meshing/health.h"
#include "sinew/meshing/tetrahedralise.h"
#include "sinew/meshing/work_folder.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <thread>

#include "tests/support/shapes.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/words.h"

namespace sinew {

namespace {

std::map<int, double> volume_per_region(const TetMesh& mesh) {
    std::map<int, double> volumes;
    const Eigen::VectorXd volume = tet_volumes(mesh);
    for (Eigen::Index t = 0; t < volume.size(); ++t) {
        volumes[mesh.region[static_cast<std::size_t>(t)]] += volume[t];
    }
    return volumes;
}

// A program that stands in for TetGen.
std::string script(const support::TemporaryFolder& folder, const std::string& body) {
    const std::filesystem::path path = folder / "fake";
    std::ofstream(path) << "#!/bin/sh\n" << body << "\n";
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    return path.string();
}

// Set for as long as it lives.
class EnvironmentVariable {
public:
    EnvironmentVariable(const char* name, const std::string& value) : name_(name) {
        const char* const before = std::getenv(name);
        had_ = before != nullptr;
        before_ = had_ ? before : "";
        ::setenv(name, value.c_str(), 1);
    }
    ~EnvironmentVariable() {
        had_ ? ::setenv(name_, before_.c_str(), 1) : ::unsetenv(name_);
    }
    EnvironmentVariable(const EnvironmentVariable&) = delete;
    EnvironmentVariable& operator=(const EnvironmentVariable&) = delete;

private:
    const char* name_;
    bool had_ = false;
    std::string before_;
};

#define SINEW_NEEDS_TETGEN()                                          \
    if (find_program("tetgen").empty()) {                             \
        FAIL() << "needs the program tetgen (Debian package tetgen)"; \
    }

}  // namespace

// The regions partition the outer polyhedron: volumes follow from the surfaces alone.
TEST(Tetrahedralise, NestedSpheresGiveTheirShellsAsRegions) {
    SINEW_NEEDS_TETGEN();
    const std::vector<TriangleMesh> spheres = {support::sphere(3, 1.0), support::sphere(2, 0.6),
                                               support::sphere(2, 0.25, {0.1, 0, 0})};
    const TetMesh mesh = tetrahedralise(spheres, {.max_edge = 0.3});
    const std::map<int, double> volume = volume_per_region(mesh);
    ASSERT_EQ(volume.size(), 3u);
    const double v0 = enclosed_volume(spheres[0]);
    const double v1 = enclosed_volume(spheres[1]);
    const double v2 = enclosed_volume(spheres[2]);
    EXPECT_NEAR(volume.at(1), v0 - v1, 1e-10);
    EXPECT_NEAR(volume.at(2), v1 - v2, 1e-10);
    EXPECT_NEAR(volume.at(3), v2, 1e-10);
    const TetHealth health = check_health(mesh);
    EXPECT_TRUE(is_healthy(health)) << summary(health.problems);
    // The surfaces are there, bit for bit and in order, and the boundary is the outer one.
    Eigen::Index row = 0;
    for (const TriangleMesh& s : spheres) {
        EXPECT_TRUE(mesh.points.middleRows(row, s.points.rows()) == s.points);
        row += s.points.rows();
    }
    EXPECT_GT(mesh.points.rows(), row);
    EXPECT_EQ(boundary_triangles(mesh.tets).rows(), spheres[0].triangles.rows());
}

TEST(Tetrahedralise, SizeLimitMakesMoreTetrahedra) {
    SINEW_NEEDS_TETGEN();
    const std::vector<TriangleMesh> surface = {support::sphere(3, 1.0)};
    const TetMesh coarse = tetrahedralise(surface);
    const TetMesh fine = tetrahedralise(surface, {.max_volume = 0.001, .labels = {-5}});
    EXPECT_GT(fine.tets.rows(), 2 * coarse.tets.rows());
    EXPECT_EQ(fine.region.front(), -5);
    EXPECT_NEAR(volume(fine), enclosed_volume(surface[0]), 1e-10);
}

// A ball with a hole inside, and a small ball floating in the hole.
TEST(Tetrahedralise, VoidsStayEmpty) {
    SINEW_NEEDS_TETGEN();
    TriangleMesh hollow = support::sphere(2, 1.0);
    const TriangleMesh inner = support::sphere(2, 0.5);
    const Eigen::Index n = hollow.points.rows();
    const Eigen::Index m = hollow.triangles.rows();
    hollow.points.conservativeResize(2 * n, 3);
    hollow.points.bottomRows(n) = inner.points;
    hollow.triangles.conservativeResize(2 * m, 3);
    hollow.triangles.bottomRows(m) = inner.triangles.array() + static_cast<Index>(n);
    hollow.triangles.bottomRows(m).col(0).swap(hollow.triangles.bottomRows(m).col(1));
    const TriangleMesh core = support::sphere(1, 0.2);
    const TetMesh mesh = tetrahedralise({hollow, core});
    const std::map<int, double> volume = volume_per_region(mesh);
    EXPECT_NEAR(volume.at(1), enclosed_volume(hollow), 1e-10);
    EXPECT_NEAR(volume.at(2), enclosed_volume(core), 1e-10);
}

TEST(Tetrahedralise, SameInputGivesTheSameBits) {
    SINEW_NEEDS_TETGEN();
    const std::vector<TriangleMesh> surface = {support::torus(1.0, 0.3, 12, 24)};
    const TetMesh a = tetrahedralise(surface, {.max_edge = 0.2});
    const TetMesh b = tetrahedralise(surface, {.max_edge = 0.2});
    EXPECT_TRUE(a.points == b.points);
    EXPECT_TRUE(a.tets == b.tets);
}

TEST(Tetrahedralise, IntersectingSurfacesAreNamed) {
    const std::string text = support::complaint([] {
        tetrahedralise({support::sphere(2, 1.0), support::sphere(2, 0.5, {0.8, 0, 0})});
    });
    EXPECT_TRUE(support::has(text, "pairs of triangles intersect")) << text;
    EXPECT_TRUE(support::has(text, "surface 0 triangle ")) << text;
    EXPECT_TRUE(support::has(text, "surface 1 triangle ")) << text;
    EXPECT_TRUE(support::has(text, "near (")) << text;
}

TEST(Tetrahedralise, BadSurfacesAreRefusedBeforeTetgenRuns) {
    TriangleMesh open = support::sphere(2, 1.0);
    open.triangles = open.triangles.topRows(100).eval();
    EXPECT_TRUE(support::has(support::complaint([&] { tetrahedralise({open}); }), "open borders"));
    TriangleMesh turned = support::sphere(2, 1.0);
    turned.triangles.col(0).swap(turned.triangles.col(1));
    EXPECT_TRUE(support::has(support::complaint([&] { tetrahedralise({turned}); }), "inside out"));
    EXPECT_TRUE(support::has(support::complaint([] { tetrahedralise({}); }), "no surface"));
    EXPECT_TRUE(
        support::has(support::complaint([] { tetrahedralise({TriangleMesh{}}); }), "surface 0"));
    const TriangleMesh box = support::box({0, 0, 0}, {1, 1, 1});
    EXPECT_TRUE(support::has(support::complaint([&] {
                                 tetrahedralise({box, support::box({1, 1, 1}, {2, 2, 2})});
                             }),
                             "coincide"));
    EXPECT_TRUE(support::has(support::complaint([&] {
                                 tetrahedralise({box}, {.labels = {1, 2}});
                             }),
                             "2 labels"));
    EXPECT_TRUE(support::has(
        support::complaint([&] { tetrahedralise({box}, {.radius_edge = 0.5}); }), "radius_edge"));
}

TEST(Tetrahedralise, MissingProgramNamesThePackage) {
    const std::string text = support::complaint(
        [] { tetrahedralise({support::sphere(1, 1.0)}, {.program = "no-such-tetgen"}); });
    EXPECT_TRUE(support::has(text, "Debian package 'tetgen'")) << text;
}

TEST(Tetrahedralise, CrashGarbageAndSlownessOfTheProgramAreTold) {
    const support::TemporaryFolder folder;
    const std::vector<TriangleMesh> ball = {support::sphere(1, 1.0)};
    const auto told = [&](const std::string& body, double timeout = 60.0) {
        return support::complaint(
            [&] { tetrahedralise(ball, {.timeout = timeout, .program = script(folder, body)}); });
    };
    EXPECT_TRUE(support::has(told("echo two facets meet; echo '1st: [1,2,3] #3'; exit 3"),
                             "surface 0 triangle 2"));
    EXPECT_TRUE(support::has(told("kill -SEGV $$"), "crashed (signal 11)"));
    EXPECT_TRUE(support::has(told("exit 0"), "wrote no mesh"));
    EXPECT_TRUE(support::has(told("echo garbage > in.1.node; echo x > in.1.ele"), "line 1"));
    EXPECT_TRUE(support::has(
        told("printf '1 3 0 0\\n0 0 0 0\\n' > in.1.node; printf '0 4 0\\n' > in.1.ele"),
        "1 points"));
    const Timer timer;
    EXPECT_TRUE(support::has(told("sleep 30 & sleep 30", 0.2), "took longer than 0.2 s"));
    EXPECT_LT(timer.seconds(), 10.0);
}

TEST(Tetrahedralise, CancellationStopsTheProgram) {
    const support::TemporaryFolder folder;
    const std::string program = script(folder, "sleep 30");
    const Progress progress;
    const Timer timer;
    std::thread canceller([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        progress.cancel();
    });
    EXPECT_THROW(tetrahedralise({support::sphere(1, 1.0)}, {.program = program}, progress),
                 Cancelled);
    canceller.join();
    EXPECT_LT(timer.seconds(), 10.0);
}

// 3 GB were read into memory and onto the disk before the time was up.
TEST(Tetrahedralise, AProgramThatPrintsWithoutEndIsStopped) {
    const support::TemporaryFolder folder;
    const std::string text = support::complaint([&] {
        tetrahedralise({support::sphere(1, 1.0)}, {.program = script(folder, "yes flood")});
    });
    EXPECT_TRUE(support::has(text, "printed without end")) << text.substr(0, 400);
    EXPECT_LT(text.size(), 2000u);
}

TEST(Tetrahedralise, EndlessTimeIsRefusedAndSoIsAFolderThatIsNotThere) {
    const std::vector<TriangleMesh> ball = {support::sphere(1, 1.0)};
    EXPECT_TRUE(support::has(support::complaint([&] {
                                 tetrahedralise(
                                     ball, {.timeout = std::numeric_limits<double>::infinity()});
                             }),
                             "timeout"));
    const support::TemporaryFolder folder;
    const EnvironmentVariable tmpdir("TMPDIR", (folder / "none").string());
    const std::string text = support::complaint([&] { tetrahedralise(ball); });
    EXPECT_TRUE(support::has(text, "TMPDIR=")) << text;
}

TEST(WorkFolder, WhatAKilledProgramLeftGoesAndWhatIsInUseStays) {
    const support::TemporaryFolder folder;
    const EnvironmentVariable tmpdir("TMPDIR", folder.path().string());
    const std::filesystem::path left = folder / "sinew-tetgen-killed";
    const std::filesystem::path foreign = folder / "sinew-tetgen-foreign";
    std::filesystem::create_directory(left);
    std::filesystem::create_directory(foreign);  // no lock: not ours to judge
    std::ofstream(left / "lock") << "";
    std::ofstream(left / "in.smesh") << "much";
    std::filesystem::path first;
    {
        const WorkFolder held("sinew-tetgen");
        first = held.path();
        EXPECT_FALSE(std::filesystem::exists(left));
        const WorkFolder other("sinew-tetgen");
        EXPECT_TRUE(std::filesystem::exists(held.path() / "lock"));
        EXPECT_NE(other.path(), held.path());
    }
    EXPECT_FALSE(std::filesystem::exists(first));
    EXPECT_TRUE(std::filesystem::exists(foreign));
}

}  // namespace sinew
