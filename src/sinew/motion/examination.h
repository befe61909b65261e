#pragma once

#include "sinew/base/progress.h"
#include "sinew/motion/limb_turns.h"
#include "sinew/motion/maximal_lengths.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sinew {

/// A test of range of motion as it is done on the couch: limbs are put into a pose, one of them is
/// moved until muscles resist, and the angle is read [Ryu2021, 6.6, Fig. 20].
struct ClinicalTest {
    struct Held {
        LimbTurn turn;
        double deg;
        bool is_other_side = false;
    };
    std::string_view name;
    LimbTurn moved;
    double start;   ///< deg, where the limb is taken from
    int direction;  ///< of the moved angle, +1 or -1
    /// +1: the table has the angle that is reached; -1: its negative (extension, rotation outwards)
    int reading;
    double torque;  ///< N m, that ends the test, where the table has none
    std::vector<Held> held;
    /// The pelvis goes forward with the other hip that cannot extend, and adds to hip flexion.
    bool has_pelvic_tilt = false;
    std::string_view how;  ///< for people
};

/// All tests that are known, in the order of an examination sheet.
const std::vector<ClinicalTest>& clinical_tests();
/// @throws InputError  with the nearest name
const ClinicalTest& find_clinical_test(std::string_view name, const std::string& where);

/// What a table asks.
struct ExamRow {
    std::string test = {};
    BodySide side = BodySide::Right;
    double value_deg = 0.0;
    std::optional<double> torque = {};  ///< N m; absent: the test's own
    std::string where = {};             ///< for messages: file and line
};

enum class ExamEnd {
    Muscles,     ///< the torque was reached
    Coordinate,  ///< the end of a coordinate's range: bones and ligaments, as the model has them
    Start,       ///< the torque was there already where the test begins
    Missing,     ///< the model cannot do it
};
std::string_view name_of(ExamEnd end);  ///< "muscles", "coordinate", ...

/// The angle that a model shows.
struct ExamReading {
    ExamEnd end = ExamEnd::Missing;
    double angle_deg = 0.0;
    double torque = 0.0;    ///< passive, against the movement, where it ends, N m
    std::string stop = {};  ///< the muscle that resists most, or the coordinate
};

/// Does one row's test on a model: passive forces of muscles (fibre and tendon in balance, no
/// activation), ligaments, stops and springs resist; gravity is the examiner's. The angle is found
/// to 0.01 degrees.
/// @param rows  the whole table; contractures of the other hip in it tilt the pelvis
ExamReading examine_row(const MusculoskeletalModel& model, const ExamRow& row,
                        std::span<const ExamRow> rows);

struct ExamFitOptions {
    double tolerance_deg = 1.0;  ///< of a value that counts as met
    double shortest = 0.4;       ///< factor of a muscle's maximal length, at least
    double longest = 2.5;        ///< and at most
    int steps = 200;             ///< of the fit, at most
};

struct ExamResult {
    ExamRow row = {};
    double torque = 0.0;  ///< threshold, N m
    ExamReading before = {};
    ExamReading after = {};
    bool is_met = false;
    std::string reason = {};  ///< why not; empty where it is met
    /// Muscles that resist where the row asks and whose lengths were changed.
    std::vector<std::string> muscles = {};
};

struct ExamFit {
    std::vector<ExamResult> tests = {};
    /// Maximal lengths over those before, of the muscles that were changed.
    std::vector<std::pair<std::string, double>> muscles = {};
};

/// Gives muscles maximal lengths with which the model shows the values of a table, by steps of
/// least norm in their logarithms. Fibre and tendon keep their ratio, paths stay. Rows that cannot
/// be met keep their reason.
/// @throws InputError  for unknown tests, rows given twice; Cancelled
ExamFit fit_examination(MusculoskeletalModel& model, std::span<const ExamRow> rows,
                        const ExamFitOptions& options = {}, const Progress& progress = {});

}  // namespace sinew
