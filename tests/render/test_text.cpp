#include "sinew/base/error.h"
#include "sinew/render/text.h"

#include <gtest/gtest.h>

namespace sinew {

namespace {

/// Bounds of what differs from white, as {left, top, right, bottom}; right < left when nothing
/// does.
struct Ink {
    int left = 1 << 20;
    int top = 1 << 20;
    int right = -1;
    int bottom = -1;
};

Ink ink_of(const Image& image) {
    Ink ink;
    for (int y = 0; y < image.height; ++y) {
        for (int x = 0; x < image.width; ++x) {
            if (image.at(x, y)[0] < 200) {
                ink = {std::min(ink.left, x), std::min(ink.top, y), std::max(ink.right, x),
                       std::max(ink.bottom, y)};
            }
        }
    }
    return ink;
}

}  // namespace

TEST(Text, WidthAddsUpAndScalesWithSize) {
    const double one = text_width("H", 20.0);
    EXPECT_GT(one, 8.0);
    EXPECT_LT(one, 20.0);
    EXPECT_NEAR(text_width("HHHH", 20.0), 4.0 * one, 0.01);
    EXPECT_NEAR(text_width("H", 40.0), 2.0 * one, 0.1);
    EXPECT_EQ(text_width("", 20.0), 0.0);
}

TEST(Text, LettersStandOnTheBaseLine) {
    Image image(100, 60);
    draw_text(image, "HHH", 10.0, 40.0, {.size = 24.0});
    const Ink ink = ink_of(image);
    EXPECT_NEAR(ink.bottom, 39, 1);
    EXPECT_NEAR(ink.top, 40 - 0.73 * 24.0, 1.5);  // capitals of this font are 0.73 of its size
    EXPECT_GE(ink.left, 10);
    EXPECT_LE(ink.right, 10 + text_width("HHH", 24.0));
}

TEST(Text, AlignmentSetsWhichPointIsMeant) {
    for (const auto& [align, centre] : {std::pair{TextAlign::Left, 100.0 + 0.5},
                                        {TextAlign::Centre, 100.0},
                                        {TextAlign::Right, 100.0 - 0.5}}) {
        Image image(200, 60);
        draw_text(image, "MMMM", 100.0, 40.0, {.size = 24.0, .align = align});
        const double half = 0.5 * text_width("MMMM", 24.0);
        const Ink ink = ink_of(image);
        EXPECT_NEAR(0.5 * (ink.left + ink.right + 1), 100.0 + 2.0 * (centre - 100.0) * half, 1.5);
    }
}

TEST(Text, VerticalTextReadsUpwards) {
    Image image(60, 200);
    draw_text(image, "HHHH", 40.0, 150.0, {.size = 24.0, .is_vertical = true});
    const Ink ink = ink_of(image);
    EXPECT_LE(ink.bottom, 150);
    EXPECT_NEAR(ink.top, 150 - text_width("HHHH", 24.0), 4.0);
    EXPECT_NEAR(ink.right, 39, 1);
}

TEST(Text, AnyBytesCanBeDrawnAndNothingOutsideIsTouched) {
    Image image(30, 20);
    draw_text(image,
              "\xff\xc3(\xe2\x82 gr\xc3\xb6\xc3\x9f"
              "e \xf0\x9f\x98\x80",
              -5.0, 15.0, {.size = 12.0});
    EXPECT_GE(ink_of(image).right, 0);
    Image blank(30, 20);
    draw_text(blank, "far", 1e30, -1e30, {.size = 12.0});
    EXPECT_EQ(blank, Image(30, 20));
    EXPECT_THROW(draw_text(blank, "x", 0, 0, {.size = 0.0}), InputError);
    EXPECT_THROW(draw_text(blank, "x", 0, 0, {.size = 1e9}), InputError);
}

}  // namespace sinew
