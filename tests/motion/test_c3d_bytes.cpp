// C3D files laid out byte by byte after the C3D user guide's tables of the header, the parameter
// section and the data section, in both orders of bytes, with integers, floats and those of DEC. No
// packaged program that writes such files was at hand; this shares nothing with the maker in
// tests/support.

#include "sinew/io/byte_reader.h"
#include "sinew/io/c3d.h"
#include "sinew/io/c3d_parameters.h"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cstdint>
#include <string>

namespace sinew {
namespace {

constexpr std::size_t kBlock = 512;

struct Layout {
    bool is_big;      // MIPS, processor 86; else Intel, 84
    bool is_integer;  // POINT:SCALE > 0
    bool is_dec = false;
};

class Bytes {
public:
    explicit Bytes(bool is_big, bool is_dec)
        : is_big_(is_big), is_dec_(is_dec), text_(4 * kBlock, '\0') {}

    void word(std::size_t at, std::uint16_t value) {
        const auto low = static_cast<char>(value & 0xFF);
        const auto high = static_cast<char>(value >> 8);
        text_[at] = is_big_ ? high : low;
        text_[at + 1] = is_big_ ? low : high;
    }
    void real(std::size_t at, float value) {
        if (is_dec_) {
            // Four times as much has the bits of F_floating; its words stand upper first.
            const auto bits = std::bit_cast<std::uint32_t>(4.0F * value);
            word(at, static_cast<std::uint16_t>(bits >> 16));
            word(at + 2, static_cast<std::uint16_t>(bits & 0xFFFF));
            return;
        }
        const auto bits = std::bit_cast<std::uint32_t>(value);
        for (std::size_t k = 0; k < 4; ++k) {
            text_[at + (is_big_ ? 3 - k : k)] = static_cast<char>((bits >> (8 * k)) & 0xFF);
        }
    }
    void byte(std::size_t at, int value) {
        text_[at] = static_cast<char>(value);
    }
    void text(std::size_t at, const std::string& value) {
        text_.replace(at, value.size(), value);
    }
    const std::string& all() const {
        return text_;
    }

private:
    bool is_big_;
    bool is_dec_;
    std::string text_;
};

// Two markers, two frames, 50 per second, millimetres: the second marker is lost in frame 2.
constexpr std::array<std::array<float, 3>, 2> kFirst = {
    {{100.0F, 250.0F, 1000.0F}, {-50.0F, 20.0F, 905.0F}}};

std::string file_of(const Layout& layout) {
    const float scale = layout.is_integer ? 0.5F : -0.5F;
    Bytes b(layout.is_big, layout.is_dec);
    // Header: words counted from 1, as in the guide.
    const auto word_at = [](int number) { return 2 * static_cast<std::size_t>(number - 1); };
    b.byte(0, 2);     // the parameter section begins in block 2
    b.byte(1, 0x50);  // a C3D file
    b.word(word_at(2), 2);
    b.word(word_at(3), 0);
    b.word(word_at(4), 1);
    b.word(word_at(5), 2);
    b.word(word_at(6), 10);
    b.real(word_at(7), scale);
    b.word(word_at(9), 4);  // data begin in block 4
    b.word(word_at(10), 0);
    b.real(word_at(11), 50.0F);
    // Parameters.
    std::size_t at = kBlock;
    b.byte(at, 1);
    b.byte(at + 1, 0x50);
    b.byte(at + 2, 2);  // blocks
    b.byte(at + 3, layout.is_big ? 86 : layout.is_dec ? 85 : 84);
    at += 4;
    const auto head = [&](int group, const std::string& name, std::size_t rest) {
        b.byte(at, static_cast<int>(name.size()));
        b.byte(at + 1, group);
        b.text(at + 2, name);
        at += 2 + name.size();
        b.word(at, static_cast<std::uint16_t>(2 + rest));
        at += 2;
    };
    head(-1, "POINT", 1);
    b.byte(at, 0);
    at += 1;
    const auto integer = [&](const std::string& name, int value) {
        head(1, name, 5);
        b.byte(at, 2);
        b.byte(at + 1, 0);
        b.word(at + 2, static_cast<std::uint16_t>(value));
        b.byte(at + 4, 0);
        at += 5;
    };
    const auto number = [&](const std::string& name, float value) {
        head(1, name, 7);
        b.byte(at, 4);
        b.byte(at + 1, 0);
        b.real(at + 2, value);
        b.byte(at + 6, 0);
        at += 7;
    };
    const auto words = [&](const std::string& name, int width, int count, const std::string& all) {
        head(1, name, 5 + all.size());
        b.byte(at, -1);
        b.byte(at + 1, 2);
        b.byte(at + 2, width);
        b.byte(at + 3, count);
        b.text(at + 4, all);
        at += 5 + all.size();
    };
    integer("USED", 2);
    integer("FRAMES", 2);
    integer("DATA_START", 4);
    number("SCALE", scale);
    number("RATE", 50.0F);
    words("UNITS", 2, 1, "mm");
    words("LABELS", 4, 2, "RASILASI");
    b.byte(at, 0);  // the end
    // Data: x, y, z and a word with the residual, negative where the marker is not seen.
    at = 3 * kBlock;
    for (int frame = 0; frame < 2; ++frame) {
        for (std::size_t marker = 0; marker < 2; ++marker) {
            const bool is_lost = frame == 1 && marker == 1;
            for (std::size_t k = 0; k < 4; ++k) {
                const float value =
                    k < 3 ? kFirst[marker][k] + 10.0F * static_cast<float>(frame) : 0.0F;
                const float written = is_lost ? (k < 3 ? 0.0F : -1.0F) : value;
                if (layout.is_integer) {
                    const float stored = k < 3 ? written / 0.5F : written;
                    b.word(at, static_cast<std::uint16_t>(static_cast<std::int16_t>(stored)));
                    at += 2;
                } else {
                    b.real(at, written);
                    at += 4;
                }
            }
        }
    }
    return b.all();
}

TEST(C3dBytes, BothOrdersOfBytesAndBothKindsOfNumbersAreRead) {
    for (const Layout& layout :
         {Layout{false, false}, Layout{false, true}, Layout{true, false}, Layout{true, true}}) {
        const C3dData data = parse_c3d(file_of(layout), "guide.c3d", 'y');
        ASSERT_EQ(data.markers.names, (std::vector<std::string>{"RASI", "LASI"}));
        ASSERT_EQ(data.markers.times.size(), 2U);
        EXPECT_NEAR(data.markers.times[1] - data.markers.times[0], 0.02, 1e-9);
        EXPECT_LT((data.markers.at(0, 0) - Vec3(0.1, 0.25, 1.0)).norm(), 1e-6);
        EXPECT_LT((data.markers.at(0, 1) - Vec3(-0.05, 0.02, 0.905)).norm(), 1e-6);
        EXPECT_LT((data.markers.at(1, 0) - Vec3(0.11, 0.26, 1.01)).norm(), 1e-6);
        EXPECT_FALSE(data.markers.at(1, 1).allFinite());
    }
}

// Bits of F_floating as the VAX architecture handbook gives them: 1.0 is 4080 hexadecimal in the
// first word, pi 4049 0FDB in IEEE and so 4149 0FDB here.
TEST(C3dBytes, FloatsOfADecComputerAreRead) {
    const C3dData data =
        parse_c3d(file_of({.is_big = false, .is_integer = false, .is_dec = true}), "dec.c3d", 'y');
    ASSERT_EQ(data.markers.times.size(), 2U);
    EXPECT_NEAR(data.markers.times[1] - data.markers.times[0], 0.02, 1e-9);
    EXPECT_LT((data.markers.at(0, 0) - Vec3(0.1, 0.25, 1.0)).norm(), 1e-6);
    EXPECT_LT((data.markers.at(0, 1) - Vec3(-0.05, 0.02, 0.905)).norm(), 1e-6);
    EXPECT_FALSE(data.markers.at(1, 1).allFinite());
    const std::string one("\x80\x40\0\0\x49\x41\xDB\x0F\0\0\0\0", 12);
    ByteReader in(one, "numbers");
    EXPECT_EQ(detail::read_c3d_float(in, true, "1"), 1.0);
    EXPECT_NEAR(detail::read_c3d_float(in, true, "pi"), 3.14159265, 1e-6);
    EXPECT_EQ(detail::read_c3d_float(in, true, "0"), 0.0);
}

}  // namespace
}  // namespace sinew
