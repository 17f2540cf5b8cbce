# SPDX-License-Identifier: BSD-3-Clause
"""The section of `ctbench speedup`: the paper's comparison of CPU and GPU, with each preset that was run."""
from drawing import (INK, PAPER, SERIES, card, colour_of, esc, figure_html, legend, machine_html, plain_log, plots, table_html)
from figures import (bounds, fastest, has_speedup, mean_of, number, runner, size_of, speedup_rows, time_words, unique)

WAYS = (("encode", "encoding"), ("decode", "decoding"))


def as_paper(run):
    return run["settings"]["variant"] == "paper"


def speedup_cards(runs):
    """What users run first: times, then ratios; beside the paper's where the preset is the paper's."""
    cards = ""
    for run in sorted(runs, key=as_paper):
        size, preset = size_of(run["results"][-1]), run["settings"]["variant"]
        paper = next((p for p in run["paper"] if size_of(p) == size), None) if as_paper(run) else None
        ratios = {size_of(s): s for s in run["speedup"]}.get(size, {}) if has_speedup(run) else {}
        for what, words in WAYS:
            backend = "cuda" if fastest(run, size, "cuda", what) else "cpu"
            ms, name = fastest(run, size, backend, what)
            there = f"; the paper's {'GPU' if backend == 'cuda' else 'CPU'} took " \
                    f"{number(paper[what + ('_gpu' if backend == 'cuda' else '_cpu')])} ms" if paper else ""
            cards += card(f"{number(ms)} ms", f"{words} a frame of {size}, preset {preset}, {name}{there}")
        for what, words in WAYS if ratios else ():
            there = f"; the paper's {number(paper[what + '_speedup'])}x" if paper else ""
            cards += card(f"{ratios[what]:.1f}x", f"GPU over CPU, {words} {size}, preset {preset}{there}")
    return cards


def fig3(runs):
    """The paper's Fig. 3, speedups over resolutions, with this machine's."""
    sizes = unique([size_of(p) for p in runs[0]["paper"]] + [size_of(s) for r in runs for s in r["speedup"]])
    figure, axes = plots(1, 2)
    for axis, (what, words) in zip(axes, WAYS):
        series = [("paper, 2015", PAPER, {size_of(p): p[f"{what}_speedup"] for p in runs[0]["paper"]})]
        series += [(f"here, preset {r['settings']['variant']}", SERIES[i], {size_of(s): s[what] for s in r["speedup"]})
                   for i, r in enumerate(runs)]
        width = 0.84 / len(series)
        for i, (label, colour, values) in enumerate(series):
            known = [(k + (i - (len(series) - 1) / 2) * width, values[z]) for k, z in enumerate(sizes) if values.get(z)]
            if known:
                bars = axis.bar([k[0] for k in known], [k[1] for k in known], 0.94 * width, color=colour, label=label)
                axis.bar_label(bars, fmt="%.1f", padding=2, color=INK, fontsize=8)
        axis.set_xticks(range(len(sizes)), sizes)
        axis.margins(y=0.12)
        axis.set_title(f"{words.capitalize()}: CPU time / GPU time", loc="left")
        axis.grid(axis="x", visible=False)
    legend(axes[0])
    return figure_html(figure, "The paper's Fig. 3: speedup of the GPU over the CPU, per frame, the fastest engine of each.")


def times_plot(run):
    sizes = unique(map(size_of, run["results"]))
    figure, axes = plots(1, 2)
    for axis, (what, words) in zip(axes, WAYS):
        for kind, style in (("cpu", "-"), ("gpu", "--")) if as_paper(run) else ():
            known = [(sizes.index(size_of(p)), p[f"{what}_{kind}"]) for p in run["paper"] if size_of(p) in sizes]
            if known:
                axis.plot(*zip(*known), style, color=PAPER, marker="o", markersize=4, label=f"paper, {kind.upper()}")
        for name in unique(map(runner, run["results"])):
            values = [(k, mean_of(run, s, name, what)) for k, s in enumerate(sizes)]
            axis.plot(*zip(*[v for v in values if v[1]]), color=colour_of(name), marker="o", markersize=5, linewidth=2,
                      label=f"here, {name}")
        plain_log(axis, "y")
        axis.set_xticks(range(len(sizes)), sizes)
        axis.set_title(words.capitalize() + ", ms a frame", loc="left")
    legend(axes[0])
    return figure_html(figure, "Time per frame, disk excluded, transfers included; logarithmic.")


def stages_plot(run):
    """All runners on one scale, so that lengths can be compared."""
    size = size_of(run["results"][-1])
    rows = [r for r in run["results"] if size_of(r) == size]
    names = unique(map(runner, rows))
    clips = len(unique(r["clip"] for r in rows))
    figure, axes = plots(1, 2, height=1 + 0.2 * len(names) * max(
        len(unique(s["name"] for r in rows for s in r[what]["stages"])) for what, _ in WAYS))
    for axis, (what, words) in zip(axes, WAYS):
        sums = {}
        for r in rows:
            for s in r[what]["stages"]:
                sums[runner(r), s["name"]] = sums.get((runner(r), s["name"]), 0) + s["ms_per_frame"] / clips
        stages = [s for s in unique(s for _, s in sums) if any(sums.get((n, s), 0) >= 0.005 for n in names)]
        thick = 0.8 / len(names)
        for i, name in enumerate(names):
            known = [(k, sums[name, s]) for k, s in enumerate(stages) if (name, s) in sums]
            bars = axis.barh([k + (i - (len(names) - 1) / 2) * thick for k, _ in known], [v for _, v in known], 0.9 * thick,
                             color=colour_of(name), label=name)
            axis.bar_label(bars, fmt="%.2f", padding=3, color=INK, fontsize=8)
        axis.set_yticks(range(len(stages)), stages)
        axis.invert_yaxis()
        axis.margins(x=0.14)
        axis.set_title(f"{words.capitalize()} {size}, ms a frame", loc="left")
        axis.grid(axis="y", visible=False)
        axis.tick_params(axis="y", length=0)
    figure.tight_layout()
    legend(axes[0], -0.6 / figure.get_figheight())
    return figure_html(figure, "Where the time goes, copies left out. Stages on several threads overlap.")


def preset_part(run):
    s = run["settings"]
    out = f"<h3>Preset {esc(s['variant'])}</h3>" + machine_html(run)
    out += (f'<p>{s["threads"]} threads, {s["frames_in_flight"]} in flight; median of {s["runs"]} runs of {s["frames"]} frames, '
            f'± half the distance of the quartiles; clips: {esc(", ".join(unique(r["clip"] for r in run["results"])))}.</p>')
    if not run["identical"]:
        out += "<p><b>No speedup is shown:</b> not all did the same work: " + esc("; ".join(run["differences"])) + "</p>"
    out += times_plot(run)
    sizes = unique(map(size_of, run["results"]))
    paper = {size_of(p): p for p in run["paper"]}
    for what, words in WAYS:
        table = f" ({'Table III' if what == 'encode' else 'Table IV'})" if as_paper(run) else ""
        rows = [[f"paper, {k.upper()}"] + [number(paper[z][f"{what}_{k}"]) if z in paper else "-" for z in sizes]
                for k in ("cpu", "gpu")] if as_paper(run) else []
        own = [f"here, {n}" for n in unique(map(runner, run["results"]))]
        rows += [[n] + [time_words(run, z, n.removeprefix("here, "), what) for z in sizes] for n in own]
        out += table_html([f"{words}{table}, ms a frame"] + sizes, rows, own)
    return out + stages_plot(run)


def speedup_section(runs):
    told = [r for r in runs if has_speedup(r)]
    out = f"<h2>{'CPU against GPU' if told else 'Time per frame'}, as the paper measured it</h2>"
    if told:
        head, rows = speedup_rows(told)
        out += ("<p>All backends and engines made the same bytes and the same pictures in these runs. The paper's algorithm is "
                "preset paper; preset default is another algorithm on the same scale.</p>" + fig3(told)
                + "<h3>Speedup (Table II)</h3>" + table_html(head, rows, [r[0] for r in rows if "here" in r[0]])
                + "".join(f"<p>{esc(line)}</p>" for run in told for line in bounds(run)))
    return out + "".join(map(preset_part, runs))
