#include "sinew/base/error.h"
#include "sinew/base/formula.h"

#include "tests/fuzz/fuzz_targets.h"

int sinew::fuzz::feed_formula(const std::uint8_t* data, std::size_t size) {
    try {
        const Formula formula({reinterpret_cast<const char*>(data), size}, "fuzz");
        static_cast<void>(formula.at(0.1, -2.0, 30.0));
    } catch (const InputError&) {
        return 0;
    }
    return 0;
}
