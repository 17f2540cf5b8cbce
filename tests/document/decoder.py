#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A slow decoder that was written from docs/bitstream.md alone and reads its tables.

usage: decoder.py STREAM OUTPUT [REDUCTION]   writes raw pictures in the source's format
"""
import sys
import zlib

import entropy
import loop_filter
import macroblocks
import motion
import transform
from document import Reader, clamp, read_fields
from output import picture_of
from prediction import Prediction


def ceil_div(a, b):
    return -(-a // b)


def has_macroblocks(h):
    return h["prediction"] == 1 and h["lossless"] == 0


class Subband:
    def __init__(self, **fields):
        self.direction = self.row_shift = self.col_shift = 0
        self.__dict__.update(fields)
        self.lowpass = self.scale == 0


# ---- 4 Planes and subbands ----


class Layout:
    def __init__(self, h, plane):
        chroma = plane > 0
        vertical = chroma and (h["source format"] == 2 or h["chroma 4:2:0"])
        horizontal = chroma and (h["source format"] in (2, 3) or h["chroma 4:2:0"])
        self.row_shift, self.col_shift = int(vertical), int(horizontal)
        self.rows = ceil_div(h["height"], 1 << self.row_shift)
        self.cols = ceil_div(h["width"], 1 << self.col_shift)
        self.scales = h["scales"]
        self.subbands = []
        self.add_bands(h)
        offset = 0
        for s in self.subbands:
            s.offset = offset
            offset += s.rows * s.cols
        self.size = offset

    def pad(self, h, rows, cols):
        if has_macroblocks(h):
            rows, cols = max(rows, 16 >> self.row_shift), max(cols, 16 >> self.col_shift)
        self.padded_rows = ceil_div(self.rows, rows) * rows
        self.padded_cols = ceil_div(self.cols, cols) * cols

    def add_bands(self, h):
        wavelet = h["pyramid"] > 0
        m = 1 << self.scales
        for j, n in enumerate(h["directions"], 1):
            m = max(m, 1 << ((j if wavelet else j - 1) + max(1, n - 1)) if n else 0)
        self.pad(h, m, m)
        self.add(0, 0, 0, self.scales, 0, 0)
        for j in range(self.scales, 0, -1):
            n = h["directions"][j - 1]
            for orientation in (1, 2, 3) if wavelet else (0,):
                for k in range(1 << n):
                    dr, dc = (0, n) if n < 2 else (n - 1, 1) if k < 1 << (n - 1) else (1, n - 1)
                    self.add(j, orientation, k, j if wavelet else j - 1, dr, dc)

    def add(self, scale, orientation, direction, shift, dr, dc):
        layer = self.scales - scale + 1 if scale else 0
        self.subbands.append(Subband(
            scale=scale, orientation=orientation, direction=direction, layer=layer,
            rows=self.padded_rows >> shift >> dr, cols=self.padded_cols >> shift >> dc,
            row_shift=shift + dr, col_shift=shift + dc))


def derived(values):
    if "directions" not in values:
        return {}
    bands = 1 if values["pyramid"] == 0 else 3
    return {"subbands": 1 + sum(bands << n for n in values["directions"]),
            "sets": 1 if values["source format"] == 1 else 2}


# ---- 5 Packets ----


def make_components(h, layouts):
    """(layer, planes, indices of subbands) of each component."""
    subbands = layouts[0].subbands
    planes = list(range(len(layouts)))
    pooled = [i for i, s in enumerate(subbands) if s.layer < h["pooled layers"]]
    components = [(0, planes, pooled)] if pooled else []
    for layer in range(h["pooled layers"], layouts[0].scales + 1):
        all_of = [i for i, s in enumerate(subbands) if s.layer == layer]
        if h["grouping"] == 0:
            components += [(layer, [p], [i]) for p in planes for i in all_of]
            continue
        components.append((layer, [0], all_of))
        if len(planes) > 1:
            components.append((layer, [1, 2], all_of))
    return components


class Decoder:
    def __init__(self, unit, conceal=False):
        self.conceal = conceal
        reader = Reader(unit, 8)
        self.h = h = read_fields("sequence header", reader, derived)
        assert zlib.crc32(unit[:reader.at - 4]) == h["header checksum"]
        self.layouts = [Layout(h, p) for p in range(1 if h["source format"] == 1 else 3)]
        self.components = make_components(h, self.layouts)
        cell = 8 if h["prediction"] else 1 << h["block size"]
        self.cell_rows = ceil_div(self.layouts[0].padded_rows, cell)
        self.cell_cols = ceil_div(self.layouts[0].padded_cols, cell)
        self.lows = [-255 if plane and h["source format"] == 5 else 0 for plane in range(len(self.layouts))]
        self.shift = 2 * h["depth"]
        self.high = (256 << self.shift) - 1
        self.slots = {}

    def decode(self, unit, at, reduction):
        """at: where the prefix ends."""
        h = self.h
        reader = Reader(unit, at)
        p = read_fields("packet header", reader, self.derived)
        p["regions"] = self.derived(p)["regions"]
        key = p["reference"] == 0
        assert p.get("slot", 0) < h["slots"]
        sizes = self.part_sizes(p, len(unit) - reader.at)
        begin, at = reader.at, reader.at + sizes.pop(0)
        assert not key or h["directional lifting"] or begin == at
        luma = self.layouts[0]
        self.slopes, self.directions = [None] * luma.scales, [0, 0]
        if key and h["directional lifting"]:
            self.slopes, self.directions = motion.decode_slopes(
                luma.padded_rows, luma.padded_cols, luma.scales,
                int(luma.scales > 1 and h["directions"][0] == 0), unit[begin:at])
        if not key:
            side = Reader(unit[begin:at])
            regions = self.read_regions(side, len(sizes)) if p["regions"] else []
            cells, filtered = motion.decode(h, self.cell_rows, self.cell_cols, side)
        stored = p["packet checksum"]
        checked = len(unit) if p.get("checks") == 0 else at
        reference_check = stored ^ zlib.crc32(unit[:begin - 4] + unit[begin:checked])
        assert reference_check & 0xffff == 0
        assert not key or reference_check == 0
        self.motion = None  # of a predicted frame
        if not key:
            self.motion = Prediction(h, self.cell_rows, self.cell_cols, cells, filtered,
                                     self.reference_of(p, reference_check >> 16), self.lows)
        components = self.components_of(unit, at, sizes, p)
        levels = [[0] * layout.size for layout in self.layouts]
        if p["regions"]:
            assert reduction == 0
            picture = self.decode_regions(components, regions, p)
        else:
            for component, data in zip(self.components, components):
                if component[0] <= luma.scales - reduction:
                    self.decode_component(component, data, key, levels)
            if not key and h["prediction"] == 0:
                levels = [self.motion.moved_levels(i, *plane) for i, plane in enumerate(zip(self.layouts, levels))]
            self.levels = levels
            picture = [self.decode_plane(i, p, reduction) for i in range(len(self.layouts))]
        if h["loop filter"] and reduction == 0:
            picture = [self.filter_plane(i, p, plane) for i, plane in enumerate(picture)]
        if not p.get("discardable"):
            number = p["frame number"]
            self.slots = {slot: kept for slot, kept in self.slots.items() if kept[0] != number}
            self.slots[p.get("slot", 0)] = (number, stored >> 16 ^ stored & 0xffff, picture, levels)
        return picture

    def reference_of(self, p, check):
        """(picture, levels)"""
        number = (p["frame number"] - p.get("distance", 1)) % (1 << 32)
        return next(kept[2:] for kept in self.slots.values() if kept[:2] == (number, check))

    def part_sizes(self, p, rest):
        """Bytes of the side payload and of each component."""
        sizes = p["part size"] + [rest - sum(p["part size"])]
        assert sizes[-1] > 0 or len(sizes) == 1
        return sizes if p["regions"] else sizes + [0] * (len(self.components) + 1 - len(sizes))

    def derived(self, p):
        """What follows from fields of a packet header."""
        known = {"sizes": p.get("sizes", p.get("few sizes")),
                 "regions": int(has_macroblocks(self.h) and p.get("reference", 0) > 0)}
        if "part size" in p:
            sizes = self.part_sizes({**p, **known}, 1 << 40)[1:]
            known["coded"] = sum(size > 0 for size in sizes) if p.get("checks") != 0 else 0
        return known

    def components_of(self, unit, at, sizes, p):
        """The bytes of each component, empty where a wrong check is concealed."""
        checks = iter(p["part check"])
        components = []
        for size in sizes:
            data = unit[at:at + size]
            at += size
            if size and p.get("checks") != 0 and next(checks) != zlib.crc32(data) & 0xffff:
                assert self.conceal
                data = b""
            components.append(data)
        assert at == len(unit)
        return components

    # ---- 12 Macroblocks ----

    def read_regions(self, side, count):
        """The macroblocks of each of `count` regions as (first, number)."""
        assert count <= 64
        rest = ceil_div(self.h["height"], 16) * ceil_div(self.h["width"], 16)
        regions, first = [], 0
        for i in range(count):
            own = side.varint() if i < count - 1 else rest
            assert 0 < own <= rest
            regions.append((first, own))
            first, rest = first + own, rest - own
        return regions

    def decode_regions(self, components, regions, p):
        """The samples of all planes."""
        h = self.h
        chroma = self.layouts[-1]
        grid = macroblocks.Grid(ceil_div(h["height"], 16), ceil_div(h["width"], 16), len(self.layouts),
                                (chroma.row_shift, chroma.col_shift), lambda row, col: self.motion.cells[row, col].skip)
        picture = [self.predicted_plane(i) for i in range(len(self.layouts))]
        chroma_step = macroblocks.step_of(macroblocks.chroma_base_step(p["base step"]), h.get("residual chroma weight"))
        steps = {}  # of luma, by macroblock: found before anything is added
        for data, (first, count) in zip(components, regions):
            for plane, y, x, size, levels in macroblocks.decode_region(data, grid, first, count):
                step = chroma_step if plane else steps.get((y // 16, x // 16))
                if step is None:
                    top, left = y & ~15, x & ~15
                    samples = [self.motion.sample(0, i, j, 0, 0) >> self.shift for i in range(top, top + 16)
                               for j in range(left, left + 16)]
                    step = macroblocks.masked_step(macroblocks.step_of(p["base step"], 4096), h["masking"], samples)
                    steps[y // 16, x // 16] = step
                self.add_residual(picture[plane], plane, y, x, macroblocks.inverse(levels, step, size, self.shift))
        return picture

    def add_residual(self, samples, plane, top, left, residual):
        layout = self.layouts[plane]
        for y, row in enumerate(residual[:max(0, layout.rows - top)], top):
            for x, value in enumerate(row[:max(0, layout.cols - left)], left):
                if not self.motion.is_skipped(y, x, layout.row_shift, layout.col_shift):
                    samples[y][x] = clamp(samples[y][x] + value, self.lows[plane], self.high)

    def predicted_plane(self, plane):
        layout = self.layouts[plane]
        return [[self.motion.sample(plane, y, x, layout.row_shift, layout.col_shift) for x in range(layout.cols)]
                for y in range(layout.rows)]

    def decode_component(self, component, data, key, levels):
        layer, planes, indices = component
        subbands = [(p, self.layouts[p].subbands[i]) for p in planes for i in indices]
        if self.h["entropy coding"] == 1:
            skips = self.is_quad_skipped if not key and self.h["prediction"] == 1 else None
            entropy.decode_component(data, subbands, levels, skips)
            return
        places = [(p, s.offset + k) for p, s in subbands for k in range(s.rows * s.cols)]
        for (p, i), level in zip(places, entropy.decode_runs(data, len(places), not (key and layer == 0))):
            levels[p][i] = level

    def is_quad_skipped(self, plane, s, y, x):
        layout = self.layouts[plane]
        return self.motion.is_quad_skipped(y, x, s.row_shift + layout.row_shift, s.col_shift + layout.col_shift)

    def decode_plane(self, plane, p, reduction):
        h, layout = self.h, self.layouts[plane]
        values = [self.levels[plane][s.offset:s.offset + s.rows * s.cols] for s in layout.subbands]
        count = len(layout.subbands)
        weights = h["subband weight"][count if plane else 0:]
        values = [transform.dequantise(h, w, s, p["base step"], p.get("reconstruction offset", 0), v)
                  for w, s, v in zip(weights, layout.subbands, values)]
        residual = transform.contourlet_residual(h, layout, values, reduction,
                                                 [None] * layout.scales if plane else self.slopes,
                                                 [0, 0] if plane else self.directions)
        lo = self.lows[plane]
        rows, cols = ceil_div(layout.rows, 1 << reduction), ceil_div(layout.cols, 1 << reduction)
        predict = self.motion is not None and h["prediction"] == 1
        a, b = layout.row_shift + reduction, layout.col_shift + reduction
        out = transform.grid(rows, cols)
        for y in range(rows):
            for x in range(cols):
                sample = (0 if lo else 128 << self.shift) + residual[y][x]
                if predict:
                    sample = self.motion.sample(plane, y, x, a, b)
                    sample += 0 if self.motion.is_skipped(y, x, a, b) else residual[y][x]
                out[y][x] = clamp(sample, lo, self.high)
        return out

    def filter_plane(self, plane, p, samples):
        layout = self.layouts[plane]
        fine = loop_filter.filtered_bits(p["base step"], self.shift)
        down = self.shift - fine

        def at(y, x):
            return samples[clamp(y, 0, layout.rows - 1)][clamp(x, 0, layout.cols - 1)] >> down

        lo = self.lows[plane]
        out = [list(row) for row in samples]
        for y in range(layout.rows):
            for x in range(layout.cols):
                if self.motion and not self.motion.is_filtered(y, x, layout.row_shift, layout.col_shift):
                    continue
                added = loop_filter.correction(at, y, x, p["base step"] << fine, plane > 0, self.motion is not None)
                out[y][x] = clamp(samples[y][x] + (added << down), lo, self.high)
        return out


def decode_file(stream, reduction, conceal=False):
    """The pictures of a stream as bytes."""
    at = 0
    while at < len(stream):
        packet = stream[at:at + 2] == b"CP"
        reader = Reader(stream, at + (2 if packet else 4))
        size = reader.varint() if packet else reader.fixed(4)
        unit, prefix = stream[at:reader.at + size], reader.at - at
        at += len(unit)
        if packet:
            yield picture_of(decoder.h, decoder.decode(unit, prefix, reduction))
        elif unit[:4] == b"CTVS":
            decoder = Decoder(unit, conceal)


if __name__ == "__main__":
    with open(sys.argv[1], "rb") as source, open(sys.argv[2], "wb") as out:
        for picture in decode_file(source.read(), int(sys.argv[3]) if len(sys.argv) > 3 else 0):
            out.write(picture)
