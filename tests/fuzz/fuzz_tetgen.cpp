#include "sinew/meshing/tetgen_format.h"

#include <algorithm>

#include "tests/fuzz/fuzz_reader.h"
#include "tests/fuzz/fuzz_targets.h"

// The texts of a .node and an .ele file, one behind the other with a line "===" between them.
int sinew::fuzz::feed_tetgen(const std::uint8_t* data, std::size_t size) {
    return sinew::fuzz::feed(data, size, [](std::string_view bytes, std::string_view where) {
        constexpr std::string_view kBetween = "===\n";
        const std::size_t at = std::min(bytes.find(kBetween), bytes.size());
        const std::string_view rest = bytes.substr(at);
        return sinew::parse_tetgen(bytes.substr(0, at),
                                   rest.substr(std::min(kBetween.size(), rest.size())), where);
    });
}
