#pragma once

#include "sinew/base/error.h"
#include "sinew/base/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <string>
#include <string_view>

namespace sinew::support {

/// A damaged copy of a file's content: bits flipped, bytes replaced, pieces removed, doubled, moved
/// or overwritten by numbers that break readers, one to six times.
inline std::string mutated(std::string_view bytes, Random& random) {
    static constexpr std::string_view kNasty[] = {
        "-1",   "0",   "99999999999", "1e999",           "nan",    "inf", "-0", "2e9",
        "\n\n", "\r",  "2147483648",  "4294967295",      "1e-400", "- 1", "\\", "#",
        "/",    "end", "{}",          "\xff\xff\xff\xff"};
    std::string text(bytes);
    const std::uint32_t times = 1 + random.below(6);
    for (std::uint32_t i = 0; i < times; ++i) {
        const auto size = static_cast<std::uint32_t>(text.size());
        const std::uint32_t at = random.below(size + 1);
        const std::uint32_t length = std::min(1 + random.below(24), size - at);
        switch (random.below(7)) {
            case 0:
                if (at < size) {
                    text[at] = static_cast<char>(text[at] ^ (1 << random.below(8)));
                }
                break;
            case 1:
                if (at < size) {
                    text[at] = static_cast<char>(random.below(256));
                }
                break;
            case 2:
                text.erase(at, length);
                break;
            case 3:
                text.insert(at, text.substr(at, length));
                break;
            case 4:
                text.insert(random.below(size + 1), text.substr(at, length));
                break;
            case 5:
                text.insert(at, kNasty[random.below(std::size(kNasty))]);
                break;
            default: {
                const std::string_view nasty = kNasty[random.below(std::size(kNasty))];
                text.replace(at, std::min<std::size_t>(nasty.size(), text.size() - at), nasty);
                break;
            }
        }
    }
    return text;
}

/// Calls parse(bytes) and accepts that it returns or throws InputError; the name of what else came.
template <class Parse>
std::string wrong_reaction(std::string_view bytes, Parse&& parse) {
    try {
        parse(bytes);
    } catch (const InputError&) {
        return {};
    } catch (const std::exception& error) {
        return error.what();
    } catch (...) {
        return "something that is no exception of the standard library";
    }
    return {};
}

/// The sample cut off at every byte, and `count` damaged copies of it, must each be read or refused
/// with an InputError. `parse` is handed the bytes and should check what it gets.
template <class Parse>
void expect_damage_is_survived(std::string_view sample, Parse&& parse, int count = 300,
                               Seed seed = {1}) {
    for (std::size_t size = 0; size < sample.size(); ++size) {
        const std::string wrong = wrong_reaction(sample.substr(0, size), parse);
        EXPECT_TRUE(wrong.empty()) << "cut off at byte " << size << ": " << wrong;
    }
    for (int i = 0; i < count; ++i) {
        Random random(seed, static_cast<std::uint64_t>(i));
        const std::string wrong = wrong_reaction(mutated(sample, random), parse);
        EXPECT_TRUE(wrong.empty()) << "damaged copy " << i << ": " << wrong;
    }
    for (int i = 0; i < 20; ++i) {
        Random random(seed, 1'000'000 + static_cast<std::uint64_t>(i));
        std::string garbage(random.below(2000), '\0');
        for (char& c : garbage) {
            c = static_cast<char>(random.below(256));
        }
        const std::string wrong = wrong_reaction(garbage, parse);
        EXPECT_TRUE(wrong.empty()) << "garbage " << i << ": " << wrong;
    }
}

/// The message of the InputError that `call` throws, or "" with a failed expectation.
template <class Call>
std::string input_error_of(Call&& call) {
    try {
        call();
    } catch (const InputError& error) {
        return error.what();
    }
    ADD_FAILURE() << "no InputError";
    return {};
}

}  // namespace sinew::support
