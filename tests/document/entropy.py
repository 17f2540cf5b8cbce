# SPDX-License-Identifier: BSD-3-Clause
"""Section 6 of docs/bitstream.md: bytes to levels."""
import zlib
from itertools import accumulate

from document import Reader, wrap
from tiles import decode_tiles


# ---- 6.1 Runs ----


CHUNK = 2048
LENGTH_ORDER = (16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15)


class Bits:
    """Of bytes, least significant first."""

    def __init__(self, data):
        self.data = data
        self.at = 0

    def take(self, count):
        value = 0
        for i in range(count):
            value |= (self.data[self.at >> 3] >> (self.at & 7) & 1) << i
            self.at += 1
        return value

    def number(self, k):
        zeros = 0
        while not self.take(1):
            zeros += 1
        b = zeros + 1 + k
        return (1 << (b - 1)) + self.take(b - 1) - (1 << k)

    def end_byte(self):
        """Goes to the next whole byte; what is left of this one is 0."""
        assert self.take(-self.at % 8) == 0


class Code:
    """A Huffman code of RFC 1951."""

    def __init__(self, lengths):
        assert sum(1 << (15 - n) for n in lengths if n) == 1 << 15
        self.symbols = {}
        code = 0
        for length in range(1, 16):
            for symbol, n in enumerate(lengths):
                if n == length:
                    self.symbols[length, code] = symbol
                    code += 1
            code <<= 1

    def take(self, bits):
        code = length = 0
        while (length, code) not in self.symbols:
            code = code << 1 | bits.take(1)
            length += 1
        return self.symbols[length, code]


def read_code(bits, last):
    """The header of a block."""
    assert bits.take(1) == last
    kind = bits.take(2)
    if kind == 1:
        return Code([8] * 144 + [9] * 112 + [7] * 24 + [8] * 8)
    assert kind == 2 and bits.take(5) == 0 and bits.take(5) == 0
    lengths = [0] * 19
    for i in range(bits.take(4) + 4):
        lengths[LENGTH_ORDER[i]] = bits.take(3)
    code = Code(lengths)
    lengths = []
    while len(lengths) < 258:
        symbol = code.take(bits)
        if symbol < 16:
            lengths.append(symbol)
        elif symbol == 16:
            lengths += [lengths[-1]] * (3 + bits.take(2))
        else:
            lengths += [0] * (3 + bits.take(3) if symbol == 17 else 11 + bits.take(7))
    assert len(lengths) == 258 and lengths[257] == 0 and max(lengths) <= 12
    return Code(lengths[:257])


def read_block(bits, chunks, last):
    """chunks: the bits of each. Returns the bytes of each."""
    code = read_code(bits, last)
    out = []
    for size in chunks:
        end = bits.at + size
        data = bytearray()
        while bits.at < end:
            data.append(code.take(bits))
        assert bits.at == end
        out.append(data)
    assert code.take(bits) == 256
    return out


def decode_runs(data, count, runs):
    if not data:
        return [0] * count
    index = Bits(data)
    kh, kt = index.take(4), index.take(4)
    sizes = []
    for _ in range(0, count, CHUNK):
        heads = index.number(kh)
        sizes.append((heads, index.number(kt) if heads else 0))
    index.end_byte()
    assert any(heads for heads, _ in sizes)
    stream = data[index.at // 8:]
    bits = Bits(stream)
    any_tail = any(tails for _, tails in sizes)
    heads = read_block(bits, [h for h, _ in sizes], not any_tail)
    tails = read_block(bits, [t for _, t in sizes], True) if any_tail else [b""] * len(sizes)
    bits.end_byte()
    assert bits.at == 8 * len(stream)
    inflater = zlib.decompressobj(-15)
    assert inflater.decompress(stream) == b"".join(heads) + b"".join(tails)
    assert inflater.eof and not inflater.unused_data

    levels = []
    for chunk_heads, tail in zip(heads, tails):
        size = min(CHUNK, count - len(levels))
        reader = Reader(tail)
        chunk = [] if chunk_heads else [0] * size
        for head in chunk_heads:
            if runs and head == 0:
                chunk += [0] * (reader.varint(2) + 1)
            else:
                z = head if head < 128 else head - 128 + (reader.varint(2) << 7)
                assert z <= 65536
                chunk.append((z + 1) // 2 if z % 2 else -(z // 2))
        if not runs:
            chunk = list(accumulate(chunk))
        assert len(chunk) == size and reader.at == len(tail)
        levels += map(wrap, chunk)
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
