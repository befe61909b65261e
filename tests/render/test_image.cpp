#include "sinew/base/error.h"
#include "sinew/base/random.h"
#include "sinew/render/image.h"
#include "sinew/render/png.h"

#include <gtest/gtest.h>

namespace sinew {

namespace {

Image noise(int width, int height) {
    Image image(width, height);
    Random random(Seed{5});
    for (auto& byte : image.bytes) {
        byte = static_cast<std::uint8_t>(random.below(256));
    }
    return image;
}

}  // namespace

TEST(Image, SizesThatCannotBeAreRefused) {
    EXPECT_THROW(Image(0, 5), InputError);
    EXPECT_THROW(Image(5, -1), InputError);
    EXPECT_THROW(Image(2'000'000'000, 2'000'000'000), InputError);
    EXPECT_THROW(Image(20'000, 20'000), InputError);
    EXPECT_EQ(Image(1, 1).bytes.size(), 3u);
}

TEST(Image, PasteLeavesOutWhatHangsOver) {
    Image board(4, 3, {0, 0, 0});
    paste(board, Image(3, 3, {9, 8, 7}), 2, -2);
    EXPECT_EQ(board.at(2, 0), (Rgb8{9, 8, 7}));
    EXPECT_EQ(board.at(3, 0), (Rgb8{9, 8, 7}));
    EXPECT_EQ(board.at(1, 0), (Rgb8{0, 0, 0}));
    EXPECT_EQ(board.at(2, 1), (Rgb8{0, 0, 0}));
    paste(board, Image(1, 1), 10, 10);
    paste(board, Image(1, 1), -10, -10);
}

TEST(Image, ResizingAnEvenPictureKeepsItsColour) {
    const Image even(7, 5, {120, 30, 200});
    for (const auto& [w, h] : {std::pair{3, 9}, {1, 1}, {20, 2}}) {
        EXPECT_EQ(resized(even, w, h), Image(w, h, {120, 30, 200}));
    }
}

// Half black, half white is half the light: 0.5 linear is 188 in sRGB.
TEST(Image, ResizingAveragesLightNotBytes) {
    Image two(2, 1, {0, 0, 0});
    two.set(1, 0, {255, 255, 255});
    EXPECT_EQ(resized(two, 1, 1).at(0, 0)[0], 188);
}

TEST(Png, WhatIsEncodedIsDecoded) {
    for (const auto& [w, h] : {std::pair{1, 1}, {37, 21}, {3, 200}}) {
        const Image image = noise(w, h);
        EXPECT_EQ(decode_png(encode_png(image)), image);
    }
}

TEST(Png, DamagedBytesAreRefused) {
    const std::string good = encode_png(noise(30, 30));
    EXPECT_THROW(decode_png(""), InputError);
    EXPECT_THROW(decode_png("not a picture"), InputError);
    EXPECT_THROW(decode_png(std::string_view(good).substr(0, good.size() / 2)), InputError);
    EXPECT_THROW(encode_png(Image()), InputError);
}

}  // namespace sinew
