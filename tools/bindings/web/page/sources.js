// SPDX-License-Identifier: BSD-3-Clause
// Where pictures of the call come from: a camera, or a generated scene. Each draws on a 2D canvas.

export async function openCamera(width, height) {
  if (!navigator.mediaDevices) throw new Error('pages reach a camera over https or on localhost only');
  const media = await navigator.mediaDevices.getUserMedia({
    video: { width: { ideal: width }, height: { ideal: height }, frameRate: { ideal: 30 } },
  });
  const video = document.createElement('video');
  video.muted = true;
  video.srcObject = media;
  await video.play();
  return {
    name: media.getVideoTracks()[0].label || 'camera',
    draw(context, w, h) {
      // Fills the canvas; what is too wide or too high is cut off.
      const scale = Math.max(w / video.videoWidth, h / video.videoHeight);
      const [dw, dh] = [video.videoWidth * scale, video.videoHeight * scale];
      context.drawImage(video, (w - dw) / 2, (h - dh) / 2, dw, dh);
    },
    close() {
      for (const track of media.getTracks()) track.stop();
    },
  };
}

/** Hills, a sun, a turning wheel and grain: contours in all directions, and some noise as cameras have it. */
export function openGenerated() {
  const grain = makeGrain();
  return {
    name: 'generated picture',
    draw(context, w, h, seconds) {
      const sky = context.createLinearGradient(0, 0, 0, h);
      sky.addColorStop(0, '#27437a');
      sky.addColorStop(1, '#f0b58a');
      context.fillStyle = sky;
      context.fillRect(0, 0, w, h);
      context.fillStyle = '#ffe2a8';
      disc(context, w * (0.5 + 0.3 * Math.cos(seconds / 5)), h * 0.3, h * 0.08);
      for (const [i, colour] of ['#56708f', '#3f5b62', '#26403c'].entries()) {
        context.fillStyle = colour;
        context.beginPath();
        context.moveTo(0, h);
        for (let x = 0; x <= w + 8; x += 8) {
          const at = x / w + (seconds * (i + 1)) / 40;
          context.lineTo(x, h * (0.5 + 0.13 * i + 0.07 * Math.sin(9 * at + i) + 0.03 * Math.sin(23 * at)));
        }
        context.lineTo(w, h);
        context.fill();
      }
      wheel(context, w * 0.72, h * 0.62, h * 0.24, seconds / 2);
      context.globalAlpha = 0.04;
      const offset = () => -Math.floor(Math.random() * grain.width);
      const [x0, y0] = [offset(), offset()];
      for (let y = y0; y < h; y += grain.height) for (let x = x0; x < w; x += grain.width) context.drawImage(grain, x, y);
      context.globalAlpha = 1;
    },
    close() {},
  };
}

function disc(context, x, y, radius) {
  context.beginPath();
  context.arc(x, y, radius, 0, 2 * Math.PI);
  context.fill();
}

function wheel(context, x, y, radius, turn) {
  context.strokeStyle = '#f4f1ea';
  context.lineWidth = radius / 16;
  context.beginPath();
  context.arc(x, y, radius, 0, 2 * Math.PI);
  for (let i = 0; i < 9; ++i) {
    const angle = turn + (2 * Math.PI * i) / 9;
    context.moveTo(x, y);
    context.lineTo(x + radius * Math.cos(angle), y + radius * Math.sin(angle));
  }
  context.stroke();
  for (let i = 0; i < 9; ++i) {
    const angle = turn + (2 * Math.PI * i) / 9;
    context.fillStyle = `hsl(${40 * i} 65% 58%)`;
    disc(context, x + radius * Math.cos(angle), y + radius * Math.sin(angle), radius / 7);
  }
}

function makeGrain() {
  const canvas = new OffscreenCanvas(256, 256);
  const context = canvas.getContext('2d');
  const image = context.createImageData(256, 256);
  for (let i = 0; i < image.data.length; i += 4) {
    image.data.fill(Math.random() * 255, i, i + 3);
    image.data[i + 3] = 255;
  }
  context.putImageData(image, 0, 0);
  return canvas;
}
