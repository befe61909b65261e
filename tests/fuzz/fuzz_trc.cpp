#include "sinew/io/trc.h"

#include "tests/fuzz/fuzz_reader.h"
#include "tests/fuzz/fuzz_targets.h"

int sinew::fuzz::feed_trc(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    sinew::MarkerData markers;
    try {
        markers = sinew::parse_trc(text, "fuzz");
    } catch (const sinew::InputError&) {
        return 0;
    }
    // Every frame has a place, known or not, for every marker.
    if (markers.positions.size() != markers.names.size() * markers.times.size()) {
        __builtin_trap();
    }
    return 0;
}
