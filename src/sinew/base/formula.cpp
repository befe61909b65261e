#include "sinew/base/formula.h"

#include "sinew/base/error.h"
#include "sinew/base/units.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <utility>

namespace sinew {

namespace {

constexpr int kDeepestBrackets = 100;
constexpr std::size_t kLongestFormula = 10000;

bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

}  // namespace

/// Reads from left to right: sums of products of powers.
class FormulaParser {
public:
    using Step = Formula::Step;

    FormulaParser(std::string_view text, const std::string& where, Formula& formula)
        : text_(text), where_(where), formula_(formula) {}

    void parse() {
        if (text_.size() > kLongestFormula) {
            refuse("a text of that length", "a shorter formula");
        }
        sum(0);
        skip_spaces();
        if (next_ < text_.size()) {
            refuse(fmt::format("'{}'", text_.substr(next_, 20)), "an operator or the end");
        }
    }

private:
    [[noreturn]] void refuse(const std::string& found, const std::string& needs) const {
        throw InputError({.where = where_,
                          .found = fmt::format("{} at character {} of a formula", found, next_ + 1),
                          .needs = needs,
                          .remedy = "write e.g. \"cos(2*x) - y/sqrt(x^2 + y^2)\""});
    }

    void skip_spaces() {
        while (next_ < text_.size() && (text_[next_] == ' ' || text_[next_] == '\t')) {
            ++next_;
        }
    }
    bool take(char c) {
        skip_spaces();
        const bool is_there = next_ < text_.size() && text_[next_] == c;
        next_ += is_there ? 1 : 0;
        return is_there;
    }
    void require(char c) {
        if (!take(c)) {
            refuse(next_ < text_.size() ? fmt::format("'{}'", text_.substr(next_, 20)) : "the end",
                   fmt::format("'{}'", c));
        }
    }

    void emit(Step step, int change, double number = 0.0) {
        formula_.program_.push_back({step, number});
        stack_ += change;
        formula_.depth_ = std::max(formula_.depth_, static_cast<std::size_t>(stack_));
    }

    void sum(int depth) {
        if (depth > kDeepestBrackets) {
            refuse("brackets that deep", fmt::format("at most {} levels", kDeepestBrackets));
        }
        product(depth);
        for (;;) {
            if (take('+')) {
                product(depth);
                emit(Step::Add, -1);
            } else if (take('-')) {
                product(depth);
                emit(Step::Subtract, -1);
            } else {
                return;
            }
        }
    }

    void product(int depth) {
        signed_power(depth);
        for (;;) {
            if (take('*')) {
                signed_power(depth);
                emit(Step::Multiply, -1);
            } else if (take('/')) {
                signed_power(depth);
                emit(Step::Divide, -1);
            } else {
                return;
            }
        }
    }

    // -x^2 is -(x^2); 2^-1 and 2^3^2 = 2^(3^2) as usual.
    void signed_power(int depth) {
        if (depth > kDeepestBrackets) {
            refuse("signs and powers that deep", fmt::format("at most {}", kDeepestBrackets));
        }
        if (take('-')) {
            signed_power(depth + 1);
            emit(Step::Negate, 0);
            return;
        }
        take('+');
        operand(depth);
        if (take('^')) {
            signed_power(depth + 1);
            emit(Step::Power, -1);
        }
    }

    void operand(int depth) {
        skip_spaces();
        if (take('(')) {
            sum(depth + 1);
            require(')');
            return;
        }
        const char c = next_ < text_.size() ? text_[next_] : '\0';
        if (is_digit(c) || c == '.') {
            double number = 0.0;
            const char* const begin = text_.data() + next_;
            const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), number);
            if (error != std::errc() || !std::isfinite(number)) {
                refuse(fmt::format("'{}'", text_.substr(next_, 20)), "a number");
            }
            next_ += static_cast<std::size_t>(end - begin);
            emit(Step::Number, 1, number);
            return;
        }
        name(depth);
    }

    void name(int depth) {
        const std::size_t begin = next_;
        while (next_ < text_.size() && (is_letter(text_[next_]) || is_digit(text_[next_]))) {
            ++next_;
        }
        const std::string_view word = text_.substr(begin, next_ - begin);
        if (word == "x" || word == "y" || word == "z") {
            emit(word == "x" ? Step::X : word == "y" ? Step::Y : Step::Z, 1);
            return;
        }
        if (word == "pi") {
            emit(Step::Number, 1, kPi);
            return;
        }
        const std::optional<std::pair<Step, int>> function = find_function(word);
        if (!function) {
            next_ = begin;
            refuse(begin < text_.size() ? fmt::format("'{}'", text_.substr(begin, 20)) : "the end",
                   "a number, x, y, z, pi, a function or a bracket");
        }
        require('(');
        sum(depth + 1);
        if (function->second == 2) {
            require(',');
            sum(depth + 1);
        }
        require(')');
        emit(function->first, 1 - function->second);
    }

    static std::optional<std::pair<Step, int>> find_function(std::string_view word) {
        constexpr std::pair<std::string_view, std::pair<Step, int>> kFunctions[] = {
            {"sin", {Step::Sin, 1}},   {"cos", {Step::Cos, 1}},     {"tan", {Step::Tan, 1}},
            {"asin", {Step::Asin, 1}}, {"acos", {Step::Acos, 1}},   {"atan", {Step::Atan, 1}},
            {"sqrt", {Step::Sqrt, 1}}, {"exp", {Step::Exp, 1}},     {"log", {Step::Log, 1}},
            {"abs", {Step::Abs, 1}},   {"atan2", {Step::Atan2, 2}}, {"min", {Step::Min, 2}},
            {"max", {Step::Max, 2}}};
        for (const auto& [name, function] : kFunctions) {
            if (name == word) {
                return function;
            }
        }
        return std::nullopt;
    }

    std::string_view text_;
    const std::string& where_;
    Formula& formula_;
    std::size_t next_ = 0;
    int stack_ = 0;
};

Formula::Formula(std::string_view text, const std::string& where) {
    FormulaParser(text, where, *this).parse();
}

double Formula::at(double x, double y, double z) const {
    std::vector<double> stack;
    stack.reserve(depth_);
    for (const Instruction& i : program_) {
        const auto binary = [&](auto&& f) {
            const double b = stack.back();
            stack.pop_back();
            stack.back() = f(stack.back(), b);
        };
        const auto unary = [&](auto&& f) { stack.back() = f(stack.back()); };
        switch (i.step) {
            case Step::Number:
                stack.push_back(i.number);
                break;
            case Step::X:
                stack.push_back(x);
                break;
            case Step::Y:
                stack.push_back(y);
                break;
            case Step::Z:
                stack.push_back(z);
                break;
            case Step::Add:
                binary([](double a, double b) { return a + b; });
                break;
            case Step::Subtract:
                binary([](double a, double b) { return a - b; });
                break;
            case Step::Multiply:
                binary([](double a, double b) { return a * b; });
                break;
            case Step::Divide:
                binary([](double a, double b) { return a / b; });
                break;
            case Step::Power:
                binary([](double a, double b) { return std::pow(a, b); });
                break;
            case Step::Negate:
                unary([](double a) { return -a; });
                break;
            case Step::Sin:
                unary([](double a) { return std::sin(a); });
                break;
            case Step::Cos:
                unary([](double a) { return std::cos(a); });
                break;
            case Step::Tan:
                unary([](double a) { return std::tan(a); });
                break;
            case Step::Asin:
                unary([](double a) { return std::asin(a); });
                break;
            case Step::Acos:
                unary([](double a) { return std::acos(a); });
                break;
            case Step::Atan:
                unary([](double a) { return std::atan(a); });
                break;
            case Step::Sqrt:
                unary([](double a) { return std::sqrt(a); });
                break;
            case Step::Exp:
                unary([](double a) { return std::exp(a); });
                break;
            case Step::Log:
                unary([](double a) { return std::log(a); });
                break;
            case Step::Abs:
                unary([](double a) { return std::abs(a); });
                break;
            case Step::Atan2:
                binary([](double a, double b) { return std::atan2(a, b); });
                break;
            case Step::Min:
                binary([](double a, double b) { return std::min(a, b); });
                break;
            case Step::Max:
                binary([](double a, double b) { return std::max(a, b); });
                break;
        }
    }
    return stack.back();
}

}  // namespace sinew
