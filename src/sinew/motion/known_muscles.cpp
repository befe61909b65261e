#include "sinew/motion/known_muscles.h"

#include "sinew/base/units.h"

#include <algorithm>
#include <cctype>

// What anatomy says of muscles, for the doctor and for conversions: names that models use for one
// muscle, forces and fibres of published models (sources in the header), actions whose sign is
// beyond doubt, the segments that it joins. A table, and the functions that read names; nothing is
// computed here.

namespace sinew {

namespace {

std::string lower_case(std::string_view text) {
    std::string out(text);
    std::transform(out.begin(), out.end(), out.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return out;
}

// Whether one of the words of a list is `word`.
bool has_word(std::string_view list, std::string_view word) {
    while (!list.empty()) {
        const std::size_t end = std::min(list.find(' '), list.size());
        if (list.substr(0, end) == word) {
            return true;
        }
        list.remove_prefix(std::min(end + 1, list.size()));
    }
    return false;
}

constexpr KnownAction kHipFlexor{"hip flexion", 1};
constexpr KnownAction kHipExtensor{"hip flexion", -1};
constexpr KnownAction kAdductor{"hip adduction", 1};
constexpr KnownAction kAbductor{"hip adduction", -1};
constexpr KnownAction kKneeFlexor{"knee", 1};
constexpr KnownAction kKneeExtensor{"knee", -1};
constexpr KnownAction kDorsiflexor{"ankle", 1};
constexpr KnownAction kPlantarflexor{"ankle", -1};
constexpr KnownAction kInvertor{"subtalar", 1};
constexpr KnownAction kEvertor{"subtalar", -1};
constexpr KnownAction kElbowFlexor{"elbow", 1};
constexpr KnownAction kElbowExtensor{"elbow", -1};
constexpr KnownAction kWristFlexor{"wrist", 1};
constexpr KnownAction kWristExtensor{"wrist", -1};

constexpr KnownMuscle kKnownMuscles[] = {
    // Hip.
    {"psoas psoasmajor", 1400, 0.117, {kHipFlexor}, "pelvis trunk", "femur"},
    {"iliacus", 1000, 0.107, {kHipFlexor}, "pelvis", "femur"},
    {"iliopsoas", 2300, 0.11, {kHipFlexor}, "pelvis trunk", "femur"},
    {"glutmax gluteusmaximus glmax", 2600, 0.157, {kHipExtensor}, "pelvis", "femur tibia"},
    {"glutmed gluteusmedius glmed", 2300, 0.073, {kAbductor}, "pelvis", "femur"},
    {"glutmin gluteusminimus glmin", 1000, 0.06, {kAbductor}, "pelvis", "femur"},
    {"tfl tensorfasciaelatae tensorfascialata", 400, 0.095, {kHipFlexor}, "pelvis", "tibia femur"},
    {"addlong adductorlongus", 900, 0.108, {kAdductor}, "pelvis", "femur"},
    {"addbrev adductorbrevis", 650, 0.103, {kAdductor}, "pelvis", "femur"},
    {"addmag adductormagnus addmagdist addmagisch addmagmid addmagprox",
     2000,
     0.13,
     {kAdductor},
     "pelvis",
     "femur"},
    {"pect pectineus", 200, 0.10, {}, "pelvis", "femur"},
    {"quadfem quadratusfemoris", 300, 0.054, {}, "pelvis", "femur"},
    {"peri piriformis piri", 500, 0.03, {}, "pelvis", "femur"},
    // Hip and knee.
    {"sar sart sartorius", 200, 0.45, {kHipFlexor}, "pelvis", "tibia"},
    {"grac gracilis", 200, 0.25, {kAdductor, kKneeFlexor}, "pelvis", "tibia"},
    {"rectfem recfem rectusfemoris rf", 1500, 0.08, {kHipFlexor, kKneeExtensor}, "pelvis", "tibia"},
    {"semimem semimembranosus", 1900, 0.072, {kHipExtensor, kKneeFlexor}, "pelvis", "tibia"},
    {"semiten semitendinosus", 500, 0.195, {kHipExtensor, kKneeFlexor}, "pelvis", "tibia"},
    {"bifemlh bflh bicepsfemorislonghead bicepsfemorislong bicepfemorislongus",
     1100,
     0.1,
     {kHipExtensor, kKneeFlexor},
     "pelvis",
     "tibia"},
    {"hamstrings hamstring", 3000, 0.1, {kHipExtensor, kKneeFlexor}, "pelvis", "tibia"},
    // Knee.
    {"bifemsh bfsh bicepsfemorisshorthead bicepsfemorisshort bicepfemorisshort",
     600,
     0.13,
     {kKneeFlexor},
     "femur",
     "tibia"},
    {"vasmed vastusmedialis", 2000, 0.093, {kKneeExtensor}, "femur", "tibia"},
    {"vasint vastusintermedius", 1600, 0.093, {kKneeExtensor}, "femur", "tibia"},
    {"vaslat vastuslateralis", 3500, 0.092, {kKneeExtensor}, "femur", "tibia"},
    {"vasti quad quadriceps", 6500, 0.1, {kKneeExtensor}, "femur pelvis", "tibia"},
    // Ankle and foot.
    {"medgas gasmed gastrocnemiusmedialhead gastrocnemiusmedialis gastrocnemiusmedial",
     2000,
     0.055,
     {kKneeFlexor, kPlantarflexor},
     "femur",
     "foot"},
    {"latgas gaslat gastrocnemiuslateralhead gastrocnemiuslateralis gastrocnemiuslateral",
     1000,
     0.06,
     {kKneeFlexor, kPlantarflexor},
     "femur",
     "foot"},
    {"gastroc gastrocnemius gas", 2500, 0.06, {kKneeFlexor, kPlantarflexor}, "femur", "foot"},
    {"soleus sol", 4500, 0.047, {kPlantarflexor}, "tibia", "foot"},
    {"tibant tibialisanterior", 1000, 0.08, {kDorsiflexor}, "tibia", "foot"},
    {"tibpost tibialisposterior", 1500, 0.034, {kPlantarflexor, kInvertor}, "tibia", "foot"},
    {"perlong peroneuslongus fibularislongus",
     900,
     0.05,
     {kPlantarflexor, kEvertor},
     "tibia",
     "foot"},
    {"perbrev peroneusbrevis fibularisbrevis",
     450,
     0.047,
     {kPlantarflexor, kEvertor},
     "tibia",
     "foot"},
    {"pertert peroneustertius fibularistertius",
     120,
     0.079,
     {kDorsiflexor, kEvertor},
     "tibia",
     "foot"},
    {"extdig edl extensordigitorumlongus", 500, 0.09, {kDorsiflexor}, "tibia", "foot"},
    {"exthal ehl extensorhallucislongus", 160, 0.095, {kDorsiflexor}, "tibia", "foot"},
    {"flexdig fdl flexordigitorumlongus", 300, 0.037, {kPlantarflexor, kInvertor}, "tibia", "foot"},
    {"flexhal fhl flexorhallucislongus", 400, 0.047, {kPlantarflexor, kInvertor}, "tibia", "foot"},
    // Arm.
    {"delt deltoidclavicularpart deltoidacromialpart deltoidspinalpart deltoid",
     1000,
     0.11,
     {},
     "scapula trunk",
     "humerus"},
    {"trilong tricepslonghead tricepsbrachiilonghead",
     800,
     0.134,
     {kElbowExtensor},
     "scapula trunk",
     "forearm"},
    {"trilat tricepslateralhead tricepsbrachiilateralhead",
     624,
     0.114,
     {kElbowExtensor},
     "humerus",
     "forearm"},
    {"trimed tricepsmedialhead tricepsbrachiimedialhead",
     624,
     0.114,
     {kElbowExtensor},
     "humerus",
     "forearm"},
    {"anc anconeus anconeous", 350, 0.027, {}, "humerus", "forearm"},
    {"biclong bicepbrachiilonghead bicepsbrachiilonghead",
     624,
     0.116,
     {kElbowFlexor},
     "scapula trunk",
     "forearm"},
    {"bicshort bicepbrachiishorthead bicepsbrachiishorthead",
     436,
     0.132,
     {kElbowFlexor},
     "scapula trunk",
     "forearm"},
    {"bra brachialis", 987, 0.086, {kElbowFlexor}, "humerus", "forearm"},
    {"brd brachioradialis", 261, 0.173, {kElbowFlexor}, "humerus", "forearm"},
    // Forearm.
    {"ecrl extensorcarpiradialislongus", 304, 0.081, {kWristExtensor}, "humerus", "hand"},
    {"ecrb extensorcarpiradialisbrevis", 101, 0.059, {kWristExtensor}, "humerus forearm", "hand"},
    {"ecu extensorcarpiulnaris ecupresurgery ecupostsurgery",
     93,
     0.062,
     {kWristExtensor},
     "humerus forearm",
     "hand"},
    {"fcr flexorcarpiradialis", 74, 0.063, {kWristFlexor}, "humerus forearm", "hand"},
    {"fcu flexorcarpiulnaris", 129, 0.051, {kWristFlexor}, "humerus forearm", "hand"},
    {"pl palmarislongus", 27, 0.064, {kWristFlexor}, "humerus forearm", "hand"},
    {"fdsi fdsm fdsr fdsl fds flexordigitorumsuperficialis",
     60,
     0.07,
     {kWristFlexor},
     "humerus forearm",
     "hand"},
    {"fdpi fdpm fdpr fdpl fdp flexordigitorumprofundus",
     70,
     0.075,
     {kWristFlexor},
     "humerus forearm",
     "hand"},
    {"edci edcm edcr edcl edc extensordigitorum",
     25,
     0.07,
     {kWristExtensor},
     "humerus forearm",
     "hand"},
    {"edm extensordigitiminimi", 25, 0.068, {kWristExtensor}, "humerus forearm", "hand"},
    {"eip extensorindicis", 22, 0.059, {kWristExtensor}, "humerus forearm", "hand"},
    {"epl extensorpollicislongus", 40, 0.054, {}, "humerus forearm", "hand"},
    {"epb extensorpollicisbrevis", 46, 0.068, {}, "humerus forearm", "hand"},
    {"fpl flexorpollicislongus", 201, 0.055, {kWristFlexor}, "humerus forearm", "hand"},
    {"apl abductorpollicislongus", 59, 0.071, {}, "humerus forearm", "hand"},
};

bool is_word_end(std::string_view text, std::size_t at) {
    return at >= text.size() || std::isalpha(static_cast<unsigned char>(text[at])) == 0;
}

}  // namespace

std::string plain_muscle_name(std::string_view name) {
    std::string text = lower_case(name);
    for (const char* side : {"_r", "_l"}) {
        text = text.ends_with(side) ? text.substr(0, text.size() - 2) : text;
    }
    for (const char* side : {"r_", "l_"}) {
        text = text.starts_with(side) ? text.substr(2) : text;
    }
    std::erase_if(text, [](unsigned char c) { return std::isalpha(c) == 0; });
    return text;
}

const KnownMuscle* find_known_muscle(std::string_view name) {
    const std::string plain = plain_muscle_name(name);
    for (const KnownMuscle& muscle : kKnownMuscles) {
        if (has_word(muscle.names, plain)) {
            return &muscle;
        }
    }
    return nullptr;
}

std::string_view motion_of_coordinate(std::string_view name) {
    const std::string text = lower_case(name);
    const auto has = [&](std::string_view part) { return text.find(part) != std::string::npos; };
    if (has("patell") || has("beta") || has("_t1") || has("_t2") || has("rotation") ||
        has("translation")) {
        return "";
    }
    if (has("hip") && has("flex")) {
        return "hip flexion";
    }
    if (has("hip") && (has("adduct") || has("abduct"))) {
        return "hip adduction";
    }
    if (has("knee") && (has("angle") || has("flex"))) {
        return "knee";
    }
    if (has("ankle") && (has("angle") || has("flex"))) {
        return "ankle";
    }
    if (has("subtalar")) {
        return "subtalar";
    }
    if (has("elbow") && has("flex")) {
        return "elbow";
    }
    return has("wrist") && has("flex") ? "wrist" : "";
}

std::string_view segment_of_body(std::string_view name) {
    const std::string text = lower_case(name);
    const auto has = [&](std::string_view part) { return text.find(part) != std::string::npos; };
    struct Word {
        std::string_view part;
        std::string_view segment;
    };
    // "r_ulna_radius_hand" of arm26 is a forearm, so forearms are looked for before hands.
    constexpr Word kWords[] = {
        {"pelvis", "pelvis"},   {"femur", "femur"},    {"thigh", "femur"},  {"patella", "tibia"},
        {"tibia", "tibia"},     {"shank", "tibia"},    {"fibula", "tibia"}, {"talus", "foot"},
        {"calcn", "foot"},      {"calcaneus", "foot"}, {"toes", "foot"},    {"foot", "foot"},
        {"humerus", "humerus"}, {"radius", "forearm"}, {"ulna", "forearm"}, {"hand", "hand"},
        {"scapula", "scapula"}, {"torso", "trunk"},    {"thorax", "trunk"}, {"lumbar", "trunk"},
    };
    for (const Word& word : kWords) {
        if (has(word.part)) {
            return word.segment;
        }
    }
    return "";
}

double greatest_angle(std::string_view motion) {
    if (motion == "knee" || motion == "elbow") {
        return 150.0 * kPi / 180.0;
    }
    if (motion == "hip flexion") {
        return 120.0 * kPi / 180.0;
    }
    if (motion == "hip adduction" || motion == "ankle" || motion == "subtalar") {
        return 50.0 * kPi / 180.0;
    }
    return 90.0 * kPi / 180.0;
}

double greatest_arm(std::string_view motion) {
    if (motion.starts_with("hip")) {
        return 0.12;  // adductor magnus and gracilis 8 cm, hamstrings 7 cm
    }
    if (motion == "subtalar" || motion == "wrist") {
        return 0.05;  // fibulares 3 cm; extensor carpi radialis 2 cm
    }
    return 0.08;  // quadriceps 5 cm, triceps surae 6 cm, brachioradialis 7 cm
}

std::vector<std::string> names_of_other_side(std::string_view name) {
    std::vector<std::string> out;
    const auto swap_at = [&](std::size_t at, std::string_view from, std::string_view to) {
        std::string other(name);
        out.push_back(other.replace(at, from.size(), to));
    };
    const auto all = [&](std::string_view a, std::string_view b) {
        for (const auto& [from, to] : {std::pair{a, b}, std::pair{b, a}}) {
            for (std::size_t at = name.find(from); at != std::string_view::npos;
                 at = name.find(from, at + 1)) {
                const bool begins = from.front() == '_' || at == 0 || name[at - 1] == '_' ||
                                    name[at - 1] == '\'' ||
                                    (std::isupper(static_cast<unsigned char>(from.front())) != 0 &&
                                     std::islower(static_cast<unsigned char>(name[at - 1])) != 0);
                if (begins && (from.back() == '_' || is_word_end(name, at + from.size()))) {
                    swap_at(at, from, to);
                }
            }
        }
    };
    all("_r", "_l");
    all("_R", "_L");
    all("r_", "l_");
    all("R", "L");
    all("right", "left");
    all("Right", "Left");
    return out;
}

}  // namespace sinew
