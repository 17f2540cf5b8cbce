// SPDX-License-Identifier: BSD-3-Clause
// What codec.js itself refuses, with functions instead of the codec, so that only node is needed.
//   usage: node refusals.mjs CODEC.js
import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const kAgain = 1;
let status = 0; // of units sent
let sent = 0; // pictures
let top = 1024;
const exports = {
  memory: new WebAssembly.Memory({ initial: 1 }),
  _initialize() {},
  malloc: (size) => (top += size) - size,
  free() {},
  ctv_web_decoder_open: () => 1,
  ctv_decoder_send: () => status,
  ctv_web_encoder_open: () => 2,
  ctv_web_encoder_send: () => (++sent, 0),
  ctv_web_encoder_receive: () => 0,
};
const groups = ['env', 'wasi_snapshot_preview1'];
Object.assign(WebAssembly, { compile: async () => ({}), instantiate: async () => ({ exports }) });
WebAssembly.Module.imports = () => groups.map((module) => ({ module, name: 'function' }));
const { loadCodec } = await import(pathToFileURL(resolve(process.argv[2])));
const codec = await loadCodec(new Uint8Array(8));

const decoder = codec.openDecoder();
decoder.send(new Uint8Array(3));
status = kAgain; // a unit that was not taken is not lost in silence
assert.throws(() => decoder.send(new Uint8Array(3)), { status: kAgain });

const encoder = codec.openEncoder({ width: 5, height: 3 });
encoder.encode(new Uint8Array(5 * 3 + 2 * 3 * 2));
for (const size of [0, 26, 28]) assert.throws(() => encoder.encode(new Uint8Array(size)), RangeError);
assert.equal(sent, 1);
