#pragma once

#include "sinew/base/progress.h"

#include <functional>
#include <memory>
#include <string>

namespace sinew::cli {

/// Ctrl-C and SIGTERM while a verb runs. Its work is asked to stop; where it has not after most of
/// a second, the program ends as it is: files appear whole or not at all, so that nothing is torn.
class Interrupts {
public:
    /// @param say  tells that the program was stopped, and what it leaves; from a thread of its own
    Interrupts(const Progress& progress, std::function<void(int code)> say);
    ~Interrupts();
    Interrupts(const Interrupts&) = delete;
    Interrupts& operator=(const Interrupts&) = delete;

    /// 130 after Ctrl-C, 143 after SIGTERM, as shells report them.
    int code() const;
    /// The verb has ended, and speaks for itself from now on. Does not return when the program is
    /// being ended already.
    void end();

private:
    struct Watch;
    std::unique_ptr<Watch> watch_;
};

/// What of a result in many files stands complete on the disk by now, such as "12 frames are
/// complete in 'folder'": said when the program is stopped.
void note_kept(std::string text);
/// The last note, or "nothing was written".
std::string kept_note();

}  // namespace sinew::cli
