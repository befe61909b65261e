#pragma once

#include <span>
#include <string_view>

namespace sinew {

/// Which limb a published length scales with.
enum class MuscleLimb { Leg, Arm };

/// Fibres of a muscle as measured in dissections.
struct PublishedFibres {
    std::string_view muscle;  ///< beginning of the name in Terminologia Anatomica
    double length = 0.0;      ///< optimal, m
    double pennation = 0.0;   ///< degrees
    MuscleLimb limb = MuscleLimb::Leg;
    double sarcomere = 0.0;   ///< in the anatomical position, um; 0: not measured
    double area_ratio = 1.0;  ///< of its measured fraction of the leg's area to that in the figure
};

/// Length of sarcomeres at which a human muscle pulls most, um [Ward2009].
inline constexpr double kOptimalSarcomere = 2.7;

/// Leg: [Ward2009, table 3], 21 limbs of people of 168 cm: lengths normalised to sarcomeres of
/// 2.7 um, so that they are optimal ones (soleus: 276 g / (1056 kg/m^3) cos 28 degrees / 4.4 cm are
/// the 52 cm^2 that the table gives); read from two public copies of the table, but for fibularis
/// brevis, tibialis posterior and the long flexors of toes, which are as remembered.
/// Arm: [Holzbaur2005], a man of 170 cm: shoulder and elbow compared with a public copy, muscles of
/// the forearm as remembered. Sarcomeres in the anatomical position are those of [Ward2009, table
/// 3], compared with a public copy for the quadriceps, hamstrings, gastrocnemius, soleus,
/// fibularis longus and tibialis anterior, as remembered for the others; short muscles of the hip,
/// which it leaves out, have the fibres of [Delp1990]. Areas: the muscles measured have fractions
/// of the leg's whole area [Ward2009, table 3, compared likewise: soleus 51.8, medial gastrocnemius
/// 21.1, vastus lateralis 35.1 cm^2] that the atlas the figure was measured on has not: its vasti
/// and soleus are too small, its hamstrings too large.
/// @returns nullptr where nothing is known about the muscle
const PublishedFibres* find_published_fibres(std::string_view muscle);

/// Length of a limb in the people measured, m: hip over knee to ankle, or shoulder over elbow to
/// wrist, 0.491 and 0.332 of the stature [Winter2009].
double published_length(MuscleLimb limb);

/// On which side of a joint a muscle passes at the least, where volumes of an atlas need not be
/// right: tendons behind malleoli and condyles, held there by retinacula and by fascia.
struct PublishedPassing {
    std::string_view muscle;  ///< beginning of its name
    std::string_view joint;   ///< without side
    std::string_view motion;  ///< of that joint
    double least = 0.0;       ///< moment arm in the neutral pose, m; positive raises the angle
    MuscleLimb limb = MuscleLimb::Leg;  ///< that it scales with
    double low = 0.0;                   ///< of the moment arm, m, without sign
    double high = 0.0;                  ///< 0: nothing is known
    double to = 0.0;                    ///< angle up to which that holds, degrees
};

/// Knee: semitendinosus 4 to 5.5 cm, semimembranosus 2 to 4, biceps femoris 2, gastrocnemius 1.2 to
/// 2 [Spoor1992, as a public table gives it; 3 instead of 4 for semitendinosus near extension, 3
/// for biceps femoris in flexion]; sartorius and gracilis flex over the whole range [Buford1997].
/// How far the knee was bent is not said: 110 degrees here. Ankle and foot: fibularis longus and
/// brevis and tibialis posterior plantarflex, the fibulares evert, tibialis posterior inverts
/// [Hintermann1994]; elbow: extensor carpi radialis longus flexes, brachioradialis by 2 to 7 cm
/// [Murray1995]. Hip: gluteus maximus as one line adducts by 0.7 cm [Dostal1986]. The figures of
/// these, of sartorius and of gracilis are remembered, rounded down.
std::span<const PublishedPassing> published_passings();

/// Muscles that end in the tendon of another, whose volume in an atlas may stop where they meet:
/// iliacus in that of psoas major, on the lesser trochanter [Gray1918].
struct SharedTendon {
    std::string_view muscle;  ///< beginning of its name
    std::string_view other;   ///< name without side
};
std::span<const SharedTendon> shared_tendons();

}  // namespace sinew
