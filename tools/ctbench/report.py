#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""One self-contained page from the JSON of ctbench's runs: `ctbench report run.json... -o report.html`.

Every kind of run has a section; several runs of one kind follow each other. Plots are SVG by matplotlib, with
colours as CSS variables, so that the page is light or dark as the reader's system is. Needs python3-matplotlib.
"""
import argparse
import html
import io
import json
import os
import re
import sys
import tempfile

try:
    import matplotlib
    matplotlib.use("svg")
    from matplotlib import pyplot, ticker
except ImportError:
    sys.exit("ctbench report: python3 has no matplotlib (apt-get install python3-matplotlib)")

# Stand-ins that become CSS variables; no real colour is written into a plot.
INK, GRID, PAPER = "#010203", "#040506", "#070809"
SERIES = ["#0a0001", "#0a0002", "#0a0003", "#0a0004", "#0a0005", "#0a0006", "#0a0007", "#0a0008"]
CSS = """
:root { color-scheme: light dark; --ink: #1c1c1a; --soft: #62625c; --page: #fbfbf9; --card: #ffffff;
  --line: #deded8; --paper: #9a9a93; --c0: #2a6fd0; --c1: #e0662b; --c2: #12936a; --c3: #b98a00;
  --c4: #8a4fc0; --c5: #d0404a; --c6: #0f90a8; --c7: #6d7480; }
@media (prefers-color-scheme: dark) { :root { --ink: #ececE6; --soft: #a3a39b; --page: #161615; --card: #1f1f1d;
  --line: #3a3a36; --paper: #85857e; --c0: #6aa5f4; --c1: #f08a55; --c2: #3fc094; --c3: #ddb23a;
  --c4: #b58ae4; --c5: #f0777e; --c6: #4fc0d6; --c7: #a2a9b5; } }
body { margin: 0; background: var(--page); color: var(--ink); font: 16px/1.55 system-ui, sans-serif; }
main { max-width: 1080px; margin: 0 auto; padding: 32px 20px 64px; }
h1 { font-size: 30px; line-height: 1.2; margin: 0 0 6px; } h2 { font-size: 22px; margin: 48px 0 4px; }
h3 { font-size: 16px; margin: 28px 0 6px; } p { margin: 6px 0; max-width: 75ch; }
.soft { color: var(--soft); font-size: 14px; }
.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(220px, 1fr)); gap: 14px; margin: 22px 0; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 14px 16px; }
.card b { display: block; font-size: 32px; line-height: 1.2; font-variant-numeric: tabular-nums; }
figure { background: var(--card); border: 1px solid var(--line); border-radius: 10px; margin: 14px 0;
  padding: 12px; } figcaption { color: var(--soft); font-size: 14px; padding: 4px 4px 0; }
svg { width: 100%; height: auto; display: block; } svg text { font-family: system-ui, sans-serif !important; }
.scroll { overflow-x: auto; } table { border-collapse: collapse; font-size: 14px; margin: 10px 0; }
td, th { padding: 4px 12px; border-bottom: 1px solid var(--line); text-align: right; white-space: nowrap;
  font-variant-numeric: tabular-nums; } td:first-child, th:first-child { text-align: left; }
th { font-weight: 600; } tr.own td { font-weight: 600; }
"""


def esc(text):
    return html.escape(str(text))


def svg_of(figure):
    """The figure as inline SVG, its stand-in colours replaced."""
    out = io.StringIO()
    figure.savefig(out, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    pyplot.close(figure)
    svg = out.getvalue()
    svg = svg[svg.index("<svg"):]
    svg_of.count += 1  # ids must differ between the plots of a page
    svg = re.sub(r'(id="|url\(#|href="#)', lambda m: m.group(1) + f"f{svg_of.count}-", svg)
    names = {INK: "ink", GRID: "line", PAPER: "paper", **{c: f"c{i}" for i, c in enumerate(SERIES)}}
    for colour, name in names.items():
        svg = svg.replace(colour, f"var(--{name})")
    return svg


svg_of.count = 0


def figure_html(figure, caption):
    return f"<figure>{svg_of(figure)}<figcaption>{caption}</figcaption></figure>"


def table_html(head, rows, own=()):
    cells = "".join(f"<th>{esc(c)}</th>" for c in head)
    out = f'<div class="scroll"><table><tr>{cells}</tr>'
    for row in rows:
        mark = ' class="own"' if row[0] in own else ""
        out += f"<tr{mark}>" + "".join(f"<td>{esc(c)}</td>" for c in row) + "</tr>"
    return out + "</table></div>"


def plots(rows, columns, width=11, height=3.6):
    figure, axes = pyplot.subplots(rows, columns, figsize=(width, height * rows), squeeze=False)
    return figure, axes.flatten()


def legend(axis):
    """Below the plot, where it covers nothing."""
    axis.legend(frameon=False, fontsize=9, ncol=3, loc="upper left", bbox_to_anchor=(-0.02, -0.14))


def plain_log(axis, which):
    """A logarithmic axis labelled 1, 10, 100, not in powers."""
    getattr(axis, f"set_{which}scale")("log")
    getattr(axis, f"{which}axis").set_major_formatter(ticker.FuncFormatter(lambda v, _: f"{v:g}"))
    getattr(axis, f"{which}axis").set_minor_formatter(ticker.NullFormatter())


def card(value, words):
    return f'<div class="card"><b>{esc(value)}</b>{esc(words)}</div>'


def size_of(row):
    return f"{row['width']}x{row['height']}"


def milliseconds(value):
    return f"{value:.3f}" if value < 10 else f"{value:.1f}"


def machine_html(run):
    m = run["machine"]
    devices = ", ".join(d["name"] for d in m["devices"]) or "no CUDA device"
    late = "" if run["complete"] else " The run was interrupted: some is missing."
    return (f'<p class="soft">{esc(m["cpu"])}, {m["cores"]} cores, {m["memory_bytes"] / 2**30:.0f} GiB, load '
            f'{m["load"]:.1f}; {esc(devices)}; {esc(m["compiler"])}; ctv {esc(m["commit"])}, {esc(m["time"])}.'
            f"{late}</p>")


# ---- speedup ----------------------------------------------------------------------------------------------

def runner(row):
    return f"{row['backend']} {row['engine']}"


def mean_of(run, size, name, what):
    values = [r[what]["ms_per_frame"] for r in run["results"] if size_of(r) == size and runner(r) == name]
    return sum(values) / len(values) if values else None


def unique(values):
    return list(dict.fromkeys(values))


def speedup_cards(run):
    cards = ""
    last = run["speedup"][-1] if run["speedup"] else None
    for what, words in (("encode", "encoding"), ("decode", "decoding")):
        if last and last[what] is not None:
            cards += card(f"{last[what]:.1f}x", f"GPU over CPU, {words} {size_of(last)}, same bytes")
    names = unique(map(runner, run["results"]))
    largest = size_of(run["results"][-1])
    for what in ("encode", "decode"):
        best = min((mean_of(run, largest, n, what), n) for n in names if mean_of(run, largest, n, what))
        cards += card(f"{milliseconds(best[0])} ms", f"to {what} a frame of {largest}, {best[1]}")
    return cards


def fig3(run):
    """The paper's Fig. 3, speedups over resolutions, with this machine's."""
    sizes = unique([size_of(p) for p in run["paper"]] + [size_of(s) for s in run["speedup"]])
    paper = {size_of(p): p for p in run["paper"]}
    here = {size_of(s): s for s in run["speedup"]}
    figure, axes = plots(1, 2)
    for axis, what, words in ((axes[0], "encode", "Encoding"), (axes[1], "decode", "Decoding")):
        for shift, values, colour, label in (
                (-0.2, [paper.get(s, {}).get(what + "_speedup") for s in sizes], PAPER, "paper, 2015"),
                (0.2, [here.get(s, {}).get(what) for s in sizes], SERIES[0], "here")):
            known = [(i + shift, v) for i, v in enumerate(values) if v is not None]
            if not known:
                continue
            bars = axis.bar([k[0] for k in known], [k[1] for k in known], 0.38, color=colour, label=label)
            axis.bar_label(bars, fmt="%.1f", padding=2, color=INK, fontsize=9)
        axis.set_xticks(range(len(sizes)), sizes)
        axis.margins(y=0.12)
        axis.set_title(words + ": CPU time / GPU time", loc="left")
        legend(axis)
        axis.grid(axis="x", visible=False)
    return figure_html(figure, "The paper's Fig. 3: speedup of the GPU over the CPU, per frame.")


def times_plot(run):
    sizes = unique(map(size_of, run["results"]))
    names = unique(map(runner, run["results"]))
    figure, axes = plots(1, 2)
    for axis, what, words in ((axes[0], "encode", "Encoding"), (axes[1], "decode", "Decoding")):
        for kind, style in (("cpu", "-"), ("gpu", "--")):
            known = [(sizes.index(size_of(p)), p[f"{what}_{kind}"]) for p in run["paper"] if size_of(p) in sizes]
            if known:
                axis.plot(*zip(*known), style, color=PAPER, marker="o", markersize=4, label=f"paper, {kind.upper()}")
        for i, name in enumerate(names):
            values = [(k, mean_of(run, s, name, what)) for k, s in enumerate(sizes)]
            axis.plot(*zip(*[v for v in values if v[1]]), color=SERIES[i], marker="o", markersize=5, linewidth=2,
                      label=f"here, {name}")
        plain_log(axis, "y")
        axis.set_xticks(range(len(sizes)), sizes)
        axis.set_title(words + ", ms a frame", loc="left")
        legend(axis)
    return figure_html(figure, "Time per frame, disk excluded, transfers included; logarithmic.")


def stages_plot(run, what):
    largest = size_of(run["results"][-1])
    rows = [r for r in run["results"] if size_of(r) == largest]
    names = unique(map(runner, rows))
    stages = unique(s["name"] for r in rows for s in r[what]["stages"])
    sums = {(n, s): 0.0 for n in names for s in stages}
    for r in rows:
        for s in r[what]["stages"]:
            sums[runner(r), s["name"]] += s["ms_per_frame"] / sum(runner(x) == runner(r) for x in rows)
    figure, axes = plots(1, len(names), height=0.4 + 0.32 * len(stages))
    for axis, name in zip(axes, names):
        values = [sums[name, s] for s in stages]
        bars = axis.barh(stages, values, 0.62, color=SERIES[names.index(name)])
        axis.bar_label(bars, fmt="%.2f", padding=3, color=INK, fontsize=9)
        axis.invert_yaxis()
        axis.margins(x=0.18)
        axis.set_title(f"{name}, ms", loc="left")
        axis.grid(axis="y", visible=False)
        if axis is not axes[0]:
            axis.set_yticklabels([])
    word = "encoding" if what == "encode" else "decoding"
    return figure_html(figure, f"Stages of {word} a frame of {largest}; stages on several threads overlap.")


def speedup_section(run):
    out = "<h2>CPU against GPU, as the paper measured it</h2>" + machine_html(run)
    s = run["settings"]
    out += (f'<p>Variant {esc(s["variant"])}, {s["threads"]} threads, {s["frames_in_flight"]} in flight; median '
            f'of {s["runs"]} runs of {s["frames"]} frames; clips: '
            f'{esc(", ".join(unique(r["clip"] for r in run["results"])))}.</p>')
    if not run["identical"]:
        out += "<p><b>No speedup is shown:</b> not all did the same work: " + esc("; ".join(run["differences"])) + "</p>"
    elif any(x["encode"] is not None for x in run["speedup"]):
        out += "<p>All backends and engines made the same bytes and the same pictures in this run.</p>" + fig3(run)
    out += times_plot(run)
    sizes = unique(map(size_of, run["results"]))
    paper = {size_of(p): p for p in run["paper"]}
    for what, words in (("encode", "Encoding (Table III)"), ("decode", "Decoding (Table IV)")):
        rows = [[f"paper, {k.upper()}"] + [f"{paper[z][f'{what}_{k}']:.3f}" if z in paper else "-" for z in sizes]
                for k in ("cpu", "gpu")]
        own = []
        for name in unique(map(runner, run["results"])):
            values = [mean_of(run, z, name, what) for z in sizes]
            own.append(f"here, {name}")
            rows.append([own[-1]] + [milliseconds(v) if v else "-" for v in values])
        out += f"<h3>{words}, ms a frame</h3>" + table_html([""] + sizes, rows, own)
    return out + "<h3>Where the time goes</h3>" + stages_plot(run, "encode") + stages_plot(run, "decode")


# ---- rd ---------------------------------------------------------------------------------------------------

def rd_cards(run):
    cards = ""
    anchor = run["settings"]["anchor"]
    for row in run["summary"][:1]:
        for key, words in (("y", "luma PSNR"), ("ssim", "SSIM")):
            if row[key]:
                cards += card(f"{row[key]['mean']:+.0f} %", f"bits of {row['codec']} against {anchor} at equal {words}; "
                              f"clips: {row[key]['clips']}")
    return cards


def rd_section(run):
    anchor = run["settings"]["anchor"]
    codecs = [r["codec"] for r in run["summary"]]
    colour = {c: SERIES[i % len(SERIES)] for i, c in enumerate(codecs)}
    out = "<h2>Bits and quality</h2>" + machine_html(run)
    out += (f"<p>BD-rate in per cent against {esc(anchor)}: bits more (+) or fewer (-) at equal quality. Key frame "
            f"every {run['settings']['key_interval']} frames.</p>")
    rows = []
    for clip in run["clips"]:
        found = {c["codec"]: c["bd_rate"]["y"] for c in clip["codecs"]}
        rows.append([clip["name"]] + [f"{found[c]['percent']:+.1f}" if found.get(c) else "-" for c in codecs])
    means = []
    for key, words in (("y", "mean, luma"), ("yuv", "mean, 6:1:1"), ("ssim", "mean, SSIM")):
        means.append(words)
        rows.append([words] + [f"{r[key]['mean']:+.1f}" if r[key] else "-" for r in run["summary"]])
    out += table_html(["clip"] + codecs, rows, means)
    columns = min(2, len(run["clips"]))
    figure, axes = plots(-(-len(run["clips"]) // columns), columns, height=4)
    for axis in axes[len(run["clips"]):]:
        axis.set_visible(False)
    for axis, clip in zip(axes, run["clips"]):
        for codec in clip["codecs"]:
            points = sorted((p["bits_per_pixel"], p["psnr"]["y"]) for p in codec["points"] if p["psnr"]["y"])
            if points:
                axis.plot(*zip(*points), color=colour[codec["codec"]], marker="o", markersize=4,
                          linewidth=2.4 if codec["codec"] == codecs[0] else 1.4, label=codec["codec"])
        plain_log(axis, "x")
        ticks = [t for t in (0.01, 0.03, 0.1, 0.3, 1, 3, 10) if axis.get_xlim()[0] <= t <= axis.get_xlim()[1]]
        axis.set_xticks(ticks, [f"{t:g}" for t in ticks])
        axis.set_title(f"{clip['name']}, {clip['frames']} frames", loc="left", fontsize=10)
        axis.set_xlabel("bits per pixel", loc="right")
        axis.set_ylabel("luma PSNR, dB")
    if len(run["clips"]) > 0:
        legend(axes[0])
    figure.tight_layout()
    return out + figure_html(figure, "Further left is fewer bits, further up is better.")


# ---- scale, latency, streams --------------------------------------------------------------------------------

def scale_section(run):
    out = "<h2>How cost grows</h2>" + machine_html(run)
    out += f"<p>Variant {esc(run['settings']['variant'])}, clip {esc(run['settings']['clip'])}; one thing changed at a time.</p>"
    series = [s for s in run["series"] if any("encode_ms" in c for c in s["cases"])]
    figure, axes = plots(-(-len(series) // 2), 2, height=3.2)
    for axis in axes[len(series):]:
        axis.set_visible(False)
    for axis, s in zip(axes, series):
        cases = [c for c in s["cases"] if "encode_ms" in c]
        for key, colour, label in (("encode_ms", SERIES[0], "encode"), ("decode_ms", SERIES[1], "decode")):
            axis.plot([c["label"] for c in cases], [c[key] for c in cases], color=colour, marker="o", label=label)
        axis.set_ylim(bottom=0)
        axis.set_title(f"{s['name']}: ms a frame", loc="left")
        legend(axis)
    figure.tight_layout()
    return out + figure_html(figure, "Medians; bytes are in the JSON.")


def latency_section(run):
    out = "<h2>Latency of a live source</h2>" + machine_html(run)
    out += f"<p>{size_of(run)} at {run['fps']:g} frames a second, one frame in flight, from when a frame was due.</p>"
    head = ["ms", "encode p50", "p95", "p99", "max", "with decode p50", "p95", "p99", "max", "late"]
    rows = [[runner(r)] + [f"{r[k][q]:.2f}" for k in ("encode_ms", "total_ms") for q in ("p50", "p95", "p99", "max")]
            + [f"{r['late']} of {r['frames']}"] for r in run["results"]]
    return out + table_html(head, rows)


def streams_section(run):
    out = "<h2>Several streams at once</h2>" + machine_html(run)
    figure, axes = plots(1, 1, height=3.4)
    names = unique(map(runner, run["results"]))
    counts = unique(str(r["streams"]) for r in run["results"])
    for i, name in enumerate(names):
        mine = [r for r in run["results"] if runner(r) == name]
        axes[0].plot([str(r["streams"]) for r in mine], [r["frames_per_second"] / run["fps"] for r in mine],
                     color=SERIES[i], marker="o", label=name)
    axes[0].set_xticks(range(len(counts)), counts)
    axes[0].set_ylim(bottom=0)
    axes[0].set_xlabel("encoders at once")
    axes[0].set_title(f"Streams of {size_of(run)} carried at {run['fps']:g} frames a second", loc="left")
    legend(axes[0])
    return out + figure_html(figure, "Frames a second of all encoders together, over what one stream needs.")


SECTIONS = {"speedup": speedup_section, "rd": rd_section, "scale": scale_section, "latency": latency_section,
            "streams": streams_section}


def load(path):
    try:
        with open(path, encoding="utf-8") as file:
            run = json.load(file)
    except (OSError, ValueError) as error:
        sys.exit(f"ctbench report: {path} cannot be read: {error}")
    if run.get("tool") != "ctbench" or run.get("kind") not in SECTIONS or run.get("schema") != 1:
        sys.exit(f"ctbench report: {path} is no run of this ctbench (make it with ctbench VERB --json FILE)")
    return run


def page(runs):
    cards = "".join({"speedup": speedup_cards, "rd": rd_cards}.get(r["kind"], lambda _: "")(r) for r in runs)
    body = "".join(SECTIONS[r["kind"]](r) for r in sorted(runs, key=lambda r: list(SECTIONS).index(r["kind"])))
    return ("<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>ctv, measured</title>"
            "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">"
            f"<style>{CSS}</style><main><h1>ctv, measured</h1>"
            "<p class=\"soft\">A contourlet video codec whose CPU and CUDA backends make the same bits.</p>"
            f"<div class=\"cards\">{cards}</div>{body}</main></html>\n")


def main():
    parser = argparse.ArgumentParser(prog="ctbench report", description="one page from runs of ctbench")
    parser.add_argument("runs", nargs="+", metavar="RUN.json")
    parser.add_argument("-o", "--output", default="report.html")
    arguments = parser.parse_args()
    pyplot.rcParams.update({
        "svg.fonttype": "none", "text.color": INK, "axes.labelcolor": INK, "axes.edgecolor": GRID,
        "axes.titlecolor": INK, "xtick.color": INK, "ytick.color": INK, "grid.color": GRID, "axes.grid": True,
        "axes.axisbelow": True, "axes.spines.top": False, "axes.spines.right": False, "font.size": 10,
        "axes.titlesize": 11, "axes.titleweight": "bold", "figure.constrained_layout.use": False,
        "legend.labelcolor": INK, "svg.hashsalt": "ctv", "savefig.bbox": "tight"})
    text = page([load(path) for path in arguments.runs])
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
