#include "sinew/io/atlas_files.h"
#include "sinew/io/character_files.h"
#include "sinew/io/composition_files.h"
#include "sinew/io/csv_file.h"
#include "sinew/io/joint_names_file.h"
#include "sinew/io/landmark_file.h"
#include "sinew/io/muscle_size_files.h"
#include "sinew/io/people_files.h"
#include "sinew/io/shape_space_file.h"

#include "tests/fuzz/fuzz_reader.h"
#include "tests/fuzz/fuzz_targets.h"

/// Hand-written JSON documents: manifests of atlases, skeletons and motions of characters, tables
/// of joint names, regressors of body composition, measures and muscles of people, landmarks, shape
/// spaces; and tables of comma separated values.
int sinew::fuzz::feed_documents(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    sinew::fuzz::may_refuse([&] { sinew::parse_atlas_manifest(text, "fuzz"); });
    sinew::fuzz::may_refuse([&] {
        const sinew::CharacterSkeleton skeleton = sinew::parse_character_skeleton(text, "fuzz");
        sinew::require_valid(skeleton, "fuzz");
    });
    sinew::fuzz::may_refuse([&] {
        const sinew::JointNames names = sinew::parse_joint_names(text, "fuzz");
        const std::vector<std::string> joints = {"Hips", "LeftArm", "x:LeftArm", ""};
        for (const auto& [part, found] : sinew::find_person_joints(joints, names).joints) {
            for (const sinew::Index joint : found) {
                if (joint < 0 || joint >= 4) {
                    __builtin_trap();
                }
            }
        }
    });
    sinew::fuzz::may_refuse([&] {
        const sinew::CompositionModel model = sinew::parse_composition(text, "fuzz");
        if (model.fat.size() != model.basis.cols() + 1 || model.mean.size() != model.basis.rows() ||
            model.tapes.back().feature + 1 != model.mean.size()) {
            __builtin_trap();
        }
        // What was accepted is accepted again.
        sinew::parse_composition(sinew::composition_text(model), "again");
    });
    sinew::fuzz::may_refuse([&] { sinew::parse_people_table(text, "fuzz"); });
    sinew::fuzz::may_refuse([&] { sinew::parse_muscle_sizes(text, "fuzz"); });
    sinew::fuzz::may_refuse([&] {
        const sinew::CsvTable table = sinew::parse_csv(text, "fuzz");
        for (const sinew::CsvTable::Row& row : table.rows) {
            if (row.cells.size() != table.columns.size()) {
                __builtin_trap();
            }
        }
    });
    sinew::fuzz::may_refuse([&] { sinew::parse_landmarks(text, "fuzz"); });
    sinew::fuzz::may_refuse([&] {
        // What was accepted is consistent, and is accepted again.
        const sinew::ShapeSpace space = sinew::parse_shape_space(text, "fuzz");
        sinew::parse_shape_space(sinew::format_shape_space(space), "again");
    });
    sinew::fuzz::may_refuse([&] {
        sinew::CharacterSkeleton one;
        one.joints = {{.name = "root"}};
        sinew::parse_character_motion(text, "fuzz", one);
    });
    return 0;
}
