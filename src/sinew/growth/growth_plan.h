#pragma once

#include "sinew/base/fields.h"
#include "sinew/body/body.h"
#include "sinew/body/body_parts.h"
#include "sinew/body/muscle_sizes.h"
#include "sinew/body/people_table.h"
#include "sinew/growth/fat_growth.h"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace sinew {

/// A word (a muscle, a group, a region, a bone) and its number.
using NamedValue = std::pair<std::string, double>;

/// A table that plans share; it is no part of what they ask for.
struct PeopleRef {
    std::shared_ptr<const PeopleTable> table = nullptr;
    std::shared_ptr<const MuscleSizes> muscles = nullptr;  ///< nothing: as flesh and bones have it

    bool operator==(const PeopleRef&) const {
        return true;
    }
};

/// What to change. Of two words that mean the same muscle or bone the more special one counts,
/// whatever their order: see ordered_plan.
struct GrowthPlan {
    std::vector<NamedValue> muscles = {};  ///< alpha of muscles, groups or "all"
    std::vector<NamedValue> fat = {};      ///< factor of the fat of regions (fat_maps.h)
    std::vector<NamedValue> bones = {};    ///< scale of bones and body parts (body_parts.h)
    // Targets of a person, together or alone (person_stage.h). Bodies whose sex or skeleton is not
    // known reach a stature by uniform scaling, and a weight or a body fat by fat.
    std::optional<double> stature = {};      ///< m
    std::optional<double> weight = {};       ///< kg
    std::optional<double> body_fat = {};     ///< fraction of the mass
    std::optional<double> muscle_mass = {};  ///< kg, bellies of all muscles
    std::optional<double> age = {};          ///< years; see composition.h and ageing.h
    std::vector<NamedValue> measures = {};   ///< m, by names of person_measures.h
    FatModel fat_model = FatModel::Pressure;
    /// Where fat goes for weight and body fat: a region's name; empty: by sex (a woman's by
    /// "gynoid" and "uniform", a man's by "android" and "uniform").
    std::string fat_distribution = {};
    int iterations = 60;         ///< of muscle growth at most, >= 1
    bool shows_gravity = false;  ///< also find where the flesh hangs

    // Not in files:

    /// Maps of regions that are not built in, one value per skin vertex.
    std::vector<std::pair<std::string, std::vector<double>>> fat_maps = {};
    std::vector<double> fat_transfer = {};  ///< see fat_transfer_ratios
    PeopleRef people = {};                  ///< whom persons are made after

    bool operator==(const GrowthPlan& other) const = default;
};

// All ranges of growth. Beyond the soft ones, where sliders end, a body seldom looks right.
template <class Options, class Visitor>
requires std::same_as<std::remove_const_t<Options>, GrowthPlan>
void visit_fields(Options& o, Visitor&& v) {
    v(o.muscles,
      Field{.name = "muscles",
            .help = "factor across the fibres of a muscle, a group, or all; _l or _r for one side",
            .min = 0.1,
            .max = 5.0,
            .soft_min = 0.5,
            .soft_max = 2.0,
            .flag = "muscle",
            .metavar = "NAME=A"});
    v(o.fat, Field{.name = "fat",
                   .help = "factor of the fat of a region: belly, hips, chest, back, arms, legs, "
                           "face, uniform, or a --fat-map",
                   .min = kLeastFatFactor,
                   .max = kMostFatFactor,
                   .soft_min = 0.3,
                   .soft_max = 4.0,
                   .metavar = "REGION=X"});
    v(o.bones,
      Field{.name = "bones",
            .help = "length of a limb's bone, or size of trunk, pelvis, neck, head, hands, feet",
            .min = kLeastBoneScale,
            .max = kMostBoneScale,
            .soft_min = 0.7,
            .soft_max = 1.4,
            .flag = "bone",
            .metavar = "NAME=S"});
    v(o.stature, Field{.name = "stature_m",
                       .help = "height",
                       .unit = "m",
                       .min = 0.5,
                       .max = 3.0,
                       .soft_min = 1.2,
                       .soft_max = 2.3,
                       .flag = "stature",
                       .metavar = "M"});
    v(o.weight, Field{.name = "weight_kg",
                      .help = "mass; lean and fat share it as in people",
                      .unit = "kg",
                      .min = 5.0,
                      .max = 1000.0,
                      .soft_min = 30.0,
                      .soft_max = 250.0,
                      .flag = "weight",
                      .metavar = "KG"});
    v(o.body_fat, Field{.name = "body_fat",
                        .help = "fraction of the mass",
                        .min = 0.01,
                        .max = 0.8,
                        .soft_min = 0.03,
                        .soft_max = 0.6,
                        .metavar = "F"});
    v(o.muscle_mass, Field{.name = "muscle_mass_kg",
                           .help = "mass of all muscles without tendons",
                           .unit = "kg",
                           .min = 1.0,
                           .max = 200.0,
                           .soft_min = 10.0,
                           .soft_max = 60.0,
                           .flag = "muscle-mass",
                           .metavar = "KG"});
    v(o.age, Field{.name = "age",
                   .help = "of the person: body fat where it is not given, and from 40 on posture, "
                           "muscles and where fat lies and hangs",
                   .unit = "years",
                   .min = 11.0,
                   .max = 100.0,
                   .soft_min = 11.0,
                   .soft_max = 90.0,
                   .metavar = "YEARS"});
    v(o.measures, Field{.name = "measures",
                        .help = "a measure of the survey ANSUR II, as waistcircumference=0.95",
                        .unit = "m",
                        .min = 0.01,
                        .max = 3.0,
                        .flag = "measure",
                        .metavar = "NAME=M"});
    v(o.fat_model, Field{.name = "fat_model",
                         .help = "how fat gains volume: by pressure under the skin, or by scaling "
                                 "what is there",
                         .choices = {"pressure", "volume"}});
    v(o.fat_distribution, Field{.name = "fat_distribution",
                                .help = "where fat goes for weight and body fat: a region",
                                .metavar = "REGION"});
    v(o.iterations, Field{.name = "iterations",
                          .help = "of muscle growth at most",
                          .min = 1,
                          .max = 10000,
                          .metavar = "N"});
    v(o.shows_gravity,
      Field{.name = "gravity",
            .help = "also find how the flesh hangs (a preview; the rest shape stays)",
            .min = 0.0,
            .max = 1.0,
            .soft_min = 0.0,
            .soft_max = 1.0});
}

/// The plan in the one order in which it is carried out, the same from a file, from flags and from
/// the studio: of the same word the last entry counts; words that mean more muscles or parts come
/// before those that mean fewer, so that these override them; words that mean equally many, and
/// regions of fat, come by name.
/// @throws InputError  for words that the body does not know (with the nearest known one)
GrowthPlan ordered_plan(GrowthPlan plan, const Body& body);

/// alpha of every muscle, by words in any order. @throws InputError  for unknown words (with the
/// nearest known one) and numbers out of range
std::vector<double> muscle_alphas(const Body& body, const std::vector<NamedValue>& words);

/// Scale of each part, by words in any order. @throws InputError  likewise
std::vector<double> bone_scales(const Body& body, std::span<const BodyPart> parts,
                                const std::vector<NamedValue>& words);

/// @throws InputError  for targets that contradict each other, or numbers out of range
void check_plan(const GrowthPlan& plan);

}  // namespace sinew
