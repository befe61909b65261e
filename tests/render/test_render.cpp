#include "sinew/base/error.h"
#include "sinew/base/parallel.h"
#include "sinew/render/render.h"

#include <gtest/gtest.h>

#include <limits>
#include <numbers>

#include "tests/support/shapes.h"

namespace sinew {

namespace {

SceneSurface ball(double radius, const Vec3& centre, const Colour& colour, int levels = 4) {
    return {.name = "ball", .mesh = support::sphere(levels, radius, centre), .colour = colour};
}

RenderOptions small(int width = 80, int height = 80) {
    RenderOptions o;
    o.width = width;
    o.height = height;
    o.ground = false;
    o.backdrop = Backdrop::White;
    return o;
}

double grey(Rgb8 c) {
    return (c[0] + c[1] + c[2]) / 3.0;
}

/// Pixels that are not white.
double covered(const Image& image) {
    double sum = 0.0;
    for (int y = 0; y < image.height; ++y) {
        for (int x = 0; x < image.width; ++x) {
            sum += image.at(x, y)[2] < 250 ? 1.0 : 0.0;
        }
    }
    return sum;
}

bool is_reddish(Rgb8 c) {
    return c[0] > c[1] + 40 && c[0] > c[2] + 40;
}

bool is_bluish(Rgb8 c) {
    return c[2] > c[0] + 40;
}

const Colour kRed(0.6f, 0.03f, 0.03f);
const Colour kBlue(0.03f, 0.06f, 0.6f);
const Colour kGrey(0.5f, 0.5f, 0.5f);

}  // namespace

// Parallel rays: a ball of radius r pixels covers pi r^2 of them.
TEST(Render, SphereCoversPiRSquaredPixels) {
    Scene scene;
    scene.surfaces.push_back(ball(0.5, {3, 4, 5}, kBlue * 0.2f, 5));
    RenderOptions o = small(200, 200);
    o.field_of_view = 0.0;
    o.margin = 0.1;
    const double r = 80.0;
    const Image image = render(scene, o);
    // Pixels that the rim touches count as whole ones: about a pixel more radius.
    const double low = std::numbers::pi * r * r;
    EXPECT_GT(covered(image), 0.99 * low);
    EXPECT_LT(covered(image), std::numbers::pi * (r + 1.3) * (r + 1.3));
}

TEST(Render, AMarkerOnTheBodysLeftIsOnTheRightOfTheFrontView) {
    Scene scene;
    scene.surfaces.push_back(ball(0.1, {1, 0, 0}, kRed));
    scene.surfaces.push_back(ball(0.1, {-1, 0, 0}, kBlue));
    RenderOptions o = small(120, 60);
    Image image = render(scene, o);
    int red_x = 0;
    int blue_x = 0;
    for (int x = 0; x < 120; ++x) {
        red_x = is_reddish(image.at(x, 30)) ? x : red_x;
        blue_x = is_bluish(image.at(x, 30)) ? x : blue_x;
    }
    EXPECT_GT(red_x, 90);
    EXPECT_GT(blue_x, 0);
    EXPECT_LT(blue_x, 30);
    o.view = View::Back;
    image = render(scene, o);
    EXPECT_TRUE(is_reddish(image.at(10, 30)));
    EXPECT_TRUE(is_bluish(image.at(109, 30)));
    o.view = View::Left;  // the nearer ball hides the other
    image = render(scene, o);
    EXPECT_TRUE(is_reddish(image.at(60, 30)));
}

// The key light stands at the upper left.
TEST(Render, LightComesFromTheUpperLeft) {
    Scene scene;
    scene.surfaces.push_back(ball(1.0, Vec3::Zero(), kGrey));
    const Image image = render(scene, small());
    EXPECT_GT(grey(image.at(28, 28)), grey(image.at(52, 52)) + 10.0);
    EXPECT_GT(grey(image.at(28, 28)), grey(image.at(52, 28)));
}

// A turn of a round body changes nothing: lamps turn with the camera.
TEST(Render, ARoundBodyLooksTheSameFromAllSides) {
    Scene scene;
    scene.surfaces.push_back(ball(1.0, Vec3::Zero(), kGrey));
    RenderOptions o = small();
    const Image front = render(scene, o);
    o.view = View::Left;
    const Image left = render(scene, o);
    double difference = 0.0;
    for (std::size_t i = 0; i < front.bytes.size(); ++i) {
        difference += std::abs(static_cast<double>(front.bytes[i]) - left.bytes[i]);
    }
    EXPECT_LT(difference / static_cast<double>(front.bytes.size()), 0.5);
}

TEST(Render, APointInACorridorIsDarkerThanOneInTheOpen) {
    Scene scene;
    scene.surfaces.push_back({.mesh = support::box({-1, -1, -0.1}, {1, 1, 0}), .colour = kGrey});
    RenderOptions o = small();
    const double open = grey(render(scene, o).at(40, 40));
    scene.surfaces.push_back(
        {.mesh = support::box({-0.5, -1, 0}, {-0.2, 1, 0.8}), .colour = kGrey});
    scene.surfaces.push_back({.mesh = support::box({0.2, -1, 0}, {0.5, 1, 0.8}), .colour = kGrey});
    const Image image = render(scene, o);
    EXPECT_LT(grey(image.at(40, 40)), open - 20.0);
}

TEST(Render, LayersHideParts) {
    Scene scene;
    scene.surfaces.push_back({.kind = "bone", .mesh = support::sphere(3, 0.5), .colour = kBlue});
    scene.surfaces.push_back({.kind = "skin", .mesh = support::sphere(3, 1.0), .colour = kRed});
    RenderOptions o = small();
    EXPECT_TRUE(is_reddish(render(scene, o).at(40, 40)));
    o.layers = "bones";
    EXPECT_TRUE(is_bluish(render(scene, o).at(40, 40)));
    o.layers = "muscles";
    EXPECT_EQ(render(scene, o), Image(80, 80));
}

TEST(Render, TransparentSkinShowsTheBoneAndKeepsItsOutline) {
    Scene scene;
    scene.surfaces.push_back({.kind = "bone", .mesh = support::sphere(3, 0.5), .colour = kBlue});
    scene.surfaces.push_back({.kind = "skin", .mesh = support::sphere(4, 1.0), .colour = kRed});
    RenderOptions o = small();
    o.skin_opacity = 0.15;
    const Image image = render(scene, o);
    EXPECT_TRUE(is_bluish(image.at(40, 40)));
    // Beside the bone the skin is a tint, at its outline it is denser.
    const Rgb8 middle = image.at(40, 13);
    const Rgb8 rim = image.at(40, 6);
    EXPECT_LT(middle[1], 252);
    EXPECT_GT(middle[1], 150);
    EXPECT_LT(rim[1], middle[1]);
    o.skin_opacity = 0.0;
    EXPECT_EQ(render(scene, o).at(40, 10), (Rgb8{255, 255, 255}));
}

TEST(Render, ACutRemovesTheHalfAndFillsClosedParts) {
    Scene scene;
    scene.surfaces.push_back({.kind = "bone", .mesh = support::sphere(4, 0.5), .colour = kBlue});
    scene.surfaces.push_back({.kind = "muscle", .mesh = support::sphere(4, 1.0), .colour = kRed});
    RenderOptions o = small();
    o.cut = CutSide::Front;
    const Image image = render(scene, o);
    EXPECT_TRUE(is_bluish(image.at(40, 40)));   // inside the bone
    EXPECT_TRUE(is_reddish(image.at(40, 13)));  // inside the muscle
    // The cut face is flat: the same light everywhere on it.
    EXPECT_NEAR(grey(image.at(40, 13)), grey(image.at(66, 40)), 4.0);
    o.cut_layers = "muscles";  // the bone stays whole and stands out
    EXPECT_TRUE(is_bluish(render(scene, o).at(40, 40)));
    EXPECT_NE(render(scene, o), image);
    o.cut_layers = "";
    o.cut = CutSide::Left;  // seen from the left: the cut face again
    o.view = View::Left;
    EXPECT_TRUE(is_bluish(render(scene, o).at(40, 40)));
    o.cut_at = -2.0;  // everything is cut away
    EXPECT_EQ(render(scene, o), Image(80, 80));
}

TEST(Render, OpenSurfacesAreNotFilledByACut) {
    Scene scene;
    TriangleMesh bowl = support::sphere(3, 1.0);
    bowl.triangles.conservativeResize(bowl.triangles.rows() - 1, 3);
    scene.surfaces.push_back({.mesh = bowl, .colour = kRed});
    scene.surfaces.push_back({.mesh = support::sphere(2, 0.2, {0, 0, -0.5}), .colour = kBlue});
    RenderOptions o = small();
    o.cut = CutSide::Front;
    EXPECT_TRUE(is_bluish(render(scene, o).at(40, 40)));
}

TEST(Render, TheSameBytesOnOneAndTwoThreads) {
    Scene scene;
    scene.surfaces.push_back({.kind = "bone", .mesh = support::torus(1.0, 0.3, 40, 60)});
    scene.surfaces.push_back({.kind = "muscle", .mesh = support::torus(1.0, 0.3, 40, 60)});
    scene.surfaces.push_back({.kind = "skin", .mesh = support::sphere(4, 1.5)});
    scene.lines.push_back(
        {.lines = {{Vec3(-1, 0, 1), Vec3(0, 1, 1), Vec3(1, 0, 1)}}, .radius = 0.05});
    RenderOptions o = small(150, 100);
    o.ground = true;
    o.skin_opacity = 0.3;
    std::vector<Image> images;
    for (const int threads : {1, 2, 4}) {
        const ThreadLimit limit(threads);
        images.push_back(render(scene, o));
    }
    EXPECT_EQ(images[0], images[1]);
    EXPECT_EQ(images[0], images[2]);
}

TEST(Render, VertexColoursAndScalarsAreShown) {
    Scene scene;
    scene.surfaces.push_back({.mesh = support::sphere(3, 1.0)});
    TriangleMesh& mesh = scene.surfaces[0].mesh;
    Attribute colours{.name = "colour", .components = 3, .values = {}};
    Attribute height{.name = "height", .values = {}, .unit = "m"};
    for (Eigen::Index i = 0; i < mesh.points.rows(); ++i) {
        const Colour& c = mesh.points(i, 0) > 0 ? kRed : kBlue;
        colours.values.insert(colours.values.end(), {c[0], c[1], c[2]});
        height.values.push_back(mesh.points(i, 1));
    }
    mesh.point_data = {colours, height};
    Image image = render(scene, small());
    EXPECT_TRUE(is_reddish(image.at(60, 40)));
    EXPECT_TRUE(is_bluish(image.at(20, 40)));
    scene.scalar = ScalarMap{.attribute = "height", .map = ColourMap::Diverging};
    image = render(scene, small());
    EXPECT_GT(image.at(40, 12)[0], image.at(40, 12)[2]);  // high: red
    EXPECT_LT(image.at(40, 68)[0], image.at(40, 68)[2]);  // low: blue
}

TEST(Render, MusclesTurnPaleWhereTheyAreTendon) {
    Scene scene;
    scene.surfaces.push_back({.name = "m", .kind = "muscle", .mesh = support::sphere(4, 1.0)});
    TriangleMesh& mesh = scene.surfaces[0].mesh;
    Attribute tendon{.name = "tendon", .values = {}};
    for (Eigen::Index i = 0; i < mesh.points.rows(); ++i) {
        tendon.values.push_back(mesh.points(i, 0) > 0 ? 1.0 : 0.0);
    }
    mesh.point_data.push_back(tendon);
    const Image image = render(scene, small());
    EXPECT_TRUE(is_reddish(image.at(20, 40)));
    EXPECT_FALSE(is_reddish(image.at(60, 40)));
}

TEST(Render, WireframeDarkensEdgesOnly) {
    Scene scene;
    scene.surfaces.push_back({.mesh = support::open_square(2), .colour = kGrey});
    RenderOptions o = small();
    o.margin = 0.0;
    const Image plain = render(scene, o);
    o.wireframe = true;
    const Image wired = render(scene, o);
    EXPECT_LT(grey(wired.at(40, 25)), grey(plain.at(40, 25)) - 15.0);
    EXPECT_NEAR(grey(wired.at(30, 25)), grey(plain.at(30, 25)), 3.0);
}

TEST(Render, LinesAndDotsAreDrawn) {
    Scene scene;
    scene.lines.push_back(
        {.lines = {{Vec3(-1, 0, 0), Vec3(1, 0, 0)}}, .radius = 0.1, .colour = kRed});
    scene.dots.push_back({.points = {Vec3(0, 0.8, 0)}, .radius = 0.1, .colour = kBlue});
    scene.dots.push_back({.points = {Vec3(0, -0.8, 0)}, .radius = 0.1, .colours = {kRed}});
    RenderOptions o = small(81, 81);
    o.field_of_view = 0.0;
    const Image image = render(scene, o);
    EXPECT_TRUE(is_reddish(image.at(20, 40)));
    EXPECT_TRUE(is_reddish(image.at(60, 40)));
    EXPECT_TRUE(is_bluish(image.at(40, 14)));
    EXPECT_TRUE(is_reddish(image.at(40, 67)));
    EXPECT_EQ(image.at(20, 20), (Rgb8{255, 255, 255}));
}

TEST(Render, FocusFillsThePictureWithOnePart) {
    Scene scene;
    scene.surfaces.push_back(
        {.name = "near_l", .mesh = support::sphere(3, 0.1, {1, 0, 0}), .colour = kRed});
    scene.surfaces.push_back(
        {.name = "far", .mesh = support::sphere(3, 0.1, {-1, 0, 0}), .colour = kBlue});
    RenderOptions o = small();
    o.focus = "near";
    EXPECT_TRUE(is_reddish(render(scene, o).at(40, 40)));
    EXPECT_TRUE(is_reddish(render(scene, o).at(15, 40)));
    o.focus = "nowhere";
    EXPECT_THROW(render(scene, o), InputError);
}

TEST(Render, NothingIsAnEmptyBackdrop) {
    EXPECT_EQ(render(Scene{}, small()), Image(80, 80));
    Scene scene;
    scene.surfaces.push_back({.name = "no triangles"});
    EXPECT_EQ(render(scene, small()), Image(80, 80));
    RenderOptions o = small();
    o.ground = true;
    o.backdrop = Backdrop::Studio;
    EXPECT_GT(grey(render(Scene{}, o).at(40, 34)), 240.0);
}

TEST(Render, OnePixelIsAPicture) {
    Scene scene;
    scene.surfaces.push_back(ball(1.0, Vec3::Zero(), kRed));
    const Rgb8 pixel = render(scene, small(1, 1)).at(0, 0);
    EXPECT_GT(pixel[0], pixel[1]);  // red and some of the white around it
    EXPECT_LT(pixel[1], 250);
}

TEST(Render, SceneSizeAndPlaceDoNotMatter) {
    Scene unit;
    unit.surfaces.push_back({.mesh = support::torus(1.0, 0.3, 30, 40), .colour = kRed});
    const Image expected = render(unit, small());
    for (const double scale : {1e-6, 1e6}) {
        Scene other = unit;
        other.surfaces[0].mesh.points *= scale;
        other.surfaces[0].mesh.points.rowwise() += Eigen::RowVector3d(3, 4, 5) * scale;
        const Image image = render(other, small());
        double difference = 0.0;
        for (std::size_t i = 0; i < image.bytes.size(); ++i) {
            difference += std::abs(static_cast<double>(image.bytes[i]) - expected.bytes[i]);
        }
        EXPECT_LT(difference / static_cast<double>(image.bytes.size()), 0.5) << scale;
    }
}

TEST(Render, BadInputIsRefused) {
    Scene scene;
    scene.surfaces.push_back(ball(1.0, Vec3::Zero(), kRed));
    RenderOptions huge = small(60'000, 60'000);
    EXPECT_THROW(render(scene, huge), InputError);
    EXPECT_THROW(render(scene, small(0, 10)), InputError);
    RenderOptions layers = small();
    layers.layers = "bonse";
    EXPECT_THROW(render(scene, layers), InputError);
    RenderOptions exposure = small();
    exposure.exposure = std::numeric_limits<double>::quiet_NaN();
    EXPECT_THROW(render(scene, exposure), InputError);
    scene.surfaces[0].mesh.points(0, 0) = std::numeric_limits<double>::quiet_NaN();
    EXPECT_THROW(render(scene, small()), InputError);
    scene.surfaces[0].mesh.points(0, 0) = 1e300;
    EXPECT_THROW(render(scene, small()), InputError);
}

TEST(Render, CanBeCancelled) {
    Scene scene;
    scene.surfaces.push_back(ball(1.0, Vec3::Zero(), kRed));
    const Progress progress;
    progress.cancel();
    EXPECT_THROW(render(scene, small(), progress), Cancelled);
}

}  // namespace sinew
