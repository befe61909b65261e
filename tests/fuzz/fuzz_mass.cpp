#include "sinew/io/mass_files.h"

#include "tests/fuzz/fuzz_reader.h"
#include "tests/fuzz/fuzz_targets.h"

// Skeleton and muscles, one after the other, parted by a zero byte.
int sinew::fuzz::feed_mass(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    const std::size_t cut = std::min(text.find('\0'), text.size());
    try {
        sinew::parse_mass(text.substr(0, cut), text.substr(std::min(cut + 1, text.size())), {});
    } catch (const sinew::InputError&) {
    }
    return 0;
}
