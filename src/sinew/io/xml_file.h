#pragma once

#include "sinew/mesh/arrays.h"

#include <pugixml.hpp>

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sinew {

/// An XML document with the text it came from, for errors that name the line.
class XmlFile {
public:
    /// @throws InputError  when the file cannot be read, is not well-formed XML or is nested deeper
    /// than `kMaxNesting`, so that readers may recurse
    explicit XmlFile(const std::filesystem::path& path);
    XmlFile(std::string text, std::string name);

    pugi::xml_node root() const {
        return document_.document_element();
    }
    const std::string& name() const {
        return name_;
    }
    /// "arm.osim, line 12, <Body name="ulna">"
    std::string place(const pugi::xml_node& node) const;
    [[noreturn]] void fail(const pugi::xml_node& node, std::string found, std::string needs,
                           std::string remedy = "correct the file") const;

    /// The child of that name. @throws InputError when there is none
    pugi::xml_node need(const pugi::xml_node& node, const char* child) const;
    /// The attribute of that name. @throws InputError when there is none
    std::string need_attribute(const pugi::xml_node& node, const char* attribute) const;
    /// Blank-separated finite numbers in the text of a node. @throws InputError for anything else
    std::vector<double> numbers(const pugi::xml_node& node) const;
    std::vector<double> numbers(const pugi::xml_node& node, std::string_view text) const;
    /// Exactly `count` of them.
    std::vector<double> numbers(const pugi::xml_node& node, std::string_view text,
                                std::size_t count) const;
    double number(const pugi::xml_node& node) const;
    Vec3 vector(const pugi::xml_node& node) const;
    /// "true", "false", "1" or "0". @throws InputError for anything else
    bool truth(const pugi::xml_node& node) const;

private:
    void parse();
    std::string text_;
    std::string name_;
    pugi::xml_document document_;
};

/// The text of a node without blanks at either end.
std::string trimmed_text(const pugi::xml_node& node);

}  // namespace sinew
