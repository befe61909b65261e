#include "sinew/io/settings_json.h"

#include <string>

#include "tests/fuzz/fuzz_reader.h"
#include "tests/fuzz/fuzz_targets.h"

namespace {

enum class Size { Small, Large };

struct Settings {
    int passes = 10;
    double step = 0.5;
    bool is_closed = false;
    std::string name = "anna";
    Size size = Size::Small;
};

template <class O, class V>
requires std::is_same_v<std::remove_const_t<O>, Settings>
void visit_fields(O& o, V&& v) {
    using sinew::Field;
    v(o.passes, Field{.name = "passes", .help = "how often", .min = 0, .max = 100});
    v(o.step, Field{.name = "step", .help = "share", .max = 1, .above = 0});
    v(o.is_closed, Field{.name = "is_closed", .help = "ends joined"});
    v(o.name, Field{.name = "name", .help = "of the body"});
    v(o.size, Field{.name = "size", .help = "how large", .choices = {"small", "large"}});
}

}  // namespace

int sinew::fuzz::feed_settings(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    Settings settings;
    try {
        settings = sinew::settings_from_json<Settings>(text, "fuzz");
    } catch (const sinew::InputError&) {
        return 0;
    }
    // What was accepted must be accepted again.
    sinew::settings_from_json<Settings>(sinew::settings_to_json(settings), "again");
    return 0;
}
