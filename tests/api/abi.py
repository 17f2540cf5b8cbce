# SPDX-License-Identifier: BSD-3-Clause
"""Compares a binary interface with its list, tests/api/abi.txt or abi_net.txt: exported symbols, that the library stays
loaded, values of enumerations, sizes of structures, offsets of their members.

usage: abi.py LIBRARY HEADER COMPILER LIST [--update]
"""
import difflib
import os
import re
import subprocess
import sys
import tempfile


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def symbols(library):
    lines = run("nm", "-D", "--defined-only", library).splitlines()
    names = {line.split()[-1].split("@")[0] for line in lines if line.split()[1] != "A"}
    return [f"symbol {name}" for name in sorted(names)]


def flags(library):
    """dlclose() must not unmap code in which threads sleep."""
    return ["flag NODELETE"] if "NODELETE" in run("readelf", "-d", library) else []


def program(header, file):
    """A C program that prints what the header defines."""
    text = re.sub(r"/\*.*?\*/", "", header, flags=re.S)
    prints = []
    for body, name in re.findall(r"typedef enum \w+ \{(.*?)\} (\w+);", text, re.S):
        for value in re.findall(r"\w+(?=\s*=)", body):
            prints.append(f'printf("enum {name} {value} %d\\n", (int){value});')
    for body, name in re.findall(r"typedef struct \w+ \{(.*?)\} (\w+);", text, re.S):
        prints.append(f'printf("struct {name} %zu\\n", sizeof({name}));')
        for member in re.findall(r"(\w+)(?:\[\w+\])?;", body):
            prints.append(f'printf("struct {name}.{member} %zu\\n", offsetof({name}, {member}));')
    return f"#include <ctv/{file}>\n" + "#include <stdio.h>\nint main(void) {\n" + "\n".join(prints) + "\nreturn 0;\n}\n"


def layout(header, compiler):
    with tempfile.TemporaryDirectory() as folder:
        source, binary = os.path.join(folder, "layout.c"), os.path.join(folder, "layout")
        with open(source, "w", encoding="utf-8") as out, open(header, encoding="utf-8") as text:
            out.write(program(text.read(), os.path.basename(header)))
        run(compiler, "-I", os.path.dirname(os.path.dirname(header)), source, "-o", binary)
        return run(binary).splitlines()


def main():
    library, header, compiler, listed = sys.argv[1:5]
    now = symbols(library) + flags(library) + layout(header, compiler)
    if sys.argv[5:] == ["--update"]:
        with open(listed, "w", encoding="utf-8") as out:
            out.write("\n".join(now) + "\n")
        return 0
    with open(listed, encoding="utf-8") as text:
        before = text.read().splitlines()
    difference = [line for line in difflib.unified_diff(before, now, "listed", "now", n=0, lineterm="")]
    if difference:
        print("\n".join(difference))
        print("The binary interface has changed (docs/packaging.md, Versions). Run this again with --update.")
    return 1 if difference else 0


if __name__ == "__main__":
    sys.exit(main())
