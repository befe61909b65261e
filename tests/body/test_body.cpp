#include "sinew/base/error.h"
#include "sinew/body/body.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <utility>

#include "tests/support/shapes.h"
#include "tests/support/small_body.h"

namespace sinew {

TEST(Body, AFullBodyAndAnEmptyOneAreValid) {
    EXPECT_NO_THROW(require_valid(support::small_body(2), "box"));
    EXPECT_NO_THROW(require_valid(Body{}, "empty"));
}

// Each broken promise alone makes the body invalid.
TEST(Body, EveryBrokenPromiseIsFound) {
    const Body good = support::small_body(2);
    using Break = std::pair<const char*, std::function<void(Body&)>>;
    const std::vector<Break> breaks = {
        {"inverted tet", [](Body& b) { std::swap(b.tets.tets(3, 0), b.tets.tets(3, 1)); }},
        {"NaN point", [](Body& b) { b.tets.points(1, 1) = std::nan(""); }},
        {"skin apart from tets", [](Body& b) { b.skin.mesh.points(5, 0) += 0.01; }},
        {"envelope map too short", [](Body& b) { b.envelope.tet_vertex.pop_back(); }},
        {"share material", [](Body& b) { b.shares.material[2] = 5; }},
        {"share part", [](Body& b) { b.shares.part[0] = 17; }},
        {"shares sum", [](Body& b) { b.shares.fraction[4] *= 0.5; }},
        {"shares start", [](Body& b) { b.shares.start[7] = 100000; }},
        {"fibre length", [](Body& b) { b.fibres.direction.row(3) *= 1.01; }},
        {"fibre muscle", [](Body& b) { b.fibres.muscle[3] = -1; }},
        {"attachment bone", [](Body& b) { b.attachments.bone[0] = 2; }},
        {"attachment weight", [](Body& b) { b.attachments.points.weights(2, 2) += 0.1; }},
        {"attachment tet", [](Body& b) { b.attachments.points.tet[2] = -1; }},
        {"bone segment", [](Body& b) { b.bones[0].segment = 2; }},
        {"muscle origin", [](Body& b) { b.muscles[0].origin = -2; }},
        {"belly", [](Body& b) { b.muscles[0].belly_begin = 0.9; }},
        {"volume", [](Body& b) { b.muscles[0].volume = std::nan(""); }},
        {"name twice", [](Body& b) { b.muscles[1].name = b.muscles[0].name; }},
        {"name with slash", [](Body& b) { b.bones[0].name = "a/b"; }},
        {"empty name", [](Body& b) { b.materials[0].name = ""; }},
        {"density", [](Body& b) { b.materials[0].density = 0; }},
        {"muscle embeddings", [](Body& b) { b.muscle_embeddings.pop_back(); }},
        {"display skin", [](Body& b) { b.display_skin_embedding.tet.pop_back(); }},
        {"landmark", [](Body& b) { b.landmarks[0].skin_vertex = 1000000; }},
        {"map", [](Body& b) { b.maps[0].values.pop_back(); }},
        {"joint axis", [](Body& b) { b.skeleton.joints[1].axes[0] *= 2; }},
        {"segment mass", [](Body& b) { b.skeleton.segments[0].mass = -1; }},
    };
    for (const auto& [what, spoil] : breaks) {
        Body bad = good;
        spoil(bad);
        EXPECT_THROW(require_valid(bad, "box"), InputError) << what;
    }
}

TEST(Body, EmbeddedPointsFollowTheirTets) {
    const Body body = support::small_body(2);
    EmbeddedPoints corner;
    corner.tet = {4};
    corner.weights.resize(1, 4);
    corner.weights << 0, 1, 0, 0;
    const Points at = positions_of(corner, body.tets.points, body.tets.tets);
    EXPECT_EQ(at.row(0), body.tets.points.row(body.tets.tets(4, 1)));
    // Affine maps commute with barycentric interpolation.
    const Points& rest = body.tets.points;
    const auto g = support::rigid_motions(1, Seed{2})[0];
    const Points a = positions_of(body.attachments.points, support::moved(rest, g), body.tets.tets);
    const Points b = support::moved(positions_of(body.attachments.points, rest, body.tets.tets), g);
    EXPECT_LT((a - b).cwiseAbs().maxCoeff(), 1e-14);
}

TEST(Body, ActivationsLieBetweenZeroAndOne) {
    const Body body = support::small_body(1);
    EXPECT_NO_THROW(require_valid(Activation{{0, 1, 0.5}}, body, "a"));
    EXPECT_THROW(require_valid(Activation{{0, 1}}, body, "a"), InputError);
    EXPECT_THROW(require_valid(Activation{{0, 1, 1.01}}, body, "a"), InputError);
    EXPECT_THROW(require_valid(Activation{{0, 1, std::nan("")}}, body, "a"), InputError);
}

TEST(Template, ChecksItsParts) {
    Template figure;
    figure.skin = support::sphere(1, 1.0);
    figure.landmarks = {{"vertex", {0, 1, 0}, 3}};
    EXPECT_NO_THROW(require_valid(figure, "figure"));
    figure.landmarks[0].skin_vertex = 1000;
    EXPECT_THROW(require_valid(figure, "figure"), InputError);
}

}  // namespace sinew
