#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Decodes streams of ctenc with decoder.py, at full and reduced resolution, and compares with ctdec's pictures. Streams
with macroblocks have one resolution, except for key frames: of these the first frame alone is decoded at a reduced one.

usage: decoder_test.py CTENC CTDEC
"""
import math
import os
import random
import subprocess
import sys
import tempfile

import macroblocks
import motion
from decoder import Decoder, decode_file
from document import Reader

FORMATS = {  # channels, planes, divisors of the chroma planes' height and width
    "gray": (1, 1, 1, 1), "i420": (1, 3, 2, 2), "i422": (1, 3, 1, 2), "i444": (1, 3, 1, 1), "rgb": (3, 1, 1, 1),
    "gray10": (1, 1, 1, 1), "i420p10": (1, 3, 2, 2), "i422p10": (1, 3, 1, 2), "i444p10": (1, 3, 1, 1),
    "gray12": (1, 1, 1, 1), "i420p12": (1, 3, 2, 2), "i422p12": (1, 3, 1, 2), "i444p12": (1, 3, 1, 1)}
SIZES = {"moving": (27, 21), "still": (75, 26), "bars": (64, 16), "wide": (1030, 820), "slanted": (101, 70),
         "hatched": (100, 64), "long": (6470, 5), "rough": (76, 83)}
FRAMES = {"moving": 3, "still": 3, "bars": 8, "wide": 2, "slanted": 2, "hatched": 1, "long": 2,
          "rough": 2}
CASES = [  # clip, format, options, reductions
    ("moving", "i420", "", (0, 1)),
    ("moving", "i420", "--preset slow --qp 36", (0, 1)),
    ("moving", "i420", "--preset slow --set overlap=0 --set block_size=32", (0, 1)),
    ("moving", "i420", "--set entropy_coding=rle --set split=1 --set subpel=1", (0, 1)),
    ("moving", "i420", "--set entropy_coding=tiles --set block_size=8", (0, 1)),
    ("moving", "i420", "--set pyramid=laplacian --set scales=2 --set directions=4,8", (0, 1)),
    ("moving", "i420", "--set pyramid=5/3 --set scales=3 --set directions=16,2,4", (0, 1)),
    ("moving", "i420", "--set loop_filter=0", (0,)),
    ("moving", "i420", "--qp 44", (0,)),  # a loop filter with a larger bound
    ("moving", "gray", "--preset paper", (0, 1)),
    ("moving", "gray", "--lossless", (0, 1)),
    ("moving", "i422", "--chroma 420 --preset fastest", (0, 1)),
    ("moving", "i444", "", (0, 1)),
    ("moving", "rgb", "--chroma 420", (0, 1)),
    ("moving", "rgb", "--preset paper --set entropy_coding=tiles", (0, 1)),
    ("still", "i420", "--qp 34", (0, 3)),
    ("still", "i422", "--qp 30 --set split=1 --set entropy_coding=rle", (0, 2)),
    ("still", "i422", "--qp 30 --set overlap=0", (0, 2)),
    ("still", "i422", "--lossless", (0, 2)),  # 2: chroma cells of two samples by one
    ("still", "i422", "--lossless --set overlap=0", (2,)),
    ("still", "rgb", "--qp 40 --set subpel=2", (0,)),
    ("still", "gray", "--lossless", (0,)),
    ("still", "gray", "--preset paper --set block_size=8 --keyint 0", (0, 1)),
    ("bars", "gray", "--qp 40", (0, 1)),  # predictions of skipped cells exceed the range of samples
    ("moving", "i420", "--slots 4", (0,)),
    ("bars", "gray", "--slots 2 --temporal-layers 3 --qp 30", (0, 1)),
    ("bars", "gray", "--temporal-layers 2 --keyint 0", (0,)),
    ("long", "gray", "--qp 40", (0,)),  # several slices of motion
    ("wide", "gray", "--lossless", (3,)),  # the same, in rows
    ("wide", "gray", "--preset paper --qp 44", (1,)),  # the same, with larger cells
    ("slanted", "gray", "--qp 20", (0, 1)),  # slopes in all scales
    ("slanted", "i420", "--lossless --keyint 1 --set scales=2", (0, 1)),
    ("slanted", "gray", "--qp 30 --set directions=4", (0,)),
    ("hatched", "gray", "--qp 24", (0, 1)),  # bands with directions
    ("hatched", "gray", "--lossless --set scales=2", (0,)),
    ("rough", "i420", "--qp 22", (0,)),  # several strips and pieces of macroblocks
    ("rough", "rgb", "--qp 14 --set overlap=0 --set error_resilient=1", (0,)),  # and regions
    ("rough", "i422", "--qp 30 --set error_resilient=1", (0,)),
    ("rough", "gray", "--qp 2 --set loop_filter=0", (0,)),  # large levels
    ("moving", "i420p10", "", (0, 1)),
    ("moving", "i420p10", "--qp 10", (0,)),
    ("moving", "i420p12", "--qp 44", (0,)),
    ("moving", "i422p12", "--qp 20", (0, 1)),
    ("moving", "i444p10", "--lossless", (0, 1)),
    ("moving", "gray12", "--lossless", (0,)),
    ("moving", "gray10", "--preset paper", (0, 1)),
    ("moving", "i422p10", "--preset fastest --chroma 420", (0, 1)),
    ("still", "i422p10", "--qp 30", (0,)),
    ("still", "i420p12", "--lossless", (0,)),
    ("bars", "gray10", "--qp 40", (0, 1)),
    ("bars", "gray12", "--qp 40 --set overlap=0", (0,)),
    ("slanted", "gray12", "--qp 20", (0, 1)),
    ("rough", "i420p10", "--qp 22", (0,)),
    ("rough", "i444p12", "--qp 6 --set loop_filter=0", (0,)),
]
BITS = ["split", "skip", "differs", "candidate", "whole", "nonzero", "longer", "second", "used", "later", "directed",
        "four"]


def sample(clip, noise, frame, y, x):
    """moving: a texture with noise; still: the same in one corner only; wide, long: a texture whose squares move each
    on its own; bars: edges that move by quarter samples; slanted: stripes whose slope differs from side to side;
    hatched: fine waves that lean to either side; rough: noise in places that differ from frame to frame, on a texture
    that moves."""
    if clip == "hatched":
        return round(120 + 90 * math.cos(2.4 * x + (0.9 if x < 50 else -0.9) * y))
    if clip == "slanted":
        slope = (5, -1, 0.5, -2)[x // 32]
        return 60 + 8 * (int(x - slope * (y + frame)) % 16) + noise.randrange(4)
    if clip == "bars":
        at = (x + frame / 4) % 12
        return round(255 * (max(0, min(1, 6 - at)) + max(0, at - 11)))
    if clip == "rough":
        place = ((x // 16 + 2 * (y // 16) + frame) % 3, (x // 8 + y // 8) % 2)
        grain = noise.randrange(120 if place == (0, 1) else 34 if place[0] == 0 else 2)
        return 60 + (x + frame) % 13 * (y % 11) // 2 + grain + (40 * frame if place[0] == 1 else 0)
    if clip in ("wide", "long"):
        step = (x // 32 * 5 + y // 32 * 3) % 4
        return 60 + (x + frame * step) % 13 * ((y + 2 * frame * (step % 3)) % 11) + noise.randrange(2)
    moves = clip == "moving" or (y < 16 and x < 40)
    texture = (x + frame * moves) % 13 * ((y + 2 * frame * moves) % 11)
    return 60 + texture + noise.randrange(12 if moves else 2)


def make_clip(clip, form):
    noise = random.Random(1)
    width, height = SIZES[clip]
    channels, planes, rows, cols = FORMATS[form]
    out = bytearray()
    for frame in range(FRAMES[clip]):
        for plane in range(planes):
            for y in range(-(-height // rows) if plane else height):
                for x in range(channels * (-(-width // cols) if plane else width)):
                    value = sample(clip, noise, frame, y, x // channels)
                    if form[-2:] in ("10", "12"):  # the same, with low bits
                        up = int(form[-2:]) - 8
                        out += ((value << up) + noise.randrange(1 << up)).to_bytes(2, "little")
                    else:
                        out.append(value)
    return bytes(out)


class Met:
    """Records the bits of side payloads and symbols of macroblocks, so that the clips are known to have them all."""

    def __init__(self):
        self.bits = set()
        self.most_pieces = self.most_regions = 0
        bit = motion.RangeDecoder.bit
        symbol = macroblocks.Piece.symbol
        read_pieces = macroblocks.read_pieces
        read_regions = Decoder.read_regions

        def record(coder, *context):
            value = bit(coder, *context)
            self.bits.add((context[0], value))
            return value
        motion.RangeDecoder.bit = record

        def record_symbol(piece, table):
            value = symbol(piece, table)
            if piece.sizes is macroblocks.SIZES:
                kind = max((first, name) for name, first in macroblocks.FIRST.items() if first <= table)[1]
                self.bits.add((kind, value >> 2 if kind == "mode" else min(value, 2)))
            return value
        macroblocks.Piece.symbol = record_symbol

        def record_pieces(*component):
            flag, pieces = read_pieces(*component)
            self.most_pieces = max(self.most_pieces, len(pieces))
            return flag, pieces
        macroblocks.read_pieces = record_pieces

        def record_regions(decoder, side, count):
            self.most_regions = max(self.most_regions, count)
            return read_regions(decoder, side, count)
        Decoder.read_regions = record_regions

    def missing(self):
        found = {(name, value) for name in BITS for value in (0, 1)} - self.bits
        found |= {(name, value) for name in ("mode", "quarter") for value in (0, 1, 2)} - self.bits
        found |= {(name, "") for name in macroblocks.FIRST} - {(name, "") for name, _ in self.bits}
        most = {"pieces": self.most_pieces, "regions": self.most_regions}
        return found | {(name, "several") for name in most if most[name] < 2}


def end_of_first_packet(stream):
    at = 8 + int.from_bytes(stream[4:8], "little")
    reader = Reader(stream, at + 2)
    size = reader.varint()
    return reader.at + size


def main(ctenc, ctdec):
    streams = failures = 0
    met = Met()
    with tempfile.TemporaryDirectory() as folder:
        raw, stream, pictures = (os.path.join(folder, name) for name in ("clip.raw", "clip.ctv", "out.raw"))
        for clip, form, options, reductions in CASES:
            with open(raw, "wb") as file:
                file.write(make_clip(clip, form))
            size = "x".join(str(n) for n in SIZES[clip])
            subprocess.run([ctenc, raw, "--size", size, "--raw-format", form, "-o", stream, "--quiet", "--no-scenecut",
                            *options.split()], check=True)
            with open(stream, "rb") as file:
                data = file.read()
            for reduction in reductions:
                resolution = ("full", "1/2", "1/4", "1/8")[reduction]
                whole = reduction == 0 or set(options.split()) & {"--lossless", "paper"}
                part = data if whole else data[:end_of_first_packet(data)]
                with open(stream, "wb") as file:
                    file.write(part)
                subprocess.run([ctdec, stream, "-o", pictures, "--output-format", "raw", "--resolution", resolution,
                                "--quiet"], check=True)
                with open(pictures, "rb") as file:
                    expected = file.read()
                streams += 1
                if b"".join(decode_file(part, reduction)) != expected:
                    print(f"pictures differ: {clip} {form} {options}, resolution {resolution}")
                    failures += 1
            resilient = "error_resilient" in options
            if (clip != "moving" or form != "i420") and not resilient:
                continue
            # The last byte of a packet is of its last component; without it, all are decoded.
            damaged = bytearray(data)
            damaged[-1 if resilient else end_of_first_packet(data) - 1] ^= 0xff
            with open(stream, "wb") as file:
                file.write(damaged)
            subprocess.run([ctdec, stream, "-o", pictures, "--output-format", "raw", "--keep-going", "--conceal",
                            "--quiet"], check=False)
            with open(pictures, "rb") as file:
                expected = file.read()
            streams += 1
            if b"".join(decode_file(bytes(damaged), 0, True)) != expected:
                print(f"concealed pictures differ: {clip} {form} {options}")
                failures += 1
    print(f"{streams - failures} of {streams} streams decode as the document says")
    if met.missing():
        print(f"no stream has these bits and symbols: {sorted(met.missing(), key=str)}")
    if motion.divisions != {0, 1}:
        print("no stream has slices of motion that are divided, or none that are not")
    return 1 if failures or met.missing() or motion.divisions != {0, 1} else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
