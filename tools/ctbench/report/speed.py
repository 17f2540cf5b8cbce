# SPDX-License-Identifier: BSD-3-Clause
"""Sections about speed: the paper's comparison, each stage alone, other codecs."""
from drawing import (INK, PAPER, SERIES, card, esc, figure_html, left_out_html, legend, machine_html, milliseconds,
                     plain_log, plots, runner, size_of, size_words, table_html, unique)


# ---- speedup ----------------------------------------------------------------------------------------------

def mean_of(run, size, name, what):
    values = [r[what]["ms_per_frame"] for r in run["results"] if size_of(r) == size and runner(r) == name]
    return sum(values) / len(values) if values else None


def speedup_cards(run):
    """Ratios where there is a GPU; times of what users run, which is not the paper's preset."""
    cards = ""
    last = run["speedup"][-1] if run["speedup"] else None
    for what, words in (("encode", "encoding"), ("decode", "decoding")):
        if last and last[what] is not None:
            cards += card(f"{last[what]:.1f}x", f"GPU over CPU, {words} {size_of(last)}, preset {run['settings']['variant']}")
    if run["settings"]["variant"] == "paper":
        return cards
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
    s = run["settings"]
    as_paper = s["variant"] == "paper"
    out = ("<h2>CPU against GPU, as the paper measured it</h2>" if as_paper else
           f"<h2>The same with preset {esc(s['variant'])}</h2>") + machine_html(run)
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
    for what, words in (("encode", "Encoding" + " (Table III)" * as_paper), ("decode", "Decoding" + " (Table IV)" * as_paper)):
        rows = [[f"paper, {k.upper()}"] + [f"{paper[z][f'{what}_{k}']:.3f}" if z in paper else "-" for z in sizes]
                for k in ("cpu", "gpu")]
        own = []
        for name in unique(map(runner, run["results"])):
            values = [mean_of(run, z, name, what) for z in sizes]
            own.append(f"here, {name}")
            rows.append([own[-1]] + [milliseconds(v) if v else "-" for v in values])
        out += f"<h3>{words}, ms a frame</h3>" + table_html([""] + sizes, rows, own)
    return (out + "<h3>Where the time goes</h3>" + stages_plot(run, "encode") + stages_plot(run, "decode")
            + left_out_html(run))


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
        axes[0].bar_label(bars, [size_words(r["microseconds"]) for r in rows], padding=3, color=INK, fontsize=8)
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
        line = [name]
        for kind in kinds:
            found = [r for r in results if r["name"] == name and r["backend"] == kind]
            if not found:
                line += ["", "", ""]
                continue
            r = found[0]
            least = r["least_microseconds"]
            line += [size_words(r["microseconds"]), f"{100 * least / r['microseconds']:.0f} %" if least else "-",
                     f"{r['operations'] / r['microseconds'] / 1000:.1f}" if r["operations"] else "-"]
        rows.append(line)
    head = [""] + [w for k in kinds for w in (f"{k}, us", "of copies", "Gop/s")]
    out += table_html(head, rows)
    return out + ('<p class="soft">Of copies: the time in which plain copies move the bytes that the stage must read and '
                  "write, over the time it took; more than 100 % where its data fit a cache. Gop/s: operations of its "
                  "definition.</p>") + left_out_html(run)


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
    legend(axes[0], -0.2)
    figure.tight_layout()
    out += figure_html(figure, "Further right is faster, further down smaller. One dot for each number of threads, backend "
                               "and frames in flight; ffmpeg decodes the other codecs.")
    lines = [[f"{r['codec']}, {r['how']}", f"{r['setting_name']} {r['setting']:g}",
              f"{r['psnr_y']:.2f}" if r["psnr_y"] else "-", f"{r['bytes_per_frame']:.0f}",
              milliseconds(r["encode"]["ms_per_frame"]), milliseconds(r["decode"]["ms_per_frame"])] for r in rows]
    own = [line[0] for line, r in zip(lines, rows) if r["codec"] == ours]
    out += table_html(["", "setting", "dB", f"bytes a frame at {decibels}", "encode ms", "decode ms"], lines, own)
    return out + left_out_html(run)
