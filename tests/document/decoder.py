#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A slow decoder that was written from docs/bitstream.md alone and reads its tables.

usage: decoder.py STREAM OUTPUT [REDUCTION]   writes raw pictures in the source's format
"""
import sys
import zlib

import entropy
import loop_filter
import motion
import transform
from document import Reader, column, read_fields, wrap
from transform import clamp

WEIGHTS = column("interpolation weights")
WINDOWS = {len(w): w for w in column("windows")}


def ceil_div(a, b):
    return -(-a // b)


def half(v, n):
    """The integer nearest to v / 2^n, of two the even one."""
    whole, rest = v >> n, v % (1 << n)
    return whole + (2 * rest + whole % 2 > 1 << n)


class Subband:
    def __init__(self, **fields):
        self.dc = False
        self.direction = self.row_shift = self.col_shift = 0
        self.__dict__.update(fields)
        self.lowpass = self.scale == 0


# ---- 4 and 12: planes and subbands ----


class Layout:
    def __init__(self, h, plane):
        chroma = plane > 0
        vertical = chroma and (h["source format"] == 2 or h["chroma 4:2:0"])
        horizontal = chroma and (h["source format"] in (2, 3) or h["chroma 4:2:0"])
        self.row_shift, self.col_shift = int(vertical), int(horizontal)
        self.rows = ceil_div(h["height"], 1 << self.row_shift)
        self.cols = ceil_div(h["width"], 1 << self.col_shift)
        self.scales = scales_of(h)
        self.subbands = []
        if h["transform"]:
            self.add_frequencies(h)
        else:
            self.add_bands(h)
        offset = 0
        for s in self.subbands:
            s.offset = offset
            offset += s.rows * s.cols
        self.size = offset

    def pad(self, rows, cols):
        self.padded_rows = ceil_div(self.rows, rows) * rows
        self.padded_cols = ceil_div(self.cols, cols) * cols

    def add_bands(self, h):
        wavelet = h["pyramid"] > 0
        m = 1 << self.scales
        for j, n in enumerate(h["directions"], 1):
            m = max(m, 1 << ((j if wavelet else j - 1) + max(1, n - 1)) if n else 0)
        self.pad(m, m)
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

    def add_frequencies(self, h):
        side = 1 << self.scales
        four = h["transform"] == 2
        self.dc_rows = 4 >> self.row_shift if four else 1
        self.dc_cols = 4 >> self.col_shift if four else 1
        self.pad(side * self.dc_rows, side * self.dc_cols)
        rows, cols = self.padded_rows // side, self.padded_cols // side
        for layer, orientation, v, u in frequencies(2) if four else ():
            there = v < self.dc_rows and u < self.dc_cols
            self.subbands.append(Subband(
                dc=True, scale=layer, orientation=orientation, layer=0, v=v, u=u,
                row_shift=2 + self.dc_rows // 2, col_shift=2 + self.dc_cols // 2,
                rows=rows // self.dc_rows if there else 0, cols=cols // self.dc_cols if there else 0))
        for layer, orientation, v, u in list(frequencies(self.scales))[1 if four else 0:]:
            self.subbands.append(Subband(
                scale=layer, orientation=orientation, layer=layer, v=v, u=u, rows=rows, cols=cols,
                row_shift=self.scales, col_shift=self.scales))


def frequencies(log2):
    yield 0, 0, 0, 0
    for d in range(1, log2 + 1):
        half = 1 << (d - 1)
        for orientation in (1, 2, 3):
            for i in range(half * half):
                yield d, orientation, orientation // 2 * half + i // half, orientation % 2 * half + i % half


def scales_of(values):
    return values.get("scales") or {1: 3, 2: 2, 3: 3}[values["transform"]]


def derived(values):
    if "transform" not in values:
        return {}
    bands = 1 if values.get("pyramid") == 0 else 3
    count = {1: 64, 2: 31, 3: 64}.get(values["transform"])
    return {"subbands": count or 1 + sum(bands << n for n in values.get("directions", [])),
            "scales": scales_of({**values, "scales": values.get("scales", 0) or values["transform"] == 0}),
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
        h.setdefault("fraction bits", 2)
        self.layouts = [Layout(h, p) for p in range(1 if h["source format"] == 1 else 3)]
        self.components = make_components(h, self.layouts)
        self.log2_cell = 3 if h["prediction"] else h["block size"]
        self.cell_rows = ceil_div(self.layouts[0].padded_rows, 1 << self.log2_cell)
        self.cell_cols = ceil_div(self.layouts[0].padded_cols, 1 << self.log2_cell)
        self.slots = {}

    def decode(self, unit, at, reduction):
        """at: where the prefix ends."""
        h = self.h
        reader = Reader(unit, at)
        p = read_fields("packet header", reader, self.counts)
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
        self.cells, self.filtered = None, None
        if not key:
            self.cells, self.filtered = motion.decode(h, self.cell_rows, self.cell_cols, unit[begin:at])
        stored = p["packet checksum"]
        reference_check = stored ^ zlib.crc32(unit[:begin - 4] + unit[begin:at])
        assert reference_check & 0xffff == 0
        self.reference = None if key else self.reference_of(p, reference_check >> 16)
        levels = [[0] * layout.size for layout in self.layouts]
        checks = iter(p["part check"])
        for component, size in zip(self.components, sizes):
            data = unit[at:at + size]
            if size and next(checks) != zlib.crc32(data) & 0xffff:
                assert self.conceal
                data = b""
            self.decode_component(component, data, key, levels)
            at += size
        assert at == len(unit)
        if not key and h["prediction"] == 0:
            levels = [self.moved_levels(i, levels[i]) for i in range(len(levels))]
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
        return sizes + [0] * (len(self.components) + 1 - len(sizes))

    def counts(self, p):
        counts = {"sizes": p.get("sizes", p.get("few sizes"))}
        if "part size" in p:
            counts["coded"] = sum(size > 0 for size in self.part_sizes(p, 1 << 40)[1:])
        return counts

    def decode_component(self, component, data, key, levels):
        layer, planes, indices = component
        subbands = [(p, self.layouts[p].subbands[i]) for p in planes for i in indices]
        if self.h["entropy coding"] == 1:
            skips = self.is_quad_skipped if not key and self.h["prediction"] == 1 else None
            entropy.decode_component(data, [b for b in subbands if b[1].rows * b[1].cols], levels, skips)
            return
        places = [(p, s.offset + k) for p, s in subbands for k in range(s.rows * s.cols)]
        for (p, i), level in zip(places, entropy.decode_runs(data, len(places), not (key and layer == 0))):
            levels[p][i] = level

    def is_quad_skipped(self, plane, s, y, x):
        a, b = (s.row_shift + self.layouts[plane].row_shift, s.col_shift + self.layouts[plane].col_shift)
        if max(a, b) > 5:
            return False
        rows = range(y << a >> 3, (((y + 2) << a) - 1 >> 3) + 1)
        cols = range(x << b >> 3, (((x + 2) << b) - 1 >> 3) + 1)
        return all(r >= self.cell_rows or c >= self.cell_cols or self.cells[r, c].skip for r in rows for c in cols)

    # ---- 11 Prediction ----

    def moved_levels(self, plane, differences):
        out = list(differences)
        layout = self.layouts[plane]
        for s in layout.subbands:
            a, b = s.row_shift + layout.row_shift, s.col_shift + layout.col_shift
            for i in range(s.rows):
                for j in range(s.cols):
                    v = self.cells[self.cell_of(i, a, self.cell_rows), self.cell_of(j, b, self.cell_cols)].vector
                    y = clamp(i + ((v[0] + (1 << (a + 2))) >> (a + 3)), 0, s.rows - 1)
                    x = clamp(j + ((v[1] + (1 << (b + 2))) >> (b + 3)), 0, s.cols - 1)
                    at = s.offset + i * s.cols + j
                    out[at] = wrap(out[at] + self.reference[1][plane][s.offset + y * s.cols + x])
        return out

    def cell_of(self, y, shift, count):
        return min((y << shift) >> self.log2_cell, count - 1)

    def overlapping_cells(self, y, shift, count):
        """(cell, weight) of a sample along one axis."""
        size = 8 >> shift
        if size <= 1:
            return [(self.cell_of(y, shift, count), 32)]
        q, i = divmod(y + size // 2, size)
        w = WINDOWS[size][i]
        return [(clamp(q - 1, 0, count - 1), 32 - w), (clamp(q, 0, count - 1), w)]

    def predicted_sample(self, reference, y, x, v, a, b):
        row, col = 8 * y + half(v[0], a), 8 * x + half(v[1], b)
        rows, cols = WEIGHTS[row % 8], WEIGHTS[col % 8]
        total = 0
        for i in range(8):
            line = reference[clamp((row >> 3) + i - 3, 0, len(reference) - 1)]
            total += rows[i] * sum(cols[j] * line[clamp((col >> 3) + j - 3, 0, len(line) - 1)] for j in range(8))
        return (total + 2048) >> 12

    def is_skipped(self, y, x, a, b):
        return self.cells[self.cell_of(y, a, self.cell_rows), self.cell_of(x, b, self.cell_cols)].skip

    def compensated_sample(self, reference, y, x, a, b):
        if not self.h["overlap"] or self.is_skipped(y, x, a, b):
            cell = self.cells[self.cell_of(y, a, self.cell_rows), self.cell_of(x, b, self.cell_cols)]
            return self.predicted_sample(reference, y, x, cell.vector, a, b)
        total = sum(wy * wx * self.predicted_sample(reference, y, x, self.cells[r, c].vector, a, b)
                    for r, wy in self.overlapping_cells(y, a, self.cell_rows)
                    for c, wx in self.overlapping_cells(x, b, self.cell_cols))
        return (total + 512) >> 10

    def decode_plane(self, plane, p, reduction):
        h, layout = self.h, self.layouts[plane]
        values = [self.levels[plane][s.offset:s.offset + s.rows * s.cols] for s in layout.subbands]
        if h["transform"] < 2:
            count = len(layout.subbands)
            weights = h["subband weight"][count if plane else 0:]
            values = [transform.dequantise(h, w, s, p["base step"], p.get("reconstruction offset", 0), v)
                      for w, s, v in zip(weights, layout.subbands, values)]
        if h["transform"]:
            residual = transform.block_residual(h, layout, values, p["base step"], reduction)
        else:
            residual = transform.contourlet_residual(h, layout, values, reduction,
                                                     [None] * layout.scales if plane else self.slopes,
                                                     [0, 0] if plane else self.directions)
        signed = plane > 0 and h["source format"] == 5
        rows, cols = ceil_div(layout.rows, 1 << reduction), ceil_div(layout.cols, 1 << reduction)
        predict = self.cells is not None and h["prediction"] == 1
        a, b = layout.row_shift + reduction, layout.col_shift + reduction
        out = transform.grid(rows, cols)
        for y in range(rows):
            for x in range(cols):
                sample = (0 if signed else 128) + residual[y][x]
                if predict:
                    sample = self.compensated_sample(self.reference[0][plane], y, x, a, b)
                    sample += 0 if self.is_skipped(y, x, a, b) else residual[y][x]
                out[y][x] = clamp(sample, -255 if signed else 0, 255)
        return out

    def is_filtered(self, y, x, a, b):
        if self.cells is None:
            return True
        row, col = min((y << a) >> 3, self.cell_rows - 1), min((x << b) >> 3, self.cell_cols - 1)
        return (row >> motion.ROOT, col >> motion.ROOT) in self.filtered and not self.is_skipped(y, x, a, b)

    def filter_plane(self, plane, p, samples):
        layout = self.layouts[plane]

        def at(y, x):
            return samples[clamp(y, 0, layout.rows - 1)][clamp(x, 0, layout.cols - 1)]

        lo = -255 if plane > 0 and self.h["source format"] == 5 else 0
        out = [list(row) for row in samples]
        for y in range(layout.rows):
            for x in range(layout.cols):
                if not self.is_filtered(y, x, layout.row_shift, layout.col_shift):
                    continue
                added = loop_filter.correction(at, y, x, p["base step"], plane > 0, self.cells is not None)
                out[y][x] = clamp(at(y, x) + added, lo, 255)
        return out

    # ---- 13 Output ----

    def output(self, planes):
        rows, cols = len(planes[0]), len(planes[0][0])
        if self.h["chroma 4:2:0"]:
            both = self.h["source format"] != 3
            planes = [planes[0]] + [upsampled(c, rows, cols if both else len(c[0]), both) for c in planes[1:]]
        if self.h["source format"] == 5:
            return bytes(c for y in range(rows) for x in range(cols) for c in rgb(*(p[y][x] for p in planes)))
        return bytes(v for p in planes for row in p for v in row)


def upsampled(chroma, rows, cols, both):
    def at(y, x):
        return chroma[clamp(y, 0, len(chroma) - 1)][clamp(x, 0, len(chroma[0]) - 1)]

    out = transform.grid(rows, cols)
    for y in range(rows):
        for x in range(cols):
            n, side = y >> 1, (y >> 1) + (1 if y & 1 else -1)
            if both:
                m, next_to = x >> 1, (x >> 1) + (1 if x & 1 else -1)
                out[y][x] = (9 * at(n, m) + 3 * (at(n, next_to) + at(side, m)) + at(side, next_to) + 8) >> 4
            else:
                out[y][x] = (3 * at(n, x) + at(side, x) + 2) >> 2
    return out


def rgb(y, co, cg):
    t = y - (cg >> 1)
    b = t - (co >> 1)
    return [clamp(v, 0, 255) for v in (b + co, cg + t, b)]


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
            yield decoder.output(decoder.decode(unit, prefix, reduction))
        elif unit[:4] == b"CTVS":
            decoder = Decoder(unit, conceal)


if __name__ == "__main__":
    with open(sys.argv[1], "rb") as source, open(sys.argv[2], "wb") as out:
        for picture in decode_file(source.read(), int(sys.argv[3]) if len(sys.argv) > 3 else 0):
            out.write(picture)
