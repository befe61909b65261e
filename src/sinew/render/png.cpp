#include "sinew/render/png.h"

#include "sinew/base/error.h"

#include <fmt/format.h>
#include <png.h>

#include <algorithm>
#include <cstring>

namespace sinew {

namespace {

/// libpng's simplified interface keeps errors in `message` instead of jumping; this frees it.
struct PngImage {
    png_image image = {};
    PngImage() {
        image.version = PNG_IMAGE_VERSION;
    }
    ~PngImage() {
        png_image_free(&image);
    }
    PngImage(const PngImage&) = delete;
    PngImage& operator=(const PngImage&) = delete;
};

[[noreturn]] void refuse(std::string_view where, const char* message) {
    throw InputError({.where = std::string(where),
                      .found = fmt::format("bytes that are no readable PNG ({})", message),
                      .needs = "a complete PNG file",
                      .remedy = "write the picture again"});
}

}  // namespace

std::string encode_png(const Image& image) {
    require_picture_size(image.width, image.height, "PNG picture");
    PngImage png;
    png.image.width = static_cast<png_uint_32>(image.width);
    png.image.height = static_cast<png_uint_32>(image.height);
    png.image.format = PNG_FORMAT_RGB;
    // The bound is generous; one pass writes, then the string is cut to what was used.
    png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(png.image);
    std::string bytes(size, '\0');
    if (png_image_write_to_memory(&png.image, bytes.data(), &size, 0, image.bytes.data(), 0,
                                  nullptr) == 0) {
        throw std::runtime_error(fmt::format("PNG writing failed: {}", png.image.message));
    }
    bytes.resize(size);
    return bytes;
}

Image decode_png(std::string_view bytes, std::string_view where) {
    PngImage png;
    if (png_image_begin_read_from_memory(&png.image, bytes.data(), bytes.size()) == 0) {
        refuse(where, png.image.message);
    }
    require_picture_size(png.image.width, png.image.height, std::string(where).c_str());
    png.image.format = PNG_FORMAT_RGB;
    Image result(static_cast<int>(png.image.width), static_cast<int>(png.image.height));
    const png_color white = {255, 255, 255};
    if (png_image_finish_read(&png.image, &white, result.bytes.data(), 0, nullptr) == 0) {
        refuse(where, png.image.message);
    }
    return result;
}

}  // namespace sinew
