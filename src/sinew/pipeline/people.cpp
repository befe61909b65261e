#include "sinew/pipeline/people.h"

#include "sinew/base/error.h"
#include "sinew/base/timer.h"
#include "sinew/base/version.h"
#include "sinew/body/muscle_meshes.h"
#include "sinew/body/person_measures.h"
#include "sinew/body/summary.h"
#include "sinew/build/segment_masses.h"
#include "sinew/growth/composition.h"
#include "sinew/growth/person_stage.h"
#include "sinew/io/archive.h"
#include "sinew/io/atomic_file.h"
#include "sinew/io/muscle_size_files.h"
#include "sinew/io/people_files.h"
#include "sinew/pipeline/make_body.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

// A cohort: people are drawn from the survey's normal distribution, each with a seed of their own,
// so that person 17 is the same in a cohort of 20 and of 100. Each is made, measured and written
// before the next; a run goes on where it stopped.

namespace sinew {

namespace {

constexpr double kFatPerWaist = 0.03;  // share of the mass per standard deviation of the waist
// Strata of the body mass index, each 1 kg/m^2 wide; the stride visits all of them in turn.
constexpr int kStrata = 23;
constexpr int kStrataStride = 9;
constexpr double kLeastEvenBmi = 17.0;

bool can_be_made(double stature, double mass, double age) {
    const double bmi = mass / (stature * stature);
    return stature >= kLeastStature && bmi >= kLeastBmi && bmi <= kMostBmi && age >= 18.0;
}

// Whether a body mass index is in the stratum of person i, one of `kStrata`.
bool is_in_stratum(double bmi, int i) {
    const int stratum = i * kStrataStride % kStrata;
    const double low = kLeastEvenBmi + stratum;
    return bmi >= low && bmi < low + 1.0;
}

/// Deviations from what stature and weight let expect, in standard deviations.
std::vector<double> deviations(const std::vector<double>& measures, const CohortRow& row,
                               const PeopleTable& table) {
    const PersonTargets targets = targets_of(row.asked, table);
    std::vector<double> z;
    const auto names = person_measure_names();
    for (std::size_t m = 0; m < names.size(); ++m) {
        const auto c = static_cast<Eigen::Index>(find_measure(table, names[m], "people"));
        z.push_back((measures[m] - targets.measures[c]) / targets.spread[c]);
    }
    return z;
}

// What says that a file was made for this person by this job: one of another version of Sinew or
// another resolution is made again.
std::string person_key(const PeopleJob& job, const DrawnPerson& person) {
    return fmt::format("people of Sinew {}{} at {} seed {} {} {} {:.6f} m {:.4f} kg", version(),
                       job.muscles == MuscleSource::Specimen ? "" : ", muscles of people,",
                       job.resolution == BodyResolution::Preview    ? "preview"
                       : job.resolution == BodyResolution::Standard ? "standard"
                                                                    : "fine",
                       job.seed, person.name, name_of(person.sex), person.values[0],
                       person.values[1]);
}

bool is_made(const std::filesystem::path& file, const std::string& key, Body& body) {
    if (!std::filesystem::exists(file)) {
        return false;
    }
    try {
        body = read_archive(file);
    } catch (const InputError&) {
        return false;  // half a file of a run that was stopped
    }
    const auto& notes = body.provenance.notes;
    return std::find(notes.begin(), notes.end(), key) != notes.end();
}

PersonReport report_of(const Body& body) {
    const BodySummary summary = summarise(body);
    return {.stature = summary.stature,
            .mass = summary.mass,
            .body_fat = summary.body_fat,
            .measures = person_measures(body)};
}

std::string csv_of(const std::vector<CohortRow>& rows, const PeopleTable& table) {
    std::string text =
        "name,sex,age,state,stature_asked,stature,weight_asked,weight,"
        "body_fat_asked,body_fat";
    for (const std::string& name : person_measure_names()) {
        text += fmt::format(",{0}_asked,{0}", name);
    }
    text += '\n';
    for (const CohortRow& row : rows) {
        text += fmt::format("{},{},{:.1f},{},{:.4f},{:.4f},{:.2f},{:.2f},{:.4f},{:.4f}",
                            row.asked.name, name_of(row.asked.sex), row.asked.age,
                            row.refusal.empty() ? "made" : "refused", row.asked.values[0],
                            row.made.stature, row.asked.values[1], row.made.mass,
                            row.asked.body_fat, row.made.body_fat);
        const auto names = person_measure_names();
        for (std::size_t m = 0; m < names.size(); ++m) {
            const auto c = static_cast<Eigen::Index>(find_measure(table, names[m], "people"));
            text += fmt::format(",{:.4f},{:.4f}", row.asked.values[c],
                                m < row.made.measures.size() ? row.made.measures[m] : 0.0);
        }
        text += '\n';
    }
    return text;
}

/// The bodies that people are made of, one per sex, made when they are first asked for.
class CohortBodies {
public:
    CohortBodies(const PeopleJob& job, std::filesystem::path cache)
        : job_(job), cache_(std::move(cache)) {}

    const PersonShaper& of(Sex sex, const Progress& progress) {
        const auto it = bodies_.find(sex);
        if (it != bodies_.end()) {
            return it->second;
        }
        MakeBodyOptions options;
        options.body.resolution = job_.resolution;
        options.muscles = job_.muscles;
        options.figure.sex = sex == Sex::Female ? FigureSex::Female : FigureSex::Male;
        options.cache = cache_;
        return bodies_.emplace(sex, make_body(options, progress).body).first->second;
    }

private:
    PeopleJob job_;
    std::filesystem::path cache_;
    std::map<Sex, PersonShaper> bodies_;
};

void make_row(CohortRow& row, const PersonShaper& base, const PeopleTable& table,
              const std::shared_ptr<const MuscleSizes>& muscles, const std::filesystem::path& file,
              const std::string& key, const std::string& command, const Progress& progress) {
    try {
        PersonTargets targets = targets_of(row.asked, table);
        targets.muscles = muscles;
        MadePerson person = make_person(base, targets, table, progress);
        person.body.name = row.asked.name;
        fit_muscle_meshes(base.rest(), person.body);
        person.body.skeleton.segments = weigh_segments(person.body);
        person.body.provenance.command = command;
        person.body.provenance.notes.push_back(key);
        person.body.provenance.notes.push_back(table.source);
        write_archive(file, person.body);
        row.made = person.report;
    } catch (const InputError& error) {
        row.refusal = error.what();
    }
}

}  // namespace

std::vector<DrawnPerson> drawn_people(const PeopleTable& table, const PeopleJob& job) {
    check_ranges(job, "people");
    const std::size_t age = find_measure(table, "age", "people");
    const std::size_t waist = find_measure(table, "waistcircumference", "people");
    std::vector<DrawnPerson> people;
    for (int i = 0; i < job.count; ++i) {
        DrawnPerson person{.name = fmt::format("person_{:04d}", i + 1)};
        const bool is_woman =
            job.sex == CohortSex::Both ? i % 2 == 0 : job.sex == CohortSex::Female;
        person.sex = is_woman ? Sex::Female : Sex::Male;
        const PeopleTable::Group& group = group_of(table, person.sex);
        // Women and men by turns go through the strata together.
        const int place = job.sex == CohortSex::Both ? i / 2 : i;
        Random random(Seed{static_cast<std::uint64_t>(job.seed)}, static_cast<std::uint64_t>(i));
        do {
            person.values = drawn_person(group, random);
            person.age = person.values[static_cast<Eigen::Index>(age)];
        } while (!can_be_made(person.values[0], person.values[1], person.age) ||
                 (job.even_bmi &&
                  !is_in_stratum(person.values[1] / (person.values[0] * person.values[0]), place)));
        const PersonTargets usual =
            person_targets(table, person.sex, person.values[0], person.values[1], 0.2);
        const auto w = static_cast<Eigen::Index>(waist);
        const double z = (person.values[w] - usual.measures[w]) / usual.spread[w];
        const BodyComposition body =
            expected_composition(person.sex, person.values[0], person.values[1], person.age);
        const double least = is_woman ? 0.14 : 0.08;
        person.body_fat = std::clamp(body.fat / body.mass + kFatPerWaist * z, least, 0.6);
        people.push_back(std::move(person));
    }
    return people;
}

PersonTargets targets_of(const DrawnPerson& person, const PeopleTable& table) {
    PersonTargets targets =
        person_targets(table, person.sex, person.values[0], person.values[1], person.body_fat);
    targets.measures = person.values;
    return targets;
}

CohortSummary make_people(const PeopleJob& job, const std::filesystem::path& folder,
                          const std::filesystem::path& cache, const std::string& command,
                          const Progress& progress) {
    const Timer timer;
    const PeopleTable table = known_people();
    const auto muscles = job.muscles != MuscleSource::Specimen
                             ? std::make_shared<const MuscleSizes>(known_muscle_sizes())
                             : nullptr;
    std::filesystem::create_directories(folder);
    CohortBodies bodies(job, cache);
    CohortSummary summary{.folder = folder.string(), .table = (folder / "people.csv").string()};
    std::vector<CohortRow> rows;
    std::vector<double> all;
    for (DrawnPerson& person : drawn_people(table, job)) {
        progress.check_cancelled();
        CohortRow& row = rows.emplace_back(CohortRow{.asked = std::move(person)});
        const std::filesystem::path file = folder / (row.asked.name + ".sinew");
        const std::string key = person_key(job, row.asked);
        Body body;
        row.was_there = is_made(file, key, body);
        if (row.was_there) {
            row.made = report_of(body);
        } else {
            make_row(row, bodies.of(row.asked.sex, progress), table, muscles, file, key, command,
                     progress);
        }
        if (!row.refusal.empty()) {
            progress.warn(fmt::format("{}: {}", row.asked.name, row.refusal));
            ++summary.refused;
            continue;
        }
        ++(row.was_there ? summary.kept : summary.made);
        for (const double z : deviations(row.made.measures, row, table)) {
            all.push_back(std::abs(z));
        }
    }
    write_file_bytes(folder / "people.csv", csv_of(rows, table));
    if (!all.empty()) {
        std::sort(all.begin(), all.end());
        summary.median_z = all[all.size() / 2];
        summary.within_2 =
            static_cast<double>(std::upper_bound(all.begin(), all.end(), 2.0) - all.begin()) /
            static_cast<double>(all.size());
    }
    summary.seconds = timer.seconds();
    return summary;
}

}  // namespace sinew
