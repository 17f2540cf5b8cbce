// SPDX-License-Identifier: BSD-3-Clause
// Calls of a worker that return promises, and pictures as workers send them.
import { planeExtents } from './codec.js';

export class WorkerCalls {
  constructor(url) {
    this.waiting = new Map();
    this.last = 0;
    this.worker = new Worker(url, { type: 'module' });
    this.worker.onmessage = ({ data: { id, result, error } }) => {
      const { resolve, reject } = this.waiting.get(id);
      this.waiting.delete(id);
      if (error === undefined) resolve(result);
      else reject(new Error(error));
    };
    this.worker.onerror = (event) => {
      for (const { reject } of this.waiting.values()) reject(new Error(event.message || 'The worker failed.'));
      this.waiting.clear();
    };
  }
  call(call, parameters = {}, transfer = []) {
    const id = ++this.last;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      this.worker.postMessage({ id, call, ...parameters }, transfer);
    });
  }
}

/** Planes of samples that lie one after the other. */
export function planesOf({ format, width, height, samples }) {
  let at = 0;
  return planeExtents(format, width, height).map(({ columns, rows }) => {
    const data = samples.subarray(at, (at += columns * rows));
    return { data, columns, rows };
  });
}
