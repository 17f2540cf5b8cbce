// SPDX-License-Identifier: BSD-3-Clause
// The player: reads a file, keeps a few decoded pictures ahead, and shows each at its time.
import { missingFeature } from './codec.js';
import { Chart } from './chart.js';
import { Recent, format, show, time } from './numbers.js';
import { Painter } from './painter.js';
import { WorkerCalls, planesOf } from './worker-calls.js';

const ahead = 4; // pictures that are decoded or asked for
const element = (id) => document.getElementById(id);
const calls = new WorkerCalls(new URL('player-worker.js', import.meta.url));
const chart = new Chart(element('chart'), {
  bar: { name: 'packet', unit: 'B' },
  line: { name: 'decoding', unit: 'ms' },
});
const times = new Recent();
const shows = new Recent();
let painter;
let stream; // {info, frames, duration in seconds}
let queue = []; // pictures to show, in order
let asked = 0; // not answered
let next = 0; // the frame to ask for
let current = 0; // the frame that is shown
let generation = 0; // answers to what was asked before a seek are dropped
let playing = false;
let due = 0; // when the first picture of the queue is shown

function complain(text) {
  element('message').textContent = text;
  element('message').hidden = !text;
}

async function open(bytes, name) {
  complain('');
  setPlaying(false);
  ++generation;
  try {
    const { info, frames, version } = await calls.call('open', { bytes }, [bytes.buffer]);
    if (frames.length === 0) throw new Error('The stream has no frames.');
    const unit = 1 / info.fpsNum; // seconds
    const end = frames.at(-1).timestamp + frames.at(-1).duration;
    const size = frames.reduce((sum, f) => sum + f.size, 0);
    const duration = (end - frames[0].timestamp) * unit;
    stream = { info, frames, unit, duration, bitrate: (8 * size) / duration };
    document.title = `${name} – ctv player`;
    element('picture').title = `libctv ${version}`;
  } catch (error) {
    return complain(`${name}: ${error.message}`);
  }
  painter ??= new Painter(element('picture'));
  painter.describe(stream.info);
  // Samples need not be square.
  const { width, height, aspectWidth, aspectHeight } = stream.info;
  element('picture').style.aspectRatio = `${width * (aspectWidth || 1)} / ${height * (aspectHeight || 1)}`;
  element('seek').max = stream.frames.length - 1;
  element('resolution').replaceChildren(...Array.from({ length: stream.info.scales + 1 }, (_, r) => {
    const [w, h] = [width, height].map((n) => Math.ceil(n / 2 ** r));
    return new Option(`${r === 0 ? 'full' : `1/${2 ** r}`} (${w} × ${h})`, r);
  }));
  for (const id of ['picture', 'controls']) element(id).hidden = false;
  element('empty').hidden = true;
  chart.clear();
  chart.limit = (1000 * stream.duration) / stream.frames.length;
  seek(0);
  setPlaying(true);
}

function seek(index) {
  ++generation;
  queue = [];
  asked = 0;
  next = Math.min(Math.max(index, 0), stream.frames.length - 1);
  due = 0;
  times.clear();
  shows.clear();
  ask();
}

// While paused one picture is enough: the one to look at.
function ask() {
  const most = playing ? ahead : 1;
  while (stream && queue.length + asked < most) {
    if (next === stream.frames.length) {
      if (!playing || !element('loop').checked) return;
      next = 0;
    }
    const index = next++;
    const reduction = Number(element('resolution').value);
    const from = generation;
    ++asked;
    calls.call('decode', { index, reduction }).then((decoded) => {
      if (from !== generation) return;
      --asked;
      queue.push(decoded);
      times.add(decoded.milliseconds);
      if (!playing) present(queue.shift());
      else ask();
    }, (error) => {
      if (from !== generation) return;
      --asked;
      complain(error.message);
      setPlaying(false);
    });
  }
}

function present({ index, milliseconds, picture }) {
  painter.draw({ ...picture, planes: planesOf(picture) });
  current = index;
  const { frames, unit, duration, bitrate } = stream;
  const { size, key, timestamp } = frames[index];
  shows.add(0);
  chart.add({ bar: size, line: milliseconds, key });
  element('seek').value = index;
  const at = (timestamp - frames[0].timestamp) * unit;
  element('seek').setAttribute('aria-valuetext', `frame ${index + 1} of ${frames.length}, ${time(at)}`);
  show({
    clock: `${time(at)} / ${time(duration)}`,
    extent: `${picture.width} × ${picture.height}`,
    frame: `${index + 1} of ${frames.length}${key ? ', key' : ''}`,
    size: format(size, 'B'),
    bitrate: format(bitrate, 'bit/s'),
    time: format(times.mean, 'ms'),
    could: format(1000 / times.mean, 'frames/s'),
    shown: playing ? format(shows.rate, 'frames/s') : 'paused',
  });
}

// Once per refresh of the screen: shows the newest picture that is due.
function tick(now) {
  if (!playing) return;
  requestAnimationFrame(tick);
  const speed = Number(element('speed').value);
  let picture;
  while (queue.length > 0 && (due === 0 || now >= due - 4)) {
    picture = queue.shift();
    const length = speed === 0 ? 0 : (1000 * stream.frames[picture.index].duration * stream.unit) / speed;
    // Where decoding is too slow, time waits for it.
    due = Math.max(due === 0 ? now : due, now - 50) + length;
    if (speed === 0) break;
  }
  if (picture) {
    present(picture);
    if (current === stream.frames.length - 1 && !element('loop').checked) setPlaying(false);
  }
  ask();
}

function setPlaying(wanted) {
  if (playing === wanted || !stream) return;
  playing = wanted;
  element('play').textContent = playing ? 'Pause' : 'Play';
  due = 0;
  shows.clear();
  if (!playing) return show({ shown: 'paused' });
  if (current === stream.frames.length - 1 && queue.length + asked === 0) seek(0);
  requestAnimationFrame(tick);
  ask();
}

function step(by) {
  setPlaying(false);
  sought = -1;
  seek(current + by);
}

async function openFile(file) {
  if (file) await open(new Uint8Array(await file.arrayBuffer()), file.name);
}

async function openAddress(address) {
  try {
    const response = await fetch(address);
    if (!response.ok) throw new Error(`${response.status} ${response.statusText}`);
    await open(new Uint8Array(await response.arrayBuffer()), address.split('/').pop());
  } catch (error) {
    complain(`${address}: ${error.message}`);
  }
}

for (const id of ['file', 'another']) element(id).addEventListener('change', ({ target }) => openFile(target.files[0]));
element('play').addEventListener('click', () => setPlaying(!playing));
element('resolution').addEventListener('change', () => seek(current));
// The slider moves faster than frames are decoded: its last place waits until an earlier one is shown.
let sought = -1;
let following = false;
function follow() {
  following = asked > 0 || sought >= 0;
  if (asked === 0 && sought >= 0) {
    seek(sought);
    sought = -1;
  }
  if (following) setTimeout(follow, 10);
}
element('seek').addEventListener('input', ({ target }) => {
  setPlaying(false);
  sought = Number(target.value);
  if (!following) follow();
});
addEventListener('keydown', (event) => {
  if (!stream || event.target.closest?.('select, button, input:not(#seek)') || event.ctrlKey || event.metaKey) return;
  const action = { ' ': () => setPlaying(!playing), ArrowRight: () => step(1), ArrowLeft: () => step(-1),
    Home: () => step(-current), End: () => step(stream.frames.length) }[event.key];
  if (!action) return;
  event.preventDefault();
  action();
});
addEventListener('dragover', (event) => {
  event.preventDefault();
  document.body.classList.add('dropping');
});
addEventListener('dragleave', (event) => event.relatedTarget || document.body.classList.remove('dropping'));
addEventListener('drop', (event) => {
  event.preventDefault();
  document.body.classList.remove('dropping');
  openFile(event.dataTransfer.files[0]);
});

const missing = missingFeature();
const source = new URLSearchParams(location.search).get('src');
if (missing) {
  complain(`This browser cannot decode ctv: it has no ${missing}. Browsers since 2023 have it.`);
  element('file').disabled = true;
} else if (source) {
  openAddress(source);
}
