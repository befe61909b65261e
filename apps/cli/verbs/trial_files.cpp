#include "cli/verbs/trial_files.h"

#include "sinew/base/text.h"
#include "sinew/io/c3d.h"
#include "sinew/io/motion_table.h"
#include "sinew/io/trc.h"

#include <nlohmann/json.hpp>

#include <filesystem>

namespace sinew::cli {

namespace {

using Json = nlohmann::ordered_json;

std::string ending_of(const std::string& file) {
    return lower(std::filesystem::path(file).extension().string());
}

void describe_times(const std::vector<double>& times, Json& result) {
    result["frames"] = times.size();
    if (!times.empty()) {
        const double duration = times.back() - times.front();
        result["begin_s"] = times.front();
        result["end_s"] = times.back();
        result["rate_hz"] = duration > 0.0 ? static_cast<double>(times.size() - 1) / duration : 0.0;
    }
}

void describe_markers(const MarkerData& data, Json& result) {
    describe_times(data.times, result);
    result["markers"] = data.names.size();
    Json list = Json::array();
    Json gaps = Json::object();
    for (std::size_t m = 0; m < data.names.size(); ++m) {
        list.push_back(data.names[m]);
        std::size_t unseen = 0;
        for (std::size_t f = 0; f < data.times.size(); ++f) {
            unseen += data.at(f, m).allFinite() ? 0 : 1;
        }
        if (unseen > 0) {
            gaps[data.names[m]] = unseen;
        }
    }
    result["marker_list"] = list;
    result["unseen_frames"] = gaps;
    result["notes"] = data.notes;
}

}  // namespace

bool is_trial_file(const std::string& file) {
    const std::string ending = ending_of(file);
    return ending == ".mot" || ending == ".sto" || ending == ".trc" || ending == ".c3d";
}

void describe_trial_file(const std::string& file, Json& result) {
    const std::string ending = ending_of(file);
    if (ending == ".trc") {
        result["kind"] = "markers";
        describe_markers(read_trc(file), result);
        return;
    }
    if (ending == ".c3d") {
        const C3dData data = read_c3d(file);
        result["kind"] = data.plates.empty() ? "markers" : "markers and plates";
        describe_markers(data.markers, result);
        result["analog_channels"] = data.analog.columns;
        result["analog_samples"] = data.analog.times.size();
        Json plates = Json::array();
        for (const ForcePlate& plate : data.plates) {
            double peak = 0.0;
            for (const Vec3& force : plate.force) {
                peak = std::max(peak, force.y());
            }
            plates.push_back({{"type", plate.type}, {"peak_vertical_n", peak}});
        }
        result["force_plates"] = plates;
        return;
    }
    const MotionTable table = read_motion_table(file);
    result["kind"] = "table";
    result["name"] = table.name;
    describe_times(table.times, result);
    result["columns"] = table.columns.size();
    result["angles"] = !table.is_unit_known ? "not said" : table.in_degrees ? "degrees" : "radians";
    result["column_list"] = table.columns;
}

}  // namespace sinew::cli
