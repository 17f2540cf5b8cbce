# SPDX-License-Identifier: BSD-3-Clause
"""Sections about speed beside the paper's comparison: each stage alone, other codecs."""
from drawing import (INK, SERIES, Html, esc, figure_html, legend, machine_html, plain_log, plots, table_html)
from figures import number, percent, size_of, unique


# ---- stages -----------------------------------------------------------------------------------------------

def stage_name(row):
    return row["stage"] + (f", {row['engine']}" if row["engine"] else "") + (
        f", {row['about'].split(', ')[-1]}" if row["backend"] == "host" else "")


def stages_section(run):
    out = "<h2>Each stage alone</h2>" + machine_html(run)
    wrong = [stage_name(r) for r in run["results"] if not (r["verified"] and r["same"])]
    out += (f"<p><b>Wrong:</b> {esc(', '.join(wrong))}.</p>" if wrong else
            f"<p>At {size_of(run)}. Every stage made what its definition says on a small picture, and the same on every "
            "backend at full size.</p>")
    rates = []
    for r in run["runners"]:
        words = [f"{r[k] / 1e9:.0f} GB/s {w}" for k, w in (("copy", "copied (read and written)"), ("upload", "up"),
                                                           ("download", "down the bus")) if r[k]]
        rates.append(f"{r['description']}: {', '.join(words)}")
    out += f'<p class="soft">{esc("; ".join(rates))}.</p>'
    names = unique(map(stage_name, run["results"]))
    results = [{**r, "name": stage_name(r), "backend": r["backend"].replace("host", "cpu")} for r in run["results"]]
    kinds = [k for k in ("cpu", "cuda") if any(r["backend"] == k for r in results)]
    figure, axes = plots(1, 1, height=0.6 + 0.34 * len(names))
    labels = {"cpu": "CPU, all threads where nothing is said", "cuda": "CUDA"}
    for i, kind in enumerate(kinds):
        rows = [r for r in results if r["backend"] == kind]
        shift = 0.2 if kind == "cuda" else -0.2 if "cuda" in kinds else 0
        bars = axes[0].barh([names.index(r["name"]) + shift for r in rows], [r["microseconds"] for r in rows],
                            0.38 if shift else 0.6, color=SERIES[i], label=labels[kind])
        axes[0].bar_label(bars, [number(r["microseconds"]) for r in rows], padding=3, color=INK, fontsize=8)
    axes[0].set_yticks(range(len(names)), names)
    plain_log(axes[0], "x")
    axes[0].set_xlim(left=1)
    axes[0].set_ylim(len(names) - 0.4, -0.6)
    axes[0].margins(x=0.1)
    axes[0].set_title("Microseconds a call, logarithmic", loc="left")
    axes[0].legend(frameon=False, fontsize=9, ncol=3, loc="lower left", bbox_to_anchor=(0.4, 1.0))
    axes[0].grid(axis="y", visible=False)
    out += figure_html(figure, "Median; calls follow each other as in a stream of frames.")
    rows = []
    for name in names:
        about = next(r["about"] for r in results if r["name"] == name)
        about = about.rsplit(", ", 1)[0] if name.endswith(about.rsplit(", ", 1)[-1]) else about  # said once
        line = [Html(f'{esc(name)} <span class="soft">{esc(about)}</span>')]
        for kind in kinds:
            found = [r for r in results if r["name"] == name and r["backend"] == kind]
            if not found:
                line += ["", "", ""]
                continue
            r = found[0]
            least = r["least_microseconds"]
            line += [number(r["microseconds"]), percent(least / r["microseconds"]) if least else "-",
                     number(r["operations"] / r["microseconds"] / 1000) if r["operations"] else "-"]
        rows.append(line)
    head = [""] + [w for k in kinds for w in (f"{k}, us", "of copies", "Gop/s")]
    out += table_html(head, rows)
    return out + ('<p class="soft">Of copies: the time in which plain copies move the bytes that the stage must read and '
                  "write, over the time it took; more than 100 % where its data fit a cache. Gop/s: operations of its "
                  "definition.</p>")


# ---- peers ------------------------------------------------------------------------------------------------

def peers_section(run):
    decibels = f"{run['decibels']:g} dB"
    out = f"<h2>Speed beside other codecs, at {decibels}</h2>" + machine_html(run)
    out += (f"<p>{esc(run['clip'])}, {size_of(run)}, {run['frames']} frames, a key frame every {run['key_interval']}; every "
            f"codec at the setting whose luma PSNR is nearest to {decibels}, bytes moved along its curve to the same "
            "PSNR.</p>")
    rows = [r for r in run["results"] if r["bytes_per_frame"]]
    codecs = unique(r["codec"] for r in rows)
    ours = rows[0]["codec"] if rows else ""
    figure, axes = plots(1, 2, height=4.2)
    for axis, what, words in ((axes[0], "encode", "Encoding"), (axes[1], "decode", "Decoding")):
        for i, codec in enumerate(codecs):
            mine = [r for r in rows if r["codec"] == codec and r[what]["ms_per_frame"] > 0]
            points = [(1000 / r[what]["ms_per_frame"], r["bytes_per_frame"] / 1000) for r in mine]
            if points:
                axis.plot(*zip(*sorted(points)), color=SERIES[i % len(SERIES)], marker="o", label=codec,
                          markersize=8 if codec == ours else 5, linewidth=2.2 if codec == ours else 1.2)
        plain_log(axis, "x")
        plain_log(axis, "y")
        axis.set_title(words, loc="left")
        axis.set_xlabel("frames a second", loc="right")
        axis.set_ylabel("kB a frame")
    figure.tight_layout()
    legend(axes[0], -0.2)  # afterwards: it is wider than its plot
    out += figure_html(figure, "Further right is faster, further down smaller. One dot for each number of threads, backend "
                               "and frames in flight; ffmpeg decodes the other codecs.")
    lines = [[f"{r['codec']}, {r['how']}", f"{r['setting_name']} {r['setting']:g}",
              f"{r['psnr_y']:.2f}" if r["psnr_y"] else "-", f"{r['bytes_per_frame']:.0f}",
              number(r["encode"]["ms_per_frame"]), number(r["decode"]["ms_per_frame"])] for r in rows]
    own = [line[0] for line, r in zip(lines, rows) if r["codec"] == ours]
    out += table_html(["", "setting", "dB", f"bytes a frame at {decibels}", "encode ms", "decode ms"], lines, own)
    return out
