#include "bench/trial_mujoco.h"

#include "sinew/base/error.h"
#include "sinew/base/text.h"
#include "sinew/pipeline/any_model.h"

#include <algorithm>
#include <cstdint>

namespace sinew::bench {

namespace {

bool is_mujoco_file(const std::filesystem::path& file) {
    return lower(file.extension().string()) == ".xml" &&
           file.string().find("myo_sim") != std::string::npos;
}

}  // namespace

MujocoRow try_mujoco(const std::filesystem::path& file, int poses) {
    MujocoRow row{.model = file.filename().string(), .is_written = !is_mujoco_file(file)};
    try {
        const MusculoskeletalModel model = read_any_model(file);
        if (!row.is_written) {
            row.check = check_in_mujoco(file, model, {.poses = poses, .simulates = false});
            return row;
        }
        const std::filesystem::path written =
            std::filesystem::temp_directory_path() /
            ("sinew-trial-" + std::to_string(reinterpret_cast<std::uintptr_t>(&row)) + ".xml");
        write_any_model(written, model, {.has_meshes = false});
        row.check = check_in_mujoco(written, model, {.poses = poses});
        std::filesystem::remove(written);
    } catch (const InputError& e) {
        row.refused = e.what();
    }
    return row;
}

std::vector<MujocoRow> run_mujoco_trial(const std::filesystem::path& data,
                                        const std::vector<std::filesystem::path>& bodies,
                                        const Progress& progress) {
    std::vector<std::filesystem::path> files = bodies;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(data)) {
        const std::filesystem::path& p = entry.path();
        const std::string folder = p.parent_path().filename().string();
        if (p.extension() == ".osim" ||
            (is_mujoco_file(p) && folder != "assets" && folder != "scene")) {
            files.push_back(p);
        }
    }
    std::sort(files.begin(), files.end());
    std::vector<MujocoRow> rows;
    Progress::Stage stage = progress.stage("MuJoCo", files.size());
    for (const std::filesystem::path& file : files) {
        stage.advance();
        rows.push_back(try_mujoco(file));
    }
    return rows;
}

}  // namespace sinew::bench
