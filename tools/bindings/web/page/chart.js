// SPDX-License-Identifier: BSD-3-Clause
// Bars for one number of each of the last frames, and a line for another.
import { format } from './numbers.js';

const shown = 150;

export class Chart {
  /** bar and line: {name, unit}. limit: where a dashed line of the line's unit is drawn, or 0. */
  constructor(canvas, { bar, line, limit = 0 }) {
    Object.assign(this, { canvas, bar, line, limit, frames: [], waiting: false });
    new ResizeObserver(() => this.update()).observe(canvas);
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.update());
  }
  clear() {
    this.frames = [];
    this.update();
  }
  /** A frame: {bar, line, key}. */
  add(frame) {
    this.frames.push(frame);
    if (this.frames.length > shown) this.frames.shift();
    this.update();
  }
  update() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      this.draw();
    });
  }
  draw() {
    const { canvas, frames } = this;
    const density = devicePixelRatio || 1;
    const width = canvas.clientWidth;
    const height = canvas.clientHeight;
    Object.assign(canvas, { width: width * density, height: height * density });
    const context = canvas.getContext('2d');
    context.scale(density, density);
    const style = getComputedStyle(canvas);
    const colour = (name) => style.getPropertyValue(name);
    const top = 18;
    const mostBar = Math.max(1, ...frames.map((f) => f.bar));
    const finite = frames.map((f) => f.line).filter(Number.isFinite);
    const mostLine = Math.max(this.limit * 1.2, 1e-3, ...finite);
    const step = width / shown;
    const from = width - frames.length * step;
    frames.forEach((f, i) => {
      const size = Math.max(1, ((height - top) * f.bar) / mostBar);
      context.fillStyle = colour(f.key ? '--accent' : '--bar');
      context.fillRect(from + i * step, height - size, Math.max(1, step - 1), size);
    });
    const y = (value) => height - ((height - top) * value) / mostLine;
    context.lineWidth = 1.5;
    context.strokeStyle = colour('--line');
    context.beginPath();
    frames.forEach((f, i) => Number.isFinite(f.line) && context.lineTo(from + (i + 0.5) * step, y(f.line)));
    context.stroke();
    if (this.limit > 0) {
      context.setLineDash([4, 4]);
      context.lineWidth = 1;
      context.strokeStyle = colour('--muted');
      context.beginPath();
      context.moveTo(0, y(this.limit));
      context.lineTo(width, y(this.limit));
      context.stroke();
    }
    context.font = `12px ${style.fontFamily}`;
    context.textBaseline = 'top';
    const label = (text, x, align, name) => {
      context.fillStyle = colour(name);
      context.textAlign = align;
      context.fillText(text, x, 0);
    };
    const most = `most ${format(mostBar, this.bar.unit)}`;
    const last = finite.length > 0 ? `last ${format(finite.at(-1), this.line.unit)}` : '';
    label(`▮ ${this.bar.name}, ${most}`, 0, 'left', '--muted');
    label(`― ${this.line.name}, ${last}`, width, 'right', '--line');
    canvas.setAttribute('aria-label', `Last ${frames.length} frames. ${this.bar.name}: ${most}. ${this.line.name}: ${last}.`);
  }
}
