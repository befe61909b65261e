#pragma once

#include "sinew/body/posable_joints.h"
#include "sinew/growth/grow.h"
#include "sinew/pipeline/body_in_motion.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "studio/server/commands.h"
#include "studio/server/monitor.h"
#include "studio/server/studio.h"

namespace sinew::studio {

class Growth;
class Jobs;
class Stage;
class Verbs;
class Views;
class Workspace;

/// What the body does besides being shaped: poses, recorded motions, jumps, contractions.
///
/// Verbs come on the network's thread and leave a wish under the lock; the quick worker follows the
/// last one, a frame at a time. An edit ends what moves.
class Motion {
public:
    Motion(Monitor& monitor, Views& views, Jobs& jobs, Stage& stage, Growth& growth,
           Workspace& workspace);

    void add_verbs(Verbs& verbs);  ///< pose, play, jump, stop, contract

private:
    /// What is to move.
    struct Wish {
        std::string mode = "rest";            ///< as Stage::mode()
        PosedAngles angles = {};              ///< of a pose
        std::string file = {};                ///< of a play: a file, or a built-in motion
        bool loops = true;                    ///< of a play
        std::string activations = {};         ///< of a play: a table of muscles over time, or none
        std::vector<double> activation = {};  ///< of a contraction, per muscle
        BodyMotionOptions flesh = kStudioMotion;  ///< how it moves, in a play or a pose
        std::uint32_t number = 0;                 ///< rises with every wish
    };

    // Verbs.
    Json pose(const Json& message);
    Json play(const Json& message);
    Json contract(const Json& message);
    /// @param goes_on  in the same mode, from where the body is: nothing is overtaken
    Json follow(Wish wish, bool goes_on = false);
    void end(const Lock& lock);

    // The quick worker's.
    std::optional<Clock::time_point> due(const Lock& lock) const;
    void advance();
    void prepare_mover(const BodyMotionOptions& options);
    void begin_frames(const Wish& wish);
    void advance_frame(const Wish& wish);
    void run_jump(std::uint32_t number);
    void run_contraction(const Wish& wish);
    void return_to_rest(std::uint32_t number);
    void show_moved(double time);

    Monitor& monitor_;
    Views& views_;
    Jobs& jobs_;
    Stage& stage_;
    Growth& growth_;
    Workspace& workspace_;
    // Under the lock.
    Wish wish_ = {};
    std::uint32_t done_ = 0;  // number of the wish that is being followed
    int frames_left_ = 0;     // to be shown without a new wish
    Clock::time_point next_frame_ = {};
    // Of the quick worker.
    std::unique_ptr<BodyInMotion> mover_ = {};
    std::uint32_t mover_revision_ = 0;
    BodyMotionOptions mover_options_ = {};
    bool is_endless_ = false;  // what is played goes on by itself
    int frame_ = 0;            // of what is played
    std::unique_ptr<MuscleGrowth> contraction_ = {};
    std::uint32_t contraction_revision_ = 0;
};

}  // namespace sinew::studio
