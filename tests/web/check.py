#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The pages of tools/bindings/web in Chromium: pictures and packets are those of the tools, and the pages work.

usage: check.py SITE TOOLS SCRATCH   SITE: what tools/bindings/web/build.sh made. TOOLS: the folder of ctenc and ctdec. SCRATCH: a
                                     folder for clips; screenshots of the pages are left there
"""
import hashlib
import os
import shutil
import subprocess
import sys

from browser import Browser, Server

SITE, TOOLS, SCRATCH = (os.path.abspath(a) for a in sys.argv[1:4])
WIDTH, HEIGHT, FRAMES = 322, 182, 9
failures = []

# Decodes or encodes in the page, with the modules that the pages use. hex() is of SHA-256.
HELPERS = """
  const { loadCodec, packed } = await import('./codec.js');
  const codec = await loadCodec();
  const bytes = async (name) => new Uint8Array(await (await fetch(name)).arrayBuffer());
  const hex = async (parts) => Array.from(new Uint8Array(await crypto.subtle.digest('SHA-256',
    await new Blob(parts).arrayBuffer())), (b) => b.toString(16).padStart(2, '0')).join('');
"""
DECODE = """(async () => {%s
  const file = await bytes('%s');
  const decoder = codec.openDecoder({ reduction: %d });
  const pictures = [];
  for (const { offset, size } of codec.units(file)) {
    decoder.send(file.subarray(offset, offset + size));
    for (let p; (p = decoder.receive()); ) pictures.push(packed(p));
  }
  decoder.close();
  return hex(pictures);
})()"""
ENCODE = """(async () => {%s
  const samples = await bytes('%s');
  const width = %d, height = %d, frame = width * height * 3 / 2;
  const encoder = codec.openEncoder({ width, height, preset: '%s', qp: %d });
  const packets = [];
  for (let at = 0; at < samples.length; at += frame) {
    packets.push(encoder.encode(samples.subarray(at, at + frame)).data.slice());
  }
  encoder.close();
  return hex(packets);
})()"""
# What a matrix gives for a red of H.273's BT.601 in limited range.
COLOUR = """(async () => {
  const { Painter } = await import('./painter.js');
  const painter = new Painter(document.createElement('canvas'));
  painter.describe({ matrix: 6, range: 1, height: 16 });
  const plane = (value, n) => ({ data: new Uint8Array(n * n).fill(value), columns: n, rows: n });
  painter.draw({ format: 2, width: 16, height: 16, planes: [plane(81, 16), plane(90, 8), plane(240, 8)] });
  const pixel = new Uint8Array(4);
  painter.gl.readPixels(8, 8, 1, 1, painter.gl.RGBA, painter.gl.UNSIGNED_BYTE, pixel);
  return Array.from(pixel);
})()"""


def expect(what, condition, *details):
    if not condition:
        failures.append(what)
        print("FAIL:", what, *details)


def tool(name, *arguments):
    return subprocess.run([f"{TOOLS}/{name}", *arguments], check=True, capture_output=True).stdout


def sha256(data):
    return hashlib.sha256(data).hexdigest()


def packets(stream):
    """All packets of a stream without an index, as bitstream.md describes units."""
    out, at = b"", 0
    while at < len(stream):
        if stream[at:at + 2] == b"CP":
            size, shift, prefix = 0, 0, 2
            while True:
                byte = stream[at + prefix]
                size |= (byte & 127) << shift
                shift, prefix = shift + 7, prefix + 1
                if byte < 128:
                    break
            out += stream[at:at + prefix + size]
        else:
            prefix, size = 8, int.from_bytes(stream[at + 4:at + 8], "little")
        at += prefix + size
    return out


def text(browser, name):
    return browser.evaluate(f"document.getElementById('{name}').textContent")


def check_codec(browser):
    for preset in ("default", "fastest", "paper"):
        tool("ctenc", "--size", f"{WIDTH}x{HEIGHT}", "--raw-format", "i420", "--fps", "30", "--preset", preset, "--qp", "27",
             f"{SCRATCH}/clip.yuv", "-o", f"{SCRATCH}/{preset}.ctv")
        with open(f"{SCRATCH}/{preset}.ctv", "rb") as file:
            expected = sha256(packets(file.read()))
        got = browser.evaluate(ENCODE % (HELPERS, "/clips/clip.yuv", WIDTH, HEIGHT, preset, 27))
        expect(f"packets of preset {preset}", got == expected, got, expected)
        for reduction, name in enumerate(("full", "1/2")):
            pictures = tool("ctdec", f"{SCRATCH}/{preset}.ctv", "--resolution", name, "--output-format", "raw", "-o", "-")
            expect(f"pictures of ctdec, {preset}", len(pictures) >= FRAMES * WIDTH * HEIGHT * 3 // 2 // 4**reduction)
            got = browser.evaluate(DECODE % (HELPERS, f"/clips/{preset}.ctv", reduction))
            expect(f"pictures of preset {preset} at {name}", got == sha256(pictures))
    pixel = browser.evaluate(COLOUR)
    expect("colour", all(abs(a - b) <= 2 for a, b in zip(pixel, (255, 0, 0, 255))), pixel)


def check_player(browser, address):
    browser.open(f"{address}/player.html")
    expect("an empty player", browser.wait("document.getElementById('empty')?.offsetHeight > 0"))
    browser.screenshot(f"{SCRATCH}/player-empty.png")
    browser.open(f"{address}/player.html?src=/clips/default.ctv")
    expect("it plays again and again", browser.wait("Number(document.getElementById('seek')?.value) > 3") and
           browser.wait("document.getElementById('frame').textContent.startsWith('1 of 9')"))
    expect("extent", text(browser, "extent") == f"{WIDTH} × {HEIGHT}", text(browser, "extent"))
    browser.evaluate("const r = document.getElementById('resolution'); r.value = 1; r.dispatchEvent(new Event('change'))")
    half = f"{WIDTH // 2} × {HEIGHT // 2}"
    expect("half resolution", browser.wait(f"document.getElementById('extent').textContent === '{half}'"))
    browser.evaluate("document.getElementById('play').click()")
    browser.evaluate("const s = document.getElementById('seek'); s.value = 6; s.dispatchEvent(new Event('input'))")
    expect("seek", browser.wait("document.getElementById('frame').textContent.startsWith('7 of 9')"))
    browser.evaluate("document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowLeft', bubbles: true }))")
    expect("a key steps back", browser.wait("document.getElementById('frame').textContent.startsWith('6 of 9')"))
    for dark in (False, True):
        browser.screenshot(f"{SCRATCH}/player{'-dark' if dark else ''}.png", dark)
    expect("the player complains", text(browser, "message") == "", text(browser, "message"), browser.messages)
    tool("ctenc", "--generate", "64x48@30:6", "-o", f"{SCRATCH}/small.ctv")
    with open(f"{SCRATCH}/sizes.ctv", "wb") as file:
        for name in ("small", "default"):
            with open(f"{SCRATCH}/{name}.ctv", "rb") as part:
                file.write(part.read())
    browser.open(f"{address}/player.html?src=/clips/sizes.ctv")
    expect("a file of two sizes", browser.wait("document.getElementById('extent')?.textContent === '64 × 48'") and
           browser.wait(f"document.getElementById('extent').textContent === '{WIDTH} × {HEIGHT}'"))
    expect("two sizes: no message", text(browser, "message") == "", text(browser, "message"), browser.messages)
    for name, source in (("a file that is none", "clip.yuv"), ("no file", "none.ctv")):
        browser.open(f"{address}/player.html?src=/clips/{source}")
        expect(f"{name}: a message", browser.wait("document.getElementById('message')?.textContent.includes('" + source + "')"))


def check_call(browser, address):
    for source, name in (("camera", "fake"), ("generated", "generated")):
        browser.open(f"{address}/call.html?source={source}")
        expect(f"{source}: frames", browser.wait("Number.parseFloat(document.getElementById('fps')?.textContent) > 0"))
        expect(f"{source}: source", name in text(browser, "origin"), text(browser, "origin"))
        expect(f"{source}: PSNR", float(text(browser, "psnr").split()[0]) > 25, text(browser, "psnr"))
        expect(f"{source}: no message", text(browser, "message") == "", text(browser, "message"), browser.messages)
    for preset in ("fastest", "paper"):
        browser.evaluate(f"document.getElementById('preset').value = '{preset}';"
                         "new Promise((r) => setTimeout(r, 500))")  # what is in flight comes back
        browser.evaluate("document.getElementById('psnr').textContent = ''")
        expect(f"preset {preset}", browser.wait("document.getElementById('psnr').textContent !== ''") and
               text(browser, "message") == "", text(browser, "message"))
    browser.evaluate("document.getElementById('preset').value = 'default'; new Promise((r) => setTimeout(r, 3000))")
    for dark in (False, True):
        browser.screenshot(f"{SCRATCH}/call{'-dark' if dark else ''}.png", dark)


def check_old_browser(browser, address):
    browser.call("Page.addScriptToEvaluateOnNewDocument", source="WebAssembly.validate = () => false")
    for page in ("player", "call"):
        browser.open(f"{address}/{page}.html")
        expect(f"{page} without SIMD", browser.wait("document.getElementById('message')?.textContent.includes('WebAssembly SIMD')"))


os.makedirs(SCRATCH, exist_ok=True)
tool("ctgen", f"{SCRATCH}/clip.yuv", "--size", f"{WIDTH}x{HEIGHT}", "--frames", str(FRAMES))
server = Server(SITE, {"/clips/": SCRATCH})
program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
for camera in (True, False):
    fake = ["--use-fake-ui-for-media-stream", "--use-fake-device-for-media-stream"] if camera else []
    page = Browser(program, *fake)
    page.open(f"{server.address}/player.html")
    page.wait("document.getElementById('empty')")
    if camera:
        check_codec(page)
        check_player(page, server.address)
        check_call(page, server.address)
        check_old_browser(page, server.address)
    else:
        page.open(f"{server.address}/call.html")
        expect("no camera: a message", page.wait("document.getElementById('message')?.textContent.includes('No camera')"))
        expect("no camera: frames", page.wait("Number.parseFloat(document.getElementById('fps')?.textContent) > 0"))
    page.close()
print(f"{len(failures)} failures" if failures else "all well")
sys.exit(bool(failures))
