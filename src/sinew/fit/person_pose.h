#pragma once

#include "sinew/base/progress.h"
#include "sinew/fit/registration.h"
#include "sinew/fit/scan_index.h"
#include "sinew/fit/surface_icp.h"

#include <memory>
#include <vector>

namespace sinew {

struct PersonPoseOptions {
    bool find_unit = true;  ///< from the size; false: metres
    bool find_up = true;    ///< false: Y is up; the way it faces is always looked for
};

/// A known person in the pose of a scan. Frame: metres, Y up, +Z forward.
struct PersonOnScan {
    /// As of any registration, but the shape is the person's: `rest` is the skin at rest, and
    /// `posed` is moved by the joints, not drawn onto the scan.
    RegisteredSkin skin = {};
    RigState state = {};  ///< root and angles of the rig
    RigPrior prior = {};
    std::vector<LandmarkPair> landmarks = {};  ///< that the scan has
    std::shared_ptr<const Scan> scan = {};     ///< in this frame
    std::shared_ptr<const ScanIndex> index = {};
};

/// Finds the pose of one person in scans: the joints move, bones and shape stay.
///
///   min over theta of  sum_i w_i (n_i . (x_i(theta) - p_i))^2 + prior(theta)
///
/// x_i is first the skin blended from the bones; once the flesh is known in that pose
/// (skinning/body_skinning.h, joined by whoever may), x_i is the flesh's skin, carried by the
/// blended motions from there on: what flesh does beyond them changes little over small steps.
class ScanPoser {
public:
    /// @param person  a body with the joints of the built-in man or woman; must outlive this
    /// @throws InputError  when it has no tetrahedra or attachments
    explicit ScanPoser(const Body& person);

    /// Placement and pose, by landmarks where there are six, else by search.
    /// @throws InputError  when the scan cannot be used; Cancelled
    PersonOnScan find(const Scan& scan, const PersonPoseOptions& options = {},
                      const Progress& progress = {}) const;
    /// The pose once more, from what the flesh's skin is in the pose that was found.
    PersonOnScan refined(const PersonOnScan& found, const Points& flesh_skin) const;
    /// Distances, confidence and trust of a skin in this pose.
    void measure(const Points& skin, PersonOnScan& found) const;

private:
    const Body* person_;
    PoseRig rig_;
    PoseRig coarse_;
    std::vector<Landmark> own_;  // named points at rest
};

}  // namespace sinew
