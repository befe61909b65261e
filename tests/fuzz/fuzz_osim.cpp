#include "sinew/io/osim.h"

#include "tests/fuzz/fuzz_reader.h"
#include "tests/fuzz/fuzz_targets.h"

int sinew::fuzz::feed_osim(const std::uint8_t* data, std::size_t size) {
    sinew::MusculoskeletalModel model;
    try {
        model = sinew::parse_osim(std::string(reinterpret_cast<const char*>(data), size), "fuzz");
    } catch (const sinew::InputError&) {
        return 0;
    }
    // What was accepted keeps its promises.
    sinew::require_valid(model, "fuzz");
    return 0;
}
