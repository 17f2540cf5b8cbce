# SPDX-License-Identifier: BSD-3-Clause
"""Sections about bits and quality, scaling, latency and streams."""
from drawing import (SERIES, card, colour_of, esc, figure_html, legend, machine_html, plain_log, plots, table_html)
from figures import number, runner, size_of, unique


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
    rows = []
    for clip in run["clips"]:
        found = {c["codec"]: c["bd_rate"]["y"] for c in clip["codecs"]}
        rows.append([clip["name"]] + [f"{found[c]['percent']:+.1f}" if found.get(c) else "-" for c in codecs])
    means = []
    for key, words in (("y", "mean, luma"), ("yuv", "mean, 6:1:1"), ("ssim", "mean, SSIM")):
        means.append(words)
        rows.append([words] + [f"{r[key]['mean']:+.1f}" if r[key] else "-" for r in run["summary"]])
    every = f"Key frame every {run['settings']['key_interval']} frames."
    if any(r["y"] for r in run["summary"]):
        out += f"<p>BD-rate in per cent against {esc(anchor)}: bits more (+) or fewer (-) at equal quality. {every}</p>"
        out += table_html(["clip"] + codecs, rows, means)
    else:
        out += f"<p>{esc(anchor)}, which others are compared with, was not on this machine. {every}</p>"
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

def scale_section(runs):
    """One plot for each thing that was changed, with the curves of every backend that was run."""
    out = "<h2>How cost grows</h2>"
    drawn = []  # (backend, run)
    for run in runs:
        ran = unique(c["running"].split()[0] for s in run["series"] for c in s["cases"] if "encode_ms" in c)
        words = " ".join([run["settings"]["variant"]] + run["settings"]["run"]).replace("--", "")
        out += machine_html(run) + f"<p>Preset {esc(words)}, clip {esc(run['settings']['clip'])}, on {esc(', '.join(ran))}.</p>"
        if ran:
            drawn.append((ran[0], run))
    out += "<p>One thing changed at a time; ms a frame.</p>"
    names = unique(s["name"] for run in runs for s in run["series"] if any("encode_ms" in c for c in s["cases"]))
    figure, axes = plots(-(-len(names) // 2), 2, height=3.2)
    for axis in axes[len(names):]:
        axis.set_visible(False)
    for axis, name in zip(axes, names):
        ticks = {}  # label -> kB a frame
        for backend, run in drawn:
            cases = [c for s in run["series"] if s["name"] == name for c in s["cases"] if "encode_ms" in c]
            ticks.update({c["label"]: c["bytes"] / run["settings"]["frames"] / 1000 for c in cases})
            for key, style, label in (("encode_ms", "-", "encode"), ("decode_ms", "--", "decode")):
                axis.plot([list(ticks).index(c["label"]) for c in cases], [c[key] for c in cases], style,
                          color=colour_of(f"{backend} direct"), marker="o", label=f"{backend}, {label}")
        axis.set_xticks(range(len(ticks)), [f"{label}\n{number(kb)} kB" for label, kb in ticks.items()])
        if len(drawn) > 1:
            plain_log(axis, "y")
        else:
            axis.set_ylim(bottom=0)
        axis.set_title(name, loc="left")
    if names:
        legend(axes[0], -0.22)
    figure.tight_layout()
    return out + figure_html(figure, "Medians. Below each value, what a frame then takes.")


def late_words(row):
    """A backlog that grows says nothing about latency."""
    return " (does not keep up)" if 2 * row["late"] > row["frames"] else ""


def latency_section(run):
    out = "<h2>Latency of a live source</h2>" + machine_html(run)
    out += f"<p>{size_of(run)} at {run['fps']:g} frames a second, one frame in flight, from when a frame was due.</p>"
    head = ["ms", "encode p50", "p95", "p99", "max", "with decode p50", "p95", "p99", "max", "late"]
    rows = [[runner(r) + late_words(r)] + [f"{r[k][q]:.2f}" for k in ("encode_ms", "total_ms") for q in ("p50", "p95", "p99", "max")]
            + [f"{r['late']} of {r['frames']}"] for r in run["results"]]
    return out + table_html(head, rows)


def streams_section(run):
    out = "<h2>Several streams at once</h2>" + machine_html(run)
    run["results"] = [{**r, "engine": f"{r['engine']}, {r['devices']} devices"} if r["devices"] > 1 else r
                      for r in run["results"]]
    figure, axes = plots(1, 1, height=3.4)
    names = unique(map(runner, run["results"]))
    counts = unique(str(r["streams"]) for r in run["results"])
    for name in names:
        mine = [r for r in run["results"] if runner(r) == name]
        axes[0].plot([str(r["streams"]) for r in mine], [r["frames_per_second"] / run["fps"] for r in mine],
                     color=colour_of(name), marker="o", label=name)
    axes[0].set_xticks(range(len(counts)), counts)
    axes[0].set_ylim(bottom=0, top=1.12 * axes[0].get_ylim()[1])
    axes[0].set_xlabel("encoders at once", loc="right")
    axes[0].set_title(f"Streams of {size_of(run)} carried at {run['fps']:g} frames a second", loc="left")
    legend(axes[0])
    return out + figure_html(figure, "Frames a second of all encoders together, over what one stream needs.")


def pictures_section(run):
    transforms = run.get("transforms")
    out = f"<h2>{'Transforms at equal bytes' if transforms else 'What it looks like'}</h2>" + machine_html(run)
    out += (f"<p>The middle of frame {run['frame']} of {esc(run['clip'])}, {size_of(run)}, enlarged. "
            + ("The default preset, in which nothing but the transform differs, at the quantiser whose bytes are nearest to the "
               "wavelet's. Luma of the whole picture." if transforms else
               "Every codec at the setting whose bytes are nearest to ours; some have no setting that small.")
            + "</p><div class=\"pictures\">")
    for r in run["results"]:
        words = "" if r["codec"] == "source" else (
            f" {r['setting']}, {r['bytes'] / run['frames'] / 1000:.1f} kB a frame"
            + (f", {r['psnr_y']:.2f} dB, SSIM {r['ssim']:.4f}" if r["psnr_y"] else ""))
        out += (f'<figure><img alt="{esc(r["codec"])}" src="data:image/png;base64,{r["png"]}">'
                f'<figcaption><b>{esc(r["codec"])}</b>{esc(words)}</figcaption></figure>')
    return out + "</div>"
