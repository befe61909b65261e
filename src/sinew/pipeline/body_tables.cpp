#include "sinew/pipeline/body_tables.h"

#include "sinew/base/error.h"
#include "sinew/base/text.h"
#include "sinew/io/csv_file.h"
#include "sinew/io/motion_files.h"
#include "sinew/motion/pose_sets.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

// What a clinic or a laboratory writes down about a person, as tables: angles of an examination,
// lengths and masses of segments, recorded poses.

namespace sinew {

namespace {

constexpr int kLimitPoses = 20000;  // of the word "limits"

std::optional<double> table_number(const CsvTable& table, const CsvTable::Row& row,
                                   std::string_view column) {
    const std::string& cell = table.cell(row, column);
    if (cell.empty()) {
        return std::nullopt;
    }
    double value = 0.0;
    const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
    if (error != std::errc{} || end != cell.data() + cell.size() || !std::isfinite(value)) {
        throw InputError({.where = table.where(row),
                          .found = fmt::format("'{}' in column '{}'", cell, column),
                          .needs = "a number",
                          .remedy = "correct the cell, or leave it empty"});
    }
    return value;
}

// Sides of a cell; "both" is two. Empty where the column may be.
std::vector<BodySide> table_sides(const CsvTable& table, const CsvTable::Row& row) {
    const std::string side = lower(table.cell(row, "side"));
    if (side == "left" || side == "l") {
        return {BodySide::Left};
    }
    if (side == "right" || side == "r") {
        return {BodySide::Right};
    }
    if (side == "both" || side == "b") {
        return {BodySide::Left, BodySide::Right};
    }
    if (side.empty()) {
        return {};
    }
    throw InputError({.where = table.where(row),
                      .found = fmt::format("side '{}'", side),
                      .needs = "left, right or both",
                      .remedy = "correct the cell"});
}

void need_table_column(const CsvTable& table, std::string_view column) {
    if (!table.has(column)) {
        throw InputError({.where = table.file,
                          .found = fmt::format("no column '{}'", column),
                          .needs = "columns as docs/retarget.md names them",
                          .remedy = "add the column to the first line"});
    }
}

SegmentKind table_segment(const CsvTable& table, const CsvTable::Row& row) {
    const std::string name = lower(table.cell(row, "segment"));
    const std::pair<const char*, SegmentKind> kOthers[] = {{"thigh", SegmentKind::Femur},
                                                           {"shank", SegmentKind::Tibia},
                                                           {"upper_arm", SegmentKind::Humerus},
                                                           {"upper arm", SegmentKind::Humerus},
                                                           {"forearm", SegmentKind::Ulna}};
    std::vector<std::string> names;
    for (const auto& [other, kind] : kOthers) {
        if (name == other) {
            return kind;
        }
        names.emplace_back(other);
    }
    for (int k = 0; k < static_cast<int>(SegmentKind::None); ++k) {
        const auto kind = static_cast<SegmentKind>(k);
        if (name == name_of(kind)) {
            return kind;
        }
        names.emplace_back(name_of(kind));
    }
    throw InputError({.where = table.where(row),
                      .found = fmt::format("segment '{}'{}", name, did_you_mean(name, names)),
                      .needs = fmt::format("one of {}", join(names, ", ")),
                      .remedy = "name a segment of a person"});
}

// A column in any of its units.
std::optional<double> table_quantity(
    const CsvTable& table, const CsvTable::Row& row,
    std::initializer_list<std::pair<const char*, double>> columns) {
    std::optional<double> out;
    for (const auto& [column, unit] : columns) {
        if (const auto value = table_number(table, row, column)) {
            if (!(*value > 0.0)) {
                throw InputError({.where = table.where(row),
                                  .found = fmt::format("{} in column '{}'", *value, column),
                                  .needs = "a number above 0",
                                  .remedy = "correct the cell, or leave it empty"});
            }
            out = *value * unit;
        }
    }
    return out;
}

std::vector<std::filesystem::path> pose_files(const std::vector<std::string>& sources) {
    std::vector<std::filesystem::path> out;
    for (const std::string& source : sources) {
        if (source == "limits") {
            continue;
        }
        if (!std::filesystem::is_directory(source)) {
            out.emplace_back(source);
            continue;
        }
        std::vector<std::filesystem::path> here;
        for (const auto& entry : std::filesystem::directory_iterator(source)) {
            const std::string ending = lower(entry.path().extension().string());
            if (ending == ".mot" || ending == ".sto" || ending == ".bvh") {
                here.push_back(entry.path());
            }
        }
        if (here.empty()) {
            throw InputError({.where = fmt::format("--poses {}", source),
                              .found = "a folder without motions",
                              .needs = "files that end in .bvh, .mot or .sto",
                              .remedy = "name another folder, or the files"});
        }
        std::sort(here.begin(), here.end());
        out.insert(out.end(), here.begin(), here.end());
    }
    return out;
}

}  // namespace

std::vector<ExamRow> read_exam_table(const std::filesystem::path& path) {
    const CsvTable table = read_csv(path);
    const std::array<std::string, 4> kKnown = {"test", "side", "value_deg", "torque_nm"};
    require_columns(table, kKnown);
    for (const char* column : {"test", "side", "value_deg"}) {
        need_table_column(table, column);
    }
    std::vector<ExamRow> out;
    for (const CsvTable::Row& row : table.rows) {
        const std::optional<double> value = table_number(table, row, "value_deg");
        const std::string test = lower(table.cell(row, "test"));
        find_clinical_test(test, table.where(row));
        const std::vector<BodySide> sides = table_sides(table, row);
        const std::optional<double> torque = table_number(table, row, "torque_nm");
        if (sides.empty() || (torque && !(*torque > 0.0))) {
            throw InputError({.where = table.where(row),
                              .found = sides.empty() ? "no side" : "a torque that is not above 0",
                              .needs = sides.empty() ? "left, right or both" : "N m above 0",
                              .remedy = "correct the row"});
        }
        for (const BodySide side : sides) {
            if (value) {
                out.push_back({.test = test,
                               .side = side,
                               .value_deg = *value,
                               .torque = torque,
                               .where = table.where(row)});
            }
        }
    }
    if (out.empty()) {
        throw InputError({.where = path.string(),
                          .found = "no row with a value",
                          .needs = "test, side, value_deg in each row",
                          .remedy = "fill in the table"});
    }
    return out;
}

std::vector<SegmentMeasure> read_segment_table(const std::filesystem::path& path) {
    const CsvTable table = read_csv(path);
    const std::array<std::string, 10> kKnown = {
        "segment",   "side",       "length_m",   "length_cm", "length_mm",
        "breadth_m", "breadth_cm", "breadth_mm", "mass_kg",   "mass_g"};
    require_columns(table, kKnown);
    need_table_column(table, "segment");
    std::vector<SegmentMeasure> out;
    for (const CsvTable::Row& row : table.rows) {
        SegmentMeasure m{.where = table.where(row)};
        m.segment.kind = table_segment(table, row);
        const std::vector<BodySide> sides = table_sides(table, row);
        m.segment.side = sides.size() == 1 ? sides[0] : BodySide::Middle;
        m.length = table_quantity(table, row,
                                  {{"length_m", 1.0}, {"length_cm", 0.01}, {"length_mm", 0.001}});
        m.breadth = table_quantity(
            table, row, {{"breadth_m", 1.0}, {"breadth_cm", 0.01}, {"breadth_mm", 0.001}});
        m.mass = table_quantity(table, row, {{"mass_kg", 1.0}, {"mass_g", 0.001}});
        out.push_back(std::move(m));
    }
    return out;
}

std::vector<std::vector<double>> read_poses(const MusculoskeletalModel& model,
                                            const std::vector<std::string>& sources, int step,
                                            std::vector<std::string>& notes,
                                            const Progress& progress) {
    const PoseMirror mirror(model);
    std::vector<std::vector<double>> out = {rest_coordinates(model)};
    const std::vector<std::filesystem::path> files = pose_files(sources);
    Progress::Stage stage = progress.stage("reading poses", files.size());
    for (const std::filesystem::path& file : files) {
        for (std::vector<double>& q :
             poses_of_motion(model, read_model_motion(file, model).motion, step)) {
            out.push_back(mirror.mirrored(q));
            out.push_back(std::move(q));
        }
        stage.advance();
    }
    if (!files.empty()) {
        notes.push_back(fmt::format("{} poses of {} motions, with their mirror images",
                                    out.size() - 1, files.size()));
    }
    if (std::find(sources.begin(), sources.end(), "limits") != sources.end()) {
        for (std::vector<double>& q : poses_within_limits(model, kLimitPoses)) {
            out.push_back(mirror.mirrored(q));
            out.push_back(std::move(q));
        }
        notes.push_back(
            fmt::format("{} random poses within the coordinates' ranges, with their "
                        "mirror images",
                        2 * kLimitPoses));
    }
    return out;
}

}  // namespace sinew
