#include "sinew/base/error.h"
#include "sinew/render/contact_sheet.h"
#include "sinew/render/draw.h"
#include "sinew/render/plot.h"
#include "sinew/render/render.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "tests/support/shapes.h"

namespace sinew {

namespace {

constexpr Rgb8 kBlack = {0, 0, 0};
constexpr Rgb8 kWhite = {255, 255, 255};

/// Sum of darkness, in pixels of black.
double ink(const Image& image) {
    double sum = 0.0;
    for (const auto byte : image.bytes) {
        sum += (255 - byte) / 255.0 / 3.0;
    }
    return sum;
}

}  // namespace

TEST(Draw, InkEqualsTheAreaOfTheShape) {
    Image rectangle(40, 40);
    fill_rectangle(rectangle, {3.25, 4.5}, {20.75, 30.0}, kBlack);
    EXPECT_NEAR(ink(rectangle), 17.5 * 25.5, 1.0);
    Image disc(60, 60);
    draw_disc(disc, {30.2, 29.7}, 20.0, kBlack);
    EXPECT_NEAR(ink(disc), std::numbers::pi * 400.0, 6.0);
    Image line(80, 60);
    draw_line(line, {10, 10}, {70, 50}, 4.0, kBlack);
    EXPECT_NEAR(ink(line), 4.0 * std::hypot(60.0, 40.0) + std::numbers::pi * 4.0, 6.0);
}

TEST(Draw, OutsideAndNotFiniteIsLeftOut) {
    Image image(10, 10);
    draw_disc(image, {-50, 3}, 5.0, kBlack);
    draw_line(image, {NAN, 3}, {5, 5}, 2.0, kBlack);
    fill_rectangle(image, {-1e30, -1e30}, {-5, 1e30}, kBlack);
    EXPECT_EQ(image, Image(10, 10));
    fill_rectangle(image, {-1e30, -1e30}, {1e30, 1e30}, kBlack);
    EXPECT_EQ(image, Image(10, 10, kBlack));
}

TEST(ColourBar, RunsFromLowAtTheBottomToHighAtTheTop) {
    Image image(140, 200);
    draw_colour_bar(image, {10, 40}, {30, 190},
                    {.map = ColourMap::Grey,
                     .low = 0.0,
                     .high = 10.0,
                     .title = "t",
                     .unit = "mm",
                     .text_size = 14.0});
    EXPECT_GT(image.at(20, 45)[0], 220);
    EXPECT_LT(image.at(20, 185)[0], 60);
    // A tick mark right of the bar at 4 of 10, none at 5.
    EXPECT_LT(image.at(32, 129)[0], 180);
    EXPECT_EQ(image.at(32, 115)[0], 255);
}

TEST(ContactSheet, PicturesStandInTheirCells) {
    std::vector<SheetPicture> pictures;
    for (int i = 0; i < 5; ++i) {
        pictures.push_back({Image(30, 20, {static_cast<std::uint8_t>(10 * i), 0, 0}), ""});
    }
    const Image sheet = contact_sheet(pictures, {.columns = 3, .gap = 4});
    EXPECT_EQ(sheet.width, 4 + 3 * 34);
    EXPECT_EQ(sheet.height, 4 + 2 * 24);
    EXPECT_EQ(sheet.at(4, 4), (Rgb8{0, 0, 0}));
    EXPECT_EQ(sheet.at(4 + 34, 4 + 24), (Rgb8{40, 0, 0}));
    EXPECT_EQ(sheet.at(4 + 68, 4 + 24), kWhite);
    EXPECT_EQ(sheet.at(2, 2), kWhite);
}

TEST(ContactSheet, CaptionsAndTitleGetRoomOfTheirOwn) {
    const std::vector<SheetPicture> plain = {{Image(100, 50, {9, 9, 9}), ""}};
    const std::vector<SheetPicture> named = {
        {Image(100, 50, {9, 9, 9}), "a caption that is far too long for such a narrow picture"}};
    const Image a = contact_sheet(plain, {.gap = 5});
    const Image b = contact_sheet(named, {.gap = 5, .title = "Title"});
    EXPECT_EQ(a.width, b.width);
    EXPECT_GT(b.height, a.height + 40);
    EXPECT_GT(ink(b), ink(a));
    EXPECT_THROW(contact_sheet({}), InputError);
    EXPECT_THROW(contact_sheet(std::vector<SheetPicture>(1)), InputError);
}

// 4 lies half-way between 0 and 8 in both directions.
TEST(Plot, PointsLieWhereTheAxesSay) {
    std::vector<Series> series;
    for (int i = 0; i < 3; ++i) {
        Rgb8 colour = {0, 0, 0};
        colour[static_cast<std::size_t>(i)] = 255;
        series.push_back(
            {.x = {4.0 * i}, .y = {-4.0 * i}, .form = SeriesForm::Dots, .colour = colour});
    }
    const Image image = plot(series, {.width = 400, .height = 300});
    const auto middle = [&](std::size_t channel) {
        Vec2 sum = Vec2::Zero();
        double count = 0.0;
        for (int y = 0; y < image.height; ++y) {
            for (int x = 0; x < image.width; ++x) {
                const Rgb8 p = image.at(x, y);
                if (p[channel] > 250 && p[(channel + 1) % 3] < 10) {
                    sum += Vec2(x, y);
                    count += 1.0;
                }
            }
        }
        return Vec2(sum / count);
    };
    EXPECT_LT((0.5 * (middle(0) + middle(2)) - middle(1)).norm(), 1.0);
    EXPECT_GT(middle(2).x(), middle(0).x() + 200.0);
    EXPECT_GT(middle(2).y(), middle(0).y() + 150.0);  // smaller values are lower
}

TEST(Plot, AnySeriesGivesAPicture) {
    const std::vector<Series> series = {
        {.name = "nothing"},
        {.name = "gaps", .x = {0, 1, 2, 3}, .y = {1, NAN, INFINITY, 2}},
        {.name = "one", .x = {2}, .y = {5}, .form = SeriesForm::Bars}};
    EXPECT_GT(ink(plot(series, {.title = "t", .x_label = "x", .y_label = "y"})), 100.0);
    EXPECT_GT(ink(plot(series, {.log_x = true, .log_y = true})), 100.0);
    EXPECT_GT(ink(plot({}, {})), 100.0);
    EXPECT_GT(ink(plot(series, {.categories = {"a", "b", "c"}})), 100.0);
    EXPECT_NO_THROW(plot(series, {.width = 1, .height = 1}));
    const Series bad[] = {{.x = {1, 2}, .y = {1}}};
    EXPECT_THROW(plot(bad, {}), InputError);
    EXPECT_THROW(plot({}, {.width = 0}), InputError);
}

TEST(Render, ScalarMapsBringAColourBarAndCaptionsTheirLine) {
    Scene scene;
    scene.surfaces.push_back({.mesh = support::sphere(3, 1.0)});
    Attribute a{.name = "height", .values = {}, .unit = "m"};
    for (Eigen::Index i = 0; i < scene.surfaces[0].mesh.points.rows(); ++i) {
        a.values.push_back(scene.surfaces[0].mesh.points(i, 1));
    }
    scene.surfaces[0].mesh.point_data.push_back(a);
    scene.scalar = ScalarMap{.attribute = "height"};
    RenderOptions o;
    o.width = 240;
    o.height = 200;
    o.ground = false;
    o.backdrop = Backdrop::White;
    o.colour_bar = false;
    const Image bare = render(scene, o);
    o.colour_bar = true;
    o.caption = "a ball";
    const Image full = render(scene, o);
    const auto dark_in = [](const Image& image, int x0, int x1, int y0, int y1) {
        int count = 0;
        for (int y = y0; y < y1; ++y) {
            for (int x = x0; x < x1; ++x) {
                count += image.at(x, y)[0] < 150 ? 1 : 0;
            }
        }
        return count;
    };
    EXPECT_EQ(dark_in(bare, 60, 180, 195, 200), 0);
    EXPECT_EQ(dark_in(bare, 215, 240, 0, 200), 0);
    EXPECT_GT(dark_in(full, 60, 180, 184, 198), 10);
    EXPECT_GT(dark_in(full, 185, 240, 40, 150), 50);
    // The ball makes room for both.
    EXPECT_GT(dark_in(full, 30, 160, 20, 160), 500);
}

}  // namespace sinew
