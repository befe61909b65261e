#include "sinew/base/error.h"
#include "sinew/base/units.h"
#include "sinew/io/atomic_file.h"
#include "sinew/io/motion_table.h"
#include "sinew/io/trc.h"
#include "sinew/motion/hill.h"
#include "sinew/motion/model_scaling.h"
#include "sinew/motion/muscle_paths.h"
#include "sinew/pipeline/body_tables.h"
#include "sinew/pipeline/retarget_job.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/temporary_folder.h"
#include "tests/support/walker_model.h"

namespace sinew {
namespace {

using support::walker_model;

std::filesystem::path written(const support::TemporaryFolder& folder, const char* name,
                              const std::string& text) {
    write_file_bytes(folder.path() / name, text);
    return folder.path() / name;
}

// Markers at both ends of each bone; a person scaled by known factors wears them.
TEST(RetargetJob, MarkersOfAStaticTrialGiveTheScaledBody) {
    MusculoskeletalModel model = walker_model();
    for (const char* name : {"Pelvis", "FemurL", "FemurR", "TibiaL", "TibiaR", "TalusL"}) {
        const Index body = find_body(model, name);
        model.markers.push_back({std::string(name) + "_top", body, Vec3(0.05, 0.0, 0.0)});
        model.markers.push_back({std::string(name) + "_end", body, Vec3(-0.03, -0.3, 0.02)});
    }
    std::vector<Vec3> factors(model.bodies.size(), Vec3::Constant(1.05));
    factors[at(find_body(model, "FemurL"))] = Vec3::Constant(1.15);
    factors[at(find_body(model, "TibiaR"))] = Vec3::Constant(0.9);
    const MusculoskeletalModel person = scaled_model(model, factors, 70.0);
    const ModelPlacement placed = KinematicTree(person).place(rest_coordinates(person));
    MarkerData data{.rate = 100.0};
    for (const double time : {0.0, 0.01}) {
        data.times.push_back(time);
        for (const ModelMarker& marker : person.markers) {
            data.positions.push_back(placed.bodies[at(marker.body)] * marker.position);
        }
    }
    for (const ModelMarker& marker : person.markers) {
        data.names.push_back(marker.name);
    }
    const support::TemporaryFolder folder;
    RetargetJob job;
    job.to = written(folder, "static.trc", format_trc(data, "static.trc")).string();
    job.mass = 70.0;
    RetargetOutcome out;
    const BodyProportions found = read_job_proportions(job, model, out);
    ASSERT_TRUE(found.left.femur && found.right.tibia && found.right.femur);
    EXPECT_NEAR(found.left.femur->elongation, 1.15, 2e-3);
    EXPECT_NEAR(found.right.femur->elongation, 1.05, 2e-3);
    EXPECT_NEAR(found.right.tibia->elongation, 0.9, 2e-3);
    const MusculoskeletalModel retargeted = proportioned_model(model, found);
    double mass = 0.0;
    for (const RigidBody& body : retargeted.bodies) {
        mass += body.mass;
    }
    EXPECT_NEAR(mass, 70.0, 0.5);
}

TEST(RetargetJob, ASegmentTableGivesTheBody) {
    const support::TemporaryFolder folder;
    RetargetJob job;
    job.to = written(folder, "person.csv",
                     "segment,side,length_mm,mass_kg\nthigh,,460,9\nshank,left,380,\n")
                 .string();
    RetargetOutcome out;
    const BodyProportions found = read_job_proportions(job, walker_model(), out);
    EXPECT_NEAR(found.left.femur->elongation, 0.46 / 0.42, 1e-6);
    EXPECT_NEAR(found.left.tibia->elongation, 0.38 / 0.4, 1e-6);
    EXPECT_NEAR(found.right.femur->mass.value(), 9.0 / 8.0, 1e-9);
}

// What the written file shows is what the table asks.
TEST(RetargetJob, AnExaminationIsMetByTheWrittenFile) {
    const support::TemporaryFolder folder;
    RetargetJob job;
    job.exam = written(folder, "exam.csv",
                       "test,side,value_deg,torque_nm\n"
                       "popliteal_bilateral,both,50,\nthomas,left,5,30\n"
                       "silfverskiold_bent,right,,\n")
                   .string();
    // MuJoCo's format has muscle curves of its own.
    for (const char* name : {"stiff.osim", "stiff.xml"}) {
        job.output = (folder.path() / name).string();
        const RetargetOutcome done = run_retarget(walker_model(), job);
        ASSERT_TRUE(done.exam);
        ASSERT_EQ(done.exam->tests.size(), 3u);
        for (const ExamResult& test : done.exam->tests) {
            EXPECT_TRUE(test.is_met) << name << ", " << test.row.test << ": " << test.reason;
            EXPECT_NEAR(test.after.angle_deg, test.row.value_deg, 1.0) << name;
        }
        EXPECT_EQ(done.exam->tests[2].torque, 30.0);
    }
}

TEST(RetargetJob, TablesSayWhichLineIsWrong) {
    const support::TemporaryFolder folder;
    for (const char* text :
         {"test,side\nthomas,left\n", "test,side,value_deg\ntomas,left,3\n",
          "test,side,value_deg\nthomas,up,3\n", "test,side,value_deg\nthomas,left,x\n",
          "test,side,value_deg\nthomas,left,\n",
          "test,side,value_deg,torque_nm\nthomas,left,3,-1\n"}) {
        EXPECT_THROW(read_exam_table(written(folder, "exam.csv", text)), InputError) << text;
    }
    for (const char* text : {"side,length_m\nleft,1\n", "segment,length_m\ntail,1\n",
                             "segment,length_m\nthigh,-1\n"}) {
        EXPECT_THROW(read_segment_table(written(folder, "segments.csv", text)), InputError) << text;
    }
}

// Lengths from poses [Ryu2021, 4.2]: both the pose of the file and its mirror image are allowed.
TEST(RetargetJob, PosesOfAMotionAreAllowedWithTheirMirrorImages) {
    MusculoskeletalModel model = walker_model();
    const support::TemporaryFolder folder;
    RetargetJob job;
    job.poses = {written(folder, "bent.mot",
                         "bent\nversion=1\nnRows=2\nnColumns=3\ninDegrees=yes\nendheader\n"
                         "time FemurL_rx TibiaL\n0 -60 20\n0.1 10 80\n")
                     .string()};
    const RetargetOutcome done = run_retarget(model, job);
    EXPECT_EQ(done.poses, 5);
    RangeOfMotion range(done.retargeted.model);
    for (const char* side : {"L", "R"}) {
        std::vector<double> q = rest_coordinates(model);
        q[at(find_coordinate(model, std::string("Femur") + side + "_rx"))] = -60.0 * kDegree;
        q[at(find_coordinate(model, std::string("Tibia") + side))] = 20.0 * kDegree;
        EXPECT_TRUE(range.is_valid(q)) << side;
    }
    // And in key poses nothing resists.
    const KinematicTree tree(done.retargeted.model);
    const MusclePaths paths(done.retargeted.model, tree);
    for (const auto& [name, q] : key_poses(done.retargeted.model)) {
        const PathState state = paths.evaluate(tree.place(q));
        for (std::size_t m = 0; m < done.retargeted.model.muscles.size(); ++m) {
            const MuscleUnit& unit = done.retargeted.model.muscles[m];
            EXPECT_LT(equilibrium_force(unit, state.length[m], 0.0).total, 0.03 * unit.fmax)
                << name << ", " << unit.name;
        }
    }
}

}  // namespace
}  // namespace sinew
