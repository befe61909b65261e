#include "bench/fit_bench.h"

#include "sinew/base/error.h"
#include "sinew/base/units.h"
#include "sinew/body/girths.h"
#include "sinew/body/summary.h"
#include "sinew/fit/composition.h"
#include "sinew/io/archive.h"
#include "sinew/io/atomic_file.h"
#include "sinew/io/composition_files.h"
#include "sinew/io/file_bytes.h"
#include "sinew/io/mesh_files.h"
#include "sinew/pipeline/fit_batch.h"
#include "sinew/pipeline/make_body.h"
#include "sinew/pipeline/people.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <ctime>

// Scans with a truth, fitted as a list by the command itself and compared with the truth by what
// was written. People of known composition beside them, by their own skins.

namespace sinew::bench {
namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

constexpr int kSeedOfPeople = 7;   // not those that the regressors were trained with
constexpr double kWater = 1000.0;  // kg/m^3

// Girths of the folder's README, and ours.
constexpr std::pair<const char*, const char*> kSameGirths[] = {{"chest", "chest"},
                                                               {"waist", "waist"},
                                                               {"waist_navel", "waist_navel"},
                                                               {"hip", "hips"},
                                                               {"neck", "neck"},
                                                               {"thigh_L", "thigh_l"},
                                                               {"calf_L", "calf_l"},
                                                               {"thigh_R", "thigh_r"},
                                                               {"calf_R", "calf_r"},
                                                               {"upper_arm_L", "upper_arm_l"},
                                                               {"upper_arm_R", "upper_arm_r"}};

// A joint of the rig, the one above it on the limb, and ours; "L" and "l" stand for both sides.
struct SameJoint {
    const char* theirs;
    const char* above;
    const char* ours;
};
constexpr SameJoint kSameJoints[] = {{"lowerleg01.", "upperleg01.", "knee_"},
                                     {"foot.", "lowerleg01.", "ankle_"},
                                     {"lowerarm01.", "upperarm01.", "elbow_"},
                                     {"wrist.", "lowerarm01.", "wrist_"}};

Json json_of(const fs::path& path) {
    Json document = Json::parse(read_file_bytes(path), nullptr, false);
    if (document.is_discarded()) {
        throw InputError({.where = path.filename().string(),
                          .found = "no JSON",
                          .needs = "the file that the folder's README describes",
                          .remedy = "give the folder with --data"});
    }
    return document;
}

Vec3 point_of(const Json& p) {
    return {p.at(0).get<double>(), p.at(1).get<double>(), p.at(2).get<double>()};
}

double seconds_since(std::clock_t start) {
    return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

FitJob common_job(const FitBenchOptions& options) {
    FitJob job;
    job.resolution = options.resolution;
    job.cache = options.cache;
    job.makes_body = true;
    return job;
}

FitRow row_for(const FitBenchOptions& options, const fs::path& scan, ScanSex sex) {
    FitRow row{.name = scan.stem().string(), .job = common_job(options)};
    row.job.scan = scan.string();
    row.job.sex = sex;
    return row;
}

// What the written summary says of the person, whose truth is not needed for it.
void read_summary(const Json& said, FitBenchRow& row) {
    row.mean_mm = said.at("distance_mm").at("mean");
    row.p95_mm = said.at("distance_mm").at("p95");
    row.crossings = said.at("crossings");
    row.inverted_tets = said.at("inverted_tets");
    row.skin_crossings = said.at("skin_crossings");
    const double fat = said.at("fat_kg");
    const double mass = said.at("mass_kg");
    row.body_fat = fat / mass;
    const Json& witnesses = said.at("witnesses");
    row.navy_body_fat = witnesses.value("navy_body_fat", 0.0);
    for (const Json& note : said.value("notes", Json::array())) {
        const auto text = note.get<std::string>();
        if (text.starts_with("fat of") && text.ends_with("by regressors")) {
            row.is_regressed = true;
        } else if (text.starts_with("muscle of") && text.ends_with("by regressors")) {
            row.muscle_error_kg = said.at("muscle_kg").get<double>() -
                                  witnesses.at("regressed_muscle_kg").get<double>();
        }
    }
    const double told = row.is_regressed
                            ? witnesses.at("regressed_fat_kg").get<double>()
                            : row.navy_body_fat * 1e-3 * kWater * said.at("volume_l").get<double>();
    row.fat_error_kg = fat - told;
}

// Volume, girths and the rig of the truth.
void compare(const Json& said, const Json& truth, const Json& order, const Json& rig,
             FitBenchRow& row) {
    row.volume_error = said.at("volume_l").get<double>() / truth.at("volume_l").get<double>() - 1.0;
    for (const auto& [theirs, ours] : kSameGirths) {
        if (truth.at("girths_m").contains(theirs) && said.at("girths_m").contains(ours)) {
            row.girth_errors.emplace_back(ours,
                                          said.at("girths_m").at(ours).get<double>() /
                                                  truth.at("girths_m").at(theirs).get<double>() -
                                              1.0);
        }
    }
    const auto in_rig = [&](const std::string& name) {
        const auto place = std::find(order.begin(), order.end(), name);
        return point_of(rig.at(static_cast<std::size_t>(place - order.begin())));
    };
    for (const SameJoint& same : kSameJoints) {
        for (const bool is_left : {true, false}) {
            const char* side = is_left ? "L" : "R";
            const std::string ours = std::string(same.ours) + (is_left ? "l" : "r");
            const Vec3 centre = in_rig(std::string(same.theirs) + side);
            const Vec3 along = (centre - in_rig(std::string(same.above) + side)).normalized();
            const Vec3 front = (Vec3::UnitZ() - along * along.z()).normalized();
            Vec3 out = along.cross(front);
            out *= (out.x() > 0.0) == is_left ? 1.0 : -1.0;
            const Vec3 e = 1e3 * (point_of(said.at("joints_m").at(ours)) - centre);
            row.joints.push_back({ours, {e.dot(along), e.dot(front), e.dot(out)}});
        }
    }
}

void compare_raw(const Json& said, const Json& truth, const Json& named, const std::string& sex,
                 FitBenchRow& row) {
    // Noise is normal: the mean of its size is sqrt(2 / pi) of its root mean square.
    const double rms = truth.at("scan_to_surface_mm").at("rms");
    row.noise_ratio =
        said.at("scan_distance_mm").at("mean").get<double>() / (rms * std::sqrt(2.0 / kPi));
    const Json& found = said.at("landmarks");
    for (const auto& [name, p] : found.items()) {
        row.landmark_mm += 1e3 * (point_of(p) - point_of(named.at(name))).norm() /
                           static_cast<double>(found.size());
    }
    row.is_sex_right = said.at("sex") == sex;
}

ScanSex sex_of(const Json& entry) {
    return entry.at("sex") == "female" ? ScanSex::Female : ScanSex::Male;
}

// Scans of one kind as a list, and what was written of each; null where it was refused.
struct FittedList {
    std::vector<FitBenchRow> rows = {};
    std::vector<Json> said = {};
};

FittedList fitted_list(const FitBenchOptions& options, const char* kind,
                       const std::vector<FitRow>& list, FitBench& bench, const Progress& progress) {
    FittedList result;
    const fs::path folder = options.folder / kind;
    fs::create_directories(folder);
    const std::clock_t start = std::clock();
    int made = 0;
    for (const FitBatchRow& fitted : fit_batch(list, folder, {}, progress)) {
        FitBenchRow row{.kind = kind, .name = fitted.name, .error = fitted.message};
        Json said;
        if (row.error.empty()) {
            said = json_of(folder / (fitted.name + ".json"));
            read_summary(said, row);
        }
        made += fitted.status != "kept" ? 1 : 0;
        result.rows.push_back(std::move(row));
        result.said.push_back(std::move(said));
    }
    bench.cpu_s += seconds_since(start);
    bench.made += made;
    return result;
}

void run_raw(const FitBenchOptions& options, FitBench& bench, const Progress& progress) {
    const fs::path folder = options.data / "raw";
    const Json index = json_of(folder / "index.json");
    const Json truth = json_of(folder / "truth.json");
    const Json named = json_of(folder / "landmarks.json");
    std::vector<FitRow> list;
    for (const Json& entry : index.at("scans")) {
        if (static_cast<int>(list.size()) < options.raw) {
            list.push_back(
                row_for(options, folder / entry.at("file").get<std::string>(), ScanSex::Auto));
        }
    }
    FittedList fitted = fitted_list(options, "raw", list, bench, progress);
    for (std::size_t i = 0; i < list.size(); ++i) {
        FitBenchRow& row = fitted.rows[i];
        if (row.error.empty()) {
            const Json& real = truth.at("scans").at(row.name);
            compare(fitted.said[i], real, truth.at("joint_order"), real.at("joints"), row);
            compare_raw(fitted.said[i], real, named.at("scans").at(row.name),
                        index.at("scans").at(i).at("sex"), row);
        }
        bench.rows.push_back(std::move(row));
    }
}

void run_registered(const FitBenchOptions& options, FitBench& bench, const Progress& progress) {
    const fs::path folder = options.data / "registered";
    const Json index = json_of(folder / "index.json").at("bodies");
    const Json rig = json_of(folder / "truth_joints.json");
    std::vector<FitRow> list;
    for (const Json& entry : index) {
        if (static_cast<int>(list.size()) < options.registered) {
            list.push_back(
                row_for(options, folder / entry.at("file").get<std::string>(), sex_of(entry)));
        }
    }
    FittedList fitted = fitted_list(options, "registered", list, bench, progress);
    for (std::size_t i = 0; i < list.size(); ++i) {
        FitBenchRow& row = fitted.rows[i];
        if (row.error.empty()) {
            compare(fitted.said[i], index.at(i), rig.at("joint_order"),
                    rig.at("bodies").at(row.name), row);
        }
        bench.rows.push_back(std::move(row));
    }
}

void run_mhr(const FitBenchOptions& options, FitBench& bench, const Progress& progress) {
    std::vector<FitRow> list;
    for (const char* file : {"template", "kneeling", "arms_up"}) {
        list.push_back(
            row_for(options, options.data / "mhr" / fmt::format("{}.ply", file), ScanSex::Male));
    }
    for (FitBenchRow& row : fitted_list(options, "mhr", list, bench, progress).rows) {
        bench.rows.push_back(std::move(row));
    }
}

// What a body's own skin tells of it, without registration: it has the template's triangulation.
DrawnPersonRow drawn_row(const Body& person, const CompositionModel& model,
                         const Body& template_body) {
    const BodySummary summary = summarise(person);
    const auto mass = [&](Tissue tissue) {
        double density = 0.0;
        for (const TissueMaterial& material : person.materials) {
            density = material.tissue == tissue ? material.density : density;
        }
        return density * summary.tissue_volume[at(tissue)];
    };
    const CompositionEstimate told =
        estimate_composition(model, template_body.skin.mesh, person.skin.mesh.points);
    DrawnPersonRow row{
        .is_woman = person.sex == Sex::Female,
        .bmi = summary.mass / (summary.stature * summary.stature),
        .body_fat = mass(Tissue::Fat) / summary.mass,
        .regressed_body_fat = told.fat_kg / summary.mass,
        .fat_error_kg = told.fat_kg - mass(Tissue::Fat),
        .muscle_error_kg = told.muscle_kg - mass(Tissue::Muscle) - mass(Tissue::Tendon)};
    row.navy_body_fat = composition_witnesses(person.sex, summary.stature, girths(person), {})
                            .navy_body_fat.value_or(0.0);
    return row;
}

void run_people(const FitBenchOptions& options, Sex sex, FitBench& bench,
                const Progress& progress) {
    const bool is_woman = sex == Sex::Female;
    const fs::path folder = options.folder / (is_woman ? "women" : "men");
    fs::create_directories(folder);
    const PeopleJob job{.count = options.people,
                        .sex = is_woman ? CohortSex::Female : CohortSex::Male,
                        .seed = kSeedOfPeople,
                        .resolution = options.resolution,
                        .muscles = MuscleSource::Specimen};
    make_people(job, folder, options.cache, "sinew bench fit", progress);
    MakeBodyOptions make;
    make.muscles = MuscleSource::Specimen;
    make.body.resolution = options.resolution;
    make.figure.sex = is_woman ? FigureSex::Female : FigureSex::Male;
    make.cache = options.cache;
    const Body template_body = make_body(make, progress).body;
    const std::optional<CompositionModel> model = known_composition(sex);
    SINEW_ASSERT(model.has_value(), "no regressors for {}", name_of(sex));
    std::vector<FitRow> list;
    const std::size_t first = bench.people.size();
    for (int i = 1; i <= options.people; ++i) {
        const fs::path file = folder / fmt::format("person_{:04d}.sinew", i);
        if (!fs::exists(file)) {
            continue;  // refused: nobody was made
        }
        const Body person = read_archive(file);
        bench.people.push_back(drawn_row(person, *model, template_body));
        if (static_cast<int>(list.size()) < options.people_fitted) {
            const fs::path scan = folder / fmt::format("skin_{:04d}.ply", i);
            write_surface(scan, std::vector<MeshPart>{{.mesh = person.skin.mesh}});
            list.push_back(row_for(options, scan, ScanSex::Auto));
        }
    }
    const FittedList fitted =
        fitted_list(options, is_woman ? "fitted_women" : "fitted_men", list, bench, progress);
    for (std::size_t i = 0; i < list.size(); ++i) {
        if (fitted.rows[i].error.empty()) {
            bench.people[first + i].fitted = fitted.rows[i].body_fat;
        }
    }
}

// Times of one scan, the sex given and the templates there.
void time_stages(const FitBenchOptions& options, FitBench& bench, const Progress& progress) {
    FitJob job = common_job(options);
    const Json index = json_of(options.data / "raw" / "index.json");
    const Json& entry = index.at("scans").at(0);
    job.scan = (options.data / "raw" / entry.at("file").get<std::string>()).string();
    job.sex = sex_of(entry);
    FitTemplates templates(job);
    templates.fitter_of(job.sex == ScanSex::Female ? Sex::Female : Sex::Male, progress);
    const std::clock_t start = std::clock();
    bench.stages = fit_scan(job, templates, progress).skin.report.seconds;
    bench.stages_cpu_s = seconds_since(start);
}

}  // namespace

double JointOffset::distance_mm() const {
    return Vec3(offset_mm[0], offset_mm[1], offset_mm[2]).norm();
}

FitBench run_fit_bench(const FitBenchOptions& options, const Progress& progress) {
    FitBench bench;
    fs::create_directories(options.folder);
    run_raw(options, bench, progress);
    run_registered(options, bench, progress);
    if (options.with_mhr) {
        run_mhr(options, bench, progress);
    }
    if (options.people > 0) {
        run_people(options, Sex::Male, bench, progress);
        run_people(options, Sex::Female, bench, progress);
    }
    bench.cpu_s /= std::max(1, bench.made);
    time_stages(options, bench, progress);
    return bench;
}

}  // namespace sinew::bench
