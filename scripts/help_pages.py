#!/usr/bin/env python3
"""Writes man pages and completions for bash, zsh and fish from the output of --help-all.

Use: scripts/help_pages.py --bin FOLDER --out FOLDER
The result: OUT/man1/*.1.gz, OUT/bash/{tenon,tenon-opt}, OUT/zsh/_tenon,
OUT/fish/{tenon,tenon-opt}.fish. tools/help.h describes the format of the help. The same programs
give the same bytes.
"""

import argparse
import gzip
import pathlib
import re
import subprocess
import sys

# The column in which descriptions begin (tools/help.cc).
TEXT_COLUMN = 28
GROUP = re.compile(r"[A-Z][A-Za-z -]*:$")


class Entry:
    """An option, an argument or a command, and its description."""

    def __init__(self, head):
        self.head = head
        self.text = ""
        self.names = re.findall(r"(?:^|, )(--?[A-Za-z][A-Za-z-]*)", head)
        rest = head
        for name in self.names:
            rest = rest.removeprefix(name).removeprefix(", ")
        self.value = rest.strip()
        form = re.sub(r" \(default: .*\)$", "", self.value)
        self.takes_value = bool(form)
        self.is_optional = form.startswith("[=")
        self.choices = form.split("|") if re.fullmatch(r"[a-z0-9-]+(\|[a-z0-9-]+)+", form) else []


class Help:
    """The help of a program or a command."""

    def __init__(self, text):
        lines = text.splitlines()
        if not lines or not lines[0].startswith("Usage: "):
            raise ValueError(f"expected `Usage: ...`, found `{lines[:1]}`")
        self.usage = lines[0].removeprefix("Usage: ")
        self.description = []
        self.groups = {}
        group = None
        for line in lines[1:]:
            if GROUP.match(line):
                group = self.groups.setdefault(line[:-1], [])
            elif group is None:
                self.description.append(line)
            elif line.strip():
                self.add(group, line)

    @staticmethod
    def add(group, line):
        if line.startswith(" " * TEXT_COLUMN):
            group[-1].text = f"{group[-1].text} {line.strip()}".strip()
            return
        is_short = len(line) > TEXT_COLUMN and line[TEXT_COLUMN - 2:TEXT_COLUMN] == "  "
        group.append(Entry(line[:TEXT_COLUMN].strip() if is_short else line.strip()))
        group[-1].text = line[TEXT_COLUMN:].strip() if is_short else ""

    def options(self):
        return [entry for group in self.groups.values() for entry in group if entry.names]

    def summary(self):
        text = " ".join(line for line in self.description if line).split(". ")[0].rstrip(".")
        return text.split(": ", 1)[1] if text.startswith("tenon") and ": " in text else text


def help_of(program, *command):
    done = subprocess.run([program, *command, "--help-all"], stdout=subprocess.PIPE, text=True,
                          check=True)
    return Help(done.stdout)


def roff(text):
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\\&" + text if text.startswith((".", "'")) else text


def man_page(name, version, page, others):
    out = [f'.TH {name.upper()} 1 "" "Tenon {version}" "Tenon"', ".SH NAME",
           f"{roff(name)} \\- {roff(page.summary())}", ".SH SYNOPSIS", ".B " + roff(page.usage),
           ".SH DESCRIPTION"]
    is_example = False
    for line in page.description:
        if line.startswith("  ") != is_example:
            is_example = not is_example
            out.append(".PP\n.nf" if is_example else ".fi")
        out.append(roff(line) if line.strip() else ".PP")
    if is_example:
        out.append(".fi")
    for group, entries in page.groups.items():
        out.append(f".SH {group.upper()}")
        for entry in entries:
            out += [".TP", ".B " + roff(entry.head), roff(entry.text)]
    out += [".SH SEE ALSO"] + [f".BR {roff(other)} (1)" for other in others]
    return "\n".join(out) + "\n"


def words(page):
    return " ".join(name for entry in page.options() for name in entry.names)


def choice_cases(page, indent):
    return "".join(f"{indent}{'|'.join(entry.names)}) values='{' '.join(entry.choices)}' ;;\n"
                   for entry in page.options() if entry.choices)


def bash(program, pages):
    """`pages` contains the help of each command; the program itself has an empty key."""
    function = "_" + program.replace("-", "_")
    out = f"""# bash completion for {program}
{function}() {{
  local cur=${{COMP_WORDS[COMP_CWORD]}} flag=${{COMP_WORDS[COMP_CWORD - 1]}} options values=
  if [ "$cur" = "=" ]; then cur=
  elif [ "$flag" = "=" ]; then flag=${{COMP_WORDS[COMP_CWORD - 2]}}; fi
"""
    commands = [name for name in pages if name]
    if commands:
        out += f"""  if [ "$COMP_CWORD" -eq 1 ] || {{ [ "$COMP_CWORD" -eq 2 ] && [ "$flag" = help ]; }}; then
    COMPREPLY=($(compgen -W '{' '.join(commands)} help {words(pages[''])}' -- "$cur"))
    return
  fi
  case ${{COMP_WORDS[1]}} in
"""
        for name in commands:
            out += f"    {name})\n      options='{words(pages[name])}'\n"
            cases = choice_cases(pages[name], "        ")
            if cases:
                out += f"      case $flag in\n{cases}      esac\n"
            out += "      ;;\n"
        out += "  esac\n"
    else:
        out += f"  options='{words(pages[''])}'\n"
        out += f"  case $flag in\n{choice_cases(pages[''], '    ')}  esac\n"
    return out + f"""  if [ -n "$values" ]; then
    COMPREPLY=($(compgen -W "$values" -- "$cur"))
  elif [[ $cur == -* ]]; then
    COMPREPLY=($(compgen -W "$options" -- "$cur"))
  fi
}}
complete -o default -F {function} {program}
"""


def zsh_text(text):
    return re.sub(r"([\[\]:'])", lambda found: "'\\''" if found[1] == "'" else "\\" + found[1], text)


def zsh_specs(page, indent):
    out = []
    for entry in page.options():
        for name in entry.names:
            spec = name
            if entry.takes_value:
                spec += "=-" if entry.is_optional else "=" if name.startswith("--") else "-"
            spec += f"[{zsh_text(entry.text)}]"
            if entry.takes_value:
                action = f"({' '.join(entry.choices)})" if entry.choices else "_files"
                spec += f":{zsh_text(entry.names[-1].lstrip('-'))}:{action}"
            out.append(f"{indent}'{spec}'")
    return " \\\n".join(out + [f"{indent}'*:file:_files'"])


def zsh(programs):
    out = f"#compdef {' '.join(programs)}\n\n"
    for program, pages in programs.items():
        out += f"_{program.replace('-', '_')}_words() {{\n"
        commands = [name for name in pages if name]
        if commands:
            out += f"""  if (( CURRENT == 2 )); then
    _values 'command' {' '.join(commands)} help
    return
  fi
  local command=$words[2]
  shift words
  (( CURRENT -= 1 ))
  case $command in
"""
            for name in commands:
                out += f"    {name})\n      _arguments -s \\\n{zsh_specs(pages[name], '        ')}\n      ;;\n"
            out += "  esac\n"
        else:
            out += f"  _arguments -s \\\n{zsh_specs(pages[''], '    ')}\n"
        out += "}\n\n"
    out += "case $service in\n"
    for program in programs:
        out += f"  {program}) _{program.replace('-', '_')}_words ;;\n"
    return out + "esac\n"


def fish_text(text):
    return text.replace("\\", "\\\\").replace("'", "\\'")


def fish(program, pages):
    out = f"# fish completion for {program}\n"
    commands = [name for name in pages if name]
    for name in commands:
        out += (f"complete -c {program} -n __fish_use_subcommand -a {name} "
                f"-d '{fish_text(pages[name].summary())}'\n")
    for name, page in pages.items():
        if commands and not name:
            continue
        where = f" -n '__fish_seen_subcommand_from {name}'" if name else ""
        for entry in page.options():
            flags = "".join(f" -l {flag[2:]}" if flag.startswith("--") else f" -s {flag[1:]}"
                            for flag in entry.names)
            value = ""
            if entry.choices:
                value = f" -x -a '{' '.join(entry.choices)}'"
            elif entry.takes_value and not entry.is_optional:
                value = " -r"
            out += f"complete -c {program}{where}{flags}{value} -d '{fish_text(entry.text)}'\n"
    return out


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    data = text.encode()
    if path.suffix == ".gz":
        data = gzip.compress(data, mtime=0)
    path.write_bytes(data)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", required=True, type=pathlib.Path, help="folder of the programs")
    parser.add_argument("--out", required=True, type=pathlib.Path)
    args = parser.parse_args()
    tenon, opt = args.bin / "tenon", args.bin / "tenon-opt"
    version = subprocess.run([tenon, "--version"], stdout=subprocess.PIPE, text=True,
                             check=True).stdout.split()[1]
    top = help_of(tenon)
    commands = [entry.head for entry in top.groups["Commands"] if " " not in entry.head]
    pages = {"": top, **{name: help_of(tenon, name) for name in commands}}
    programs = {"tenon": pages, "tenon-opt": {"": help_of(opt)}}
    names = {"tenon": top, **{f"tenon-{name}": pages[name] for name in commands},
             "tenon-opt": programs["tenon-opt"][""]}
    for name, page in names.items():
        others = [other for other in names if other != name]
        write(args.out / "man1" / f"{name}.1.gz", man_page(name, version, page, others))
    for program, helps in programs.items():
        write(args.out / "bash" / program, bash(program, helps))
        write(args.out / "fish" / f"{program}.fish", fish(program, helps))
    write(args.out / "zsh" / "_tenon", zsh(programs))
    return 0


if __name__ == "__main__":
    sys.exit(main())
