// Marker sets: OpenSim's file and ours, on models and by the names of landmarks.

#include "sinew/base/error.h"
#include "sinew/io/ik_setup_file.h"
#include "sinew/pipeline/ik_job.h"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/motion/leg_model.h"
#include "tests/support/temporary_folder.h"

namespace sinew {
namespace {

const char* const kSet =
    "<OpenSimDocument Version=\"40000\"><MarkerSet name=\"m\"><objects><Marker name=\"R.Knee\">"
    "<socket_parent_frame>/bodyset/femur</socket_parent_frame><location>0.01 -0.39 0.05</location>"
    "</Marker><Marker name=\"R.ASIS\"><body>pelvis</body><location>0.1 0 0.1</location></Marker>"
    "</objects></MarkerSet></OpenSimDocument>";

std::string message_of(const std::string& text) {
    const support::TemporaryFolder folder;
    std::ofstream(folder.path() / "set.json") << text;
    MusculoskeletalModel model = support::leg_model();
    try {
        apply_marker_set(folder.path() / "set.json", model);
    } catch (const InputError& e) {
        return e.what();
    }
    return {};
}

TEST(MarkerSets, OpenSimsFilesOfBothVersionsAreRead) {
    const MarkerSetFile set = parse_marker_set(kSet, "set.xml");
    ASSERT_EQ(set.markers.size(), 2U);
    EXPECT_EQ(set.markers[0].body, "femur");
    EXPECT_EQ(set.markers[0].position[2], 0.05);
    EXPECT_EQ(set.markers[1].body, "pelvis");
    EXPECT_THROW(parse_marker_set("<OpenSimDocument><MarkerSet/></OpenSimDocument>", "x.xml"),
                 InputError);
}

TEST(MarkerSets, MarkersAreAddedMovedAndNamedAfterLandmarks) {
    MusculoskeletalModel model = support::leg_model();
    model.markers = {{"asis_r", 0, Vec3(0.09, 0.02, 0.1)}, {"R.Knee", 2, Vec3::Zero()}};
    const support::TemporaryFolder folder;
    std::ofstream(folder.path() / "set.xml") << kSet;
    apply_marker_set(folder.path() / "set.xml", model);
    ASSERT_EQ(model.markers.size(), 3U);
    EXPECT_EQ(model.markers[1].body, 1);  // moved to the femur
    EXPECT_EQ(model.markers[2].name, "R.ASIS");
    std::ofstream(folder.path() / "set.json")
        << "{\"version\": 1, \"markers\": [{\"name\": \"RASI\", \"landmark\": \"asis_r\"}]}";
    apply_marker_set(folder.path() / "set.json", model);
    EXPECT_EQ(model.markers.back().name, "RASI");
    EXPECT_EQ(model.markers.back().position, Vec3(0.09, 0.02, 0.1));
}

TEST(MarkerSets, WrongNamesAreTold) {
    EXPECT_NE(message_of("{\"version\": 1, \"markers\": [{\"name\": \"A\", \"body\": \"femor\", "
                         "\"position\": [0, 0, 0]}]}")
                  .find("femur"),
              std::string::npos);
    EXPECT_NE(message_of("{\"version\": 1, \"markers\": [{\"name\": \"A\", \"landmark\": \"x\"}]}")
                  .find("landmark"),
              std::string::npos);
    EXPECT_NE(message_of("{\"version\": 1, \"markers\": [{\"name\": \"A\"}]}").find("neither"),
              std::string::npos);
}

}  // namespace
}  // namespace sinew
