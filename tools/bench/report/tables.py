#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs as tables, which the terminal, the page and documents show alike: `tables.py run.json...` prints them. A block is
(caption in Markdown, head, rows); one without rows is a sentence."""
import json
import sys

sys.dont_write_bytecode = True  # the folder may not be ours
from rates import compare, mean_and_worst

WAYS = (("encode", "encoding"), ("decode", "decoding"))
# Katsigiannis, Dimitsas and Maroulis: ms a frame on a Phenom II X4 965 and a Tesla C2070 (Tables III and IV), speedups (II).
PAPER = {size: dict(zip(("encode_cpu", "encode_gpu", "decode_cpu", "decode_gpu", "encode_speedup", "decode_speedup"), figures))
         for size, figures in {"320x240": (159.100, 56.667, 149.200, 44.800, 2.808, 3.330),
                               "640x480": (612.833, 98.367, 594.600, 70.833, 6.230, 8.394),
                               "1280x720": (1866.233, 196.600, 1828.333, 122.433, 9.493, 14.933),
                               "1920x1080": (4239.433, 383.733, 4202.433, 197.267, 11.048, 21.303)}.items()}


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


def mean(values):
    values = [v for v in values if v is not None]
    return sum(values) / len(values) if values else None


def by_machine(runs):
    """Lists of runs, each of one machine with one commit. Clocks change while it works."""
    groups = {}
    for r in runs:
        key = json.dumps([r["machine"][k] for k in ("cpu", "cores", "memory_bytes", "devices", "driver", "compiler", "commit")])
        groups.setdefault(key, []).append(r)
    return list(groups.values())


def machine_words(runs):
    """Each machine, and how busy it was when what is timed began."""
    return "; and ".join(map(words_of_machine, by_machine(runs)))


def words_of_machine(runs):
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
    """Milliseconds, and half the distance of the quartiles; with frames in flight there is a mean alone."""
    value = mean_of(run, size, name, what)
    if value is None:
        return "-"
    if run["settings"]["frames_in_flight"] > 1:
        return number(value)
    spread = mean([(r[what]["quartiles"][1] - r[what]["quartiles"][0]) / 2 for r in rows_of(run, size, name)])
    return f"{number(value)} ± {100 * spread / value:.0f} %"


def fastest(run, size, backend, what):
    """(milliseconds, runner), None if the backend did not run."""
    names = unique(runner(r) for r in run["results"] if r["backend"] == backend and size_of(r) == size)
    return min(((mean_of(run, size, n, what), n) for n in names), default=None)


def speedup_of(run, size, what):
    """The fastest CPU runner's time over the fastest CUDA runner's; None where one is missing or they differed."""
    cpu, cuda = (fastest(run, size, backend, what) for backend in ("cpu", "cuda"))
    return cpu[0] / cuda[0] if cpu and cuda and not run["differences"] else None


def speedup(run):
    """The paper's Tables III and IV, and Table II where a GPU ran."""
    s = run["settings"]
    sizes = unique(map(size_of, run["results"]))
    runners = unique(map(runner, run["results"]))
    clips = ", ".join(unique(r["clip"] for r in run["results"]))
    counts = [r.get("frames", s["frames"]) for r in run["results"]] or [s["frames"]]
    frames = " to ".join(unique(map(str, (min(counts), max(counts)))))
    alone = s["frames_in_flight"] == 1
    caption = (f"**Time per frame, preset {s['variant']}**, ms; {s['threads']} threads, {s['frames_in_flight']} in flight, "
               f"{'median' if alone else 'mean'} of {s['runs']} runs of {frames} frames"
               f"{' ± half the distance of the quartiles' if alone else ''}; {clips}.")
    if run["differences"]:
        caption += " No speedup is told."
    elif len(runners) > 1:
        caption += " All backends and engines made the same bytes and pictures."
    rows = []
    for what, _ in WAYS:
        for kind in ("cpu", "gpu") if s["variant"] == "paper" else ():
            rows.append([f"{what}, paper, {kind.upper()}"] + [number(PAPER[z][f"{what}_{kind}"]) if z in PAPER else "-"
                                                              for z in sizes])
        rows += [[f"{what}, here, {name}"] + [time_words(run, z, name, what) for z in sizes] for name in runners]
    blocks = [(f"**Backends differ**: {d}", [], []) for d in run["differences"]] + [(caption, [""] + sizes, rows)]
    if not any(speedup_of(run, z, "encode") for z in sizes):
        return blocks
    rows = []
    for what, words in WAYS:
        rows.append([f"{words}, paper"] + [number(PAPER[z][f"{what}_speedup"] if z in PAPER else None) for z in sizes])
        rows.append([f"{words}, here"] + [number(speedup_of(run, z, what)) for z in sizes])
    return blocks + [(f"**Speedup (Table II)**, preset {s['variant']}, the fastest engine of each backend.",
                      ["CPU time / GPU time"] + sizes, rows)]


# ---- the other verbs --------------------------------------------------------------------------------------

def peers(run):
    """What was measured at the nearest setting, and bytes at the quality itself where it lies between two settings."""
    target = f"{run['decibels']:g} dB"
    return [(f"**Compared with other codecs**, {run['clip']}, {size_of(run)}, {run['frames']} frames, a key frame every "
             f"{run['key_interval']}, settings nearest to {target} of luma.",
             ["codec", "luma dB", "bytes a frame", f"at {target}", "encode ms", "decode ms"],
             [[f"{r['codec']}, {r['how']}", "equal" if r["psnr_y"] is None else f"{r['psnr_y']:.2f}", number(r["bytes"] / run["frames"]),
               number(r["bytes_per_frame"]), number(r["encode"]["ms_per_frame"]), number(r["decode"]["ms_per_frame"])]
              for r in run["results"]])]


def signed(value):
    return f"{value:+.1f} %" if value is not None else "-"


MEASURES = (("y", "Y"), ("yuv", "6:1:1"), ("ssim", "SSIM"))


def rates_of(run, anchor):
    """[{codec: {measure: (percent, from, to) or None}}], one for each clip."""
    return [compare(clip, anchor, run["settings"]) for clip in run["clips"]]


def rd_means(run):
    """Each clip, and their means; nothing where the codec that all are compared with was not there."""
    rates = rates_of(run, run["settings"]["anchor"])
    codecs = unique(c for clip in rates for c in clip)
    rows = [[clip["name"]] + [signed(bd[c]["y"] and bd[c]["y"][0]) if c in bd else "-" for c in codecs]
            for clip, bd in zip(run["clips"], rates)]
    rows += [[f"**mean, {words}**"] + [signed(mean_and_worst(rates, c, m)[0]) for c in codecs] for m, words in MEASURES]
    if all(cell == "-" for row in rows for cell in row[1:]):
        return []
    return [(f"**Bits at equal quality** against {run['settings']['anchor']} (BD-rate; of clips, that of luma).", ["clip"] + codecs, rows)]


SEEN = (("ssimulacra2", "SSIMULACRA2", 1), ("butteraugli", "butteraugli", 2))


def second_halves(run):
    """What a viewer sees at equal bits, where `ctbench rd --bitrate` measured it."""
    halves = [(clip, curve["codec"], p["setting"], p["second_half"]) for clip in run["clips"]
              for i in range(max((len(c["points"]) for c in clip["codecs"]), default=0)) for curve in clip["codecs"]
              for p in curve["points"][i:i + 1] if "second_half" in p]
    if not halves:
        return []
    judges = [j for j in SEEN if any(j[0] in half for *_, half in halves)]
    decibels = lambda half, key: "-" if half["psnr"].get(key) is None else f"{half['psnr'][key]:.2f}"
    rows = [[clip["name"], codec, f"{setting:g}", f"{half['kilobits_per_second']:.0f}"]
            + [f"{half[key]:.{digits}f}" if key in half else "-" for key, _, digits in judges] + [decibels(half, k) for k in "yuv"]
            for clip, codec, setting, half in halves]
    return [("**What a viewer sees** in the second half, at equal bits of it (butteraugli: 0 is best).",
             ["clip", "codec", "asked kb/s", "kb/s"] + [words for _, words, _ in judges] + list("YUV"), rows)]


def rd(run):
    """Each clip by itself, all together, and the first codec against each other one."""
    s, blocks = run["settings"], []
    rates = rates_of(run, s["anchor"])
    for clip, of_clip in zip(run["clips"], rates):
        def speed(curve, way):
            seconds = sum(p[f"{way}_seconds"] for p in curve["points"])
            return f"{clip['frames'] * len(curve['points']) / seconds:.1f}" if seconds else "-"
        rows = []
        for curve in clip["codecs"]:
            bd = of_clip[curve["codec"]]
            shared = f"{bd['y'][1]:.1f}-{bd['y'][2]:.1f}" if bd["y"] else "-"
            rows.append([curve["codec"]] + [signed(bd[m] and bd[m][0]) for m, _ in MEASURES] + [shared]
                        + [speed(curve, way) for way, _ in WAYS])
        blocks.append((f"{clip['name']}: {size_of(clip)}, {clip['frames']} frames",
                       ["codec", "BD Y", "BD 6:1:1", "BD SSIM", "Y dB shared", "enc fps", "dec fps"], rows))
    codecs = unique(c for clip in rates for c in clip)
    several = len(run["clips"]) > 1
    blocks += second_halves(run) + (rd_means(run) if several else [])
    rows = []
    for other in codecs[1:]:
        turned = rates_of(run, other)
        rows.append([other] + [signed(v) for m, _ in MEASURES for v in mean_and_worst(turned, codecs[0], m)[:1 + several]])
    if rows:
        blocks.append((f"{codecs[0]} against each:", [f"{codecs[0]} against"] + [h for _, words in MEASURES for h in (words, "worst clip")[:1 + several]],
                       rows))
    return blocks + [(f"Bits of whole streams; PSNR from the squared error of all frames, BD-rate by PCHIP where curves share {s['range'][0]:g} to "
                      f"{s['range'][1]:g} dB; SSIM as -10 log10(1 - SSIM). 6:1:1 is the PSNR of Y, U and V with these "
                      "weights; Y dB shared is the luma PSNR that the curve and the anchor's both reach. Times of peers are of whole processes, files included; "
                      "ours are in memory.", [], [])]


def of_equal_bytes(run):
    """Of each picture: "", or how far its bytes are from those that all were to have. The source and drawings over it have none."""
    target = run["results"][1]["bytes"] if len(run["results"]) > 1 else 0
    factors = [r["bytes"] / target if target and r["codec"] not in ("source", "slopes") else 1 for r in run["results"]]
    return ["" if 0.95 < f < 1.05 else f"{f:.2g} times as many" for f in factors]


def pictures(run):
    return [(f"**{'Transforms' if run['transforms'] else 'Codecs'} at equal bytes**, {run['clip']}, {size_of(run)}; bytes, luma and SSIM "
             f"of {run['frames']} frames; bold: bytes that are not equal within 5 %. The JSON has the middle of frame {run['frame']}, ctbench report shows it.",
             ["codec", "setting", "bytes", "luma dB", "SSIM"],
             [[r["codec"], r["setting"], f"{r['bytes']}{f' **{factor}**' if factor else ''}"] + ["-" if r[k] is None else f"{r[k]:.{d}f}" for k, d in (("psnr_y", 2), ("ssim", 4))]
              for r, factor in zip(run["results"], of_equal_bytes(run))])]


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


def calls_of(run):
    """Rows of one kind, whatever their seed: {(clip, codec, round trip, playout, burst, loss, bandwidth, queue): rows}."""
    calls = {}
    for r in run["results"]:
        key = (r["clip"], r["codec"], r["round_trip_ms"], r["playout_ms"], r["burst"], 100 * r["loss"],
               tuple(map(tuple, r["bandwidth"])), r["queue_ms"])
        calls.setdefault(key, []).append(r)
    return calls


def sent_kilobits(row):
    return 8 * sum(v for kind, v in row["bytes"].items() if kind != "feedback") / 1000 / row["seconds"]


def loss(run):
    blocks = []
    for clip in unique(r["clip"] for r in run["results"]):
        rows = []
        limited = any(r["bandwidth"] for r in run["results"])
        for (name, codec, round_trip, playout, burst, lost, steps, queue), calls in calls_of(run).items():
            if name != clip:
                continue
            of = lambda key: mean([r[key] for r in calls])
            rows.append([codec, f"{lost:g} %", f"{burst:g}", f"{round_trip:g}", f"{playout:g}", f"{of('frozen_percent'):.2f}",
                         f"{of('damaged_percent'):.1f}", "-" if of("psnr") is None else f"{of('psnr'):.2f}",
                         " / ".join(f"{mean([r['delay_ms'][p] for r in calls]):.0f}" for p in ("p50", "p95", "p99")),
                         f"{mean(list(map(sent_kilobits, calls))):.0f}"]
                        + [f"{mean([8 * r['bytes'][k] / 1000 / r['seconds'] for r in calls]):.0f}" for k in ("parity", "repeated")]
                        + ([f"{steps[0][1]:g}", f"{queue:g}", f"{mean([100 * r['lost_datagrams'] / r['datagrams'] for r in calls]):.1f}",
                            f"{mean([r['key_frames'] for r in calls]):g}"] if limited else []))
        s = run["settings"]
        blocks.append((f"**Calls under loss**, {clip}, {s['frames']} frames, packets of {s['bitrate']:g} kb/s, preset {s['preset']}; "
                       f"mean of {len({r['seed'] for r in run['results']})} seeds. Shares in %, times in ms, rates in kb/s.",
                       ["", "lost", "in a row", "round trip", "playout", "frozen", "damaged", "luma dB", "delay p50 / p95 / p99",
                        "sent", "parity", "repeated"] + (["bandwidth", "queue", "% lost", "key frames"] if limited else []), rows))
    return blocks


def cases_of(run):
    """(series, case) of all that could be measured."""
    return [(s["name"], c) for s in run["series"] for c in s["cases"] if "encode_ms" in c]


def scale(run):
    words = " ".join(run["settings"]["run"]).replace("--", "")
    segments = next((f", of segments {c['frames']}" for _, c in cases_of(run) if "frames" in c), "")
    on = ", ".join(unique(c["running"].split(":")[0] for _, c in cases_of(run)))
    return [(f"**How cost grows**, preset {run['settings']['variant']}{', ' + words if words else ''}, on {on}, ms a frame; bytes of "
             f"{run['settings']['frames']} frames{segments}.", ["what", "value", "encode", "decode", "bytes"],
             [[name, c["label"], number(c["encode_ms"]), number(c.get("decode_ms")), c["bytes"]] for name, c in cases_of(run)])]


def papers(run):
    blocks = [(f"{sum(c['passed'] for c in run['checks'])} of {len(run['checks'])} checks passed; medians of "
               f"{run['settings']['runs']} runs, {run['settings']['threads']} CPU threads; {run['gpu'] or run['no_gpu']}.", [], [])]
    for t in run["tables"]:
        missing = ["-"] * len(t["columns"])
        blocks.append((f"{t['paper']}, {t['title']}. {' '.join(t['notes'])}", [""] + t["columns"],
                       [[r["label"]] + (r["cells"] + missing)[:len(missing)] for r in t["rows"]]))
    return blocks


# Per kind of run: title, and tables for the terminal and the page.
KINDS = {"speedup": ("Time per frame, as the paper measured it", speedup), "peers": ("Speed compared with other codecs", peers),
         "rd": ("Bits and quality", rd), "pictures": ("What it looks like", pictures), "scale": ("How cost grows", scale),
         "latency": ("Latency of a live source", latency), "streams": ("Several streams at once", streams),
         "loss": ("Calls under loss", loss), "papers": ("The papers' kernels", papers)}


def aligned(block):
    """Markdown whose source is a table, too."""
    caption, head, rows = block
    cells = [head] + [[str(c) for c in row] for row in rows]
    if not rows:
        return caption + "\n"
    widths = [max(3, *(len(row[i]) for row in cells)) for i in range(len(head))]
    lines = ["| " + " | ".join(c.ljust(w) if i == 0 else c.rjust(w) for i, (c, w) in enumerate(zip(row, widths))) + " |" for row in cells]
    lines.insert(1, "|" + "|".join("-" * (w + 1) + ("-" if i == 0 else ":") for i, w in enumerate(widths)) + "|")
    return caption + "\n\n" + "\n".join(lines) + "\n"


if __name__ == "__main__":
    for name in sys.argv[1:]:
        with open(name, encoding="utf-8") as opened:
            shown = json.load(opened)
        print(machine_words([shown]) + "\n")
        print("\n".join(map(aligned, KINDS[shown["kind"]][1](shown))), end="")
