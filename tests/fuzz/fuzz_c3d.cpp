#include "sinew/io/c3d.h"

#include "tests/fuzz/fuzz_reader.h"
#include "tests/fuzz/fuzz_targets.h"

int sinew::fuzz::feed_c3d(const std::uint8_t* data, std::size_t size) {
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    sinew::C3dData read;
    try {
        read = sinew::parse_c3d(bytes, "fuzz");
    } catch (const sinew::InputError&) {
        return 0;
    }
    const auto& markers = read.markers;
    if (markers.positions.size() != markers.names.size() * markers.times.size() ||
        read.analog.values.size() != read.analog.columns.size() * read.analog.times.size()) {
        __builtin_trap();
    }
    sinew::table_of_plates(read);
    return 0;
}
