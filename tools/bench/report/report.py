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
from drawing import CSS, esc
from figures import machine_words, unique
from papers import papers_section
from speed import peers_section, stages_section
from speedup import speedup_cards, speedup_section
from tables import write_tables



def each(part):
    """Of runs of one kind, what the function says of every one."""
    return lambda runs: "".join(map(part, runs))


SECTIONS = {"speedup": speedup_section, "stages": each(stages_section), "peers": each(peers_section), "rd": each(rd_section),
            "pictures": each(pictures_section), "scale": scale_section, "latency": each(latency_section),
            "streams": each(streams_section), "papers": each(papers_section)}
CARDS = {"speedup": speedup_cards, "rd": each(rd_cards)}


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
    """Sections in the order of SECTIONS; what the paper did before what else was measured of the kind, codecs before
    transforms."""
    return (list(SECTIONS).index(run["kind"]), run.get("settings", {}).get("variant", "") not in ("", "paper"),
            run.get("transforms", False))


def left_out_html(runs):
    """What this machine does not have, once for all runs."""
    lines = unique(line for run in runs for line in run.get("left_out", []))
    return "<h2>Left out</h2><ul>" + "".join(f"<li>{esc(line)}</li>" for line in lines) + "</ul>" if lines else ""


def page(runs):
    begun = min(r["machine"]["time"] for r in runs).replace("T", " ")[:16]
    of_kind = {kind: [r for r in runs if r["kind"] == kind] for kind in SECTIONS}
    cards = "".join(part(of_kind[kind]) for kind, part in CARDS.items() if of_kind[kind])
    body = "".join(part(of_kind[kind]) for kind, part in SECTIONS.items() if of_kind[kind])
    return ("<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>ctv, measured</title>"
            "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">"
            f"<style>{CSS}</style><main><h1>ctv, measured</h1>"
            "<p>A contourlet video codec whose CPU and CUDA backends make the same bits.</p>"
            f"<p class=\"soft\">{esc(machine_words(runs))}; begun {esc(begun)} UTC.</p>"
            f"<div class=\"cards\">{cards}</div>{body}{left_out_html(runs)}</main></html>\n")


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
