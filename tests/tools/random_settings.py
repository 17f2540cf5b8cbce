#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Random pictures, sizes, formats and settings: one thread of the CPU backend and another way to run, which the
arguments name, give the same packets, pictures and exit codes, also of damaged streams.

    random_settings.py BIN [--seed N] [--cases N | --seconds N] [OPTION...]

BIN: folder of ctenc and ctdec. OPTION: of both, for the other way; for example --backend cuda. Cases that ctenc refuses
as contradictory count, too: both ways refuse them alike. A case that differs is printed with what repeats it.
"""
import argparse
import math
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

FORMATS = {  # planes: bytes of a sample, column and row shift
    "gray": [(1, 0, 0)],
    "i420": [(1, 0, 0), (1, 1, 1), (1, 1, 1)],
    "nv12": [(1, 0, 0), (2, 1, 1)],
    "i422": [(1, 0, 0), (1, 1, 0), (1, 1, 0)],
    "i444": [(1, 0, 0), (1, 0, 0), (1, 0, 0)],
    "rgb": [(3, 0, 0)],
    "rgba": [(4, 0, 0)],
}
DEEP = {  # planes of the format with bytes; more bits of a sample, unused low bits of a word
    "gray12": ("gray", 4, 0),
    "i420p10": ("i420", 2, 0),
    "i420p12": ("i420", 4, 0),
    "p010": ("nv12", 2, 6),
    "i422p10": ("i422", 2, 0),
    "i444p12": ("i444", 4, 0),
}
SWITCHES = ["overlap", "loop_filter", "split", "directional_lifting", "rdoq"]
REFUSED = {1, 4}  # exit codes of ctenc: settings that contradict each other, a packet that no step makes fit
EXPECTED = {0, 1, 3, 4}  # exit codes of ctdec
SECONDS = 300  # of a process at most
for options in ("ASAN_OPTIONS", "UBSAN_OPTIONS"):  # what sanitizers find must not look like a refusal
    os.environ[options] = ":".join(filter(None, (os.environ.get(options), "exitcode=99")))


def texture(r, length):
    """A waving line of samples with noise, or of steps between black and white."""
    if r.random() < 0.2:
        step = r.randint(1, 9)
        return b"".join(bytes([r.choice((0, 255))]) * step for _ in range(length // step + 1))
    wave, noise = r.uniform(0.01, 0.9), r.choice((0, 2, 30))
    return bytes(
        min(255, max(0, int(128 + 70 * math.sin(wave * i) + r.gauss(0, noise)))) for i in range(length)
    )


def words(r, samples, more, unused):
    """Samples with low bits of noise, as little-endian words."""
    low = r.randbytes(len(samples))
    return b"".join(
        ((s << more | n & (1 << more) - 1) << unused).to_bytes(2, "little") for s, n in zip(samples, low)
    )


def write_clip(r, path):
    """Raw video that moves, stands still with noise, or is noise alone. Returns ctenc's options for it."""

    def side():
        return r.choice((r.randint(1, 40), r.randint(1, 200), r.randint(1, 200), r.randint(200, 600)))

    width, height, frames = side(), side(), r.randint(1, 7)
    name = r.choice([*FORMATS, *DEEP])
    base, *deep = DEEP.get(name, (name,))
    deepened = (lambda samples: words(r, samples, *deep)) if deep else (lambda samples: samples)
    kind = r.choice(("move", "move", "still", "noise"))
    line = texture(r, 8 * 4096)
    across, down, slope = r.randint(-9, 9), r.randint(-9, 9), r.randint(0, 700)
    with open(path, "wb") as out:
        for frame in range(frames):
            for each, col_shift, row_shift in FORMATS[base]:
                n = each * ((width + (1 << col_shift) - 1) >> col_shift)
                for row in range((height + (1 << row_shift) - 1) >> row_shift):
                    if kind == "noise":
                        out.write(deepened(r.randbytes(n)))
                        continue
                    moved = (row + down * frame, across * frame) if kind == "move" else (row, 0)
                    at = (moved[0] * slope + each * moved[1]) % (len(line) - n)
                    samples = bytearray(line[at : at + n])
                    if kind == "still" and frame > 0:
                        for _ in range(n // 8):
                            i = r.randrange(n)
                            samples[i] = min(255, samples[i] + r.randint(0, 2))
                    out.write(deepened(samples))
    return ["--size", f"{width}x{height}", "--raw-format", name]


def settings(r):
    chosen = ["--preset", r.choice(("default", "default", "fast", "fastest", "slow", "paper"))]

    def perhaps(share, name, *values):
        if r.random() < share:
            value = str(r.choice(values))
            chosen.extend(("--set", name[6:] + value) if name.startswith("--set") else (name, value))

    quality = r.random()
    if quality < 0.15:
        chosen.append("--lossless")
    elif quality < 0.3:
        perhaps(1, "--crf", *range(52))
    elif quality < 0.45:
        perhaps(1, "--bitrate", 20, 100, 500, 3000)
    else:
        perhaps(0.9, "--qp", *range(52))
        perhaps(0.15, "--max-frame", 300, 2000, 20000)
    perhaps(0.8, "--keyint", 0, 1, 2, 3, 10)
    perhaps(0.15, "--set pyramid=", "laplacian", "5/3", "9/7")
    perhaps(0.2, "--set scales=", 1, 2, 3, 4, 5, 6)
    perhaps(0.1, "--set directions=", "0,0,0", "4,4", "8,4", "16", "2,2,2,2")
    perhaps(0.15, "--set block_size=", 8, 16, 32)
    perhaps(0.15, "--set subpel=", 0, 1, 2, 3)
    perhaps(0.1, "--set search_range=", *range(17))
    perhaps(0.1, "--set far_range=", 0, 8, 60, 100)
    perhaps(0.1, "--set prediction=", "subband", "picture")
    perhaps(0.1, "--set entropy_coding=", "rle", "tiles")
    perhaps(0.15, "--slots", *range(1, 9))
    perhaps(0.15, "--temporal-layers", 1, 2, 3)
    perhaps(0.1, "--tune", "visual", "psnr")
    for switch in SWITCHES:
        if r.random() < 0.1:
            chosen.extend(("--set", f"{switch}={r.randrange(2)}"))
    if r.random() < 0.1:
        chosen.append(r.choice(("--scenecut", "--no-scenecut")))
    return chosen


def damage(r, path, damaged):
    stream = bytearray(path.read_bytes())
    for _ in range(r.randint(1, 4)):
        stream[r.randrange(len(stream))] ^= 1 << r.randrange(8)
    damaged.write_bytes(stream)


class Comparison:
    def __init__(self, arguments, folder):
        self.bin, self.folder, self.other = Path(arguments.bin), folder, arguments.other
        self.refused = 0

    def run(self, tool, options, output):
        output.unlink(missing_ok=True)
        command = [self.bin / tool, *options, "-o", output, "--no-progress", "--quiet"]
        try:
            process = subprocess.run(command, stderr=subprocess.PIPE, timeout=SECONDS)
            if b"there is no option" in process.stderr:  # else such cases would count as refused
                sys.exit(process.stderr.decode().strip())
            code = process.returncode
        except subprocess.TimeoutExpired:
            code = "timeout"
        return code, output.read_bytes() if output.exists() else b""

    def both(self, tool, options, in_flight, first):
        """The first way's exit code, or the text of what differs."""
        other = self.other + (["--in-flight", str(in_flight)] if in_flight > 1 else [])
        one = self.run(tool, options + ["--backend", "cpu", "--threads", "1"], first)
        two = self.run(tool, options + other, self.folder / "other")
        if one == two:
            return one[0]
        words = " ".join(map(str, [tool, *options, "|", *other]))
        return f"exit codes {one[0]} and {two[0]}, {len(one[1])} and {len(two[1])} bytes: {words}"

    def case(self, r):
        raw, stream, damaged = (self.folder / name for name in ("clip.raw", "stream.ctv", "damaged.ctv"))
        options = [raw, *write_clip(r, raw), *settings(r)]
        code = self.both("ctenc", options, r.choice((1, 1, 2, 3, 8)), stream)
        if isinstance(code, str):
            return code
        if code != 0:
            self.refused += 1
            return "" if code in REFUSED else f"exit code {code}: ctenc {' '.join(map(str, options))}"
        file, keeps, extra = stream, False, []
        if r.random() < 0.35:
            damage(r, stream, damaged)
            file, keeps = damaged, r.random() < 0.7
        if keeps:
            extra = ["--keep-going"] + r.choice(([], ["--conceal"]))
        if r.random() < 0.3:
            extra += ["--resolution", r.choice(("1/2", "1/4", "1/8"))]
        in_flight = 1 if keeps else r.choice((1, 1, 2, 4, 8))
        extra += ["--output-format", "raw", "--max-memory", "1G"]
        code = self.both("ctdec", [file, *extra], in_flight, self.folder / "pictures")
        return code if isinstance(code, str) else "" if code in EXPECTED else f"exit code {code} of ctdec"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("bin")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cases", type=int, default=1 << 30)
    parser.add_argument("--seconds", type=float, default=math.inf)
    arguments, arguments.other = parser.parse_known_args()
    folder = Path(tempfile.mkdtemp(prefix="ctv-random-"))
    comparison = Comparison(arguments, folder)
    end = time.monotonic() + arguments.seconds
    cases = different = 0
    while cases < arguments.cases and time.monotonic() < end:
        number = f"{arguments.seed}.{cases}"
        found = comparison.case(random.Random(number))
        if found:
            different += 1
            kept = Path(tempfile.gettempdir()) / f"ctv-random-{number}"
            shutil.copytree(folder, kept, dirs_exist_ok=True)
            print(f"case {number}: {found}; files in {kept}", flush=True)
        cases += 1
    shutil.rmtree(folder)
    print(f"seed {arguments.seed}: {cases} cases, {comparison.refused} refused, {different} different")
    sys.exit(different > 0 or comparison.refused >= cases)


if __name__ == "__main__":
    main()
