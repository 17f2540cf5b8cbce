# SPDX-License-Identifier: BSD-3-Clause
"""Markdown tables of runs for a document: all between two marks is replaced, so that no figure is typed by hand.

    <!-- measured: NAME -->
    <!-- end of NAME -->
"""
import os

from figures import bounds, machine_words, number, percent, runner, size_of, speedup_rows, time_words, unique


def table(head, rows):
    out = ["| " + " | ".join(head) + " |", "|---" + "|--:" * (len(head) - 1) + "|"]
    return "\n".join(out + ["| " + " | ".join(map(str, row)) + " |" for row in rows]) + "\n"


def speedup(run):
    s = run["settings"]
    sizes = unique(map(size_of, run["results"]))
    runners = unique(map(runner, run["results"]))
    paper = {size_of(p): p for p in run["paper"]}
    clips = ", ".join(unique(r["clip"] for r in run["results"]))
    out = (f"**Time per frame, preset {s['variant']}**, ms; {s['threads']} threads, {s['frames_in_flight']} in flight, median "
           f"of {s['runs']} runs of {s['frames']} frames ± half the distance of the quartiles; {clips}.")
    out += (" All backends and engines made the same bytes and pictures.\n\n" if run["identical"] and len(runners) > 1 else
            "\n\n" if run["identical"] else " **Backends differed; no speedup is told.**\n\n")
    rows = []
    for what in ("encode", "decode"):
        for kind in ("cpu", "gpu") if s["variant"] == "paper" else ():
            rows.append([f"{what}, paper, {kind.upper()}"] + [number(paper[z][f"{what}_{kind}"]) if z in paper else "-"
                                                              for z in sizes])
        rows += [[f"{what}, here, {name}"] + [time_words(run, z, name, what) for z in sizes] for name in runners]
    return out + table([""] + sizes, rows)


def speedups(runs):
    """The paper's Table II; nothing where no GPU ran."""
    head, rows = speedup_rows(runs)
    if not rows:
        return ""
    return ("\n**Speedup (Table II)**, the fastest engine of each backend.\n\n" + table(head, rows)
            + "".join(f"\n{line}\n" for run in runs for line in bounds(run)))


def stages(run):
    out = (f"**Each stage alone**, {size_of(run)}, microseconds a call; in brackets the share of the time in which plain "
           "copies move the same bytes.\n\n")
    kinds = [k for k in ("cpu", "cuda") if any(r["backend"] == k for r in run["results"])]
    names = unique((r["stage"], r["about"], r["engine"]) for r in run["results"])
    rows = []
    for stage, about, engine in names:
        line = [stage + (f", {engine}" if engine else "") + f" ({about})"]
        for kind in kinds:
            found = [r for r in run["results"] if (r["stage"], r["about"], r["engine"]) == (stage, about, engine)
                     and r["backend"] in ((kind, "host") if kind == "cpu" else (kind,))]
            share = found and found[0]["least_microseconds"]
            line.append(number(found[0]["microseconds"])
                        + (f" ({percent(share / found[0]['microseconds'])})" if share else "") if found else "-")
        rows.append(line)
    return out + table(["stage"] + kinds, rows)


def peers(run):
    out = (f"**Beside other codecs**, {run['clip']}, {size_of(run)}, {run['frames']} frames, a key frame every "
           f"{run['key_interval']}, at {run['decibels']:g} dB of luma.\n\n")
    return out + table(["codec", "bytes a frame", "encode ms", "decode ms"],
                       [[f"{r['codec']}, {r['how']}", number(r["bytes_per_frame"]), number(r["encode"]["ms_per_frame"]),
                         number(r["decode"]["ms_per_frame"])] for r in run["results"] if r["bytes_per_frame"]])


def rd(run):
    if not any(r["y"] for r in run["summary"]):
        return ""  # the codec that all are compared with was not there
    rows = [[r["codec"]] + [f"{r[k]['mean']:+.1f} %" if r[k] else "-" for k in ("y", "yuv", "ssim")] for r in run["summary"]]
    clips = ", ".join(c["name"] for c in run["clips"])
    return (f"**Bits at equal quality** against {run['settings']['anchor']} (BD-rate); {clips}.\n\n"
            + table(["codec", "luma", "6:1:1", "SSIM"], rows))


def latency(run):
    slow = " (does not keep up)"
    rows = [[f"{r['backend']} {r['engine']}{slow if 2 * r['late'] > r['frames'] else ''}"] + [number(r[k][q]) for k in ("encode_ms", "total_ms") for q in ("p50", "p95", "p99")]
            + [f"{r['late']} of {r['frames']}"] for r in run["results"]]
    return (f"**Latency of a live source**, {size_of(run)} at {run['fps']:g} frames a second, ms.\n\n"
            + table(["", "packet p50", "p95", "p99", "decoded p50", "p95", "p99", "late"], rows))


def streams(run):
    rows = [[f"{r['backend']} {r['engine']}" + (f", {r['devices']} devices" if r["devices"] > 1 else ""), r["streams"],
             number(r["frames_per_second"]), int(r["frames_per_second"] / run["fps"])] for r in run["results"]]
    return (f"**Several streams at once**, {size_of(run)}.\n\n"
            + table(["", "encoders", "frames a second together", f"streams of {run['fps']:g} fps"], rows))


def scale(run):
    rows = [[s["name"], c["label"], number(c["encode_ms"]), number(c["decode_ms"]), c["bytes"]]
            for s in run["series"] for c in s["cases"] if "encode_ms" in c]
    words = " ".join(run["settings"]["run"]).replace("--", "")
    on = ", ".join(unique(c["running"].split()[0] for s in run["series"] for c in s["cases"] if "encode_ms" in c))
    return (f"**How cost grows**, preset {run['settings']['variant']}{', ' + words if words else ''}, on {on}, ms a frame; bytes of "
            f"{run['settings']['frames']} frames.\n\n"
            + table(["what", "value", "encode", "decode", "bytes"], rows))


TABLES = {"speedup": speedup, "stages": stages, "peers": peers, "rd": rd, "latency": latency, "streams": streams, "scale": scale}


def tables(runs):
    """All runs as Markdown, machines first."""
    digests = unique(r["digest"][:8] for run in runs if run["kind"] == "speedup" for r in run["results"])
    out = (f"{machine_words(runs)}; {runs[0]['machine']['time'][:10]}. Clips' digests begin {', '.join(digests)}.\n")
    shown = [run for run in runs if run["kind"] in TABLES]
    for run, following in zip(shown, shown[1:] + [{"kind": ""}]):
        table_of_run = TABLES[run["kind"]](run)
        out += "\n" + table_of_run if table_of_run else ""
        if run["kind"] == "speedup" and following["kind"] != "speedup":
            out += speedups([r for r in shown if r["kind"] == "speedup"])
    return out


def write_tables(path, name, runs):
    """Replaces what lies between the marks in the document; raises ValueError where there are none."""
    begin, end = f"<!-- measured: {name} -->\n", f"<!-- end of {name} -->\n"
    with open(path, encoding="utf-8") as file:
        text = file.read()
    if begin not in text or end not in text:
        raise ValueError(f"{path} has no marks {begin.strip()} and {end.strip()}")
    before, rest = text.split(begin, 1)
    after = rest.split(end, 1)[1]
    with open(path + ".new", "w", encoding="utf-8") as file:
        file.write(before + begin + "\n" + tables(runs) + "\n" + end + after)
    os.replace(path + ".new", path)
