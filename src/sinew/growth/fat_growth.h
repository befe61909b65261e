#pragma once

#include "sinew/growth/fat_layer.h"

#include <optional>
#include <string>

namespace sinew {

/// How fat gains volume: as a fluid under the skin, or by scaling what is there. It is always lost
/// by scaling.
enum class FatModel { Pressure, Volume };

/// The fat of a region may change by this much.
inline constexpr double kLeastFatFactor = 0.05;
inline constexpr double kMostFatFactor = 20.0;

/// More or less fat in one region.
struct FatRegion {
    std::string name;
    std::vector<double> map = {};  ///< f in [0, 1] per skin vertex
    double factor = 1.0;           ///< fat of the region, after over before
};

struct FatPlan {
    std::vector<FatRegion> regions = {};
    /// All subcutaneous fat afterwards, m^3; nothing: as the regions have it. Reached by gaining or
    /// losing fat by `spread` and `loss`.
    std::optional<double> total = {};
    std::vector<double> spread = {};  ///< f per skin vertex where it is gained; empty: everywhere
    std::vector<double> loss = {};    ///< f per skin vertex where it is lost; empty: everywhere
    /// Ratio of volumes per skin vertex, applied first (fat transfer); empty: none.
    std::vector<double> transfer = {};
    FatModel model = FatModel::Pressure;
};

struct FatReport {
    struct Region {
        std::string name;
        double wanted = 1.0;   ///< factor asked for
        double reached = 1.0;  ///< factor measured, weighted by the map
        double gamma = 0.0;    ///< of the pressure, 0 where fat was scaled
    };
    std::vector<Region> regions = {};
    double before = 0.0;  ///< subcutaneous fat, m^3
    double after = 0.0;
    bool is_at_floor = false;        ///< fat could not be lost as far as asked
    double residual = 0.0;           ///< largest of the solves that the result is made of, relative
    Eigen::Index smoothed_tets = 0;  ///< inverted ones that were mended
    Eigen::Index inverted_tets = 0;
};

struct FattenedBody {
    Body body;
    FatReport report;
};

/// A new rest body with other fat; bones and muscles stay where they are. gamma and s are found by
/// root finding, so that every region's volume is met.
/// @throws InputError  for a body without fat, a map of another size, a factor out of range
FattenedBody grow_fat(const Body& body, const FatPlan& plan, const FatGrowthOptions& options = {},
                      const Progress& progress = {});

/// Subcutaneous fat (m^3) with which the body has this mass (kg), or this fraction of fat by mass.
double fat_volume_for_mass(const Body& body, double mass);
double fat_volume_for_share(const Body& body, double body_fat);

}  // namespace sinew
