# SPDX-License-Identifier: BSD-3-Clause
"""Section 6 of docs/bitstream.md: bytes to levels."""
import zlib

from document import wrap
from tiles import decode_tiles


# ---- 6.1 Runs ----


def inflate(data):
    inflater = zlib.decompressobj(-15)
    out = inflater.decompress(data)
    assert inflater.eof and not inflater.unused_data
    return out


def decode_runs(reader, count, runs):
    levels = []
    while len(levels) < count:
        z = reader.varint()
        if runs and z == 0:
            levels += [0] * (reader.varint() + 1)
        else:
            levels.append((z + 1) // 2 if z % 2 else -(z // 2))
    assert len(levels) == count
    return levels


# ---- 6.2 Tiles, 6.3 Lowpass prediction ----


def add_lowpass_prediction(s, levels):
    """s: subband of a plane's levels, which are errors."""
    def level(y, x):
        return levels[s.offset + y * s.cols + x] if y >= 0 and x >= 0 else 0

    for y in range(s.rows):
        for x in range(s.cols):
            w, n, nw = level(y, x - 1), level(y - 1, x), level(y - 1, x - 1)
            p = w + n if not x or not y else sorted((min(w, n), max(w, n), w + n - nw))[1]
            at = s.offset + y * s.cols + x
            levels[at] = wrap(levels[at] + p)


def decode_component(data, bands, levels, is_skipped):
    """bands: (plane, subband) of the component, in its order. levels: per plane, those of the component 0. is_skipped:
    of decode_tiles()."""
    if data and decode_tiles(data, bands, levels, is_skipped):
        for plane, s in bands:
            if s.lowpass:
                add_lowpass_prediction(s, levels[plane])
