#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Frames per second of the decoder in Chromium, on one core.

usage: speed.py SITE STREAM [REDUCTION]
"""
import json
import os
import shutil
import sys

from browser import Browser, Server

DECODE = """(async () => {
  const { loadCodec } = await import('./codec.js');
  const codec = await loadCodec();
  const file = new Uint8Array(await (await fetch('/clips/%s')).arrayBuffer());
  const units = codec.units(file);
  const decoder = codec.openDecoder({ reduction: %s });
  let frames = 0;
  const begin = performance.now();
  for (const { offset, size } of units) {
    decoder.send(file.subarray(offset, offset + size));
    while (decoder.receive()) ++frames;
  }
  const milliseconds = performance.now() - begin;
  decoder.close();
  return { frames, milliseconds, fps: 1000 * frames / milliseconds, memory: codec.wasm.memory.buffer.byteLength };
})()"""

site, stream = (os.path.abspath(a) for a in sys.argv[1:3])
server = Server(site, {"/clips/": os.path.dirname(stream)})
browser = Browser(shutil.which("chromium") or "chromium-browser")
browser.open(f"{server.address}/player.html")
browser.wait("document.getElementById('empty')")
print(json.dumps(browser.evaluate(DECODE % (os.path.basename(stream), sys.argv[3] if len(sys.argv) > 3 else 0))))
browser.close()
