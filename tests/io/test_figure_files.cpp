#include "sinew/base/error.h"
#include "sinew/io/data_folder.h"
#include "sinew/io/figure_files.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/support/temporary_folder.h"

namespace sinew {
namespace {

namespace fs = std::filesystem;

/// A copy of the figure's data that a test may damage.
class FigureCopy {
public:
    FigureCopy() {
        fs::copy(data_folder() / "figure", folder_.path(),
                 fs::copy_options::recursive | fs::copy_options::overwrite_existing);
    }
    const fs::path& path() const {
        return folder_.path();
    }
    void replace(const std::string& file, const std::string& from, const std::string& to) const {
        std::ifstream in(folder_ / file);
        std::stringstream buffer;
        buffer << in.rdbuf();
        std::string text = buffer.str();
        const std::size_t at = text.find(from);
        ASSERT_NE(at, std::string::npos) << file << " has no " << from;
        text.replace(at, from.size(), to);
        std::ofstream(folder_ / file) << text;
    }

private:
    support::TemporaryFolder folder_;
};

const FigurePart* find_part(const FigureTable& table, const std::string& name) {
    const auto found = std::find_if(table.parts.begin(), table.parts.end(),
                                    [&](const FigurePart& p) { return p.name == name; });
    return found == table.parts.end() ? nullptr : &*found;
}

TEST(FigureFiles, HoldTheWholeMeasuredFigure) {
    const FigureTable table = read_figure(data_folder() / "figure");
    EXPECT_EQ(table.parts.size(), 348u);
    EXPECT_EQ(table.joints.size(), 138u);
    EXPECT_EQ(table.landmarks.size(), 26u);
    EXPECT_NEAR(table.stature, 1.658, 1e-9);
    std::size_t strokes = 0, stations = 0, sheets = 0, nodes = 0, muscles = 0, pairs = 0;
    for (const FigurePart& part : table.parts) {
        strokes += part.strokes.size();
        sheets += part.sheets.size();
        muscles += part.kind == FigureKind::Muscle ? 1 : 0;
        pairs += part.mirror ? 1 : 0;
        for (const FigureStroke& stroke : part.strokes) {
            stations += stroke.stations.size();
        }
        for (const FigureSheet& sheet : part.sheets) {
            nodes += sheet.nodes.size();
        }
    }
    // 532 measured strokes, five of the ear, two of the glenoid cavity, and eleven of the skull's
    // inside, nine of the skin of fingers and toes; sheets of eleven muscles and five that lie
    // below the skin of face and scalp. Three stations lead the short head of the biceps on to the
    // radius, 14 the muscles of the calf to the calcaneus.
    EXPECT_EQ(strokes, 559u);
    EXPECT_EQ(stations, 3131u);
    EXPECT_EQ(sheets, 16u);
    EXPECT_EQ(nodes, 1626u);
    EXPECT_EQ(muscles, 177u);
    EXPECT_EQ(table.parts.size() + pairs, 636u);
}

TEST(FigureFiles, ConvertMillimetresMillilitresAndDegrees) {
    const FigureTable table = read_figure(data_folder() / "figure");
    const FigurePart* femur = find_part(table, "femur_l");
    ASSERT_NE(femur, nullptr);
    EXPECT_NEAR(femur->volume, 485.0e-6, 1e-12);
    EXPECT_NEAR(femur->strokes[0].stations[0].skin, 0.003, 1e-12);
    EXPECT_EQ(femur->aliases[0].name, "FMA24475");
    EXPECT_EQ(femur->right_aliases[0].name, "FMA24474");
    const auto knee = std::find_if(table.joints.begin(), table.joints.end(),
                                   [](const FigureJoint& j) { return j.name == "knee_l"; });
    ASSERT_NE(knee, table.joints.end());
    EXPECT_NEAR(knee->limits[0].high, 140.0 * 3.14159265358979 / 180.0, 1e-9);
}

TEST(FigureFiles, NameFileAndPartOfEveryMistake) {
    struct Mistake {
        std::string file, from, to, expect_where;
    };
    const std::vector<Mistake> mistakes = {
        {"bones_leg.json", "\"blend\": 0.012", "\"blendd\": 0.012", "femur_l"},
        {"bones_leg.json", "0.0182, 0.0125", "0.0182", "femur_l"},
        {"bones_leg.json", "0.0182, 0.0125", "-0.0182, 0.0125", "femur_l"},
        {"bones_leg.json", "0.0182, 0.0125", "null, 0.0125", "femur_l"},
        {"bones_leg.json", "\"kind\": \"bone\"", "\"kind\": \"stone\"", "femur_l"},
        {"bones_leg.json", "\"femur_l\"", "\"tibia_l\"", "tibia_l"},
        {"bones_leg.json", "0.238, -0.018, 0.971", "0.238, -0.018, 7.971", "femur_l"},
        {"bones_leg.json", "0.1272, 0.8206", "1e999, 0.8206", "bones_leg.json"},
        {"bones_leg.json", "\"version\": 1", "\"version\": 2", "bones_leg.json"},
        {"bones_leg.json", "{", "", "bones_leg.json"},
        {"muscles_thigh.json", "\"attach\": [", "\"attach\": [\"skul\", ", "part"},
        {"joints.json", "\"parent\": \"sacrum\"", "\"parent\": \"femur_l\"", "joint"},
        {"joints.json", "\"type\": \"ball\"", "\"type\": \"hinge\"", "joint"},
        {"figure.json", "shoulder_l", "shoulder_x", "stance"},
        {"figure.json", "\"joints.json\"", "\"jointz.json\"", "jointz.json"},
        {"figure.json", "\"gap_mm\": 5", "\"gap_mm\": -5", "skin"},
        {"female.json", "\"stature_m\": 1.62", "\"stature_m\": \"tall\"", "stature_m"},
    };
    for (const Mistake& mistake : mistakes) {
        const FigureCopy copy;
        copy.replace(mistake.file, mistake.from, mistake.to);
        try {
            read_figure(copy.path());
            ADD_FAILURE() << mistake.file << " accepted " << mistake.to;
        } catch (const InputError& error) {
            EXPECT_NE(std::string(error.what()).find(mistake.expect_where), std::string::npos)
                << error.what();
        }
    }
}

TEST(DataFolder, IsTheOneNamedInTheEnvironment) {
    const support::TemporaryFolder folder;
    ::setenv("SINEW_DATA", folder.path().c_str(), 1);
    EXPECT_EQ(data_folder(), folder.path());
    ::setenv("SINEW_DATA", (folder / "absent").c_str(), 1);
    EXPECT_THROW(data_folder(), InputError);
    ::unsetenv("SINEW_DATA");
    EXPECT_TRUE(fs::is_directory(data_folder() / "figure"));
}

}  // namespace
}  // namespace sinew
