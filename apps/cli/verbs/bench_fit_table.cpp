#include "cli/verbs/bench_fit_table.h"

#include <fmt/format.h>

#include <utility>

namespace sinew::cli {

namespace {

using BenchJson = nlohmann::ordered_json;

std::string row(const std::string& what, const std::string& measured) {
    return fmt::format("| {} | {} |\n", what, measured);
}

// "median 0.44, worst 0.57 mm"
std::string spread(const BenchJson& of, const char* form, double factor = 1.0) {
    const auto text = [&](const char* key) {
        return fmt::format(fmt::runtime(form), factor * of.at(key).get<double>());
    };
    return fmt::format("median {}, worst {}", text("median"), text("worst"));
}

std::string rows_of(const std::string& kind, const BenchJson& of) {
    std::string text = row(kind + ": fitted", fmt::format("{} of {}", of.at("fitted").get<int>(),
                                                          of.at("asked").get<int>()));
    if (of.at("fitted").get<int>() == 0) {
        return text;
    }
    text += row("skin to scan, mean; 95 %", spread(of.at("mean_mm"), "{:.2f} mm") + "; " +
                                                spread(of.at("p95_mm"), "{:.2f} mm"));
    if (of.contains("noise_ratio")) {
        text +=
            row("scan to skin over the scan's own noise", spread(of.at("noise_ratio"), "{:.2f}"));
        text += row("sex found", fmt::format("{} of {}", of.at("sex_right").get<int>(),
                                             of.at("fitted").get<int>()));
        text += row("thirty named points", spread(of.at("landmark_mm"), "{:.1f} mm"));
    }
    if (of.contains("girth_error")) {
        const BenchJson& girths = of.at("girth_error");
        text += row("volume", spread(of.at("volume_error"), "{:.2f} %", 100.0));
        text +=
            row("girths",
                fmt::format("{}; {} of {} above 3 %", spread(girths, "{:.1f} %", 100.0),
                            girths.at("above_3_percent").get<int>(), girths.at("of").get<int>()));
        std::string joints;
        for (const auto& [name, joint] : of.at("joints").items()) {
            joints += fmt::format("{}{} {:.0f} ({:.0f})", joints.empty() ? "" : ", ", name,
                                  joint.at("median_mm").get<double>(),
                                  joint.at("median_mm_without_offset").get<double>());
        }
        text += row("joints against the rig, median mm (without the mean offset)", joints);
    }
    text += row("layers that cross or bones outside; skin crossings; inverted tetrahedra",
                fmt::format("{}; {}; {}", of.at("crossings").get<int>(),
                            of.at("skin_crossings").get<int>(), of.at("inverted_tets").get<int>()));
    text += row("fat and muscle told by regressors",
                fmt::format("{} of {}", of.at("regressed").get<int>(), of.at("fitted").get<int>()));
    text += row("fat, muscle of the body against what was told",
                spread(of.at("fat_error_kg"), "{:.2f} kg") + "; " +
                    spread(of.at("muscle_error_kg"), "{:.2f} kg"));
    text += row("correlation of body fat with the formula",
                fmt::format("{:.2f}", of.at("body_fat_navy_correlation").get<double>()));
    return text;
}

std::string people_rows(const std::string& who, const BenchJson& of) {
    std::string text;
    for (const auto& [key, name] :
         {std::pair{"bmi", "body mass index"}, std::pair{"body_fat", "body fat, %"},
          std::pair{"regressed_body_fat", "told by the skin, %"},
          std::pair{"navy_body_fat", "by girths [Hodgdon1984; Siri1961], %"},
          std::pair{"kyle_body_fat", "[Kyle2001], %"}}) {
        const double factor = std::string(key) == "bmi" ? 1.0 : 100.0;
        text += fmt::format("| {}: {} |", who, name);
        for (const BenchJson& value : of.at(key)) {
            text += fmt::format(" {:.1f} |", factor * value.get<double>());
        }
        text += '\n';
    }
    return text;
}

}  // namespace

std::string fit_bench_tables(const BenchJson& result) {
    std::string text = "| what | measured |\n|---|---|\n";
    for (const auto& [key, name] :
         {std::pair{"raw", "raw scans"}, std::pair{"registered", "bodies of another triangulation"},
          std::pair{"mhr", "a body model of real scans"}}) {
        text += rows_of(name, result.at(key));
    }
    text += row("processor time of a person; of one more, the templates there",
                fmt::format("{:.0f} s; {:.0f} s", result.at("cpu_s").get<double>(),
                            result.at("stages_cpu_s").get<double>()));
    if (result.contains("joint_offset_mm")) {
        text +=
            "\n| offset of joints from the rig, mm | away from the trunk | forwards | outwards "
            "|\n|---|---|---|---|\n";
        for (const auto& [joint, offset] : result.at("joint_offset_mm").items()) {
            text += fmt::format("| {} | {:+.0f} | {:+.0f} | {:+.0f} |\n", joint,
                                offset.at("away_from_trunk").get<double>(),
                                offset.at("forwards").get<double>(),
                                offset.at("outwards").get<double>());
        }
    }
    if (result.contains("men")) {
        text +=
            "\n| percentile | 5 | 10 | 25 | 50 | 75 | 90 | 95 "
            "|\n|---|---|---|---|---|---|---|---|\n";
        text += people_rows(fmt::format("{} men", result.at("men").at("people").get<int>()),
                            result.at("men"));
        text += people_rows(fmt::format("{} women", result.at("women").at("people").get<int>()),
                            result.at("women"));
        text += '\n';
        for (const char* who : {"men", "women"}) {
            const BenchJson& at = result.at(who).at("at_bmi");
            text += fmt::format(
                "At a body mass index of {:.1f} {} have {:.1f} %; {:.1f} % in "
                "[Schutz2002].\n",
                at.at("bmi").get<double>(), who, 100.0 * at.at("regressed_body_fat").get<double>(),
                100.0 * at.at("schutz_body_fat").get<double>());
        }
    }
    return text;
}

}  // namespace sinew::cli
