#include "cli/verbs/exam_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "cli/verbs/plot_file.h"

namespace sinew::cli {

namespace {

const char* exam_side(BodySide side) {
    return side == BodySide::Left ? "left" : "right";
}

nlohmann::ordered_json reading_json(const ExamReading& reading) {
    return {{"value_deg", reading.angle_deg},
            {"end", name_of(reading.end)},
            {"torque_nm", reading.torque},
            {"stop", reading.stop}};
}

long count_met(const ExamFit& exam) {
    return std::count_if(exam.tests.begin(), exam.tests.end(),
                         [](const ExamResult& test) { return test.is_met; });
}

}  // namespace

nlohmann::ordered_json exam_json(const ExamFit& exam) {
    auto tests = nlohmann::ordered_json::array();
    for (const ExamResult& test : exam.tests) {
        tests.push_back({{"test", test.row.test},
                         {"side", exam_side(test.row.side)},
                         {"asked_deg", test.row.value_deg},
                         {"torque_nm", test.torque},
                         {"before", reading_json(test.before)},
                         {"after", reading_json(test.after)},
                         {"met", test.is_met},
                         {"reason", test.reason},
                         {"muscles", test.muscles}});
    }
    auto muscles = nlohmann::ordered_json::object();
    for (const auto& [name, factor] : exam.muscles) {
        muscles[name] = factor;
    }
    return {{"met", count_met(exam)},
            {"asked", exam.tests.size()},
            {"tests", std::move(tests)},
            {"muscles", std::move(muscles)}};
}

nlohmann::ordered_json pose_lengths_json(const RetargetOutcome& done) {
    auto relaxed = nlohmann::ordered_json::array();
    for (const RelaxedMuscle& muscle : done.relaxed) {
        relaxed.push_back({{"name", muscle.muscle},
                           {"pose", muscle.pose},
                           {"force_before", muscle.force_before},
                           {"factor", muscle.factor}});
    }
    return {{"poses", done.poses}, {"relaxed", std::move(relaxed)}};
}

nlohmann::ordered_json skills_json(const std::vector<SkillOutcome>& skills) {
    auto out = nlohmann::ordered_json::array();
    for (const SkillOutcome& s : skills) {
        out.push_back({{"name", name_of(s.skill)},
                       {"frames", s.retargeted.times.size()},
                       {"wanted_rad_s2", s.retargeted.wanted},
                       {"met_reference", s.reference.met},
                       {"met_naive", s.naive.met},
                       {"met", s.retargeted.met}});
    }
    return out;
}

void tell_skills(const std::vector<SkillOutcome>& skills) {
    for (const SkillOutcome& s : skills) {
        fmt::print(
            "  {:<10} frames whose accelerations muscles reach: reference {:5.1f} %, naive {:5.1f} "
            "%, retargeted {:5.1f} %\n",
            name_of(s.skill), 100.0 * s.reference.met, 100.0 * s.naive.met,
            100.0 * s.retargeted.met);
    }
}

void plot_skills(const std::string& file, const std::vector<SkillOutcome>& skills,
                 const std::string& title) {
    std::array<Series, 3> series;
    series[0].name = "reference";
    series[1].name = "naive";
    series[2].name = "retargeted";
    std::string order;
    double begin = 0.0;
    constexpr double kGap = 0.4;  // s between skills
    for (const SkillOutcome& s : skills) {
        order += (order.empty() ? "" : ", ") + std::string(name_of(s.skill));
        double end = begin;
        for (const auto& [k, tracked] :
             {std::pair{0u, &s.reference}, std::pair{1u, &s.naive}, std::pair{2u, &s.retargeted}}) {
            for (std::size_t f = 0; f < tracked->times.size(); ++f) {
                // Logarithmic, and a thousandth is as good as nothing.
                series[k].x.push_back(begin + tracked->times[f]);
                series[k].y.push_back(
                    std::max(1e-3, tracked->missed[f] / std::max(1e-9, tracked->wanted)));
                end = std::max(end, begin + tracked->times[f]);
            }
        }
        begin = end + kGap;
    }
    write_plot(file, series,
               {.title = title,
                .x_label = fmt::format("s ({})", order),
                .y_label = "missed acceleration over the greatest wanted",
                .log_y = true});
}

void tell_exam(const ExamFit& exam) {
    fmt::print("  examination: {} of {} tests as asked, {} muscles changed\n", count_met(exam),
               exam.tests.size(), exam.muscles.size());
    for (const ExamResult& test : exam.tests) {
        fmt::print("    {:<28} {:<5} asked {:7.1f}  before {:7.1f}  after {:7.1f}{}\n",
                   test.row.test, exam_side(test.row.side), test.row.value_deg,
                   test.before.angle_deg, test.after.angle_deg,
                   test.is_met ? "" : "  not met: " + test.reason);
    }
}

void tell_pose_lengths(const RetargetOutcome& done) {
    fmt::print(
        "  maximal lengths of {} poses; {} muscles longer, so that key poses need no force\n",
        done.poses, done.relaxed.size());
}

}  // namespace sinew::cli
