#pragma once

#include "sinew/base/progress.h"
#include "sinew/body/musculoskeletal.h"

#include <filesystem>
#include <string>
#include <vector>

namespace sinew::bench {

/// A made-up examination on one model.
struct ExamBench {
    std::string model = {};
    int asked = 0;
    int met = 0;
    double worst_deg = 0.0;  ///< of those that are met
    double seconds = 0.0;
    std::vector<std::string> unmet = {};  ///< test, side, reason
};

/// The sheet of a stiff person, other values on either leg.
ExamBench run_exam_bench(const MusculoskeletalModel& model, const std::string& name,
                         const Progress& progress = {});

/// Two X-ray views with 1 mm of noise (standard deviation) in every number.
struct XrayBench {
    struct Spread {
        double mean = 0.0;
        double most = 0.0;  ///< 95 of 100 are within
        double worst = 0.0;
    };
    int people = 0;     ///< made-up proportions
    int noises = 0;     ///< of each
    Spread bone = {};   ///< relative error of bone lengths
    Spread joint = {};  ///< m, joint centres of the model that comes out, centred
};
XrayBench run_xray_bench(const MusculoskeletalModel& model);

/// isValid of one joint on one thread.
struct ValidityBench {
    std::string joint = {};
    std::size_t muscles = 0;
    double valid_fraction = 0.0;
    double poses_per_second = 0.0;
    double general_poses_per_second = 0.0;  ///< RangeOfMotion, with all muscles
};
ValidityBench run_validity_bench(const MusculoskeletalModel& model, const std::string& joint);

/// Function kept in bodies that nothing was chosen on.
struct OtherBodyBench {
    std::string name = {};
    int muscles = 0;
    int routed = 0;
    double seconds = 0.0;
    double correlation_median_naive = 0.0;
    double correlation_low_naive = 0.0;  ///< 5th percentile
    double correlation_median = 0.0;
    double correlation_low = 0.0;
    double range_naive = 0.0;  ///< worst joint
    double range = 0.0;
    double peak_naive_deg = 0.0;
    double peak_deg = 0.0;
};
/// gait2392 with a longer and twisted femur; our own man, written as .osim and read back, to the
/// woman and to 1.95 m (preview resolution).
std::vector<OtherBodyBench> run_other_bodies(const std::filesystem::path& data,
                                             const Progress& progress = {});

}  // namespace sinew::bench
