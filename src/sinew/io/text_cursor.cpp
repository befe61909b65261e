#include "sinew/io/text_cursor.h"

#include "sinew/base/error.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstring>

namespace sinew {

namespace {

bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\v' || c == '\f';
}

bool is_line_end(char c) {
    return c == '\n' || c == '\r';
}

bool is_separator(char c) {
    return is_blank(c) || is_line_end(c);
}

// Reads a double at `at` and returns where it ends, or nullptr when there is none.
const char* read_double(const char* at, const char* end, double& value) {
    if (at != end && *at == '+') {
        ++at;
        if (at != end && *at == '-') {
            return nullptr;
        }
    }
    const auto [stop, status] = std::from_chars(at, end, value);
    if (status == std::errc::invalid_argument) {
        return nullptr;
    }
    if (status == std::errc::result_out_of_range) {
        // Too small is a good number, too large is not; the wider type tells them apart.
        long double wide = 0;
        const auto [wide_stop, wide_status] = std::from_chars(at, end, wide);
        if (wide_status != std::errc{}) {
            return nullptr;
        }
        value = static_cast<double>(wide);
        return std::isfinite(value) ? wide_stop : nullptr;
    }
    return std::isfinite(value) ? stop : nullptr;
}

}  // namespace

std::string quoted(std::string_view word) {
    constexpr std::size_t kLongest = 40;
    std::string text = "'";
    for (const char c : word.substr(0, kLongest)) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte >= 0x20 && byte < 0x7f) {
            text += c;
        } else {
            text += fmt::format("\\x{:02x}", byte);
        }
    }
    text += word.size() > kLongest ? "...'" : "'";
    return text;
}

bool parse_number(std::string_view text, double& value) {
    const char* const end = text.data() + text.size();
    return !text.empty() && read_double(text.data(), end, value) == end;
}

bool parse_integer(std::string_view text, std::int64_t& value) {
    if (text.size() > 1 && text[0] == '+' && text[1] != '-') {
        text.remove_prefix(1);
    }
    const char* const end = text.data() + text.size();
    const auto [stop, status] = std::from_chars(text.data(), end, value);
    return status == std::errc{} && stop == end;
}

namespace {

template <class Number>
void append_shortest(std::string& out, Number value) {
    char buffer[40];
    const auto [stop, status] = std::to_chars(buffer, buffer + sizeof buffer, value);
    static_cast<void>(status);  // 40 characters hold every number
    out.append(buffer, stop);
}

}  // namespace

void append_number(std::string& out, double value) {
    append_shortest(out, value);
}

void append_number(std::string& out, float value) {
    append_shortest(out, value);
}

void append_integer(std::string& out, std::int64_t value) {
    append_shortest(out, value);
}

TextCursor::TextCursor(std::string_view text, std::string_view file, const Style& style)
    : begin_(text.data()),
      at_(text.data()),
      end_(text.data() + text.size()),
      file_(file),
      style_(style),
      line_(style.first_line) {
    // Some editors put a mark of the encoding ahead of the text.
    if (line_ == 1 && text.starts_with("\xef\xbb\xbf")) {
        at_ += 3;
    }
}

void TextCursor::skip_blanks() {
    for (;;) {
        while (at_ != end_ && is_blank(*at_)) {
            ++at_;
        }
        if (at_ == end_ || !style_.joins_backslash || *at_ != '\\') {
            return;
        }
        // A backslash joins the next line only as the last character of this one.
        const char* const backslash = at_++;
        if (!skip_line_end()) {
            at_ = backslash;
            return;
        }
    }
}

bool TextCursor::is_word_end(const char* at) const {
    if (at == end_ || is_separator(*at)) {
        return true;
    }
    return style_.joins_backslash && *at == '\\' && at + 1 != end_ && is_line_end(at[1]);
}

bool TextCursor::skip_line_end() {
    if (at_ == end_ || !is_line_end(*at_)) {
        return false;
    }
    if (*at_ == '\r' && at_ + 1 != end_ && at_[1] == '\n') {
        ++at_;
    }
    ++at_;
    ++line_;
    return true;
}

bool TextCursor::at_line_end() {
    skip_blanks();
    if (at_ != end_ && style_.comment != '\0' && *at_ == style_.comment) {
        while (at_ != end_ && !is_line_end(*at_)) {
            ++at_;
        }
    }
    return at_ == end_ || is_line_end(*at_);
}

bool TextCursor::at_end() {
    while (at_line_end()) {
        if (!skip_line_end()) {
            return true;
        }
    }
    return false;
}

void TextCursor::skip_line() {
    while (at_ != end_ && !is_line_end(*at_)) {
        if (style_.joins_backslash && *at_ == '\\') {
            ++at_;
            skip_line_end();
        } else {
            ++at_;
        }
    }
    skip_line_end();
}

void TextCursor::skip_to(std::size_t offset) {
    SINEW_ASSERT(begin_ + offset >= at_ && begin_ + offset <= end_, "offset {}", offset);
    at_ = begin_ + offset;
}

std::string_view TextCursor::word_on_line() {
    if (at_line_end()) {
        return {};
    }
    const char* const start = at_;
    do {
        ++at_;
    } while (!is_word_end(at_));
    return {start, static_cast<std::size_t>(at_ - start)};
}

std::string_view TextCursor::word() {
    return at_end() ? std::string_view{} : word_on_line();
}

std::string_view TextCursor::rest_of_line() {
    if (at_line_end()) {
        return {};
    }
    const char* const start = at_;
    const char* last = at_;
    while (at_ != end_ && !is_line_end(*at_)) {
        if (style_.comment != '\0' && *at_ == style_.comment && is_blank(at_[-1])) {
            break;  // a comment; within a word the character is part of it
        }
        last = is_blank(*at_) ? last : at_;
        ++at_;
    }
    return {start, static_cast<std::size_t>(last + 1 - start)};
}

double TextCursor::number(std::string_view what) {
    if (!at_end()) {
        double value = 0;
        const char* const stop = read_double(at_, end_, value);
        if (stop != nullptr && (is_word_end(stop) || *stop == style_.comment)) {
            at_ = stop;
            return value;
        }
    }
    const std::string_view bad = word();
    fail(bad.empty() ? fmt::format("the file ends before {}", what)
                     : fmt::format("{} as {}", quoted(bad), what),
         "a finite number");
}

std::int64_t TextCursor::integer(std::string_view what) {
    const std::string_view text = word();
    std::int64_t value = 0;
    if (!parse_integer(text, value)) {
        fail(text.empty() ? fmt::format("the file ends before {}", what)
                          : fmt::format("{} as {}", quoted(text), what),
             "a whole number");
    }
    return value;
}

std::size_t TextCursor::count(std::string_view what, std::size_t bytes_each) {
    const std::int64_t value = integer(what);
    const std::size_t room = left() / bytes_each + 1;  // the last needs no separator
    if (value < 0 || static_cast<std::uint64_t>(value) > room) {
        fail(fmt::format("{} as {}", value, what),
             fmt::format("a number from 0 to {}, for which there is text in the file", room));
    }
    return static_cast<std::size_t>(value);
}

void TextCursor::fail(std::string found, std::string needs) const {
    fail_at(line_, std::move(found), std::move(needs));
}

void TextCursor::fail_at(std::size_t line, std::string found, std::string needs) const {
    throw InputError({.where = fmt::format("{}, line {}", file_, line),
                      .found = std::move(found),
                      .needs = std::move(needs),
                      .remedy = std::string(style_.remedy)});
}

}  // namespace sinew
