#include "sinew/pipeline/any_model.h"

#include "sinew/base/error.h"
#include "sinew/base/text.h"
#include "sinew/io/archive.h"
#include "sinew/io/model_files.h"
#include "sinew/motion/body_model.h"
#include "sinew/motion/side_points.h"

#include <fmt/format.h>

namespace sinew {

bool is_body_file(const std::filesystem::path& file) {
    return lower(file.extension().string()) == ".sinew";
}

MusculoskeletalModel read_any_model(const std::filesystem::path& file,
                                    const std::filesystem::path& muscles) {
    if (!is_body_file(file)) {
        return read_model(file, muscles);
    }
    if (!muscles.empty()) {
        throw InputError({.where = file.string(),
                          .found = fmt::format("muscles of another file, '{}'", muscles.string()),
                          .needs = "none: a body has its own",
                          .remedy = "leave out the muscles"});
    }
    return model_from_body(read_archive(file));
}

std::vector<std::string> write_any_model(const std::filesystem::path& path,
                                         const MusculoskeletalModel& model, UpAxis up) {
    if (lower(path.extension().string()) != ".xml") {
        return write_model(path, model);
    }
    return write_mjcf(path, with_side_points(model), {.up = up});
}

}  // namespace sinew
