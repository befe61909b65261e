#pragma once

#include "sinew/body/body.h"

namespace sinew::support {

struct LimbOptions {
    int along = 20;         ///< cells along the limb
    int across = 10;        ///< cells across, even
    double length = 0.40;   ///< m
    double radius = 0.05;   ///< of the skin, m
    double envelope = 0.8;  ///< radius of the envelope over that of the skin
    double bone = 0.2;      ///< radius of the bone over that of the skin; 0: no bone
    bool has_tendons = true;
};

/// A round limb along +Y, standing on y = 0, of tetrahedra that conform to its envelope: a bone of
/// two halves with a joint in the middle as core, two muscles (x > 0 "biceps_l", x < 0 "triceps_l")
/// that fill the envelope around it, tendon in the first and last fifth, fat outside. Every
/// tetrahedron is of one tissue; fibres run along +Y.
Body limb_body(const LimbOptions& options = {});

/// Two of them side by side, the second `apart` (m) along +X and with names that end in "_r". Tets,
/// skin, tissues, fibres and what holds them; no surfaces of muscles.
Body two_limbs(double apart, const LimbOptions& options = {});

}  // namespace sinew::support
