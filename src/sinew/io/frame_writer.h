#pragma once

#include "sinew/mesh/arrays.h"

namespace sinew {

/// Writes the shapes of a moving mesh, or of several parts, to a file as they are made, so that
/// long motions need no memory. A frame has the points of all parts, one part after the other. The
/// file appears when commit() is called.
class FrameWriter {
public:
    virtual ~FrameWriter() = default;
    /// @throws InputError  when the frame has another number of points than the first, is one too
    ///                     many, or there is no space left
    virtual void add(const Points& frame) = 0;
    /// @throws InputError  when frames are missing
    virtual void commit() = 0;
};

}  // namespace sinew
