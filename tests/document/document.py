# SPDX-License-Identifier: BSD-3-Clause
"""Tables of docs/bitstream.md, and a reader of its header fields."""
import os
import re

PATH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "docs", "bitstream.md")


def table(name):
    """The rows below <!-- table: NAME -->, without the head."""
    with open(PATH, encoding="utf-8") as file:
        text = file.read()
    body = text.split(f"<!-- table: {name} -->\n")[1].split("\n\n")[0]
    rows = [re.split(r"(?<!\\)\|", line)[1:-1] for line in body.split("\n")[2:]]
    return [[cell.strip() for cell in row] for row in rows]


def numbers(cell):
    return [int(n) for n in re.findall(r"-?\d+", cell)]


def column(name, index=1):
    return [numbers(row[index]) for row in table(name)]


def clamp(v, lo, hi):
    return max(lo, min(hi, v))


def wrap(v):
    """As a level of 16 bits."""
    return (v + 32768) % 65536 - 32768


def class_of(thresholds, value):
    return sum(t <= value for t in thresholds)


class Reader:
    """Little-endian numbers of a unit."""

    def __init__(self, data, at=0):
        self.data = data
        self.at = at
        self.bit = 0

    def fixed(self, size):
        value = int.from_bytes(self.data[self.at:self.at + size], "little")
        self.at += size
        return value

    def varint(self, most=5):
        value = 0
        for i in range(most):
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 127) << (7 * i)
            if byte < 128:
                return value
        raise ValueError("varint")

    def field(self, kind):
        if kind.startswith("varint"):
            return self.varint(10 if kind == "varint64" else 5)
        width = int(kind[1:])
        if width >= 8:
            return self.fixed(width // 8)
        value = self.data[self.at] >> self.bit & ((1 << width) - 1)
        self.at, self.bit = self.at + (self.bit + width) // 8, (self.bit + width) % 8
        return value


def holds(condition, values):
    tests = {"=": lambda a, b: a == b, "<": lambda a, b: a < b, ">": lambda a, b: a > b}
    for term in filter(None, condition.split(" and ")):
        name, test, limit = re.fullmatch(r"(.+) ([=<>]) (\d+)", term).groups()
        if not tests[test](values[name], int(limit)):
            return False
    return True


def read_fields(name, reader, derive):
    """The fields of a header as a dictionary; arrays as lists. derive(values) gives what follows from others, like
    `subbands`."""
    values = {}
    for row in table(name):
        if not holds(row[3], {**values, **derive(values)}):
            continue
        kind, *factors = row[1].split(" x ")
        count = 1
        for factor in factors:
            known = {**values, **derive(values)}
            left, _, right = factor.strip("()").partition("+")
            count *= (int(left) if left.isdigit() else known[left]) + int(right or 0)
        read = [reader.field(kind) for _ in range(count)]
        values[row[0]] = read if factors else read[0]
    return values
