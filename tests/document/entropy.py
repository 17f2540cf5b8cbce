# SPDX-License-Identifier: BSD-3-Clause
"""Section 6 of docs/bitstream.md: bytes to levels."""
import zlib

from document import Reader, column

QUAD_THRESHOLDS, MAGNITUDE_THRESHOLDS = column("thresholds")
SYMBOL_VALUES = sorted(range(81), key=lambda v: (v // 27 + v // 9 % 3 + v // 3 % 3 + v % 3, v))
CODE_LENGTH_ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]  # RFC 1951


def wrap(v):
    return (v + 32768) % 65536 - 32768


def class_of(thresholds, context):
    return sum(t <= context for t in thresholds)


class Bits:
    def __init__(self, data):
        self.value = int.from_bytes(data, "little")
        self.size = 8 * len(data)
        self.at = 0

    def take(self, count):
        value = self.value >> self.at & ((1 << count) - 1)
        self.at += count
        return value

    def align(self):
        self.at = (self.at + 7) // 8 * 8

    def check_end(self):
        assert 0 <= self.size - self.at < 8 and self.take(7) == 0


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


# ---- 6.2 Numbers, 6.3 Container ----


def number(symbol, bits):
    if symbol < 16:
        return symbol
    e = 4 + (symbol - 16) // 2
    return (2 + symbol % 2) << (e - 1) | bits.take(e - 1)


def huffman_codes(lengths):
    codes = {}
    code = 0
    for length in range(1, 16):
        code *= 2
        for symbol, l in enumerate(lengths):
            if l == length:
                codes[length, code] = symbol
                code += 1
    return codes


class Container:
    def __init__(self, data):
        self.data = data
        self.bits = Bits(data)

    def symbol(self, codes):
        code = 0
        for length in range(1, 16):
            code = 2 * code | self.bits.take(1)
            if (length, code) in codes:
                return codes[length, code]
        raise ValueError("no code")

    def dynamic_lengths(self):
        bits = self.bits
        assert bits.take(5) == 0 and bits.take(5) == 0  # HLIT = 257, HDIST = 1
        head = [0] * 19
        for i in range(bits.take(4) + 4):
            head[CODE_LENGTH_ORDER[i]] = bits.take(3)
        codes = huffman_codes(head)
        lengths = []
        while len(lengths) < 258:
            code = self.symbol(codes)
            if code < 16:
                lengths.append(code)
            elif code == 16:
                lengths += [lengths[-1]] * (3 + bits.take(2))
            else:
                lengths += [0] * (3 + bits.take(3) if code == 17 else 11 + bits.take(7))
        assert len(lengths) == 258 and lengths[257] == 0 and max(lengths) <= 12
        return lengths[:257]

    def block(self):
        assert self.bits.take(1) == 0
        kind = self.bits.take(2)
        assert kind in (1, 2)
        lengths = self.dynamic_lengths() if kind == 2 else [8] * 144 + [9] * 112 + [7] * 24 + [8] * 8
        codes = huffman_codes(lengths)
        symbols = []
        while True:
            symbols.append(self.symbol(codes))
            if symbols[-1] == 256:
                return symbols[:-1]

    def raw_bits(self):
        joined = b""
        while True:
            last = self.bits.take(1)
            assert self.bits.take(2) == 0
            self.bits.align()
            size = self.bits.take(16)
            assert self.bits.take(16) == size ^ 0xffff and (last or size == 65535)
            begin = self.bits.at // 8
            joined += self.data[begin:begin + size]
            self.bits.at += 8 * size
            if last:
                assert begin + size == len(self.data)
                return Bits(joined)


class Tables:
    def __init__(self, container, classes, begins, run_coded):
        self.table_of_class = []
        self.blocks = []  # (runs or None, values)
        for k in range(classes):
            if k == 0 or begins >> k & 1:
                runs = container.block() if run_coded >> k & 1 else None
                self.blocks.append((runs, container.block()))
            self.table_of_class.append(len(self.blocks) - 1)

    def open(self, bits):
        self.sequences = []
        for runs, values in self.blocks:
            sequence = values
            if runs is not None:
                assert len(runs) == len(values)
                sequence = []
                for run, value in zip(runs, values):
                    sequence += [0] * number(run, bits) + [value]
            self.sequences.append(sequence)
        bits.align()
        self.taken = [0] * len(self.blocks)

    def take(self, k, must_exist=False):
        t = self.table_of_class[k]
        at = self.taken[t]
        self.taken[t] += 1
        assert at < len(self.sequences[t]) or not must_exist
        return self.sequences[t][at] if at < len(self.sequences[t]) else 0

    def check_end(self):
        assert all(at >= len(s) for at, s in zip(self.taken, self.sequences))


# ---- 6.4 Runs and values apart ----


def decode_apart(data, places, levels):
    """places: (plane, index) of each level of the component in order. levels: per plane, all 0."""
    if not data:
        return
    container = Container(data)
    runs, values = container.block(), container.block()
    assert len(runs) == len(values)
    bits = container.raw_bits()
    at = 0
    for run, value in zip(runs, values):
        at += number(run, bits)
        negative = bits.take(1)
        magnitude = number(value, bits) + 1
        plane, i = places[at]
        levels[plane][i] = wrap(-magnitude if negative else magnitude)
        at += 1
    bits.check_end()


# ---- 6.5 Contexts, 6.6 Lowpass prediction ----


class Band:
    def __init__(self, plane, subband, levels):
        self.plane = plane
        self.s = subband
        self.levels = levels
        self.sums = {}
        self.siblings = []
        self.parent = None

    def level(self, y, x):
        inside = y < self.s.rows and x < self.s.cols
        return self.levels[self.s.offset + y * self.s.cols + x] if inside else 0

    def sum(self, y, x):
        return self.sums.get((y, x), 0)

    def relatives(self, earlier, is_block):
        for b in reversed(earlier):
            if self.s.lowpass or b.s.lowpass:
                continue
            if is_block:
                step = (self.s.v - b.s.v, self.s.u - b.s.u)
                if b.plane == self.plane and b.s.dc == self.s.dc:
                    if step in ((0, 1), (1, 0)):
                        self.siblings.append(b)
                    elif step == (1, 1):
                        self.parent = lambda y, x, b=b: 3 * b.sum(y, x) >> 1
                continue
            if (b.s.rows, b.s.cols) == (self.s.rows, self.s.cols) and len(self.siblings) < 2:
                self.siblings.append(b)
            if b.plane == self.plane and b.s.orientation == self.s.orientation and b.s.scale == self.s.scale + 1:
                shifts = (b.s.row_shift - self.s.row_shift, b.s.col_shift - self.s.col_shift)
                if shifts == (1, 1) and b.s.direction == self.s.direction:
                    self.parent = lambda y, x, b=b: 3 * min(31, abs(b.level(y, x)))
                elif shifts == (0, 0):
                    self.parent = lambda y, x, b=b: 3 * b.sum(y, x) >> 1

    def context(self, y, x):
        t = (3 * self.sum(y, x - 1) + self.sum(y, x - 2) + 3 * self.sum(y - 1, x) + self.sum(y - 1, x - 1) +
             self.sum(y - 1, x + 1) + self.sum(y - 2, x))
        if len(self.siblings) == 2:
            t += 2 * ((self.siblings[0].sum(y, x) + self.siblings[1].sum(y, x) + 1) >> 1)
        elif self.siblings:
            t += 2 * self.siblings[0].sum(y, x)
        return t + (self.parent(y, x) if self.parent else 0)

    def decode_quad(self, y, x, quads, magnitudes, bits):
        t = self.context(y, x)
        value = SYMBOL_VALUES[quads.take(class_of(QUAD_THRESHOLDS, t))]
        digits = [value // 27, value // 9 % 3, value // 3 % 3, value % 3]
        negative = [d and bits.take(1) for d in digits]
        k = class_of(MAGNITUDE_THRESHOLDS, t + 8 * (digits.count(2) - 1))
        for i in range(4):
            if digits[i] == 2:
                digits[i] += number(magnitudes.take(k, must_exist=True), bits)
            row, col = 2 * y + i // 2, 2 * x + i % 2
            if row < self.s.rows and col < self.s.cols:
                level = -digits[i] if negative[i] else digits[i]
                self.levels[self.s.offset + row * self.s.cols + col] = wrap(level)
        self.sums[y, x] = min(31, sum(digits))

    def add_lowpass_prediction(self):
        for y in range(self.s.rows):
            for x in range(self.s.cols):
                w, n, nw = (self.level(y, x - 1) if x else 0, self.level(y - 1, x) if y else 0,
                            self.level(y - 1, x - 1) if x and y else 0)
                p = w + n if not x or not y else sorted((min(w, n), max(w, n), w + n - nw))[1]
                at = self.s.offset + y * self.s.cols + x
                self.levels[at] = wrap(self.levels[at] + p)


def decode_contexts(data, bands, is_block):
    """bands: of the component, in the order of coding; their levels are 0."""
    if not data:
        return
    head = int.from_bytes(data[:4], "little")
    assert head >> 31 == 0
    container = Container(data[4:])
    quads = Tables(container, 13, head & 0x1ffe, 1 | head >> 12 & 0x1ffe)
    magnitudes = Tables(container, 7, head >> 24 & 0x7e, 0)
    bits = container.raw_bits()
    quads.open(bits)
    magnitudes.open(bits)
    for i, band in enumerate(bands):
        band.relatives(bands[:i], is_block)
        for y in range((band.s.rows + 1) // 2):
            for x in range((band.s.cols + 1) // 2):
                band.decode_quad(y, x, quads, magnitudes, bits)
        if band.s.lowpass and head & 1:
            band.add_lowpass_prediction()
    quads.check_end()
    magnitudes.check_end()
    bits.check_end()
