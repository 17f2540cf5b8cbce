# SPDX-License-Identifier: BSD-3-Clause
"""Runs as tables, which the page and documents show alike. A block is (caption in Markdown, head, rows); one without
rows is a sentence."""
import os

HOST_STAGE = "symbols and DEFLATE"  # on the CPU with either backend
WAYS = (("encode", "encoding"), ("decode", "decoding"))


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


def speedup(run):
    s = run["settings"]
    sizes = unique(map(size_of, run["results"]))
    runners = unique(map(runner, run["results"]))
    paper = {size_of(p): p for p in run["paper"]}
    clips = ", ".join(unique(r["clip"] for r in run["results"]))
    caption = (f"**Time per frame, preset {s['variant']}**, ms; {s['threads']} threads, {s['frames_in_flight']} in flight, median "
               f"of {s['runs']} runs of {s['frames']} frames ± half the distance of the quartiles; {clips}.")
    if not run["identical"]:
        caption += " **Backends differed; no speedup is told.**"
    elif len(runners) > 1:
        caption += " All backends and engines made the same bytes and pictures."
    rows = []
    for what, _ in WAYS:
        for kind in ("cpu", "gpu") if s["variant"] == "paper" else ():
            rows.append([f"{what}, paper, {kind.upper()}"] + [number(paper[z][f"{what}_{kind}"]) if z in paper else "-"
                                                              for z in sizes])
        rows += [[f"{what}, here, {name}"] + [time_words(run, z, name, what) for z in sizes] for name in runners]
    return [(caption, [""] + sizes, rows)]


def stage_sums(run, size, name, what):
    """Milliseconds on the host's own stage, and on all others."""
    rows = rows_of(run, size, name)
    own = sum(s["ms_per_frame"] for r in rows for s in r[what]["stages"] if s["name"] == HOST_STAGE)
    other = sum(s["ms_per_frame"] for r in rows for s in r[what]["stages"] if s["name"] != HOST_STAGE)
    return own / len(rows), other / len(rows)


def speedups(runs):
    """The paper's Table II with the presets of these runs, and why a speedup is what it is; nothing where no GPU ran."""
    runs = [r for r in runs if r["identical"] and any(x["encode"] is not None for x in r["speedup"])]
    if not runs:
        return []
    sizes = unique([size_of(p) for r in runs for p in r["paper"]] + [size_of(s) for r in runs for s in r["speedup"]])
    rows, sentences = [], []
    for what, words in WAYS:
        for words_of_row, values in [(f"{words}, paper", {size_of(p): p[f"{what}_speedup"] for p in runs[0]["paper"]})] + [
                (f"{words}, here, preset {r['settings']['variant']}", {size_of(s): s[what] for s in r["speedup"]}) for r in runs]:
            rows.append([words_of_row] + [number(values.get(z)) for z in sizes])
    for run in runs:
        size = next(size_of(s) for s in reversed(run["speedup"]) if s["encode"] is not None)
        for what, words in WAYS:
            total, name = fastest(run, size, "cuda", what)
            own, other = stage_sums(run, size, name, what)
            cpu = stage_sums(run, size, fastest(run, size, "cpu", what)[1], what)
            if other > 0:
                sentences.append((
                    f"{words.capitalize()} {size}, preset {run['settings']['variant']}: {number(own)} of the {number(total)} ms with "
                    f"CUDA are {HOST_STAGE}, which run on the CPU with either backend ({number(cpu[0])} ms there); the "
                    f"other stages, copies left out, take {number(other)} ms on the GPU and {number(cpu[1])} ms on the CPU, "
                    f"{cpu[1] / other:.0f} times as long.", [], []))
    return [("**Speedup (Table II)**, the fastest engine of each backend.", ["CPU time / GPU time"] + sizes, rows)] + sentences


# ---- the other verbs --------------------------------------------------------------------------------------

def peers(run):
    return [(f"**Compared with other codecs**, {run['clip']}, {size_of(run)}, {run['frames']} frames, a key frame every "
             f"{run['key_interval']}, at {run['decibels']:g} dB of luma.", ["codec", "bytes a frame", "encode ms", "decode ms"],
             [[f"{r['codec']}, {r['how']}", number(r["bytes_per_frame"]), number(r["encode"]["ms_per_frame"]),
               number(r["decode"]["ms_per_frame"])] for r in run["results"] if r["bytes_per_frame"]])]


def rd(run):
    if not any(r["y"] for r in run["summary"]):
        return []  # the codec that all are compared with was not there
    return [(f"**Bits at equal quality** against {run['settings']['anchor']} (BD-rate); "
             f"{', '.join(c['name'] for c in run['clips'])}.", ["codec", "luma", "6:1:1", "SSIM"],
             [[r["codec"]] + [f"{r[k]['mean']:+.1f} %" if r[k] else "-" for k in ("y", "yuv", "ssim")] for r in run["summary"]])]


def latency(run):
    slow = " (does not keep up)"  # a backlog that grows says nothing about latency
    return [(f"**Latency of a live source**, {size_of(run)} at {run['fps']:g} frames a second, ms.",
             ["", "packet p50", "p95", "p99", "decoded p50", "p95", "p99", "late"],
             [[runner(r) + (slow if 2 * r["late"] > r["frames"] else "")]
              + [number(r[k][q]) for k in ("encode_ms", "total_ms") for q in ("p50", "p95", "p99")]
              + [f"{r['late']} of {r['frames']}"] for r in run["results"]])]


def stream_name(row):
    return runner(row) + (f", {row['devices']} devices" if row["devices"] > 1 else "")


def streams(run):
    return [(f"**Several streams at once**, {size_of(run)}.",
             ["", "encoders", "frames a second together", f"streams of {run['fps']:g} fps"],
             [[stream_name(r), r["streams"], number(r["frames_per_second"]), int(r["frames_per_second"] / run["fps"])]
              for r in run["results"]])]


def cases_of(run):
    """(series, case) of all that could be measured."""
    return [(s["name"], c) for s in run["series"] for c in s["cases"] if "encode_ms" in c]


def scale(run):
    words = " ".join(run["settings"]["run"]).replace("--", "")
    on = ", ".join(unique(c["running"].split()[0] for _, c in cases_of(run)))
    return [(f"**How cost grows**, preset {run['settings']['variant']}{', ' + words if words else ''}, on {on}, ms a frame; bytes of "
             f"{run['settings']['frames']} frames.", ["what", "value", "encode", "decode", "bytes"],
             [[name, c["label"], number(c["encode_ms"]), number(c["decode_ms"]), c["bytes"]] for name, c in cases_of(run)])]


def papers(run):
    blocks = [(f"{sum(c['passed'] for c in run['checks'])} of {len(run['checks'])} checks passed; medians of "
               f"{run['settings']['runs']} runs, {run['settings']['threads']} CPU threads; {run['gpu'] or run['no_gpu']}.", [], [])]
    for t in run["tables"]:
        missing = ["-"] * len(t["columns"])
        blocks.append((f"{t['paper']}, {t['title']}. {' '.join(t['notes'])}", [""] + t["columns"],
                       [[r["label"]] + (r["cells"] + missing)[:len(missing)] for r in t["rows"]]))
    return blocks


IN_DOCUMENTS = {"speedup": speedup, "peers": peers, "rd": rd, "latency": latency, "streams": streams,
                "scale": scale}


def blocks_of(runs):
    """Those of documents, in order."""
    shown = [run for run in runs if run["kind"] in IN_DOCUMENTS]
    blocks = []
    for run, following in zip(shown, shown[1:] + [{"kind": ""}]):
        blocks += IN_DOCUMENTS[run["kind"]](run)
        if run["kind"] == "speedup" and following["kind"] != "speedup":
            blocks += speedups([r for r in shown if r["kind"] == "speedup"])
    return blocks


def markdown(block):
    caption, head, rows = block
    lines = ["| " + " | ".join(head) + " |", "|---" + "|--:" * (len(head) - 1) + "|"] if rows else []
    lines += ["| " + " | ".join(map(str, row)) + " |" for row in rows]
    return caption + "\n" + ("\n" + "\n".join(lines) + "\n" if rows else "")


def write_tables(path, name, runs):
    """Replaces what lies between the marks in the document; raises ValueError where there are none."""
    begin, end = f"<!-- measured: {name} -->\n", f"<!-- end of {name} -->\n"
    with open(path, encoding="utf-8") as file:
        text = file.read()
    if begin not in text or end not in text:
        raise ValueError(f"{path} has no marks {begin.strip()} and {end.strip()}")
    before, rest = text.split(begin, 1)
    digests = unique(r["digest"][:8] for run in runs if run["kind"] == "speedup" for r in run["results"])
    tables = f"{machine_words(runs)}; {runs[0]['machine']['time'][:10]}. Clips' digests begin {', '.join(digests)}.\n"
    tables += "".join("\n" + markdown(block) for block in blocks_of(runs))
    with open(path + ".new", "w", encoding="utf-8") as file:
        file.write(before + begin + "\n" + tables + "\n" + end + rest.split(end, 1)[1])
    os.replace(path + ".new", path)
