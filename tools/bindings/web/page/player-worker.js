// SPDX-License-Identifier: BSD-3-Clause
// Decodes frames that the player's page asks for, each by its number.
import { loadCodec, packed } from './codec.js';

let codec;
let file;
let frames = []; // each with the header before it: a size may change within a file
let decoder;
let header; // the one that the decoder has
let reduction = 0;
let next = 0; // the frame that the decoder takes next

function open({ bytes }) {
  decoder?.close();
  decoder = undefined;
  file = bytes;
  frames = [];
  let last;
  for (const { kind, offset, size } of codec.units(file)) {
    const unit = file.subarray(offset, offset + size);
    // Live streams repeat theirs.
    if (kind === 'header' && !(last?.length === unit.length && last.every((byte, i) => byte === unit[i]))) last = unit;
    if (kind !== 'packet' || !last) continue;
    const { key, timestamp, duration } = codec.parsePacket(last, unit);
    frames.push({ offset, size, key, timestamp, duration, header: last });
  }
  if (!last) throw new Error('The file has no header of a ctv stream.');
  const shown = frames.map(({ header: _, ...frame }) => frame);
  return { info: codec.parseHeader(frames[0]?.header ?? last), frames: shown, version: codec.version };
}

function send(index) {
  const { offset, size, header: own } = frames[index];
  if (own !== header) decoder.send((header = own));
  decoder.send(file.subarray(offset, offset + size));
}

// The frame itself, or what has to come before it from the last key frame on.
function decode({ index, reduction: wanted }) {
  if (!decoder || wanted !== reduction) {
    decoder?.close();
    reduction = wanted;
    decoder = codec.openDecoder({ reduction });
    header = undefined;
    next = -1;
  }
  let key = index;
  while (key > 0 && !frames[key].key) --key;
  if (next < key || next > index) next = key;
  for (; next < index; ++next) {
    send(next);
    while (decoder.receive());
  }
  const begin = performance.now();
  send(index);
  const picture = decoder.receive();
  const milliseconds = performance.now() - begin;
  next = index + 1;
  if (!picture) throw new Error(`Frame ${index} gave no picture.`);
  const { format, width, height } = picture;
  return { index, milliseconds, picture: { format, width, height, samples: packed(picture) } };
}

onmessage = async ({ data: { id, call, ...parameters } }) => {
  try {
    codec ??= await loadCodec();
    const result = { open, decode }[call](parameters);
    postMessage({ id, result }, result.picture ? [result.picture.samples.buffer] : []);
  } catch (error) {
    next = -1;
    postMessage({ id, error: error.message });
  }
};
