// SPDX-License-Identifier: BSD-3-Clause
// Numbers for people.

const units = {
  B: (x) => (x < 1000 ? `${Math.round(x)} B` : `${(x / 1000).toFixed(x < 10000 ? 2 : 1)} kB`),
  'bit/s': (x) => (x < 1e6 ? `${Math.round(x / 1000)} kb/s` : `${(x / 1e6).toFixed(2)} Mb/s`),
  ms: (x) => `${x.toFixed(1)} ms`,
  dB: (x) => `${x.toFixed(1)} dB`,
  'frames/s': (x) => `${x.toFixed(1)} fps`,
};

export function format(value, unit) {
  if (value === Infinity) return 'equal';
  return Number.isFinite(value) ? units[unit](value) : '–';
}

export function time(seconds) {
  const s = Math.floor(seconds + 1e-6);
  return `${Math.floor(s / 60)}:${String(s % 60).padStart(2, '0')}`;
}

/** Events of the last second or so: their rate, and the mean of their values. */
export class Recent {
  constructor(milliseconds = 1000) {
    this.span = milliseconds;
    this.events = [];
  }
  add(value, now = performance.now()) {
    this.events.push({ value, now });
    while (this.events.length > 2 && this.events[0].now < now - this.span) this.events.shift();
  }
  clear() {
    this.events = [];
  }
  /** Per second. */
  get rate() {
    const n = this.events.length;
    return n < 2 ? NaN : (1000 * (n - 1)) / (this.events[n - 1].now - this.events[0].now);
  }
  get mean() {
    return this.events.reduce((sum, e) => sum + e.value, 0) / this.events.length;
  }
}

/** Writes texts into the elements with these ids. */
export function show(texts) {
  for (const [id, text] of Object.entries(texts)) {
    const element = document.getElementById(id);
    if (element.textContent !== text) element.textContent = text;
  }
}
