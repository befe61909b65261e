#include "sinew/pipeline/any_model.h"

#include "sinew/base/error.h"
#include "sinew/base/text.h"
#include "sinew/io/archive.h"
#include "sinew/io/bvh.h"
#include "sinew/io/model_files.h"
#include "sinew/io/motion_table.h"
#include "sinew/motion/body_model.h"
#include "sinew/motion/recorded_motion.h"

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

MotionTable read_motion(const std::filesystem::path& file, const std::string& unit,
                        const MusculoskeletalModel& model) {
    // Messages about the motion name the file.
    const std::string name = file.filename().string();
    if (lower(file.extension().string()) != ".bvh") {
        MotionTable table = read_motion_table(file);
        table.name = name;
        return table;
    }
    MotionClip clip = read_bvh(file, {.unit = unit_from_name(unit)});
    clip.name = name;
    return coordinates_of_clip(model, clip);
}

}  // namespace sinew
