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
from drawing import CSS, bars, block_html, esc, lines
from tables import (PAPER, WAYS, calls_of, cases_of, latency, loss, machine_words, mean, mean_of, papers, peers, rd, runner, scale, size_of, speedup,
                    speedups, stream_name, streams, unique, write_tables)


def blocks_html(blocks):
    return "".join(map(block_html, blocks))


def speedup_section(runs):
    out = blocks_html(speedups(runs))
    for run in runs:
        sizes = unique(map(size_of, run["results"]))
        paper = {f"paper, {k.upper()}": k for k in ("cpu", "gpu")} if run["settings"]["variant"] == "paper" else {}
        panels = []
        for what, words in WAYS:
            series = {label: [(z, PAPER[z][f"{what}_{k}"]) for z in sizes if z in PAPER] for label, k in paper.items()}
            series.update({n: [(z, mean_of(run, z, n, what)) for z in sizes] for n in unique(map(runner, run["results"]))})
            panels.append((f"{words.capitalize()}, ms a frame", sizes, series))
        out += blocks_html(speedup(run)) + "".join(f"<p><b>{esc(d)}</b></p>" for d in run["differences"])
        out += lines(panels, "Time per frame, disk excluded, transfers included; logarithmic.", "y")
        for what, words in WAYS:
            rows = [r for r in run["results"] if size_of(r) == sizes[-1] and r["clip"] == run["results"][0]["clip"]]
            groups = {runner(r): {s["name"]: s["ms_per_frame"] for s in r[what]["stages"] if s["ms_per_frame"] > 0} for r in rows}
            if any(groups.values()):
                out += bars(f"{words.capitalize()} {sizes[-1]}, ms a frame", groups,
                            "Where the time of the first clip goes, copies left out. Stages on several threads overlap.")
    return out


def peers_section(runs):
    out = ""
    for run in runs:
        rows = [r for r in run["results"] if r["bytes_per_frame"]]
        panels = [(words.capitalize(), None,
                   {c: sorted((1000 / r[what]["ms_per_frame"], r["bytes_per_frame"] / 1000) for r in rows
                              if r["codec"] == c and r[what]["ms_per_frame"]) for c in unique(r["codec"] for r in rows)})
                  for what, words in WAYS]
        out += blocks_html(peers(run)) + lines(panels, "Further right is faster, further down smaller; a dot for each number of threads, "
                                               "backend and frames in flight. ffmpeg decodes the other codecs.", "xy",
                                               ("frames a second", "kB a frame"))
    return out


def rd_section(runs):
    out = ""
    for run in runs:
        panels = [(f"{clip['name']}, {clip['frames']} frames", None,
                   {c["codec"]: sorted((p["bits_per_pixel"], p["psnr"]["y"]) for p in c["points"] if p["psnr"]["y"])
                    for c in clip["codecs"]}) for clip in run["clips"]]
        out += blocks_html(rd(run)) + lines(panels, "Further left is fewer bits, further up is better.", "x",
                                            ("bits per pixel", "luma PSNR, dB"))
    return out


def scale_section(runs):
    panels = []
    for name in unique(name for run in runs for name, _ in cases_of(run)):
        series = {}
        for run in runs:
            for _, c in (found for found in cases_of(run) if found[0] == name):
                for what in ("encode", "decode"):
                    key = f"{c['running'].split()[0]} direct" + (", decode" if what == "decode" else "")
                    series.setdefault(key, []).append((c["label"], c[f"{what}_ms"]))
        panels.append((name, unique(x for points in series.values() for x, _ in points), series))
    plot = lines(panels, "ms a frame, one thing changed at a time; dashed: decoding.", "y" if len(runs) > 1 else "") if panels else ""
    return plot + "".join(blocks_html(scale(run)) for run in runs)


def streams_section(runs):
    out = ""
    for run in runs:
        counts = unique(str(r["streams"]) for r in run["results"])
        series = {n: [(str(r["streams"]), r["frames_per_second"] / run["fps"]) for r in run["results"] if stream_name(r) == n]
                  for n in unique(map(stream_name, run["results"]))}
        out += blocks_html(streams(run)) + lines([(f"Streams of {run['fps']:g} frames a second carried", counts, series)],
                                                 "Encoders at once, and how many of them the machine could carry.")
    return out


def loss_section(runs):
    out = ""
    for run in runs:
        panels = []
        for clip in unique(r["clip"] for r in run["results"]):
            series = {}
            for (name, codec, round_trip, playout, burst, lost), calls in calls_of(run).items():
                if name == clip:
                    key = f"{codec}, {round_trip:g} ms, playout {playout:g}, bursts of {burst:g}"
                    series.setdefault(key, []).append((lost, mean([r["psnr"] for r in calls])))
            panels.append((f"{clip}: luma PSNR, dB", None, {key: sorted(points) for key, points in series.items()}))
        out += blocks_html(loss(run)) + lines(panels, "Over the share of lost datagrams; each line one way to treat loss.", "",
                                              ("lost, %", ""))
    return out


def pictures_section(runs):
    out = ""
    for run in runs:
        title = "Transforms at equal bytes" if run["transforms"] else "Codecs at equal bytes"
        out += (f"<p><b>{title}</b>: the middle of frame {run['frame']} of {esc(run['clip'])}, {size_of(run)}, enlarged. Each at the "
                'setting whose bytes are nearest to the first one\'s; luma of the whole clip.</p><div class="pictures">')
        for r in run["results"]:
            words = "" if r["codec"] == "source" else f" {r['setting']}, {r['bytes'] / run['frames'] / 1000:.1f} kB a frame" + (
                f", {r['psnr_y']:.2f} dB, SSIM {r['ssim']:.4f}" if r["psnr_y"] else "")
            out += (f'<figure><img alt="{esc(r["codec"])}" src="data:image/png;base64,{r["png"]}">'
                    f'<figcaption><b>{esc(r["codec"])}</b>{esc(words)}</figcaption></figure>')
        out += "</div>"
    return out


SECTIONS = {"speedup": ("Time per frame, as the paper measured it", speedup_section),
            "peers": ("Speed compared with other codecs", peers_section), "rd": ("Bits and quality", rd_section),
            "pictures": ("What it looks like", pictures_section), "scale": ("How cost grows", scale_section),
            "latency": ("Latency of a live source", lambda runs: "".join(blocks_html(latency(run)) for run in runs)),
            "streams": ("Several streams at once", streams_section), "loss": ("Calls under loss", loss_section),
            "papers": ("The papers' kernels", lambda runs: "".join(blocks_html(papers(run)) for run in runs))}


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
    for kind, (title, section) in SECTIONS.items():
        of_kind = [r for r in runs if r["kind"] == kind]
        whole = "" if all(r["complete"] for r in of_kind) else "<p><b>Interrupted:</b> some is missing.</p>"
        body += f"<h2>{title}</h2>{whole}{section(of_kind)}" if of_kind else ""
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
