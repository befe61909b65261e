#include "bench/retarget_people.h"

#include "sinew/base/parallel.h"
#include "sinew/base/random.h"
#include "sinew/base/timer.h"
#include "sinew/base/units.h"
#include "sinew/io/model_files.h"
#include "sinew/motion/body_matching.h"
#include "sinew/motion/body_model.h"
#include "sinew/motion/examination.h"
#include "sinew/motion/joint_range.h"
#include "sinew/motion/musculature_retargeting.h"
#include "sinew/pipeline/any_model.h"
#include "sinew/pipeline/make_body.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace sinew::bench {

namespace {

// A stiff person's sheet: left, right, deg.
struct MadeUpRow {
    const char* test;
    double left;
    double right;
};
constexpr std::array<MadeUpRow, 8> kMadeUpTable = {{{"popliteal_bilateral", 60.0, 35.0},
                                                    {"thomas", 15.0, 5.0},
                                                    {"duncan_ely", 100.0, 110.0},
                                                    {"silfverskiold_straight", 0.0, 8.0},
                                                    {"silfverskiold_bent", 12.0, 15.0},
                                                    {"hip_internal_rotation", 35.0, 30.0},
                                                    {"hip_external_rotation", 30.0, 35.0},
                                                    {"hip_abduction_straight", 22.0, 30.0}}};

XrayBench::Spread spread_of(std::vector<double> errors) {
    std::sort(errors.begin(), errors.end());
    XrayBench::Spread out{.worst = errors.back()};
    for (const double e : errors) {
        out.mean += e / static_cast<double>(errors.size());
    }
    out.most = errors[errors.size() * 95 / 100];
    return out;
}

double bone_of(const JointPoints& points, const std::string& from, const std::string& to) {
    Vec3 d = Vec3::Zero();
    int found = 0;
    for (const auto& [name, p] : points) {
        if (name == from || name == to) {
            d += name == to ? p : Vec3(-p);
            ++found;
        }
    }
    return found == 2 ? d.norm() : 0.0;
}

OtherBodyBench measure_other(const std::string& name, const MusculoskeletalModel& reference,
                             const BodyProportions& to, const Progress& progress) {
    const RetargetedMusculature done = retarget_musculature(reference, to, {}, progress);
    const MusculatureComparison naive = compare_musculatures(reference, done.naive);
    const MusculatureComparison kept = compare_musculatures(reference, done.model);
    OtherBodyBench out{.name = name,
                       .muscles = static_cast<int>(reference.muscles.size()),
                       .seconds = done.seconds,
                       .correlation_median_naive = naive.correlation_at(0.5),
                       .correlation_low_naive = naive.correlation_at(0.05),
                       .correlation_median = kept.correlation_at(0.5),
                       .correlation_low = kept.correlation_at(0.05),
                       .range_naive = naive.worst_range_error(),
                       .range = kept.worst_range_error(),
                       .peak_naive_deg = naive.peak.value_or(0.0) / kDegree,
                       .peak_deg = kept.peak.value_or(0.0) / kDegree};
    for (const RoutedMuscle& route : done.routes) {
        out.routed += route.is_routed ? 1 : 0;
    }
    return out;
}

MusculoskeletalModel preview_model(FigureSex sex, double stature, const Progress& progress) {
    MakeBodyOptions options;
    options.body.resolution = BodyResolution::Preview;
    options.figure = figure_for(options.figure, BodyResolution::Preview);
    options.figure.sex = sex;
    options.figure.stature = stature;
    return model_from_body(make_body(options, progress).body);
}

}  // namespace

ExamBench run_exam_bench(const MusculoskeletalModel& model, const std::string& name,
                         const Progress& progress) {
    ExamBench out{.model = name};
    std::vector<ExamRow> rows;
    for (const MadeUpRow& made : kMadeUpTable) {
        for (const BodySide side : {BodySide::Left, BodySide::Right}) {
            rows.push_back({.test = made.test,
                            .side = side,
                            .value_deg = side == BodySide::Left ? made.left : made.right,
                            .where = "bench"});
        }
    }
    MusculoskeletalModel fitted = model;
    Timer timer;
    const ExamFit fit = fit_examination(fitted, rows, {}, progress);
    out.seconds = timer.seconds();
    for (const ExamResult& test : fit.tests) {
        ++out.asked;
        if (test.is_met) {
            ++out.met;
            out.worst_deg =
                std::max(out.worst_deg, std::abs(test.after.angle_deg - test.row.value_deg));
        } else {
            out.unmet.push_back(fmt::format("{} {}: {}", test.row.test,
                                            test.row.side == BodySide::Left ? "left" : "right",
                                            test.reason));
        }
    }
    return out;
}

XrayBench run_xray_bench(const MusculoskeletalModel& model) {
    XrayBench out{.people = 5, .noises = 20};
    std::vector<double> bones;
    std::vector<double> joints;
    for (int person = 0; person < out.people; ++person) {
        Random made(Seed{11}, static_cast<std::uint64_t>(person));
        BodyProportions to;
        for (LimbShape* limb : {&to.femur, &to.tibia, &to.humerus, &to.ulna}) {
            limb->elongation = made.uniform(0.85, 1.15);
        }
        to.trunk.elongation = made.uniform(0.9, 1.1);
        to.trunk.expansion = made.uniform(0.9, 1.1);
        const JointPoints truth = joint_points(proportioned_model(model, to));
        for (int noise = 0; noise < out.noises; ++noise) {
            Random random(Seed{12}, static_cast<std::uint64_t>(person * out.noises + noise));
            std::vector<std::pair<std::string, std::vector<double>>> frontal;
            std::vector<std::pair<std::string, std::vector<double>>> lateral;
            for (const auto& [name, p] : truth) {
                const auto noisy = [&](double x) { return x + 1e-3 * random.normal(); };
                frontal.push_back({name, {noisy(p.x()), noisy(p.y())}});
                lateral.push_back({name, {noisy(p.z()), noisy(p.y())}});
            }
            const BodyProportions found =
                proportions_from_joints(model, points_from_views(frontal, lateral));
            const JointPoints now = joint_points(proportioned_model(model, found));
            for (const char* side : {"_l", "_r"}) {
                for (const auto& [from, end] :
                     {std::pair{"hip", "knee"}, std::pair{"knee", "ankle"},
                      std::pair{"shoulder", "elbow"}, std::pair{"elbow", "wrist"}}) {
                    const std::string a = std::string(from) + side;
                    const std::string b = std::string(end) + side;
                    const double error = std::abs(bone_of(now, a, b) / bone_of(truth, a, b) - 1.0);
                    bones.push_back(error);
                }
            }
            // Where the person stands is not the model's: centres of all points coincide.
            Vec3 shift = Vec3::Zero();
            for (std::size_t k = 0; k < truth.size(); ++k) {
                shift += (now[k].second - truth[k].second) / static_cast<double>(truth.size());
            }
            for (std::size_t k = 0; k < truth.size(); ++k) {
                const double error = (now[k].second - truth[k].second - shift).norm();
                joints.push_back(error);
            }
        }
    }
    out.bone = spread_of(bones);
    out.joint = spread_of(joints);
    return out;
}

ValidityBench run_validity_bench(const MusculoskeletalModel& model, const std::string& joint) {
    const auto found = std::find_if(model.joints.begin(), model.joints.end(),
                                    [&](const ModelJoint& j) { return j.name == joint; });
    const JointRange range(model, static_cast<std::size_t>(found - model.joints.begin()));
    const std::size_t n = range.coordinates().size();
    constexpr std::size_t kPoses = 400'000;
    constexpr std::size_t kGeneral = 4'000;
    std::vector<double> values;
    Random random(Seed{3});
    for (std::size_t i = 0; i < kPoses * n; ++i) {
        values.push_back(random.uniform(-1.5, 1.5));
    }
    const ThreadLimit one(1);
    ValidityBench out{.joint = joint, .muscles = range.muscle_count()};
    std::size_t valid = 0;
    for (int round = 0; round < 3; ++round) {
        valid = 0;
        Timer timer;
        for (std::size_t p = 0; p < kPoses; ++p) {
            valid += range.is_valid(std::span(values).subspan(p * n, n)) ? 1 : 0;
        }
        out.poses_per_second = std::max(out.poses_per_second, kPoses / timer.seconds());
    }
    out.valid_fraction = static_cast<double>(valid) / kPoses;
    RangeOfMotion general(model);
    std::vector<double> q = rest_coordinates(model);
    Timer timer;
    for (std::size_t p = 0; p < kGeneral; ++p) {
        for (std::size_t k = 0; k < n; ++k) {
            q[at(range.coordinates()[k])] = values[p * n + k];
        }
        valid += general.is_valid(q) ? 1 : 0;
    }
    out.general_poses_per_second = kGeneral / timer.seconds();
    return out;
}

std::vector<OtherBodyBench> run_other_bodies(const std::filesystem::path& data,
                                             const Progress& progress) {
    std::vector<OtherBodyBench> out;
    const MusculoskeletalModel gait =
        read_any_model(data / "opensim" / "gait2392_thelen2003muscle.osim");
    BodyProportions long_femur;
    long_femur.femur = {.elongation = 1.15, .torsion = 15.0};
    long_femur.tibia.elongation = 1.1;
    out.push_back(measure_other("gait2392, femur 1.15 and 15 degrees, tibia 1.1", gait, long_femur,
                                progress));
    // A model of many muscles as files hold it: that of our own man.
    const std::filesystem::path file =
        std::filesystem::temp_directory_path() / fmt::format("sinew_bench_man_{}.osim", ::getpid());
    write_any_model(file, preview_model(FigureSex::Male, 0.0, progress), {.has_meshes = false});
    const MusculoskeletalModel man = read_any_model(file);
    std::filesystem::remove(file);
    for (const auto& [name, sex, stature] : {std::tuple{"man to woman", FigureSex::Female, 0.0},
                                             std::tuple{"man to 1.95 m", FigureSex::Male, 1.95}}) {
        const MusculoskeletalModel other = preview_model(sex, stature, progress);
        out.push_back(measure_other(name, man, proportions_of(man, other), progress));
    }
    return out;
}

}  // namespace sinew::bench
