#include "sinew/pipeline/any_model.h"

#include "sinew/base/text.h"
#include "sinew/io/archive.h"
#include "sinew/io/model_files.h"
#include "sinew/motion/body_model.h"

namespace sinew {

bool is_body_file(const std::filesystem::path& file) {
    return lower(file.extension().string()) == ".sinew";
}

MusculoskeletalModel read_any_model(const std::filesystem::path& file,
                                    const std::filesystem::path& muscles) {
    return is_body_file(file) ? model_from_body(read_archive(file)) : read_model(file, muscles);
}

}  // namespace sinew
