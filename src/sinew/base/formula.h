#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace sinew {

/// A formula of x, y and z as a user writes it: numbers, + - * / ^, brackets, pi, and the functions
/// sin, cos, tan, asin, acos, atan, sqrt, exp, log, abs, atan2(y, x), min(a, b), max(a, b).
class Formula {
public:
    /// @param where  for messages
    /// @throws InputError  when the text is no formula
    Formula(std::string_view text, const std::string& where);

    /// The value at a point; may be NaN or infinite, as mathematics has it.
    double at(double x, double y, double z) const;

private:
    friend class FormulaParser;
    enum class Step : unsigned char {
        Number,
        X,
        Y,
        Z,
        Add,
        Subtract,
        Multiply,
        Divide,
        Power,
        Negate,
        Sin,
        Cos,
        Tan,
        Asin,
        Acos,
        Atan,
        Sqrt,
        Exp,
        Log,
        Abs,
        Atan2,
        Min,
        Max
    };
    struct Instruction {
        Step step;
        double number;
    };
    std::vector<Instruction> program_;  // in postfix order
    std::size_t depth_ = 0;             // of the stack that it needs
};

}  // namespace sinew
