#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""One self-contained page from the JSON of ctbench's runs: `ctbench report run.json... -o report.html`.

Every kind of run has a section; several runs of one kind follow each other. Plots are SVG by matplotlib, with
colours as CSS variables, so that the page is light or dark as the reader's system is. Needs python3-matplotlib.
"""
import argparse
import json
import os
import sys
import tempfile

sys.dont_write_bytecode = True  # the folder may not be ours
from codec import latency_section, pictures_section, rd_cards, rd_section, scale_section, streams_section
from drawing import CSS, esc, machine_html, machine_text
from papers import papers_section
from speed import peers_section, speedup_cards, speedup_section, stages_section
from tables import write_tables

SECTIONS = {"speedup": speedup_section, "stages": stages_section, "peers": peers_section, "rd": rd_section,
            "pictures": pictures_section, "scale": scale_section,
            "latency": latency_section, "streams": streams_section, "papers": papers_section}
CARDS = {"speedup": speedup_cards, "rd": rd_cards}


def load(path):
    try:
        with open(path, encoding="utf-8") as file:
            run = json.load(file)
    except (OSError, ValueError) as error:
        sys.exit(f"ctbench report: {path} cannot be read: {error}")
    if run.get("tool") != "ctbench" or run.get("kind") not in SECTIONS or run.get("schema") != 1:
        sys.exit(f"ctbench report: {path} is no run of this ctbench (make it with ctbench VERB --json FILE)")
    return run


def place(run):
    """Sections in the order of SECTIONS; what the paper did before what else was measured of the kind."""
    return list(SECTIONS).index(run["kind"]), run.get("settings", {}).get("variant", "") not in ("", "paper")


def page(runs):
    machine_html.known = machine_text(runs[0])
    times = sorted(r["machine"]["time"] for r in runs)
    cards = "".join(CARDS.get(r["kind"], lambda _: "")(r) for r in runs)
    body = "".join(SECTIONS[r["kind"]](r) for r in runs)
    return ("<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>ctv, measured</title>"
            "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">"
            f"<style>{CSS}</style><main><h1>ctv, measured</h1>"
            "<p>A contourlet video codec whose CPU and CUDA backends make the same bits.</p>"
            f"<p class=\"soft\">{esc(machine_html.known)}; measured {esc(times[0])}.</p>"
            f"<div class=\"cards\">{cards}</div>{body}</main></html>\n")


def main():
    parser = argparse.ArgumentParser(prog="ctbench report", description="one page from runs of ctbench")
    parser.add_argument("runs", nargs="+", metavar="RUN.json")
    parser.add_argument("-o", "--output", default="report.html")
    parser.add_argument("--tables", metavar="FILE.md", help="a document that gets the tables, between its marks for NAME")
    parser.add_argument("--name", default="here", help="which marks: <!-- measured: NAME --> and <!-- end of NAME -->")
    arguments = parser.parse_args()
    runs = sorted(map(load, arguments.runs), key=place)
    text = page(runs)
    if arguments.tables:
        try:
            write_tables(arguments.tables, arguments.name, runs)
        except (OSError, ValueError) as error:
            sys.exit(f"ctbench report: {error}")
    folder = os.path.dirname(os.path.abspath(arguments.output))
    try:
        with tempfile.NamedTemporaryFile("w", dir=folder, delete=False, encoding="utf-8") as file:
            file.write(text)
        os.chmod(file.name, 0o644)
        os.replace(file.name, arguments.output)
    except OSError as error:
        sys.exit(f"ctbench report: {arguments.output} cannot be written: {error}")


if __name__ == "__main__":
    main()
