#pragma once

#include "sinew/base/fields.h"
#include "sinew/base/progress.h"
#include "sinew/fit/anatomy_transfer.h"
#include "sinew/fit/layers.h"

#include <concepts>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace sinew {

/// What a person should be made of; without a value nothing is asked. Masses are those that
/// summarise() finds in the body: fat is what lies between skin and muscle surface.
struct CompositionTargets {
    std::optional<double> fat_kg = {};     ///< kg, > 0
    std::optional<double> muscle_kg = {};  ///< kg with tendons, > 0
    std::optional<double> weight_kg = {};  ///< kg, > 0; with body_fat: gives fat_kg
    std::optional<double> body_fat = {};   ///< of the weight, (0, 1); used where fat_kg is absent
};

struct LayerFitOptions {
    double damping = 0.5;      ///< of the thickness of bones against stature, [0, 1]
    double bending = 0.1;      ///< w_reg of eq. 4.7, N m, > 0
    double flesh = 20.0;       ///< w_flesh of eq. 4.7, J per m^2 of skin, > 0
    double collision = 50.0;   ///< w_coll of eq. 4.7, N/m, > 0
    double gap = 0.002;        ///< of bones under the skin, where the template has as much, m, > 0
    double least_fat = 0.001;  ///< thickness, m, > 0
    double most_growth = 0.6;  ///< of muscles, over their thickness, >= 0
    double most_loss = 0.5;    ///< of muscles, over their thickness, [0, 1)
    /// How far the muscles of the belly follow it where both masses do not say, [0, 1].
    double visceral = 0.5;
};

template <class Options, class Visitor>
requires std::same_as<std::remove_const_t<Options>, LayerFitOptions>
void visit_fields(Options& o, Visitor&& v) {
    v(o.damping,
      Field{.name = "damping", .help = "of bone thickness against stature", .min = 0, .max = 1});
    v(o.bending, Field{.name = "bending", .help = "stiffness of the skeleton surface", .above = 0});
    v(o.flesh,
      Field{.name = "flesh", .help = "stiffness of flesh across its thickness", .above = 0});
    v(o.collision, Field{.name = "collision", .help = "of bones with the skin", .above = 0});
    v(o.gap,
      Field{
          .name = "gap", .help = "of bones under the skin", .unit = "m", .min = 1e-4, .max = 0.02});
    v(o.least_fat, Field{.name = "least_fat",
                         .help = "least thickness of fat",
                         .unit = "m",
                         .min = 1e-4,
                         .max = 0.01});
    v(o.most_growth,
      Field{.name = "most_growth", .help = "of muscles, over their thickness", .min = 0, .max = 2});
    v(o.most_loss,
      Field{.name = "most_loss", .help = "of muscles, over their thickness", .min = 0, .max = 0.9});
    v(o.visceral, Field{.name = "visceral",
                        .help = "how far belly muscles follow the belly",
                        .min = 0,
                        .max = 1});
}

/// Handles that move the skeleton: centres of the main joints.
struct ScaledLayers {
    PersonLayers layers;            ///< the template's S, M and B, scaled
    std::vector<Vec3> joints = {};  ///< of the handles, in the person
    double stature_ratio = 1.0;     ///< skin of the person over that of the template
    double thickness = 1.0;         ///< damped: of bones
};

/// Damped global and local scaling [Komaritzan, section 4.2.4]: joint centres are told from the
/// skin where bones lie near it, by the smoothest warp; between them bones get the person's lengths
/// and damped thickness.
/// Departs: the thesis stretches limbs one by one along their axes; here one warp through handles
/// (each joint's centre and six points 25 mm around it) does so for all, the spine too.
///
/// Fat lifts the skin off bones too. So joints are told from a skin without it: what stands out
/// over the scaled template's skin is lowered along the normals, in proportion, by as much volume
/// as the person has more fat than the scaled template.
/// @param fat_volume  of the person, m^3; nothing: seven tenths of what stands out is fat
ScaledLayers scale_layers(const Body& body, const LayeredTemplate& layers, const Points& skin,
                          std::optional<double> fat_volume, const LayerFitOptions& options);

struct BoneFitReport {
    int iterations = 0;
    bool is_converged = false;
    int collision_rounds = 0;
    Eigen::Index colliding = 0;  ///< vertices of B that had to give way to the skin
};

/// The skeleton surface B of a person [Komaritzan, eqs. 4.7-4.9], the skin S being given.
Points fit_skeleton_surface(const LayeredTemplate& layers, const ScaledLayers& scaled,
                            const Points& skin, const LayerFitOptions& options,
                            BoneFitReport& report, const Progress& progress);

/// How M may lie between B and S [Komaritzan, section 4.2.4, muscle fitting]. Vertices run on the
/// lines from S to a point at B; offsets are along them, outwards.
/// Departs: M of our template is not quite on the lines between S and B; the lines end where the
/// template's line through S and M passes B.
class MuscleRange {
public:
    MuscleRange(const LayeredTemplate& layers, const ScaledLayers& scaled, const Points& skin,
                const Points& bone, const LayerFitOptions& options, const Progress& progress);

    /// M with muscles at -1 (least) ... 0 (as the template has them) ... 1 (most) ... 2 (up to the
    /// least fat everywhere, for people leaner than their muscles explain), and the belly's muscles
    /// carried out by `visceral` in [0, 1] of what the belly's bulge would.
    Points surface(double strength, double visceral) const;
    /// Between B and M under the belly's muscles: what the full bulge adds, m^3.
    double visceral_volume(double visceral) const;

private:
    void find_average(const LayeredTemplate& layers, const ScaledLayers& scaled,
                      const LayerFitOptions& options, const Progress& progress);
    void find_room(const LayeredTemplate& layers, const ScaledLayers& scaled,
                   const LayerFitOptions& options);

    Triangles triangles_;
    Points skin_;
    Points anchor_;                // L: the lines' ends at B
    Points direction_;             // unit, from L to S
    std::vector<double> average_;  // distance of M from L along the line, m
    std::vector<double> least_;    // of M from L, m
    std::vector<double> most_;
    std::vector<double> up_;     // m, at strength 1
    std::vector<double> down_;   // m, at strength -1
    std::vector<double> bulge_;  // m, at visceral 1
};

struct LayerFitReport {
    double stature_ratio = 1.0;
    double bone_thickness = 1.0;  ///< of bones over the template's, before they gave way
    BoneFitReport bones = {};
    double strength = 0.0;      ///< of MuscleRange, found by bisection
    double visceral = 0.0;      ///< of MuscleRange
    double visceral_kg = 0.0;   ///< fat that the belly's bulge adds under its muscles
    double fat_kg = 0.0;        ///< between S and M
    double least_fat_kg = 0.0;  ///< with the most muscle
    double most_fat_kg = 0.0;   ///< with the least muscle
    bool is_fat_reached = true;
    Eigen::Index crossings = 0;  ///< vertices of M outside S, or of B outside M, by over 1 mm
    std::vector<std::pair<std::string, double>> seconds = {};
};

struct FittedLayers {
    PersonLayers layers;
    LayerFitReport report;
};

/// The three layers of a person whose skin is given [Komaritzan, section 4.2.4].
///
/// With both masses asked for, what the soft tissue has beyond fat, muscle and the template's other
/// tissue is taken for visceral fat, within what the belly shows; then M is found by bisection so
/// that the fat between S and M has its mass, or the one that misses both least [eq. 4.14].
/// @param skin  vertices in the order of body.skin.mesh, in the template's rest pose, m
/// @throws InputError  when numbers of vertices or targets cannot be used; Cancelled
FittedLayers fit_layers(const Body& body, const LayeredTemplate& layers, const Points& skin,
                        const CompositionTargets& targets = {}, const LayerFitOptions& options = {},
                        const Progress& progress = {});

}  // namespace sinew
