#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Whether documents of ctbench hold what tools/bench/schema.json says: schema.py SCHEMA RUN.json..."""
import json
import sys

TYPES = {"string": str, "number": (int, float), "integer": int, "boolean": bool}


def violations(shape, value, at):
    if isinstance(shape, str) and shape[0] == "@":
        shape = SCHEMA["names"][shape[1:]]
    if isinstance(shape, str):
        if not (shape.endswith("?") and value is None) and not isinstance(value, TYPES[shape.rstrip("?")]):
            yield f"{at} is no {shape}"
    elif not isinstance(value, type(shape)):
        yield f"{at} is of another kind"
    elif isinstance(shape, list):
        for item in value:
            yield from violations(shape[0], item, at + "[]")
    else:
        for name, member in value.items():
            known = name if name in shape else name + "?"
            yield from violations(shape[known], member, f"{at}.{name}") if known in shape else [f"{at}.{name} is not in the schema"]
        yield from (f"{at} has no {name}" for name in shape if not name.endswith("?") and name not in value)


SCHEMA, *runs = (json.load(open(name, encoding="utf-8")) for name in sys.argv[1:])
wrong = [f"{name}: {v}" for name, run in zip(sys.argv[2:], runs)
         for v in violations({**SCHEMA["names"]["common"], **SCHEMA[run["kind"]]}, run, run["kind"])]
print("\n".join(wrong[:20]) or f"{len(runs)} documents are as the schema says")
sys.exit(bool(wrong) or not runs)
