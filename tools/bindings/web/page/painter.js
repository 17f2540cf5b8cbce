// SPDX-License-Identifier: BSD-3-Clause
// Draws decoded pictures on a canvas by WebGL 2. The planes are textures; a shader converts Y'CbCr to RGB.
import { Format } from './codec.js';

const vertexShader = `#version 300 es
out vec2 place;
void main() {  // one triangle over everything
  vec2 corner = vec2(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0);
  place = vec2(corner.x + 1.0, 1.0 - corner.y) * 0.5;
  gl_Position = vec4(corner, 0.0, 1.0);
}`;
const fragmentShader = `#version 300 es
precision highp float;
uniform sampler2D first, second, third;
uniform mat3 to_rgb;
uniform vec3 zero;
uniform int planes;
uniform bool interleaved;
in vec2 place;
out vec4 colour;
void main() {
  vec3 samples = texture(first, place).rgb;
  if (!interleaved) {
    vec2 chroma = planes == 3 ? vec2(texture(second, place).r, texture(third, place).r) : zero.yz;
    samples = to_rgb * (vec3(samples.r, chroma) - zero);
  }
  colour = vec4(samples, 1.0);
}`;

// Weights of red and blue in luma, by MatrixCoefficients of H.273.
const lumaWeights = { 1: [0.2126, 0.0722], 4: [0.3, 0.11], 5: [0.299, 0.114], 6: [0.299, 0.114], 7: [0.212, 0.087], 9: [0.2627, 0.0593] };

/** Matrix (by columns) and zero of the samples, which are 0..1. Unknown matrices are guessed as ctv.h says. */
export function conversion({ matrix, range, height }) {
  const [red, blue] = lumaWeights[matrix] ?? lumaWeights[height >= 720 ? 1 : 6];
  const green = 1 - red - blue;
  const full = range === 2;
  const luma = full ? 1 : 255 / 219;
  const chroma = full ? 1 : 255 / 224;
  const cb = 2 * (1 - blue) * chroma;
  const cr = 2 * (1 - red) * chroma;
  return {
    toRgb: [luma, luma, luma, 0, (-cb * blue) / green, cb, cr, (-cr * red) / green, 0],
    zero: [full ? 0 : 16 / 255, 128 / 255, 128 / 255],
  };
}

export class Painter {
  constructor(canvas) {
    this.canvas = canvas;
    const gl = canvas.getContext('webgl2', { alpha: false, antialias: false });
    if (!gl) throw new Error('This browser has no WebGL 2, by which pictures are drawn.');
    this.gl = gl;
    this.program = gl.createProgram();
    for (const [type, source] of [[gl.VERTEX_SHADER, vertexShader], [gl.FRAGMENT_SHADER, fragmentShader]]) {
      const shader = gl.createShader(type);
      gl.shaderSource(shader, source);
      gl.compileShader(shader);
      gl.attachShader(this.program, shader);
    }
    gl.linkProgram(this.program);
    if (!gl.getProgramParameter(this.program, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(this.program));
    gl.useProgram(this.program);
    gl.pixelStorei(gl.UNPACK_ALIGNMENT, 1);
    this.textures = ['first', 'second', 'third'].map((name, i) => {
      gl.activeTexture(gl.TEXTURE0 + i);
      gl.bindTexture(gl.TEXTURE_2D, gl.createTexture());
      for (const wrap of [gl.TEXTURE_WRAP_S, gl.TEXTURE_WRAP_T]) gl.texParameteri(gl.TEXTURE_2D, wrap, gl.CLAMP_TO_EDGE);
      for (const filter of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) gl.texParameteri(gl.TEXTURE_2D, filter, gl.LINEAR);
      gl.uniform1i(this.uniform(name), i);
      return { columns: 0, rows: 0 };
    });
  }
  uniform(name) {
    return this.gl.getUniformLocation(this.program, name);
  }
  /** The stream's header, or what else says matrix, range and height. */
  describe(header) {
    const { toRgb, zero } = conversion(header);
    this.gl.uniformMatrix3fv(this.uniform('to_rgb'), false, toRgb);
    this.gl.uniform3fv(this.uniform('zero'), zero);
  }
  /** Draws a picture whose planes have no gaps between rows. */
  draw({ format, width, height, planes }) {
    const { gl, canvas } = this;
    if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
    const rgb = format === Format.rgb;
    planes.forEach(({ data, columns, rows }, i) => {
      const texture = this.textures[i];
      const texels = rgb ? columns / 3 : columns;
      const layout = rgb ? gl.RGB : gl.RED;
      gl.activeTexture(gl.TEXTURE0 + i);
      if (texture.columns === columns && texture.rows === rows && texture.rgb === rgb) {
        gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, texels, rows, layout, gl.UNSIGNED_BYTE, data);
      } else {
        gl.texImage2D(gl.TEXTURE_2D, 0, rgb ? gl.RGB8 : gl.R8, texels, rows, 0, layout, gl.UNSIGNED_BYTE, data);
        Object.assign(texture, { columns, rows, rgb });
      }
    });
    gl.uniform1i(this.uniform('interleaved'), rgb ? 1 : 0);
    gl.uniform1i(this.uniform('planes'), planes.length);
    gl.viewport(0, 0, width, height);
    gl.drawArrays(gl.TRIANGLES, 0, 3);
  }
}
