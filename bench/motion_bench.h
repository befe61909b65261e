#pragma once

#include "sinew/base/progress.h"
#include "sinew/body/retarget.h"

#include <filesystem>
#include <string>
#include <vector>

namespace sinew::bench {

/// One recording on one target, measured on the result: joints where the motion puts them.
struct MotionFit {
    std::string target;
    std::string clip;
    bool is_refused = false;
    double limb_mean = 0.0;       ///< rad, between limb directions of recording and target
    double limb_largest = 0.0;    ///< rad
    double unlimited_mean = 0.0;  ///< rad, in frames in which no coordinate is at a limit
    double limited = 0.0;         ///< fraction of frames with one at a limit, over limbs
    double foot_depth = 0.0;      ///< m, deepest point of a sole below the ground
    double slide = 0.0;           ///< m, the most that a standing heel or ball goes in a step
    double slide_p95 = 0.0;       ///< m, of 95 % of the steps
    double slide_median = 0.0;    ///< m
    double recorded_slide = 0.0;  ///< m, the most that a standing foot of the recording goes
    double excess = 0.0;          ///< m, the most by which a step slides further than the recorded
    double lifted = 0.0;          ///< fraction of standing frames in which the target's is up
    int steps = 0;
    int steps_over = 0;         ///< of them, with a slide of more than 1 cm
    int steps_over_excess = 0;  ///< of them, that slide by 1 cm further than the recorded one
    double ms_per_frame = 0.0;
    std::vector<LimbError> limbs = {};  ///< as the retargeter reports them
};

struct MotionBench {
    std::vector<MotionFit> fits = {};
    int refused = 0;
};

/// All clips of data/motion on the figure as a man and as a woman, on two MakeHuman skeletons of
/// data/scans and on the MASS model of data/musculoskeletal, as far as they are there.
/// @param is_short  only the clips of walking and of a stair
MotionBench run_motion_bench(const std::filesystem::path& data, bool is_short,
                             const Progress& progress = {});

}  // namespace sinew::bench
