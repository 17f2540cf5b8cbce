# SPDX-License-Identifier: BSD-3-Clause
"""What the page and the tables of documents say alike: figures taken out of runs, in words."""

HOST_STAGE = "symbols and DEFLATE"  # on the CPU with either backend


def unique(values):
    return list(dict.fromkeys(values))


def size_of(row):
    return f"{row['width']}x{row['height']}"


def runner(row):
    return f"{row['backend']} {row['engine']}"


def number(value):
    """Three digits that count; "-" for None."""
    if value is None:
        return "-"
    return f"{value:.3f}" if value < 1 else f"{value:.2f}" if value < 10 else f"{value:.1f}" if value < 100 else f"{value:.0f}"


def percent(share):
    """A share of 1 as a whole number of per cent, but never 0 for what is something."""
    return "<1 %" if 0 < share < 0.005 else f"{100 * share:.0f} %"


def mean(values):
    values = [v for v in values if v is not None]
    return sum(values) / len(values) if values else None


def machine_words(runs):
    """The first run's machine, and how busy it was when what is timed began."""
    m = runs[0]["machine"]
    loads = [r["machine"]["load"] for r in runs if r["kind"] != "pictures"] or [m["load"]]
    busy = " to ".join(unique(f"{v:.1f}" for v in (min(loads), max(loads))))
    driver = f", driver {m['driver'].split('  ')[1]}" if "  " in m["driver"] else ""
    clocks = f", {m['device_clocks'].split(', ')[0]}" if m["device_clocks"] else ""
    devices = unique(d["name"] for d in m["devices"])
    words = ", ".join(devices) + driver + clocks if devices else "no CUDA device"
    return (f"{m['cpu']}, {m['cores']} cores, {m['memory_bytes'] / 2**30:.0f} GiB, load {busy} when runs began; {words}; "
            f"{m['compiler']}; commit {m['commit']}")


# ---- speedup ----------------------------------------------------------------------------------------------

def rows_of(run, size, name):
    return [r for r in run["results"] if size_of(r) == size and runner(r) == name]


def mean_of(run, size, name, what):
    return mean([r[what]["ms_per_frame"] for r in rows_of(run, size, name)])


def time_words(run, size, name, what):
    """Milliseconds, and half the distance of the quartiles."""
    value = mean_of(run, size, name, what)
    if value is None:
        return "-"
    spread = mean([(r[what]["quartiles"][1] - r[what]["quartiles"][0]) / 2 for r in rows_of(run, size, name)])
    return f"{number(value)} ± {100 * spread / value:.0f} %"


def fastest(run, size, backend, what):
    """(milliseconds, runner), None if the backend did not run."""
    names = unique(runner(r) for r in run["results"] if r["backend"] == backend and size_of(r) == size)
    return min(((mean_of(run, size, n, what), n) for n in names), default=None)


def has_speedup(run):
    return run["identical"] and any(x["encode"] is not None for x in run["speedup"])


def speedup_rows(runs):
    """The paper's Table II with the presets of these runs: head and rows, no rows where no GPU ran."""
    runs = [r for r in runs if has_speedup(r)]
    sizes = unique([size_of(p) for r in runs for p in r["paper"]] + [size_of(s) for r in runs for s in r["speedup"]])
    rows = []
    for what, words in (("encode", "encoding"), ("decode", "decoding")) if runs else ():
        paper = {size_of(p): p[f"{what}_speedup"] for p in runs[0]["paper"]}
        rows.append([f"{words}, paper"] + [number(paper.get(z)) for z in sizes])
        for run in runs:
            here = {size_of(s): s[what] for s in run["speedup"]}
            rows.append([f"{words}, here, preset {run['settings']['variant']}"] + [number(here.get(z)) for z in sizes])
    return ["CPU time / GPU time"] + sizes, rows


def stage_sums(run, size, name, what):
    """Milliseconds on the host's own stage, and on all others."""
    rows = rows_of(run, size, name)
    own = sum(s["ms_per_frame"] for r in rows for s in r[what]["stages"] if s["name"] == HOST_STAGE)
    other = sum(s["ms_per_frame"] for r in rows for s in r[what]["stages"] if s["name"] != HOST_STAGE)
    return own / len(rows), other / len(rows)


def bounds(run):
    """Why a speedup is what it is: one sentence for each direction, none where no GPU ran."""
    out = []
    size = next((size_of(s) for s in reversed(run["speedup"]) if s["encode"] is not None), None)
    for what, words in (("encode", "Encoding"), ("decode", "Decoding")) if has_speedup(run) else ():
        total, name = fastest(run, size, "cuda", what)
        own, other = stage_sums(run, size, name, what)
        cpu = stage_sums(run, size, fastest(run, size, "cpu", what)[1], what)
        if other > 0:
            out.append(f"{words} {size}, preset {run['settings']['variant']}: {number(own)} of the {number(total)} ms with "
                       f"CUDA are {HOST_STAGE}, which run on the CPU with either backend ({number(cpu[0])} ms there); the "
                       f"other stages, copies left out, take {number(other)} ms on the GPU and {number(cpu[1])} ms on the CPU, "
                       f"{cpu[1] / other:.0f} times as long.")
    return out
