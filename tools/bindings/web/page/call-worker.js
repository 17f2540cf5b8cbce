// SPDX-License-Identifier: BSD-3-Clause
// Both ends of a call: encodes the pixels of a canvas, decodes the packet, and compares.
import { loadCodec, packed } from './codec.js';

let codec;
let ends; // {encoder, decoder, width, height, preset}
let bitrate = 0;

function open({ width, height, preset }, rate) {
  ends?.encoder.close();
  ends?.decoder.close();
  ends = undefined;
  const encoder = codec.openEncoder({ width, height, preset, bitrate: rate, keyInterval: 0 });
  const decoder = codec.openDecoder();
  decoder.send(encoder.header().data.slice());
  ends = { encoder, decoder, width, height, preset };
  bitrate = rate;
}

function frame(parameters) {
  const { pixels, width, height, preset, bitrate: rate, key } = parameters;
  const now = ends && ends.width === width && ends.height === height && ends.preset === preset;
  if (!now) open(parameters, rate);
  const { encoder, decoder } = ends;
  if (rate !== bitrate) encoder.setBitrate((bitrate = rate));
  if (key) encoder.requestKeyFrame();
  const samples = codec.i420FromRgba(pixels, width, height).slice();
  const begin = performance.now();
  const packet = encoder.encode(samples);
  const encoded = performance.now();
  const unit = packet.data.slice();
  const middle = performance.now();
  decoder.send(unit);
  const picture = decoder.receive();
  const decoded = performance.now();
  const shown = { format: picture.format, width, height, samples: packed(picture) };
  return {
    picture: shown,
    size: unit.length,
    key: packet.key,
    psnr: codec.lumaPsnr(samples, picture),
    encode: encoded - begin,
    decode: decoded - middle,
  };
}

onmessage = async ({ data: { id, call, ...parameters } }) => {
  try {
    codec ??= await loadCodec();
    const result = { frame }[call](parameters);
    postMessage({ id, result }, [result.picture.samples.buffer]);
  } catch (error) {
    postMessage({ id, error: error.message });
  }
};
