#pragma once

#include "sinew/base/fields.h"
#include "sinew/base/progress.h"
#include "sinew/body/people_table.h"
#include "sinew/build/body_builder.h"
#include "sinew/growth/person_fit.h"
#include "sinew/pipeline/make_body.h"

#include <concepts>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace sinew {

enum class CohortSex { Both, Female, Male };

/// The job of `sinew people`.
struct PeopleJob {
    int count = 10;
    CohortSex sex = CohortSex::Both;  ///< both: women and men by turns
    int seed = 1;
    BodyResolution resolution = BodyResolution::Preview;
    MuscleSource muscles = MuscleSource::Auto;  ///< of the bodies that they are made of
    bool even_bmi = false;  ///< body mass indices are spread evenly from 17 to 40 kg/m^2
};

template <class Options, class Visitor>
requires std::same_as<std::remove_const_t<Options>, PeopleJob>
void visit_fields(Options& o, Visitor&& v) {
    v(o.count, Field{.name = "count", .help = "people to make", .min = 1, .max = 100000});
    v(o.sex, Field{.name = "sex", .help = "of the people", .choices = {"both", "female", "male"}});
    v(o.seed, Field{.name = "seed", .help = "of the draws", .min = 0, .max = 2147483647});
    v(o.resolution, Field{.name = "resolution",
                          .help = "of their bodies",
                          .choices = {"preview", "standard", "fine"}});
    v(o.muscles, Field{.name = "muscles",
                       .help = "of the bodies that they are made of, as in 'sinew build'",
                       .choices = {"auto", "specimen", "people"}});
    v(o.even_bmi, Field{.name = "even_bmi",
                        .help = "spread body mass indices evenly from 17 to 40 kg/m^2, instead of "
                                "as they are among people"});
}

/// Somebody to be made.
struct DrawnPerson {
    std::string name;  ///< "person_0001"
    Sex sex = Sex::Unknown;
    double age = 0.0;             ///< years
    double body_fat = 0.0;        ///< fraction of the mass
    Eigen::VectorXd values = {};  ///< in the table's order
};

/// Person number i of a seed is the same in every cohort of that sex. Drawn from the table's normal
/// distribution, again where nobody is made: body mass index outside 16 to 45, below 1.40 m,
/// younger than 18 years. Body fat is that of people of this sex, size and age, and higher by 3
/// points for each standard deviation that the waist is above what stature and weight let expect.
/// With `even_bmi` somebody is drawn again until the index is in the stratum of their number, of 23
/// that are 1 kg/m^2 wide and follow each other so that few people cover the range too.
std::vector<DrawnPerson> drawn_people(const PeopleTable& table, const PeopleJob& job);

/// What is aimed at for somebody drawn: all of their measures.
PersonTargets targets_of(const DrawnPerson& person, const PeopleTable& table);

struct CohortRow {
    DrawnPerson asked;
    PersonReport made = {};
    std::string refusal = {};  ///< why nobody was made; empty: somebody was
    bool was_there = false;    ///< made by an earlier run
};

/// What `sinew people --json` says.
struct CohortSummary {
    std::string folder;
    std::string table;  ///< file of what was asked for and what was made
    int made = 0;
    int kept = 0;  ///< of an earlier run
    int refused = 0;
    double median_z = 0.0;  ///< of all measures: |made - asked| over what people of this size vary
    double within_2 = 0.0;  ///< fraction of them with |z| <= 2
    double seconds = 0.0;
};

template <class Options, class Visitor>
requires std::same_as<std::remove_const_t<Options>, CohortSummary>
void visit_fields(Options& o, Visitor&& v) {
    v(o.folder, Field{.name = "folder", .help = "of the bodies"});
    v(o.table, Field{.name = "table", .help = "what was asked for and made"});
    v(o.made, Field{.name = "made", .help = "people made now"});
    v(o.kept, Field{.name = "kept", .help = "people that an earlier run had made"});
    v(o.refused, Field{.name = "refused", .help = "people that could not be made"});
    v(o.median_z, Field{.name = "median_z", .help = "of measures, against those asked for"});
    v(o.within_2, Field{.name = "within_2", .help = "fraction of measures with |z| up to 2"});
    v(o.seconds, Field{.name = "seconds", .help = "time taken", .unit = "s"});
}

/// Makes them: DIR/person_0001.sinew and so on, and DIR/people.csv. Bodies that an earlier run of
/// the same job left are kept, so that it goes on where it stopped.
/// @param cache    of made bodies, empty: none
/// @param command  for the provenance
CohortSummary make_people(const PeopleJob& job, const std::filesystem::path& folder,
                          const std::filesystem::path& cache, const std::string& command,
                          const Progress& progress = {});

}  // namespace sinew
