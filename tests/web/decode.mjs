// SPDX-License-Identifier: BSD-3-Clause
// Decodes a stream in node. Prints what the test compares, and the speed.
//   usage: node decode.mjs SITE STREAM [REDUCTION]
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const [site, stream, reduction = '0'] = process.argv.slice(2);
const { loadCodec, packed } = await import(pathToFileURL(resolve(site, 'codec.js')));
const codec = await loadCodec(readFileSync(resolve(site, 'ctv.wasm')));
const file = new Uint8Array(readFileSync(stream));
const decoder = codec.openDecoder({ reduction: Number(reduction) });
const hash = createHash('sha256');
let frames = 0;
let milliseconds = 0;
for (const { kind, offset, size } of codec.units(file)) {
  const begin = performance.now();
  decoder.send(file.subarray(offset, offset + size));
  let picture = kind === 'packet' ? decoder.receive() : null;
  milliseconds += performance.now() - begin;
  for (; picture; picture = decoder.receive(), ++frames) hash.update(packed(picture));
}
decoder.close();
console.log(JSON.stringify({ sha256: hash.digest('hex'), frames, milliseconds, fps: (1000 * frames) / milliseconds }));
