#include "sinew/io/motion_table.h"

#include "tests/fuzz/fuzz_reader.h"
#include "tests/fuzz/fuzz_targets.h"

int sinew::fuzz::feed_motion_table(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    sinew::MotionTable table;
    try {
        table = sinew::parse_motion_table(text, "fuzz");
    } catch (const sinew::InputError&) {
        return 0;
    }
    // What was accepted comes back the same.
    const sinew::MotionTable again =
        sinew::parse_motion_table(sinew::format_motion_table(table), "again");
    if (again.values != table.values || again.times != table.times) {
        __builtin_trap();
    }
    return 0;
}
