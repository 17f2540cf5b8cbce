#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""One self-contained page of tables and pictures from the JSON of ctbench's runs: `ctbench report run.json... -o
report.html`. Every kind of run has a section; several runs of one kind follow each other.
"""
import argparse
import html
import json
import os
import re
import sys
import tempfile

sys.dont_write_bytecode = True  # the folder may not be ours
from tables import KINDS, by_machine, machine_words, unique

CSS = """
main { max-width: 1080px; margin: 0 auto; padding: 20px; font: 16px/1.5 system-ui, sans-serif; }
.pictures { display: grid; grid-template-columns: repeat(auto-fit, minmax(330px, 1fr)); gap: 14px; }
figure { margin: 0; } img { width: 100%; image-rendering: pixelated; }
.scroll { overflow-x: auto; } table { border-collapse: collapse; font-size: 14px; }
td, th { padding: 4px 12px; border-bottom: 1px solid #deded8; text-align: right; white-space: nowrap; }
td:first-child, th:first-child { text-align: left; }
"""

esc = html.escape


def words_html(words):
    return re.sub(r"\*\*(.*?)\*\*", r"<b>\1</b>", esc(str(words)))


def block_html(block):
    """A block of tables.py."""
    caption, head, rows = block
    body = "".join("<tr>" + "".join(f"<td>{words_html(c)}</td>" for c in row) + "</tr>" for row in [head] + rows if row)
    return f'<p>{words_html(caption)}</p><div class="scroll"><table>{body}</table></div>'


def pictures_html(run):
    return '<div class="pictures">' + "".join(
        f'<figure><img alt="{esc(r["codec"])}" src="data:image/png;base64,{r["png"]}"><figcaption>{esc(r["codec"])}</figcaption></figure>'
        for r in run["results"]) + "</div>"


def load(path):
    try:
        with open(path, encoding="utf-8") as file:
            run = json.load(file)
    except (OSError, ValueError) as error:
        sys.exit(f"ctbench report: {path} cannot be read: {error}")
    if run.get("tool") != "ctbench" or run.get("kind") not in KINDS or run.get("schema") != 1:
        sys.exit(f"ctbench report: {path} is no run of this ctbench (make it with ctbench VERB --json FILE)")
    return run


def place(run):
    """Sections in the order of KINDS; what the paper did before what else was measured of the kind, codecs before
    transforms."""
    return (list(KINDS).index(run["kind"]), run.get("settings", {}).get("variant", "") not in ("", "paper"),
            run.get("transforms", False))


def page(runs):
    begun = min(r["machine"]["time"] for r in runs).replace("T", " ")[:16]
    body = ""
    several = len(by_machine(runs)) > 1
    for kind, (title, tables) in KINDS.items():
        of_kind = [r for r in runs if r["kind"] == kind]
        whole = "" if all(r["complete"] for r in of_kind) else "<p><b>Interrupted:</b> some is missing.</p>"
        shown = "".join((f"<p>On {esc(machine_words([r]))}:</p>" if several else "") + "".join(map(block_html, tables(r)))
                        + (pictures_html(r) if kind == "pictures" else "") for r in of_kind)
        body += f"<h2>{title}</h2>{whole}{shown}" if of_kind else ""
    left_out = "".join(f"<li>{esc(line)}</li>" for line in unique(line for r in runs for line in r.get("left_out", [])))
    return ("<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>ctv, measured</title>"
            "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">"
            f"<style>{CSS}</style><main><h1>ctv, measured</h1><p>{esc(machine_words(runs))}; begun {esc(begun)} UTC.</p>"
            f"{body}{f'<h2>Left out</h2><ul>{left_out}</ul>' if left_out else ''}</main></html>\n")


def main():
    parser = argparse.ArgumentParser(prog="ctbench report", description="one page from runs of ctbench")
    parser.add_argument("runs", nargs="+", metavar="RUN.json")
    parser.add_argument("-o", "--output", default="report.html")
    arguments = parser.parse_args()
    runs = sorted(map(load, arguments.runs), key=place)
    text = page(runs)
    folder = os.path.dirname(os.path.abspath(arguments.output))
    try:
        with tempfile.NamedTemporaryFile("w", dir=folder, delete=False, encoding="utf-8") as file:
            file.write(text)
        os.chmod(file.name, 0o644)
        os.replace(file.name, arguments.output)
    except OSError as error:
        sys.exit(f"ctbench report: {error.filename} cannot be written: {error.strerror}")


if __name__ == "__main__":
    main()
