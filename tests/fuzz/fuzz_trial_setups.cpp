#include "sinew/io/external_loads_file.h"
#include "sinew/io/ik_setup_file.h"

#include <string>

#include "tests/fuzz/fuzz_reader.h"
#include "tests/fuzz/fuzz_targets.h"

// Set-ups of loads, reserves, inverse kinematics, scaling and marker sets, each from the same
// bytes.
int sinew::fuzz::feed_trial_setups(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    const auto feed = [](auto call) {
        try {
            call();
        } catch (const sinew::InputError&) {
            return;
        }
    };
    feed([&] { sinew::parse_loads_setup(text, "fuzz"); });
    feed([&] { sinew::parse_reserve_actuators(text, "fuzz"); });
    feed([&] { sinew::parse_ik_setup(text, "fuzz"); });
    feed([&] { sinew::parse_scale_setup(text, "fuzz"); });
    feed([&] { sinew::parse_marker_set(text, "fuzz"); });
    return 0;
}
