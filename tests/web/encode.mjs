// SPDX-License-Identifier: BSD-3-Clause
// Encodes raw I420 pictures in node and decodes the packets. Prints the encoder's speed, and bytes and PSNR of luma.
//   usage: node encode.mjs SITE CLIP.yuv WIDTHxHEIGHT PRESET QP
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const [site, clip, size, preset, qp] = process.argv.slice(2);
const { loadCodec } = await import(pathToFileURL(resolve(site, 'codec.js')));
const codec = await loadCodec(readFileSync(resolve(site, 'ctv.wasm')));
const [width, height] = size.split('x').map(Number);
const frame = width * height + 2 * ((width + 1) >> 1) * ((height + 1) >> 1);
const samples = new Uint8Array(readFileSync(clip));
const encoder = codec.openEncoder({ width, height, preset, qp: Number(qp) });
const decoder = codec.openDecoder();
decoder.send(encoder.header().data.slice());
let frames = 0;
let bytes = 0;
let milliseconds = 0;
let psnr = 0;
for (let at = 0; at + frame <= samples.length; at += frame) {
  const sent = samples.subarray(at, at + frame);
  const begin = performance.now();
  const packet = encoder.encode(sent).data.slice();
  milliseconds += performance.now() - begin;
  decoder.send(packet);
  psnr += codec.lumaPsnr(sent, decoder.receive());
  bytes += packet.length;
  ++frames;
}
console.log(JSON.stringify({ frames, milliseconds, fps: (1000 * frames) / milliseconds, bytes, psnr: psnr / frames }));
