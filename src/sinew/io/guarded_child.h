#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace sinew {

/// What a child process may use before it is stopped.
struct ChildLimits {
    std::uint64_t memory_bytes = std::uint64_t{4} << 30;  ///< address space; not under sanitizers
    int cpu_seconds = 30;                                 ///< processor time, >= 1
    int wall_seconds = 60;                                ///< time on the clock, >= 1
    std::uint64_t answer_bytes = std::uint64_t{1} << 30;  ///< length of the answer
};

/// Runs `work` in a copy of this process and returns the text it makes. For libraries that may
/// crash, hang or eat all memory on a damaged file: only the copy suffers. An InputError thrown by
/// `work` comes through; whatever else goes wrong becomes one.
/// @param where  the file that is worked on, for messages
/// @throws InputError
std::string run_in_guarded_child(const std::function<std::string()>& work, const std::string& where,
                                 const ChildLimits& limits = {});

}  // namespace sinew
