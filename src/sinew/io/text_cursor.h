#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace sinew {

/// A word of a file made safe to print: at most 40 characters, in quotes, control characters and
/// bytes beyond ASCII as \xNN.
std::string quoted(std::string_view word);

/// Walks through the words of a text file. Does not own the text. Words are separated by blanks,
/// tabs and line ends (LF, CRLF or CR); numbers are read the same way under every locale.
/// All functions throw InputError with the file's name and the line.
class TextCursor {
public:
    struct Style {
        char comment = '\0';           ///< starts a comment up to the end of the line; 0: none
        bool joins_backslash = false;  ///< a backslash at the end of a line continues it
        std::size_t first_line = 1;    ///< number of the text's first line in its file
        std::string_view remedy = "write the file again; it is damaged or cut short";
    };

    TextCursor(std::string_view text, std::string_view file, const Style& style);

    /// Skips blanks, line ends and comments. True when nothing follows.
    bool at_end();
    /// Skips blanks and comments within the line. True when the line has no further word.
    bool at_line_end();
    /// Goes behind the end of this line.
    void skip_line();

    /// The next word, on this line or a later one; "" at the end of the text.
    std::string_view word();
    /// The next word of this line, or "".
    std::string_view word_on_line();
    /// What remains of this line, without blanks at either end and without a comment.
    std::string_view rest_of_line();

    /// The next word, on this line or a later one, as a finite number. `what` names it in errors.
    double number(std::string_view what);
    std::int64_t integer(std::string_view what);
    /// A count of things that take up at least `bytes_each` characters each, separators included.
    /// It is checked against what is left of the text, so memory for them can be taken at once.
    std::size_t count(std::string_view what, std::size_t bytes_each);

    std::size_t line() const {
        return line_;
    }
    /// Where the cursor stands, from the start of the text.
    std::size_t offset() const {
        return static_cast<std::size_t>(at_ - begin_);
    }
    /// Goes to an offset at or behind the present one. Lines in between are not counted.
    void skip_to(std::size_t offset);
    std::size_t left() const {
        return static_cast<std::size_t>(end_ - at_);
    }

    [[noreturn]] void fail(std::string found, std::string needs) const;
    [[noreturn]] void fail_at(std::size_t line, std::string found, std::string needs) const;

private:
    void skip_blanks();
    bool skip_line_end();
    bool is_word_end(const char* at) const;

    const char* begin_;
    const char* at_;
    const char* end_;
    std::string file_;
    Style style_;
    std::size_t line_;
};

/// The number that `text` spells (a leading plus is allowed), or false. Values too small for a
/// double become 0; infinities and NaN are not numbers.
bool parse_number(std::string_view text, double& value);
bool parse_integer(std::string_view text, std::int64_t& value);

/// Appends the shortest text that reads back as the same bits.
void append_number(std::string& out, double value);
void append_number(std::string& out, float value);
void append_integer(std::string& out, std::int64_t value);

}  // namespace sinew
