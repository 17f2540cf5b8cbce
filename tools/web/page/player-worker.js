// SPDX-License-Identifier: BSD-3-Clause
// Decodes frames that the player's page asks for, each by its number.
import { loadCodec, packed } from './codec.js';

let codec;
let file;
let header;
let frames = [];
let decoder;
let reduction = 0;
let next = 0; // the frame that the decoder takes next

function open({ bytes }) {
  decoder?.close();
  decoder = undefined;
  file = bytes;
  frames = [];
  header = undefined;
  for (const { kind, offset, size } of codec.units(file)) {
    const unit = file.subarray(offset, offset + size);
    if (kind === 'header') header ??= unit;
    if (kind !== 'packet' || !header) continue;
    const { key, timestamp, duration } = codec.parsePacket(header, unit);
    frames.push({ offset, size, key, timestamp, duration });
  }
  if (!header) throw new Error('The file has no header of a ctv stream.');
  return { info: codec.parseHeader(header), frames, version: codec.version };
}

function send(index) {
  const { offset, size } = frames[index];
  decoder.send(file.subarray(offset, offset + size));
}

// The frame itself, or what has to come before it from the last key frame on.
function decode({ index, reduction: wanted }) {
  if (!decoder || wanted !== reduction) {
    decoder?.close();
    reduction = wanted;
    decoder = codec.openDecoder({ reduction });
    decoder.send(header);
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
