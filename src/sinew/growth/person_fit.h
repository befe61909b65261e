#pragma once

#include "sinew/base/progress.h"
#include "sinew/body/muscle_sizes.h"
#include "sinew/body/people_table.h"
#include "sinew/growth/person_shape.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace sinew {

/// Whom to make of a body.
struct PersonTargets {
    double stature = 0.0;   ///< m
    double mass = 0.0;      ///< kg
    double body_fat = 0.0;  ///< fraction of the mass
    /// Measures in the table's order: what is aimed at, and how far off one may be, m.
    Eigen::VectorXd measures = {};
    Eigen::VectorXd spread = {};
    std::vector<std::size_t> asked = {};  ///< those that must be met, numbers in the table
    /// How much of the fat that is gained goes where, by person_fat_regions(); empty: by sex.
    std::vector<double> fat_pattern = {};
    /// Let fat alone where it is; only its amount counts.
    bool keeps_fat_pattern = false;
    /// Shear modulus of fat as it hangs, Pa; 0: it does not. The default lets 5 cm on a wall hang
    /// by 1 cm and 15 cm, an apron, by 10 cm.
    double fat_modulus = 1000.0;
    double age = 30.0;  ///< years; older people have more of their fat inside the belly
    /// Muscles of the legs are as much larger or smaller than those of the body they are made of as
    /// people's are, from loose tissue beside them; nothing: as flesh and bones have it.
    std::shared_ptr<const MuscleSizes> muscles = nullptr;
};

/// What a person is aimed at by, from all that is known of them.
/// @param known  numbers in the table (not stature or weight) and values, m
/// @param age    years; measures are those of that age within what the table has (18 to 58), fat
///               hangs and lies as ageing.h says
PersonTargets person_targets(const PeopleTable& table, Sex sex, double stature, double mass,
                             double body_fat,
                             const std::vector<std::pair<std::size_t, double>>& known = {},
                             std::optional<double> age = {});

/// The pattern of a word: "android", "gynoid", "uniform", or one of person_fat_regions().
/// @throws InputError  for other words
std::vector<double> fat_pattern_named(const std::string& word);

/// @throws InputError  that says what was asked for and the nearest that is reached
[[noreturn]] void refuse_target(const std::string& found, const std::string& reached);

struct PersonReport {
    int iterations = 0;
    double stature = 0.0;               ///< m, reached
    double mass = 0.0;                  ///< kg
    double body_fat = 0.0;              ///< fraction
    std::vector<double> measures = {};  ///< m, in the order of person_measure_names()
    std::vector<double> expected = {};  ///< m, of the same, asked for or of such people
    std::vector<double> spread = {};    ///< m, of such people; 0: not known, or asked for
    double rms_z = 0.0;                 ///< of the measures: misses over their spread
    Eigen::Index mended_tets = 0;
    Eigen::Index parted_skin = 0;  ///< skin vertices held back where skin meets skin
};

struct MadePerson {
    Body body;
    PersonReport report;
};

/// The person nearest to the targets: least squares over a PersonForm's numbers,
///
///   sum_i ((m_i - measures_i) / spread_i)^2 + sum_k ((p_k - p0_k) / s_k)^2
///
/// with stature, mass and body fat so firm that they are met. p0 has lengths by stature and
/// breadths of bones by half of its change [Komaritzan, section 4.2.4, damped height ratio]; flesh
/// widens as lean mass asks for, fat comes on by sex. Gauss and Newton's method, derivatives by
/// differences.
/// @throws InputError  with the nearest that can be reached, when stature, mass, body fat or a
///                     measure that was asked for cannot be met
MadePerson make_person(const PersonShaper& shaper, const PersonTargets& targets,
                       const PeopleTable& table, const Progress& progress = {});
MadePerson make_person(const Body& body, const PersonTargets& targets, const PeopleTable& table,
                       const Progress& progress = {});

}  // namespace sinew
