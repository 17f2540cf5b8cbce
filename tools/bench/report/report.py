#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""One self-contained page from the JSON of ctbench's runs: `ctbench report run.json... -o report.html`.

Every kind of run has a section; several runs of one kind follow each other. Plots are SVG. Needs python3-matplotlib.
"""
import argparse
import json
import os
import sys
import tempfile

sys.dont_write_bytecode = True  # the folder may not be ours
from drawing import CSS, block_html, esc, lines
from tables import (PAPER, WAYS, latency, loss, machine_words, mean_of, papers, peers, rd, runner, scale, size_of, speedup,
                    speedups, stages, streams, unique, write_tables)


def blocks_html(blocks):
    return "".join(map(block_html, blocks))


def speedup_plot(run):
    sizes = unique(map(size_of, run["results"]))
    paper = {f"paper, {k.upper()}": k for k in ("cpu", "gpu")} if run["settings"]["variant"] == "paper" else {}
    panels = []
    for what, words in WAYS:
        series = {label: [(z, PAPER[z][f"{what}_{k}"]) for z in sizes if z in PAPER] for label, k in paper.items()}
        series.update({n: [(z, mean_of(run, z, n, what)) for z in sizes] for n in unique(map(runner, run["results"]))})
        panels.append((f"{words.capitalize()}, ms a frame", series))
    return lines(panels, "Time per frame, disk excluded, transfers included; logarithmic.", "y")


def rd_plot(run):
    panels = [(f"{clip['name']}, {clip['frames']} frames",
               {c["codec"]: sorted((p["bits_per_pixel"], p["psnr"]["y"]) for p in c["points"] if p["psnr"]["y"])
                for c in clip["codecs"]}) for clip in run["clips"]]
    return lines(panels, "Further left is fewer bits, further up is better.", "x", ("bits per pixel", "luma PSNR, dB"))


def pictures_plot(run):
    title = "Transforms at equal bytes" if run["transforms"] else "Codecs at equal bytes"
    out = (f"<p><b>{title}</b>: the middle of frame {run['frame']} of {esc(run['clip'])}, {size_of(run)}, enlarged. Each at the "
           'setting whose bytes are nearest to the first one\'s; luma of the whole clip.</p><div class="pictures">')
    for r in run["results"]:
        words = f" {r['setting']}" if r["codec"] in ("source", "slopes") else f" {r['setting']}, {r['bytes'] / run['frames'] / 1000:.1f} kB a frame" + (
            f", {r['psnr_y']:.2f} dB, SSIM {r['ssim']:.4f}" if r["psnr_y"] else "")
        out += (f'<figure><img alt="{esc(r["codec"])}" src="data:image/png;base64,{r["png"]}">'
                f'<figcaption><b>{esc(r["codec"])}</b>{esc(words)}</figcaption></figure>')
    return out + "</div>"


def nothing(_):
    return ""


# Of each kind: title, tables of a run, and what is drawn below them.
SECTIONS = {"speedup": ("Time per frame, as the paper measured it", lambda run: speedup(run) + stages(run), speedup_plot),
            "peers": ("Speed compared with other codecs", peers, nothing), "rd": ("Bits and quality", rd, rd_plot),
            "pictures": ("What it looks like", nothing, pictures_plot), "scale": ("How cost grows", scale, nothing),
            "latency": ("Latency of a live source", latency, nothing), "streams": ("Several streams at once", streams, nothing),
            "loss": ("Calls under loss", loss, nothing), "papers": ("The papers' kernels", papers, nothing)}


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


def page(runs):
    begun = min(r["machine"]["time"] for r in runs).replace("T", " ")[:16]
    body = ""
    for kind, (title, tables, plot) in SECTIONS.items():
        of_kind = [r for r in runs if r["kind"] == kind]
        whole = "" if all(r["complete"] for r in of_kind) else "<p><b>Interrupted:</b> some is missing.</p>"
        shown = blocks_html(speedups(of_kind)) if kind == "speedup" else ""
        shown += "".join(blocks_html(tables(run)) + plot(run) for run in of_kind)
        body += f"<h2>{title}</h2>{whole}{shown}" if of_kind else ""
    left_out = "".join(f"<li>{esc(line)}</li>" for line in unique(line for r in runs for line in r.get("left_out", [])))
    return ("<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>ctv, measured</title>"
            "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">"
            f"<style>{CSS}</style><main><h1>ctv, measured</h1><p class=\"soft\">{esc(machine_words(runs))}; begun {esc(begun)} UTC.</p>"
            f"{body}{f'<h2>Left out</h2><ul>{left_out}</ul>' if left_out else ''}</main></html>\n")


def main():
    parser = argparse.ArgumentParser(prog="ctbench report", description="one page from runs of ctbench")
    parser.add_argument("runs", nargs="+", metavar="RUN.json")
    parser.add_argument("-o", "--output", default="report.html")
    parser.add_argument("--tables", metavar="FILE.md", help="a document that gets the tables, between its marks for NAME")
    parser.add_argument("--name", default="here", help="which marks: <!-- measured: NAME --> and <!-- end of NAME -->")
    arguments = parser.parse_args()
    runs = sorted(map(load, arguments.runs), key=place)
    text = page(runs)
    folder = os.path.dirname(os.path.abspath(arguments.output))
    try:
        if arguments.tables:
            write_tables(arguments.tables, arguments.name, runs)
        with tempfile.NamedTemporaryFile("w", dir=folder, delete=False, encoding="utf-8") as file:
            file.write(text)
        os.chmod(file.name, 0o644)
        os.replace(file.name, arguments.output)
    except ValueError as error:
        sys.exit(f"ctbench report: {error}")
    except OSError as error:
        sys.exit(f"ctbench report: {error.filename} cannot be written: {error.strerror}")


if __name__ == "__main__":
    main()
