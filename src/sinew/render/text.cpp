#include "sinew/render/text.h"

#include "sinew/base/error.h"

#include <fmt/format.h>
#include <ft2build.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <vector>
#include FT_FREETYPE_H

// The font's bytes, from font_data.cpp.
extern "C" const unsigned char sinew_font_begin[];
extern "C" const unsigned char sinew_font_end[];

namespace sinew {

namespace {

/// One size of the built-in font.
class Font {
public:
    explicit Font(double size) {
        if (!(size >= 4.0 && size <= 2000.0)) {
            throw InputError({.where = "text of a picture",
                              .found = fmt::format("size {} pixels", size),
                              .needs = "a size from 4 to 2000 pixels",
                              .remedy = "choose another size of text or picture"});
        }
        const auto bytes = static_cast<FT_Long>(sinew_font_end - sinew_font_begin);
        if (FT_Init_FreeType(&library_) != 0) {
            throw std::runtime_error("the font library did not start");
        }
        if (FT_New_Memory_Face(library_, sinew_font_begin, bytes, 0, &face_) != 0 ||
            FT_Set_Char_Size(face_, 0, static_cast<FT_F26Dot6>(std::lround(64.0 * size)), 72, 72) !=
                0) {
            FT_Done_FreeType(library_);
            throw std::runtime_error("the built-in font is not readable");
        }
    }
    ~Font() {
        FT_Done_Face(face_);
        FT_Done_FreeType(library_);
    }
    Font(const Font&) = delete;
    Font& operator=(const Font&) = delete;

    double advance(std::uint32_t letter) const {
        FT_Set_Transform(face_, nullptr, nullptr);
        if (FT_Load_Char(face_, letter, FT_LOAD_NO_HINTING) != 0) {
            return 0.0;
        }
        return static_cast<double>(face_->glyph->linearHoriAdvance) / 65536.0;
    }

    /// Draws one letter with its base point at (x, y).
    void draw(Image& image, std::uint32_t letter, double x, double y, const TextStyle& style) const;

private:
    FT_Library library_ = nullptr;
    FT_Face face_ = nullptr;
};

void Font::draw(Image& image, std::uint32_t letter, double x, double y,
                const TextStyle& style) const {
    // The outline is shifted by the part of a pixel, so letters keep even distances.
    const double left = std::floor(x);
    const double base = std::floor(y);
    FT_Matrix turn = {0x10000L, 0, 0, 0x10000L};
    if (style.is_vertical) {
        turn = {0, -0x10000L, 0x10000L, 0};
    }
    FT_Vector shift = {std::lround(64.0 * (x - left)), -std::lround(64.0 * (y - base))};
    FT_Set_Transform(face_, &turn, &shift);
    if (FT_Load_Char(face_, letter, FT_LOAD_NO_HINTING | FT_LOAD_RENDER) != 0) {
        return;
    }
    const FT_GlyphSlot glyph = face_->glyph;
    const FT_Bitmap& map = glyph->bitmap;
    for (unsigned row = 0; row < map.rows; ++row) {
        const int yy = static_cast<int>(base) - glyph->bitmap_top + static_cast<int>(row);
        for (unsigned column = 0; column < map.width; ++column) {
            const int xx = static_cast<int>(left) + glyph->bitmap_left + static_cast<int>(column);
            if (xx < 0 || yy < 0 || xx >= image.width || yy >= image.height) {
                continue;
            }
            const int ink = map.buffer[static_cast<std::ptrdiff_t>(row) * map.pitch + column];
            Rgb8 pixel = image.at(xx, yy);
            for (std::size_t c = 0; c < 3; ++c) {
                pixel[c] = static_cast<std::uint8_t>(
                    (pixel[c] * (255 - ink) + style.colour[c] * ink + 127) / 255);
            }
            image.set(xx, yy, pixel);
        }
    }
}

constexpr std::uint32_t kReplacement = 0xfffd;

/// Letters of UTF-8 text; every byte that fits nowhere becomes a replacement sign.
std::vector<std::uint32_t> letters_of(std::string_view text) {
    std::vector<std::uint32_t> letters;
    for (std::size_t i = 0; i < text.size();) {
        const auto lead = static_cast<unsigned char>(text[i]);
        const std::size_t more = lead < 0x80                    ? 0
                                 : lead >= 0xc2 && lead < 0xe0  ? 1
                                 : lead >= 0xe0 && lead < 0xf0  ? 2
                                 : lead >= 0xf0 && lead <= 0xf4 ? 3
                                                                : 9;
        if (more == 0) {
            letters.push_back(lead);
            ++i;
            continue;
        }
        std::uint32_t letter = more == 9 ? 0 : lead & (0x3fu >> more);
        bool is_whole = more != 9 && i + more < text.size();
        for (std::size_t k = 1; is_whole && k <= more; ++k) {
            const auto byte = static_cast<unsigned char>(text[i + k]);
            is_whole = (byte & 0xc0) == 0x80;
            letter = (letter << 6) | (byte & 0x3fu);
        }
        letters.push_back(is_whole ? letter : kReplacement);
        i += is_whole ? more + 1 : 1;
    }
    return letters;
}

double width_of(const Font& font, const std::vector<std::uint32_t>& letters) {
    double width = 0.0;
    for (const std::uint32_t letter : letters) {
        width += font.advance(letter);
    }
    return width;
}

}  // namespace

double text_width(std::string_view text, double size) {
    const Font font(size);
    return width_of(font, letters_of(text));
}

void draw_text(Image& image, std::string_view text, double x, double y, const TextStyle& style) {
    const Font font(style.size);
    const std::vector<std::uint32_t> letters = letters_of(text);
    double along = 0.0;
    if (style.align != TextAlign::Left) {
        along = -width_of(font, letters) * (style.align == TextAlign::Centre ? 0.5 : 1.0);
    }
    for (const std::uint32_t letter : letters) {
        const double px = style.is_vertical ? x : x + along;
        const double py = style.is_vertical ? y - along : y;
        // Far outside nothing shows, and far numbers do not fit a pixel index.
        if (std::abs(px) < 1e7 && std::abs(py) < 1e7) {
            font.draw(image, letter, px, py, style);
        }
        along += font.advance(letter);
    }
}

}  // namespace sinew
