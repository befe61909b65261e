#!/usr/bin/env python3
"""make_manual.py PROGRAM FOLDER: writes man pages and completions of the `sinew` command, as it describes itself.

    FOLDER/man/man1/sinew.1, sinew-VERB.1
    FOLDER/bash-completion/completions/sinew
    FOLDER/zsh/site-functions/_sinew

The folders are those of a system's share/. Everything comes from `sinew --describe`, so a verb or an option that is added is
in the manual without further work.
"""
import json
import pathlib
import subprocess
import sys

GENERATED = "made by tools/make_manual.py from `sinew --describe`"

# ------------------------------------------------------------------------------------------------ what a value may be

NOT_FILES = ("NAME", "LIST", "TEXT", "REGION", "ADDRESS", "LOW,HIGH", "WxH", "A", "UNIT")


def completes(option):
    """What a shell offers for a value: ("choices", words), ("folders", ""), ("files", ending or "") or ("nothing", "")."""
    if option["kind"] == "choice":
        return "choices", option["choices"]
    value = option["value"]
    if option["kind"] != "text" or value in NOT_FILES or "=" in value:
        return "nothing", ""
    if value in ("DIR", "FOLDER"):
        return "folders", ""
    return "files", value[value.rindex("."):] if "." in value else ""


def named(verb):
    """Options with names; those of every verb last."""
    return [o for o in verb.get("options", []) + verb["common"] if o["names"]]


def positional(verb):
    return [o for o in verb.get("options", []) if not o["names"]]


# ---------------------------------------------------------------------------------------------------------- man pages


def roff(text):
    """Text for troff: no character of it is taken for a command."""
    lines = text.replace("\\", "\\e").replace("-", "\\-").replace("~", "\\(ti").replace("^", "\\(ha")
    lines = lines.replace("`", "\\(ga").replace("'", "\\(aq").split("\n")
    return "\n".join("\\&" + line if line[:1] in (".", "'") else line for line in lines)


def value_name(option):
    if option["kind"] == "choice":
        return "|".join(option["choices"])
    return {"INT": "NUMBER", "FLOAT": "NUMBER"}.get(option["value"], option["value"])


LONG_ROW = 60  # characters of choices that still fit beside an option's name


def roff_value(option):
    """The name of a value in a page. A long row of choices does not fit there: `item` lists it below."""
    value = value_name(option)
    if option["kind"] == "choice" and len(value) > LONG_ROW:
        value = (option.get("positional") or option["names"][-1].lstrip("-")).upper()
    return roff(value)


def item(option):
    """One option as a tagged paragraph."""
    names = ", ".join(f"\\fB{roff(name)}\\fR" for name in option["names"])
    value = "" if option["kind"] == "flag" else f"\\fI{roff_value(option)}\\fR"
    lines = [".TP", " ".join(filter(None, (names, value))), roff(option["help"].rstrip(".")) + "."]
    notes = []
    if option["kind"] == "choice" and len(value_name(option)) > LONG_ROW:
        notes.append(f"One of {roff(', '.join(option['choices']))}.")
    if option.get("required"):
        notes.append("Required.")
    if option.get("repeats"):
        notes.append("May be given several times.")
    if option.get("default"):
        notes.append(f"Default: {roff(option['default'])}.")
    return "\n".join(lines + notes)


def verbatim(text):
    return "\n".join([".nf", roff(text), ".fi"])


STATUS = """.SH EXIT STATUS
0: it worked. 1: it ran, but the result cannot be used. 2: bad input. 130: stopped by Ctrl\\-C."""

ENVIRONMENT = """.SH ENVIRONMENT
.TP
.B SINEW_DATA
Folder of the built\\-in human's data; else share/sinew of the installation.
.TP
.B XDG_CACHE_HOME
Finished stages of bodies are kept in its folder sinew; else in .cache/sinew of the home folder."""


def heading(page, description):
    return f'.\\" {GENERATED}\n.TH {roff(page.upper())} 1 "" "sinew {description["version"]}" "Sinew"'


def program_page(description):
    parts = [heading("sinew", description), ".SH NAME", "sinew \\- anatomical humans that are built, grown, posed and moved",
             ".SH SYNOPSIS", "\\fBsinew\\fR \\fIVERB\\fR [\\fIoptions\\fR]", ".br", "\\fBsinew\\fR \\fB\\-\\-version\\fR",
             ".SH DESCRIPTION", roff(description["summary"]), ".SH VERBS"]
    for verb in description["verbs"]:
        parts += [".TP", f"\\fBsinew\\-{verb['name']}\\fR(1)", roff(verb["summary"]) + "."]
    parts += [".SH EXAMPLES", verbatim(description["footer"].removeprefix("Examples:\n")), STATUS, ENVIRONMENT]
    return "\n".join(parts) + "\n"


def verb_page(verb, description):
    synopsis = [f"\\fBsinew {verb['name']}\\fR"]
    for option in positional(verb):
        word = f"\\fI{roff_value(option)}\\fR" + ("..." if option.get("repeats") else "")
        synopsis.append(word if option.get("required") else f"[{word}]")
    for option in named(verb):
        if option.get("required"):
            synopsis.append(f"\\fB{roff(option['names'][0])}\\fR \\fI{roff_value(option)}\\fR")
    parts = [heading(f"sinew-{verb['name']}", description), ".SH NAME",
             f"sinew\\-{verb['name']} \\- {roff(verb['summary'])}", ".SH SYNOPSIS", " ".join(synopsis + ["[\\fIoptions\\fR]"]),
             ".SH OPTIONS"]
    parts += [item(option) for option in verb.get("options", [])]
    parts += [".SS For every verb"] + [item(option) for option in verb["common"]]
    parts += [".SH EXAMPLES", verbatim(verb["examples"]), STATUS, ENVIRONMENT, ".SH SEE ALSO", ".BR sinew (1)"]
    return "\n".join(parts) + "\n"


# --------------------------------------------------------------------------------------------------------------- bash


def bash_words(words):
    return "'" + " ".join(words).replace("'", "'\\''") + "'"


def bash_offer(kind, what):
    if kind == "choices":
        return f"_sinew_words {bash_words(what)}"
    return {"folders": "_sinew_folders", "files": f"_sinew_files '{what}'", "nothing": ":"}[kind]


BASH_HEAD = r"""# bash completion of sinew; {generated}
_sinew_words() {{ mapfile -t COMPREPLY < <(compgen -W "$1" -- "$word"); }}
_sinew_folders() {{ compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -d -- "$word"); }}
# Files with an ending, or all; and the folders on the way to them.
_sinew_files() {{
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <({{ compgen -d -- "$word"; compgen -f -X "!*$1" -- "$word"; }} | sort -u)
}}
_sinew() {{
    local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD - 1]}} verb=${{COMP_WORDS[1]}}
    COMPREPLY=()
    if [ "$COMP_CWORD" -eq 1 ]; then
        _sinew_words {verbs}
        return
    fi
    # The shell takes --option=value for three words.
    if [ "$word" = "=" ]; then
        word=""
    elif [ "$before" = "=" ]; then
        before=${{COMP_WORDS[COMP_CWORD - 2]}}
    fi
    case "$verb $before" in"""


def bash_completion(description):
    lines = [BASH_HEAD.format(generated=GENERATED,
                              verbs=bash_words([v["name"] for v in description["verbs"]] + ["--help", "--version"]))]
    for verb in description["verbs"]:
        for option in named(verb):
            if option["kind"] != "flag":
                pattern = " | ".join(f"'{verb['name']} {name}'" for name in option["names"])
                lines.append(f"    {pattern}) {bash_offer(*completes(option))}; return ;;")
    lines += ["    esac", '    case "$verb" in']
    for verb in description["verbs"]:
        names = [name for option in named(verb) for name in option["names"]] + ["--help"]
        offers = [bash_offer(*completes(option)) for option in positional(verb)]
        lines.append(f"    {verb['name']})")
        lines.append(f"        case \"$word\" in\n        -*) _sinew_words {bash_words(names)} ;;")
        # Several words of a verb: any file fits one of them.
        offer = offers[0] if len(set(offers)) == 1 else "_sinew_files ''" if offers else f"_sinew_words {bash_words(names)}"
        lines.append(f"        *) {offer} ;;\n        esac ;;")
    lines += ["    esac", "}", "complete -F _sinew sinew", ""]
    return "\n".join(lines)


# ---------------------------------------------------------------------------------------------------------------- zsh


def zsh_quoted(text):
    """For a description between brackets or colons of _arguments, in single quotes."""
    for special in ("\\", "[", "]", ":"):
        text = text.replace(special, "\\" + special)
    return text.replace("'", "'\\''").replace("\n", " ")


def zsh_action(option):
    kind, what = completes(option)
    if kind == "choices":
        return "(" + " ".join(what) + ")"
    return {"folders": "_files -/", "files": f'_files -g "*{what}"' if what else "_files", "nothing": " "}[kind]


def zsh_argument(option):
    value = "" if option["kind"] == "flag" else f":{zsh_quoted(value_name(option))}:{zsh_action(option)}"
    if not option["names"]:
        return f"'{'*' if option.get('repeats') else ''}:{zsh_quoted(value_name(option))}:{zsh_action(option)}'"
    repeats = "*" if option.get("repeats") else ""
    arguments = []
    for name in option["names"]:
        excluded = "" if repeats else "(" + " ".join(option["names"]) + ")"
        equals = "=" if name.startswith("--") and value else ""
        arguments.append(f"'{excluded}{repeats}{name}{equals}[{zsh_quoted(option['help'])}]{value}'")
    return " ".join(arguments)


def zsh_completion(description):
    lines = ["#compdef sinew", f"# zsh completion of sinew; {GENERATED}", "_sinew() {", "    local -a verbs", "    verbs=("]
    lines += [f"        '{zsh_quoted(verb['name'])}:{zsh_quoted(verb['summary'])}'" for verb in description["verbs"]]
    lines += ["    )", "    if (( CURRENT == 2 )); then", "        _describe verb verbs",
              "        compadd -- --help --version", "        return", "    fi", "    local verb=$words[2]", "    shift words",
              "    (( CURRENT-- ))", "    case $verb in"]
    for verb in description["verbs"]:
        arguments = [zsh_argument(option) for option in positional(verb) + named(verb)] + ["'--help[all options]'"]
        lines += [f"    {verb['name']})", "        _arguments \\\n            " + " \\\n            ".join(arguments), "        ;;"]
    return "\n".join(lines + ["    esac", "}", '_sinew "$@"', ""])


def main():
    program, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    description = json.loads(subprocess.run([program, "--describe"], check=True, capture_output=True).stdout)
    for verb in description["verbs"]:
        for option in verb.get("options", []) + verb["common"]:
            option["value"] = option.get("value", "").split(":")[0]  # the parser adds the range
    files = {"man/man1/sinew.1": program_page(description),
             "bash-completion/completions/sinew": bash_completion(description),
             "zsh/site-functions/_sinew": zsh_completion(description)}
    for verb in description["verbs"]:
        files[f"man/man1/sinew-{verb['name']}.1"] = verb_page(verb, description)
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)


main()
