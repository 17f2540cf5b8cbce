// SPDX-License-Identifier: BSD-3-Clause
// libctv for JavaScript: in a page, in a worker and in node.
//
//   const codec = await loadCodec();
//   const decoder = codec.openDecoder({ reduction: 0 });
//   decoder.send(unit);                       // a Uint8Array of one whole unit
//   for (let p; (p = decoder.receive()); ) show(p);
//   decoder.close();
//
// Pictures and units that are received lie in the codec's memory and are valid until the next call: copy what is kept.
// A function that adds vectors: what a browser without SIMD refuses to compile.
const simdProgram = new Uint8Array([
  0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11,
]);
// A function with a try block that catches nothing.
const exceptionsProgram = new Uint8Array([
  0, 97, 115, 109, 1, 0, 0, 0, 1, 4, 1, 96, 0, 0, 3, 2, 1, 0, 10, 8, 1, 6, 0, 6, 64, 25, 11, 11,
]);

/** What this browser lacks, in words for people, or ''. */
export function missingFeature() {
  if (typeof WebAssembly !== 'object') return 'WebAssembly';
  if (!WebAssembly.validate(simdProgram)) return 'WebAssembly SIMD';
  if (!WebAssembly.validate(exceptionsProgram)) return 'WebAssembly exceptions';
  return '';
}

export const Format = { gray: 1, i420: 2, i422: 3, i444: 4, rgb: 5 };
const Kind = { 1: 'header', 2: 'packet', 3: 'index' };
const Status = { ok: 0, again: 1, end: 2, reference: -9 };

export class CodecError extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
  /** Whether the frame refers to one that the decoder does not hold. */
  get lacksReference() {
    return this.status === Status.reference;
  }
}

/** Loads the codec. wasm: where ctv.wasm is (a URL), or its bytes; default: next to this file. */
export async function loadCodec(wasm = new URL('ctv.wasm', import.meta.url)) {
  let bytes = wasm;
  if (wasm instanceof URL || typeof wasm === 'string') {
    const response = await fetch(wasm);
    if (!response.ok) throw new Error(`${wasm}: ${response.status} ${response.statusText}`);
    bytes = await response.arrayBuffer();
  }
  const module = await WebAssembly.compile(bytes);
  const { exports } = await WebAssembly.instantiate(module, importsOf(module));
  exports._initialize();
  return new Codec(exports);
}

// The C library asks for clock and environment, which make no difference here. Nothing else is called with one thread
// on the CPU; what is called nevertheless says its name.
function importsOf(module) {
  const imports = {};
  for (const { module: group, name } of WebAssembly.Module.imports(module)) {
    imports[group] ??= {};
    imports[group][name] = () => {
      throw new Error(`the codec calls ${name}, which there is not`);
    };
  }
  Object.assign(imports.env, { emscripten_notify_memory_growth() {} });
  Object.assign(imports.wasi_snapshot_preview1, { clock_time_get: () => 0, environ_sizes_get: () => 52 /* none */ });
  return imports;
}

/** A growing piece of the codec's memory. */
class Room {
  constructor(codec) {
    this.codec = codec;
    this.address = 0;
    this.size = 0;
  }
  reserve(size) {
    if (size <= this.size) return this.address;
    const { wasm } = this.codec;
    wasm.free(this.address);
    this.size = size + (size >> 1);
    this.address = wasm.malloc(this.size);
    if (this.address === 0) throw new CodecError(-4, 'out of memory');
    return this.address;
  }
  write(given) {
    const own = given.buffer === this.codec.wasm.memory.buffer; // which may move
    const bytes = own ? given.slice() : given;
    const address = this.reserve(bytes.length);
    this.codec.bytes(address, bytes.length).set(bytes);
    return address;
  }
}

class Codec {
  constructor(exports) {
    this.wasm = exports;
    this.unit = new Room(this);
    this.header = new Room(this);
    this.samples = new Room(this);
    this.numbers = exports.malloc(16 * 8);
  }
  get version() {
    return this.text(this.wasm.ctv_version());
  }
  text(address) {
    const memory = new Uint8Array(this.wasm.memory.buffer);
    return new TextDecoder().decode(memory.subarray(address, memory.indexOf(0, address)));
  }
  bytes(address, size) {
    return new Uint8Array(this.wasm.memory.buffer, address, size);
  }
  /** The first `count` numbers that a call has written. */
  read(count) {
    return new Float64Array(this.wasm.memory.buffer, this.numbers, count);
  }
  check(status) {
    if (status < 0) throw new CodecError(status, this.text(this.wasm.ctv_last_error()));
    return status;
  }
  /** Splits a file into units: [{kind, offset, size}]. What is cut off at the end is left out. */
  units(file) {
    const found = [];
    for (let offset = 0; offset + 8 <= file.length; ) {
      const address = this.unit.write(file.subarray(offset, offset + 16));
      this.check(this.wasm.ctv_web_unit(address, Math.min(16, file.length - offset), this.numbers));
      const [kind, size] = this.read(2);
      if (offset + size > file.length) break;
      found.push({ kind: Kind[kind], offset, size });
      offset += size;
    }
    return found;
  }
  /** What a sequence header says. */
  parseHeader(unit) {
    this.check(this.wasm.ctv_web_header(this.unit.write(unit), unit.length, this.numbers));
    const [width, height, format, fpsNum, fpsDen, range, matrix, scales, aspectWidth, aspectHeight] = this.read(10);
    return { width, height, format, fpsNum, fpsDen, range, matrix, scales, aspectWidth, aspectHeight };
  }
  /** What a packet's header says. */
  parsePacket(header, unit) {
    const at = this.header.write(header);
    this.check(this.wasm.ctv_web_packet(at, header.length, this.unit.write(unit), unit.length, this.numbers));
    const [key, timestamp, duration, frame, step, sideSize] = this.read(6);
    return { key: key !== 0, timestamp, duration, frame, step, sideSize };
  }
  openDecoder({ reduction = 0 } = {}) {
    return new Decoder(this, this.open(this.wasm.ctv_web_decoder_open(reduction)));
  }
  /** An encoder of I420. Set qp, or bitrate in bits per second; otherwise the preset says. */
  openEncoder({ width, height, fpsNum = 30, fpsDen = 1, preset = 'default', qp = -1, bitrate = 0, keyInterval = -1 }) {
    const name = this.unit.write(new TextEncoder().encode(`${preset}\0`));
    const handle = this.wasm.ctv_web_encoder_open(width, height, fpsNum, fpsDen, name, qp, bitrate, keyInterval);
    return new Encoder(this, this.open(handle), width, height);
  }
  open(handle) {
    if (handle === 0) throw new CodecError(-1, this.text(this.wasm.ctv_last_error()));
    return handle;
  }
  /** Pixels of a canvas as the planes of an I420 picture, one after the other. */
  i420FromRgba(pixels, width, height) {
    const size = samplesOf(planeExtents(Format.i420, width, height));
    const out = this.samples.reserve(size);
    this.wasm.ctv_web_i420_from_rgba(this.unit.write(pixels), width, height, out);
    return this.bytes(out, size);
  }
  /** Luma PSNR of a decoded picture against the sent samples. */
  lumaPsnr(samples, picture) {
    const { data, stride, columns, rows } = picture.planes[0];
    const decoded = data.byteOffset; // of a view that does not outlive a growing memory
    const sent = this.samples.write(samples);
    const sum = this.wasm.ctv_web_squared_error(sent, decoded, stride, columns, rows);
    return sum === 0 ? Infinity : 10 * Math.log10((255 * 255 * columns * rows) / sum);
  }
}

/** Columns and rows of each plane. */
export function planeExtents(format, width, height) {
  if (format === Format.rgb) return [{ columns: 3 * width, rows: height }];
  const luma = { columns: width, rows: height };
  if (format === Format.gray) return [luma];
  const chroma = {
    columns: format === Format.i444 ? width : (width + 1) >> 1,
    rows: format === Format.i420 ? (height + 1) >> 1 : height,
  };
  return [luma, chroma, chroma];
}

const samplesOf = (planes) => planes.reduce((sum, { columns, rows }) => sum + columns * rows, 0);

class Decoder {
  constructor(codec, handle) {
    this.codec = codec;
    this.handle = handle;
  }
  /** Sends one whole unit. Throws a CodecError if it is refused, or a picture has to be received first. */
  send(unit) {
    const { codec } = this;
    const status = codec.check(codec.wasm.ctv_decoder_send(this.handle, codec.unit.write(unit), unit.length));
    if (status === Status.again) throw new CodecError(status, 'a picture has to be received before the next unit');
  }
  /** The next picture, or null. */
  receive() {
    const { codec } = this;
    if (codec.check(codec.wasm.ctv_web_decoder_receive(this.handle, codec.numbers)) !== Status.ok) return null;
    const [format, width, height, key, timestamp, duration, ...places] = codec.read(12);
    const planes = planeExtents(format, width, height).map(({ columns, rows }, p) => {
      const [address, stride] = places.slice(2 * p, 2 * p + 2);
      return { data: codec.bytes(address, stride * (rows - 1) + columns), stride, columns, rows };
    });
    return { format, width, height, key: key !== 0, timestamp, duration, planes };
  }
  flush() {
    this.codec.check(this.codec.wasm.ctv_decoder_flush(this.handle));
  }
  /** Forgets all pictures, as before a seek. */
  reset() {
    this.codec.check(this.codec.wasm.ctv_decoder_reset(this.handle));
  }
  close() {
    this.codec.wasm.ctv_decoder_close(this.handle);
    this.handle = 0;
  }
}

class Encoder {
  constructor(codec, handle, width, height) {
    Object.assign(this, { codec, handle, width, height });
  }
  unit() {
    const [address, size, key, timestamp, step] = this.codec.read(5);
    return { data: this.codec.bytes(address, size), key: key !== 0, timestamp, step };
  }
  header() {
    this.codec.check(this.codec.wasm.ctv_web_encoder_header(this.handle, this.codec.numbers));
    return this.unit();
  }
  /** Encodes an I420 picture, its planes one after the other, and returns its packet. */
  encode(samples) {
    const { codec, handle } = this;
    const size = samplesOf(planeExtents(Format.i420, this.width, this.height));
    if (samples.length !== size) {
      throw new RangeError(`an I420 picture has ${size} samples here, not ${samples.length}`);
    }
    const at = codec.samples.write(samples);
    codec.check(codec.wasm.ctv_web_encoder_send(handle, at, this.width, this.height));
    codec.check(codec.wasm.ctv_web_encoder_receive(handle, codec.numbers));
    return this.unit();
  }
  setBitrate(bitrate) {
    this.codec.check(this.codec.wasm.ctv_web_encoder_set_bitrate(this.handle, bitrate));
  }
  requestKeyFrame() {
    this.codec.check(this.codec.wasm.ctv_encoder_request_key_frame(this.handle));
  }
  close() {
    this.codec.wasm.ctv_encoder_close(this.handle);
    this.handle = 0;
  }
}

/** Copies a picture's planes without the gaps between rows into one array. */
export function packed(picture, out) {
  const size = samplesOf(picture.planes);
  const samples = out && out.length === size ? out : new Uint8Array(size);
  let at = 0;
  for (const { data, stride, columns, rows } of picture.planes) {
    for (let row = 0; row < rows; ++row, at += columns) {
      samples.set(data.subarray(row * stride, row * stride + columns), at);
    }
  }
  return samples;
}
