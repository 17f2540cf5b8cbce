// SPDX-License-Identifier: BSD-3-Clause
// The camera's page: a picture goes to the worker, which encodes and decodes it; the next one follows when it is back.
import { missingFeature } from './codec.js';
import { Chart } from './chart.js';
import { Recent, format, show } from './numbers.js';
import { Painter } from './painter.js';
import { openCamera, openGenerated } from './sources.js';
import { WorkerCalls, planesOf } from './worker-calls.js';

const nominal = 30; // frames per second that the encoder is told of, and the most that are sent
const element = (id) => document.getElementById(id);
const canvas = element('source');
const context = canvas.getContext('2d', { willReadFrequently: true, alpha: false });
const chart = new Chart(element('chart'), { bar: { name: 'packet', unit: 'B' }, line: { name: 'PSNR', unit: 'dB' } });
const sizes = new Recent();
const psnrs = new Recent();
const encodes = new Recent();
const decodes = new Recent();
let calls;
let painter;
let source;
let running = false;
let wantsKey = false;

function complain(text) {
  element('message').textContent = text;
  element('message').hidden = !text;
}

/** Bits per second: 100 kb/s to 10 Mb/s on a logarithmic scale, two digits. */
function target() {
  const rate = 1e5 * 100 ** (element('rate').value / 100);
  return Number(rate.toPrecision(2));
}

async function openSource() {
  source?.close();
  source = undefined;
  const [width, height] = element('extent').value.split('x').map(Number);
  complain('');
  if (element('kind').value === 'camera') {
    try {
      source = await openCamera(width, height);
    } catch (error) {
      complain(`No camera (${error.message}). A generated picture takes its place.`);
      element('kind').value = 'generated';
    }
  }
  source ??= openGenerated();
  Object.assign(canvas, { width, height });
  painter.describe({ matrix: 6, range: 1, height });
  for (const recent of [sizes, psnrs, encodes, decodes]) recent.clear();
  chart.clear();
  show({ origin: source.name });
}

// The encoder counts on `nominal` frames per second. Where fewer are made, each may have more bits.
function rateOfEncoder() {
  const rate = sizes.events.length < nominal / 4 ? nominal : Math.min(nominal, sizes.rate);
  return Math.round((target() * nominal) / Math.max(1, Math.round(rate)));
}

function takePicture() {
  const { width, height } = canvas;
  source.draw(context, width, height, performance.now() / 1000);
  const pixels = new Uint8Array(context.getImageData(0, 0, width, height).data.buffer);
  return { pixels, width, height };
}

async function send(taken) {
  const parameters = { ...taken, preset: element('preset').value, bitrate: rateOfEncoder(), key: wantsKey };
  wantsKey = false;
  const { picture, size, key, psnr, encode, decode } = await calls.call('frame', parameters, [taken.pixels.buffer]);
  painter.draw({ ...picture, planes: planesOf(picture) });
  sizes.add(size);
  psnrs.add(psnr);
  encodes.add(encode);
  decodes.add(decode);
  chart.add({ bar: size, line: psnr, key });
  const bitrate = 8 * sizes.mean * sizes.rate;
  show({
    bitrate: format(bitrate, 'bit/s'),
    stream: format(bitrate, 'bit/s'),
    psnr: format(psnrs.mean, 'dB'),
    size: `${format(size, 'B')}${key ? ', key' : ''}`,
    encode: format(encodes.mean, 'ms'),
    decode: format(decodes.mean, 'ms'),
    fps: format(sizes.rate, 'frames/s'),
  });
}

// The next picture is taken while the worker has the last one.
async function run() {
  let last = Promise.resolve();
  const stop = (error) => {
    complain(error.message);
    setRunning(false);
  };
  while (running) {
    const begin = performance.now();
    const taken = source && takePicture();
    await last;
    if (taken && running) last = send(taken).catch(stop);
    const left = Math.max(0, 1000 / nominal - (performance.now() - begin));
    await new Promise((resolve) => setTimeout(resolve, left));
  }
}

function setRunning(wanted) {
  if (running === wanted) return;
  running = wanted;
  element('run').textContent = running ? 'Pause' : 'Go on';
  sizes.clear();
  if (running) run();
}

const showTarget = () => show({ target: format(target(), 'bit/s') });
element('rate').addEventListener('input', showTarget);
element('run').addEventListener('click', () => setRunning(!running));
element('key').addEventListener('click', () => (wantsKey = true));
for (const id of ['kind', 'extent']) element(id).addEventListener('change', openSource);

showTarget();
const missing = missingFeature();
if (missing) {
  complain(`This browser cannot run ctv: it has no ${missing}. Browsers since 2023 have it.`);
} else {
  try {
    painter = new Painter(element('picture'));
    calls = new WorkerCalls(new URL('call-worker.js', import.meta.url));
    const kind = new URLSearchParams(location.search).get('source');
    if (kind) element('kind').value = kind;
    await openSource();
    setRunning(true);
  } catch (error) {
    complain(error.message);
  }
}
