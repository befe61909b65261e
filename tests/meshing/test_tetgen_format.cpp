#include "sinew/base/error.h"
#include "sinew/meshing/tetgen_format.h"

#include <gtest/gtest.h>

#include <functional>

#include "tests/support/shapes.h"
#include "tests/support/words.h"

namespace sinew {

namespace {}  // namespace

TEST(TetgenFormat, TetMeshSurvivesTheRoundTripBitForBit) {
    TetMesh mesh = support::ball_of_tets(3, 0.1 / 3.0);
    for (Eigen::Index t = 0; t < mesh.tets.rows(); ++t) {
        mesh.region.push_back(static_cast<int>(t % 3));
    }
    const TetMesh back =
        parse_tetgen(format_node(mesh.points), format_ele(mesh.tets, mesh.region), "ball");
    EXPECT_TRUE(back.points == mesh.points);
    EXPECT_TRUE(back.tets == mesh.tets);
    EXPECT_EQ(back.region, mesh.region);
}

TEST(TetgenFormat, FacesSurviveTheRoundTrip) {
    const TriangleMesh box = support::box({0, 0, 0}, {1, 1, 1});
    const std::vector<int> markers(12, -7);
    const FaceText back = parse_face(format_face(box.triangles, markers), 0, 8, "box.face");
    EXPECT_TRUE(back.triangles == box.triangles);
    EXPECT_EQ(back.markers, markers);
}

TEST(TetgenFormat, SmeshSurvivesTheRoundTrip) {
    const TriangleMesh box = support::box({0, 0, 0}, {1, 1, 1});
    const std::string text = format_smesh(box.points, box.triangles, std::vector<int>(12, 3),
                                          {Vec3(4, 5, 6)}, {{Vec3(0.5, 0.25, 0.125), 9, 1e-3}});
    const PolyText back = parse_smesh(text, "box.smesh");
    EXPECT_TRUE(back.points == box.points);
    ASSERT_EQ(back.polygons.size(), 12u);
    EXPECT_EQ(back.polygons[1], (std::vector<Index>{0, 3, 1}));
    EXPECT_EQ(back.markers.at(11), 3);
    EXPECT_EQ(back.holes.at(0), Vec3(4, 5, 6));
    EXPECT_EQ(back.regions.at(0).attribute, 9.0);
    EXPECT_EQ(back.regions.at(0).max_volume, 1e-3);
}

TEST(TetgenFormat, NumbersFromOneCommentsAndAttributesAreRead) {
    const NodeText nodes = parse_node(
        "# made by hand\n4 3 1 1  # header\n\n1 0 0 0 0.5 1\n2 +1 0 0 1.5 1\n"
        "\t3 0 1e0 0 2.5 0\r\n4 0 0 1 3.5 2 # last\n# end\n",
        "a.node");
    EXPECT_EQ(nodes.first, 1);
    EXPECT_EQ(nodes.points.rows(), 4);
    EXPECT_EQ(nodes.points(1, 0), 1.0);
    EXPECT_EQ(nodes.attributes.at(0).values, (std::vector<double>{0.5, 1.5, 2.5, 3.5}));
    EXPECT_EQ(nodes.markers, (std::vector<int>{1, 1, 0, 2}));
    const EleText ele = parse_ele("1 4 1\n1 1 2 3 4 10\n", 1, 4, "a.ele");
    EXPECT_TRUE(ele.tets == (Tets(1, 4) << 0, 1, 2, 3).finished());
    EXPECT_EQ(ele.attributes.at(0).values.at(0), 10.0);
}

// TetGen's tetrahedra look the other way round; all of them are turned, a single one is left alone.
TEST(TetgenFormat, TetsOfTheOtherSenseAreTurned) {
    const std::string node = "4 3 0 0\n0 0 0 0\n1 1 0 0\n2 0 1 0\n3 0 0 1\n";
    const TetMesh mesh = parse_tetgen(node, "1 4 0\n0 0 2 1 3\n", "a");
    EXPECT_TRUE(mesh.tets == (Tets(1, 4) << 0, 2, 3, 1).finished());
    const TetMesh mixed = parse_tetgen(node, "2 4 0\n0 0 2 1 3\n1 0 1 2 3\n", "a");
    EXPECT_EQ(mixed.tets(0, 1), 2);
    EXPECT_EQ(mixed.tets(0, 2), 1);
}

TEST(TetgenFormat, PolyWithPolygonsOverSeveralLinesIsRead) {
    const PolyText poly = parse_poly(
        "5 3\n1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n5 0 0 1\n"
        "2 1\n1 0 4\n4 1 2\n3 4\n1 0 5\n3 1 2 5\n0\n1\n1 0.1 0.1 0.1 2\n",
        "a.poly");
    EXPECT_EQ(poly.polygons.at(0), (std::vector<Index>{0, 1, 2, 3}));
    EXPECT_EQ(poly.polygons.at(1), (std::vector<Index>{0, 1, 4}));
    EXPECT_EQ(poly.markers, (std::vector<int>{4, 5}));
    EXPECT_EQ(poly.regions.at(0).attribute, 2.0);
}

TEST(TetgenFormat, BadTextsAreRefusedWithTheirLine) {
    const auto node = [](std::string_view text) {
        return support::complaint([&] { parse_node(text, "x.node"); });
    };
    EXPECT_TRUE(support::has(node(""), "x.node, line 1"));
    EXPECT_TRUE(support::has(node("# nothing\n"), "line 2"));
    EXPECT_TRUE(support::has(node("2 3 0 0\n0 1 2 3\n"), "line 3"));   // truncated
    EXPECT_TRUE(support::has(node("1 3 0 0\n0 1 nan 3\n"), "'nan'"));  // not finite
    EXPECT_TRUE(support::has(node("1 3 0 0\n0 1 inf 3\n"), "line 2"));
    EXPECT_TRUE(support::has(node("1 3 0 0\n0 1 2 x3\n"), "'x3'"));
    EXPECT_TRUE(support::has(node("1 3 0 0\n0 1 2\n"), "3 words"));
    EXPECT_TRUE(support::has(node("1 2 0 0\n0 1 2\n"), "dimension"));  // flat
    EXPECT_TRUE(
        support::has(node("1 3 0 0\n0 1 2 3\n1 1 2 3\n"), "line 3"));         // more than announced
    EXPECT_TRUE(support::has(node("999999999 3 0 0\n0 1 2 3\n"), "line 1"));  // cannot fit
    EXPECT_TRUE(support::has(node("-4 3 0 0\n"), "'-4'"));
    EXPECT_TRUE(support::has(node("99999999999999999999 3 0 0\n"), "line 1"));
    EXPECT_TRUE(support::has(node("2 3 0 0\n0 1 2 3\n7 1 2 3\n"), "line 3"));  // out of order
    const auto ele = [](std::string_view text) {
        return support::complaint([&] { parse_ele(text, 0, 4, "x.ele"); });
    };
    EXPECT_TRUE(support::has(ele("1 4 0\n0 0 1 2 4\n"), "x.ele, line 2"));  // index out of range
    EXPECT_TRUE(support::has(ele("1 4 0\n0 0 1 2 -1\n"), "from 0 to 3"));
    EXPECT_TRUE(support::has(ele("1 5 0\n0 0 1 2 3 3\n"), "line 1"));
    EXPECT_TRUE(support::has(ele("2 4 0\n0 0 1 2 3\n"), "truncated"));
    EXPECT_TRUE(support::has(support::complaint([] { parse_face("1 0\n0 1 2 9\n", 0, 4, "f"); }),
                             "f, line 2"));
    EXPECT_TRUE(support::has(support::complaint([] { parse_smesh("0 3\n1 0\n3 0 1 2\n", "s"); }),
                             "s, line 3"));
    EXPECT_TRUE(
        support::has(support::complaint([] { parse_poly("0 3\n1 0\n1\n", "p", 3); }), "p, line 4"));
}

// Every prefix of a good text is either read or refused, never more.
TEST(TetgenFormat, EveryTruncationIsSurvived) {
    const TriangleMesh box = support::box({0, 0, 0}, {1, 1, 1});
    const std::string text = format_smesh(box.points, box.triangles, {}, {Vec3(4, 5, 6)},
                                          {{Vec3(0.5, 0.25, 0.125), 9, 1e-3}});
    int refused = 0;
    for (std::size_t n = 0; n < text.size(); ++n) {
        refused += !support::complaint([&] { parse_smesh(text.substr(0, n), "s"); }).empty();
    }
    EXPECT_GT(refused, 150);
}

}  // namespace sinew
