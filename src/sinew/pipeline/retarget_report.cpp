#include "sinew/pipeline/retarget_report.h"

#include "sinew/base/units.h"
#include "sinew/motion/muscle_sweep.h"
#include "sinew/render/body_sheet.h"
#include "sinew/render/plot.h"
#include "sinew/render/render.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

// The figures of [Ryu2021] for one retargeting. What is drawn is chosen by what the naive model
// does worst, for there the reader wants to see what became of it.

namespace sinew {

namespace {

constexpr int kPlotWidth = 620;
constexpr int kPlotHeight = 420;
constexpr int kSweepSamples = 61;
constexpr std::size_t kCurves = 6;      // length-angle curves that are drawn
constexpr std::size_t kArms = 4;        // of them also as moment arms
constexpr std::size_t kTorques = 6;     // joints whose torques are drawn
constexpr std::size_t kTableRows = 16;  // of the paper's table of disorders
constexpr double kDegrees = 180.0 / kPi;

// The three models of every figure, and how they are drawn.
struct ThreeModels {
    std::array<const MusculoskeletalModel*, 3> models = {};
    static constexpr std::array kNames = {"reference", "naive", "retargeted"};
    static constexpr std::array<Rgb8, 3> kColours = {Rgb8{40, 40, 40}, Rgb8{214, 96, 64},
                                                     Rgb8{40, 110, 190}};
};

std::string coordinate_label(const MusculoskeletalModel& model, Index c) {
    const Coordinate& k = model.coordinates[at(c)];
    return fmt::format("{} ({})", k.name, k.is_rotation ? "degrees" : "m");
}

double shown_value(const MusculoskeletalModel& model, Index c, double value) {
    return model.coordinates[at(c)].is_rotation ? value * kDegrees : value;
}

const MuscleSweep::Curve* curve_of(const MuscleSweep& sweep, const std::string& muscle) {
    for (const MuscleSweep::Curve& curve : sweep.muscles) {
        if (curve.muscle == muscle) {
            return &curve;
        }
    }
    return nullptr;
}

double mean_of(const std::vector<double>& values) {
    double sum = 0.0;
    for (const double v : values) {
        sum += v;
    }
    return values.empty() ? 1.0 : sum / static_cast<double>(values.size());
}

SheetPicture plot_picture(const std::vector<Series>& series, PlotOptions options) {
    options.width = kPlotWidth;
    options.height = kPlotHeight;
    options.text_size = 14;
    const std::string caption = options.title;
    options.title.clear();
    return {.image = plot(series, options), .caption = caption};
}

// Curves on which the naive model is worst, one of each muscle.
std::vector<CurveMatch> worst_curves(const RetargetOutcome& done) {
    std::vector<CurveMatch> sorted = done.naive.curves;
    std::stable_sort(sorted.begin(), sorted.end(), [](const CurveMatch& a, const CurveMatch& b) {
        return a.correlation < b.correlation;
    });
    std::set<std::size_t> seen;
    std::vector<CurveMatch> out;
    for (const CurveMatch& curve : sorted) {
        if (out.size() < kCurves && done.retargeted.routes[curve.muscle].is_routed &&
            seen.insert(curve.muscle).second) {
            out.push_back(curve);
        }
    }
    return out;
}

// One number of each sample of a muscle's sweep, of all three models.
template <class Value>
SheetPicture sweep_picture(const ThreeModels& three, const CurveMatch& what,
                           const std::string& title, const std::string& y_label, Value&& value) {
    const MusculoskeletalModel& reference = *three.models[0];
    const std::string& muscle = reference.muscles[what.muscle].name;
    std::vector<Series> series;
    for (std::size_t k = 0; k < three.models.size(); ++k) {
        const MuscleSweep sweep =
            sweep_coordinate(*three.models[k], what.coordinate, kSweepSamples);
        const MuscleSweep::Curve* curve = curve_of(sweep, muscle);
        if (curve == nullptr) {
            continue;
        }
        Series line{.name = ThreeModels::kNames[k], .colour = ThreeModels::kColours[k]};
        for (std::size_t s = 0; s < sweep.values.size(); ++s) {
            line.x.push_back(shown_value(reference, what.coordinate, sweep.values[s]));
        }
        line.y = value(*curve);
        series.push_back(std::move(line));
    }
    return plot_picture(series, {.title = fmt::format("{}: {}", title, muscle),
                                 .x_label = coordinate_label(reference, what.coordinate),
                                 .y_label = y_label});
}

// What all muscles together can do about a coordinate, each way, at full activation.
struct JointTorque {
    std::vector<double> values = {};                 // of the coordinate
    std::array<std::vector<double>, 2> torque = {};  // lowering and raising it, N m, >= 0
};

JointTorque torques_of(const MusculoskeletalModel& model, Index coordinate) {
    const MuscleSweep sweep = sweep_coordinate(model, coordinate, kSweepSamples);
    JointTorque out{.values = sweep.values};
    for (std::vector<double>& t : out.torque) {
        t.assign(sweep.values.size(), 0.0);
    }
    for (const MuscleSweep::Curve& curve : sweep.muscles) {
        for (std::size_t s = 0; s < sweep.values.size(); ++s) {
            const double t = curve.moment_arm[s] * curve.force[s];
            out.torque[t > 0.0 ? 1 : 0][s] += std::abs(t);
        }
    }
    return out;
}

std::size_t top_of(const std::vector<double>& curve) {
    return static_cast<std::size_t>(std::max_element(curve.begin(), curve.end()) - curve.begin());
}

// Coordinates and directions whose peaks the naive model moves furthest.
std::vector<SheetPicture> torque_pictures(const ThreeModels& three) {
    const MusculoskeletalModel& reference = *three.models[0];
    struct Peak {
        Index coordinate = 0;
        std::size_t way = 0;
        double moved = 0.0;
    };
    std::vector<Peak> peaks;
    std::map<Index, std::array<JointTorque, 3>> torques;
    for (const JointMotion& motion : joint_motions(reference, {.is_crossed = false})) {
        std::array<JointTorque, 3>& of = torques[motion.coordinate];
        for (std::size_t k = 0; k < 3; ++k) {
            of[k] = torques_of(*three.models[k], motion.coordinate);
        }
        for (const std::size_t way : {std::size_t{0}, std::size_t{1}}) {
            const std::size_t top = top_of(of[0].torque[way]);
            if (of[0].torque[way][top] > 1.0) {
                const std::size_t naive = top_of(of[1].torque[way]);
                peaks.push_back(
                    {motion.coordinate, way, std::abs(of[0].values[top] - of[1].values[naive])});
            }
        }
    }
    std::stable_sort(peaks.begin(), peaks.end(),
                     [](const Peak& a, const Peak& b) { return a.moved > b.moved; });
    std::vector<SheetPicture> out;
    for (std::size_t i = 0; i < std::min(kTorques, peaks.size()); ++i) {
        const Peak& peak = peaks[i];
        std::vector<Series> series;
        for (std::size_t k = 0; k < 3; ++k) {
            const JointTorque& of = torques[peak.coordinate][k];
            const std::vector<double>& curve = of.torque[peak.way];
            const std::size_t top = top_of(curve);
            const double scale = curve[top] > 0.0 ? 1.0 / curve[top] : 0.0;
            Series line{.name = ThreeModels::kNames[k], .colour = ThreeModels::kColours[k]};
            for (std::size_t s = 0; s < curve.size(); ++s) {
                line.x.push_back(shown_value(reference, peak.coordinate, of.values[s]));
                line.y.push_back(curve[s] * scale);
            }
            Series dot{.x = {line.x[top]},
                       .y = {1.0},
                       .form = SeriesForm::Dots,
                       .colour = ThreeModels::kColours[k]};
            series.push_back(std::move(line));
            series.push_back(std::move(dot));
        }
        out.push_back(plot_picture(
            series, {.title = fmt::format("torque {} {}", peak.way == 1 ? "raising" : "lowering",
                                          reference.coordinates[at(peak.coordinate)].name),
                     .x_label = coordinate_label(reference, peak.coordinate),
                     .y_label = "torque over its peak",
                     .zero_y = true}));
    }
    return out;
}

// Angles between the directions in which a muscle pulls on its two bones, in their own frames, and
// those of the reference, mean over its motions; muscles sorted.
SheetPicture direction_picture(const RetargetOutcome& done) {
    std::vector<Series> series;
    for (const bool is_naive : {true, false}) {
        Series line{.name = is_naive ? "naive" : "retargeted",
                    .colour = ThreeModels::kColours[is_naive ? 1 : 2]};
        for (const RoutedMuscle& route : done.retargeted.routes) {
            if (route.is_routed) {
                const double direction = is_naive ? route.before.direction : route.after.direction;
                const double share = direction / std::max<double>(1.0, route.directions);
                line.y.push_back(std::asin(std::min(1.0, std::sqrt(share))) * kDegrees);
            }
        }
        std::sort(line.y.begin(), line.y.end());
        for (std::size_t i = 0; i < line.y.size(); ++i) {
            line.x.push_back(static_cast<double>(i + 1));
        }
        series.push_back(std::move(line));
    }
    return plot_picture(series, {.title = "force directions against the reference's",
                                 .x_label = "muscles, sorted",
                                 .y_label = "RMS angle (degrees)",
                                 .zero_y = true});
}

SheetPicture range_picture(const RetargetOutcome& done) {
    std::vector<Series> series(2);
    std::vector<std::string> names;
    for (std::size_t k = 0; k < done.kept.range.size(); ++k) {
        names.push_back(done.kept.range[k].joint);
    }
    for (std::size_t i = 0; i < 2; ++i) {
        series[i].name = ThreeModels::kNames[i + 1];
        series[i].form = SeriesForm::Dots;
        series[i].colour = ThreeModels::kColours[i + 1];
        const std::vector<RangeDifference>& range = i == 0 ? done.naive.range : done.kept.range;
        for (std::size_t k = 0; k < range.size(); ++k) {
            series[i].x.push_back(static_cast<double>(k + 1));
            series[i].y.push_back(100.0 * range[k].error);
        }
    }
    return plot_picture(series, {.title = "random poses whose validity changes",
                                 .x_label = "joints",
                                 .y_label = "%",
                                 .zero_y = true});
}

std::string percent(double fraction) {
    return fmt::format("{:.1f} %", 100.0 * fraction);
}

ReportTable summary_table(const RetargetOutcome& done) {
    const auto both = [](double naive, double kept, int digits) {
        return fmt::format("{:.{}f} → {:.{}f}", naive, digits, kept, digits);
    };
    ReportTable table{.title = "Kept, naive → retargeted"};
    table.lines = {
        {"length-angle curves' correlation, median",
         both(done.naive.correlation_at(0.5), done.kept.correlation_at(0.5), 4)},
        {"5th percentile",
         both(done.naive.correlation_at(0.05), done.kept.correlation_at(0.05), 4)},
        {"poses whose validity changes, worst joint (%)",
         both(100.0 * done.naive.worst_range_error(), 100.0 * done.kept.worst_range_error(), 1)},
        {"angle of peak torque (degrees)", both(done.naive.peak.value_or(0.0) * kDegrees,
                                                done.kept.peak.value_or(0.0) * kDegrees, 1)}};
    if (done.bones_before) {
        const auto three = [&](double BonePenetration::*value) {
            return fmt::format("{:.2f}, {:.2f} → {:.2f}", 100.0 * *done.bones_before.*value,
                               100.0 * done.bones_naive.*value, 100.0 * done.bones.*value);
        };
        table.lines.push_back({"lines inside bones (% of them): reference, naive → retargeted",
                               three(&BonePenetration::inside)});
        table.lines.push_back({"their depth over length (%)", three(&BonePenetration::depth)});
    }
    return table;
}

ReportTable disorder_table(const RetargetOutcome& done) {
    ReportTable table{.title = "Functional disorders, worst motion, naive → retargeted"};
    std::vector<std::pair<double, std::size_t>> worst;
    for (std::size_t m = 0; m < done.reference.muscles.size(); ++m) {
        const double size = std::max(done.naive.disorder_of(m), done.kept.disorder_of(m));
        if (size > 0.0) {
            worst.emplace_back(-size, m);
        }
    }
    std::sort(worst.begin(), worst.end());
    for (std::size_t i = 0; i < std::min(kTableRows, worst.size()); ++i) {
        const std::size_t m = worst[i].second;
        table.lines.push_back({done.reference.muscles[m].name,
                               fmt::format("{} → {}", percent(done.naive.disorder_of(m)),
                                           percent(done.kept.disorder_of(m)))});
    }
    if (table.lines.empty()) {
        table.lines.push_back({"none", ""});
    }
    return table;
}

ReportTable range_table(const RetargetOutcome& done) {
    ReportTable table{.title = "Range of motion, poses that change, naive → retargeted"};
    for (std::size_t k = 0; k < done.kept.range.size() && k < done.naive.range.size(); ++k) {
        table.lines.push_back({fmt::format("{}. {}", k + 1, done.kept.range[k].joint),
                               fmt::format("{} → {}", percent(done.naive.range[k].error),
                                           percent(done.kept.range[k].error))});
    }
    return table;
}

ReportTable doctor_table(const RetargetOutcome& done) {
    ReportTable table{.title = "Doctor's findings, before → after"};
    // A finding's words without the point and the numbers that differ from muscle to muscle.
    const auto kind_of = [](const ModelFinding& f) {
        std::string what = f.what.substr(0, f.what.find(':'));
        if (what.starts_with("point ") && what.rfind("' ") != std::string::npos) {
            what = "a point that" + what.substr(what.rfind("' ") + 1);
        }
        return what.substr(0, what.find(" at point "));
    };
    std::map<std::string, std::array<int, 2>> count;
    std::array<int, 2> remarks = {};
    for (const std::size_t i : {std::size_t{0}, std::size_t{1}}) {
        for (const ModelFinding& f : i == 0 ? done.doctor_before : done.doctor_after) {
            if (f.is_error) {
                ++count[kind_of(f)][i];
            } else {
                ++remarks[i];
            }
        }
    }
    for (const auto& [what, n] : count) {
        table.lines.push_back({what, fmt::format("{} → {}", n[0], n[1])});
    }
    table.lines.push_back({"remarks", fmt::format("{} → {}", remarks[0], remarks[1])});
    return table;
}

SheetPicture body_picture(const Body& body, const std::string& panel, const std::string& caption) {
    RenderOptions options;
    options.width = kPlotWidth;
    options.height = kPlotHeight;
    options.backdrop = Backdrop::White;
    std::vector<Vec3> seen;
    for (Eigen::Index i = 0; i < body.skin.mesh.points.rows(); ++i) {
        seen.push_back(point(body.skin.mesh.points, i));
    }
    options.camera = fit_camera(seen, angles_of(View::Front), 14.0 / kDegrees,
                                static_cast<double>(kPlotWidth) / kPlotHeight, 0.03);
    for (const BodyPanel& p : body_panels(body)) {
        if (p.caption == panel) {
            return {.image = render(p.scene, options), .caption = caption};
        }
    }
    return {.image = Image(kPlotWidth, kPlotHeight), .caption = caption};
}

}  // namespace

ReportPage retarget_report(const RetargetOutcome& done, const Body* before) {
    ReportPage page{.title = done.retargeted.model.name};
    const ThreeModels three{{&done.reference, &done.retargeted.naive, &done.retargeted.model}};
    if (before != nullptr && done.flesh) {
        for (const char* panel : {"muscles and bones", "skeleton"}) {
            page.pictures.push_back(body_picture(*before, panel, fmt::format("before: {}", panel)));
            page.pictures.push_back(
                body_picture(done.flesh->body, panel, fmt::format("after: {}", panel)));
        }
    }
    const std::vector<CurveMatch> worst = worst_curves(done);
    for (const CurveMatch& curve : worst) {
        page.pictures.push_back(sweep_picture(three, curve, "length", "length over its mean",
                                              [](const MuscleSweep::Curve& c) {
                                                  std::vector<double> out = c.length;
                                                  const double mean = mean_of(out);
                                                  for (double& v : out) {
                                                      v /= mean;
                                                  }
                                                  return out;
                                              }));
    }
    for (std::size_t i = 0; i < std::min(kArms, worst.size()); ++i) {
        page.pictures.push_back(sweep_picture(three, worst[i], "moment arm",
                                              "moment arm over mean length (%)",
                                              [](const MuscleSweep::Curve& c) {
                                                  std::vector<double> out = c.moment_arm;
                                                  const double mean = mean_of(c.length);
                                                  for (double& v : out) {
                                                      v *= 100.0 / mean;
                                                  }
                                                  return out;
                                              }));
    }
    for (SheetPicture& picture : torque_pictures(three)) {
        page.pictures.push_back(std::move(picture));
    }
    page.pictures.push_back(direction_picture(done));
    if (!done.kept.range.empty()) {
        page.pictures.push_back(range_picture(done));
    }
    page.tables = {summary_table(done), range_table(done), disorder_table(done),
                   doctor_table(done)};
    page.notes = done.notes;
    return page;
}

}  // namespace sinew
