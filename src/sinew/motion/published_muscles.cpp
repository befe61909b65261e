#include "sinew/motion/published_muscles.h"

// Measured fibres and moment arms, one row per muscle. Where a number was compared with a copy of
// its source and where it is remembered is said in the header, row by row.

namespace sinew {

namespace {

constexpr auto kLeg = MuscleLimb::Leg;
constexpr auto kArm = MuscleLimb::Arm;

constexpr PublishedFibres kPublishedFibres[] = {
    {"psoas_major", 0.1169, 10.6, kLeg, 3.11, 0.58},
    {"iliacus", 0.1066, 14.3, kLeg, 3.02, 0.96},
    {"gluteus_maximus", 0.1569, 21.9, kLeg, 2.60, 1.66},
    {"gluteus_medius", 0.0733, 20.5, kLeg, 2.40, 1.00},
    {"sartorius", 0.4030, 1.3, kLeg, 3.11, 1.31},
    {"rectus_femoris", 0.0759, 13.9, kLeg, 2.42, 0.39},
    {"vastus_lateralis", 0.0994, 18.4, kLeg, 2.14, 0.96},
    {"vastus_intermedius", 0.0993, 4.5, kLeg, 2.17, 0.78},
    {"vastus_medialis", 0.0968, 29.6, kLeg, 2.24, 0.94},
    {"gracilis", 0.2278, 8.2, kLeg, 3.24, 0.56},
    {"adductor_longus", 0.1082, 7.1, kLeg, 3.00, 0.65},
    {"adductor_brevis", 0.1031, 6.1, kLeg, 2.91, 1.27},
    {"adductor_magnus", 0.1444, 15.5, kLeg, 2.19, 0.81},
    {"biceps_femoris_long", 0.0976, 11.6, kLeg, 2.35, 0.36},
    {"biceps_femoris_short", 0.1103, 12.3, kLeg, 3.31, 1.10},
    {"semitendinosus", 0.1930, 12.9, kLeg, 2.89, 0.89},
    {"semimembranosus", 0.0690, 15.1, kLeg, 2.61, 0.49},
    {"tibialis_anterior", 0.0683, 9.6, kLeg, 3.14, 0.91},
    {"extensor_hallucis_longus", 0.0748, 9.4, kLeg, 3.24, 3.17},
    {"extensor_digitorum_longus", 0.0693, 10.8, kLeg, 3.12, 1.43},
    {"fibularis_longus", 0.0508, 14.1, kLeg, 2.72, 1.06},
    {"fibularis_brevis", 0.0454, 11.5, kLeg, 2.76, 1.67},
    {"gastrocnemius_medial", 0.0510, 9.9, kLeg, 2.59, 0.44},
    {"gastrocnemius_lateral", 0.0588, 12.0, kLeg, 2.71, 0.35},
    {"soleus", 0.0440, 28.3, kLeg, 2.12, 1.06},
    {"tibialis_posterior", 0.0378, 13.7, kLeg, 2.56, 1.34},
    {"flexor_digitorum_longus", 0.0446, 13.6, kLeg, 2.56, 0.54},
    {"flexor_hallucis_longus", 0.0527, 16.9, kLeg, 2.37, 0.92},
    {"gluteus_minimus", 0.0680, 10.0, kLeg, 0.0, 0.80},
    {"tensor_fasciae_latae", 0.0950, 3.0, kLeg, 0.0, 0.80},
    {"pectineus", 0.1000, 0.0, kLeg, 0.0, 0.80},
    {"quadratus_femoris", 0.0540, 0.0, kLeg, 0.0, 0.80},
    {"fibularis_tertius", 0.0790, 13.0, kLeg, 0.0, 0.80},
    {"deltoid_clavicular", 0.0976, 22.0, kArm},
    {"deltoid_acromial", 0.1078, 15.0, kArm},
    {"deltoid_spinal", 0.1367, 18.0, kArm},
    {"supraspinatus", 0.0682, 7.0, kArm},
    {"infraspinatus", 0.0755, 19.0, kArm},
    {"subscapularis", 0.0873, 20.0, kArm},
    {"teres_minor", 0.0741, 24.0, kArm},
    {"teres_major", 0.1624, 16.0, kArm},
    {"pectoralis_major_clavicular", 0.1442, 17.0, kArm},
    {"pectoralis_major", 0.1385, 26.0, kArm},
    {"latissimus_dorsi", 0.2540, 25.0, kArm},
    {"coracobrachialis", 0.0932, 27.0, kArm},
    {"biceps_brachii_long", 0.1157, 0.0, kArm},
    {"biceps_brachii_short", 0.1321, 0.0, kArm},
    {"triceps_brachii_long", 0.1340, 12.0, kArm},
    {"triceps_brachii", 0.1138, 9.0, kArm},
    {"anconeus", 0.0270, 0.0, kArm},
    {"brachialis", 0.0858, 0.0, kArm},
    {"brachioradialis", 0.1726, 0.0, kArm},
    {"supinator", 0.0330, 0.0, kArm},
    {"pronator_teres", 0.0492, 10.0, kArm},
    {"pronator_quadratus", 0.0282, 10.0, kArm},
    {"extensor_carpi_radialis_longus", 0.0810, 0.0, kArm},
    {"extensor_carpi_radialis_brevis", 0.0585, 9.0, kArm},
    {"extensor_carpi_ulnaris", 0.0622, 4.0, kArm},
    {"flexor_carpi_radialis", 0.0628, 3.0, kArm},
    {"flexor_carpi_ulnaris", 0.0509, 12.0, kArm},
    {"palmaris_longus", 0.0638, 4.0, kArm},
};

constexpr double kLegStature = 1.684;  // m, of the people measured
constexpr double kArmStature = 1.70;
constexpr double kLegOfStature = 0.491;  // of the stature
constexpr double kArmOfStature = 0.332;

constexpr PublishedPassing kPublishedPassings[] = {
    {"semitendinosus", "knee", "flexion", 0.03, kLeg, 0.03, 0.055, 110.0},
    {"semimembranosus", "knee", "flexion", 0.02, kLeg, 0.02, 0.04, 110.0},
    {"biceps_femoris", "knee", "flexion", 0.02, kLeg, 0.02, 0.03, 110.0},
    {"gastrocnemius", "knee", "flexion", 0.012, kLeg, 0.012, 0.02, 110.0},
    {"sartorius", "knee", "flexion", 0.012, kLeg, 0.01, 0.04, 110.0},
    {"gracilis", "knee", "flexion", 0.02, kLeg, 0.015, 0.05, 110.0},
    {"rectus_femoris", "hip", "flexion", 0.03},
    {"gluteus_maximus", "hip", "abduction", -0.007},
    {"fibularis_longus", "ankle", "dorsiflexion", -0.008},
    {"fibularis_brevis", "ankle", "dorsiflexion", -0.006},
    {"tibialis_posterior", "ankle", "dorsiflexion", -0.008},
    {"fibularis_brevis", "subtalar", "inversion", -0.015},
    {"extensor_carpi_radialis_longus", "elbow", "flexion", 0.01, kArm},
    {"brachioradialis", "elbow", "flexion", 0.02, kArm, 0.02, 0.07, 120.0},
};

constexpr SharedTendon kSharedTendons[] = {{"iliacus", "psoas_major"}};

}  // namespace

const PublishedFibres* find_published_fibres(std::string_view muscle) {
    for (const PublishedFibres& f : kPublishedFibres) {
        if (muscle.starts_with(f.muscle)) {
            return &f;
        }
    }
    return nullptr;
}

double published_length(MuscleLimb limb) {
    return limb == MuscleLimb::Leg ? kLegOfStature * kLegStature : kArmOfStature * kArmStature;
}

std::span<const PublishedPassing> published_passings() {
    return kPublishedPassings;
}

std::span<const SharedTendon> shared_tendons() {
    return kSharedTendons;
}

}  // namespace sinew
