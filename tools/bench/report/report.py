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
from curves import curves_svg
from tables import KINDS, by_machine, machine_words, of_equal_bytes, unique

CSS = """
main { max-width: 1080px; margin: 0 auto; padding: 20px; font: 16px/1.5 system-ui, sans-serif; }
.pictures { display: grid; grid-template-columns: repeat(auto-fit, minmax(330px, 1fr)); gap: 14px; }
figure { margin: 0; } img { width: 100%; image-rendering: pixelated; }
.curves { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(440px, 100%), 1fr)); gap: 14px; }
svg { width: 100%; font: 12px system-ui, sans-serif; fill: #444; } svg polyline { fill: none; stroke-width: 2; } .grid { stroke: #e4e4de; }
figcaption span { white-space: nowrap; margin-right: 10px; }
.scroll { overflow-x: auto; background: linear-gradient(90deg, #fff 30%, #fff0) 0 / 40px 100% no-repeat local,
  linear-gradient(270deg, #fff 30%, #fff0) 100% / 40px 100% no-repeat local, linear-gradient(90deg, #0003, #0000) 0 / 14px 100% no-repeat scroll,
  linear-gradient(270deg, #0003, #0000) 100% / 14px 100% no-repeat scroll; } /* shadows where there is more */
table { border-collapse: collapse; font-size: 14px; }
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


def caption_of(row, factor):
    """What was drawn, at how many bytes, and how far from the source."""
    words = ", ".join(filter(None, (row["codec"], row["setting"])))
    decibels = "" if row["psnr_y"] is None else f", {row['psnr_y']:.2f} dB"
    return f"{words}: {row['bytes']:,} bytes{f', **{factor}**' if factor else ''}{decibels}"


def pictures_html(run):
    return '<div class="pictures">' + "".join(
        f'<figure><img alt="{esc(r["codec"])}" src="data:image/png;base64,{r["png"]}">'
        f'<figcaption>{words_html(caption_of(r, factor))}</figcaption></figure>'
        for r, factor in zip(run["results"], of_equal_bytes(run))) + "</div>"


def curves_html(run):
    return '<div class="curves">' + "".join(curves_svg(clip, measure) for clip in run["clips"] for measure in ("y", "ssim")) + "</div>"


DRAWN = {"pictures": pictures_html, "rd": curves_html}  # next to the tables


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
        shown = "".join((f"<p>On {esc(machine_words([r]))}:</p>" if several else "") + DRAWN.get(kind, lambda run: "")(r)
                        + "".join(map(block_html, tables(r))) for r in of_kind)
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
