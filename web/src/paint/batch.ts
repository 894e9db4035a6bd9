// Quads on the graphics card.

import type { Program } from './gl';
import { type Quads, wordsOf } from './vertices';

const BYTES_PER_WORD = 4;
const INDICES_PER_QUAD = 6;

/** The indices of quads, the same for all batches; it grows when a batch needs more. */
export class QuadIndices {
  private readonly buffer: WebGLBuffer;
  private capacity = 0;

  constructor(private readonly gl: WebGL2RenderingContext) {
    this.buffer = gl.createBuffer();
  }

  /** Binds the indices of a number of quads. */
  bind(count: number): void {
    const { gl } = this;
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, this.buffer);
    if (count <= this.capacity) return;
    this.capacity = Math.max(count, this.capacity * 2, 1024);
    const indices = new Uint32Array(this.capacity * INDICES_PER_QUAD);
    for (let quad = 0; quad < this.capacity; quad += 1) {
      const [at, first] = [quad * INDICES_PER_QUAD, quad * 4];
      indices[at] = first;
      indices[at + 1] = first + 1;
      indices[at + 2] = first + 2;
      indices[at + 3] = first + 2;
      indices[at + 4] = first + 1;
      indices[at + 5] = first + 3;
    }
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, indices, gl.STATIC_DRAW);
  }

  dispose(): void {
    this.gl.deleteBuffer(this.buffer);
  }
}

/** Textures by the name of the uniform that they are for. */
export type Textures = readonly (readonly [string, WebGLTexture])[];

/** Lists of numbers by the name of the uniform that they are for. */
export type Lists = readonly (readonly [string, readonly number[]])[];

/** What one draw call paints. */
export class Batch {
  readonly count: number;
  private readonly array: WebGLVertexArrayObject;
  private readonly buffer: WebGLBuffer;

  constructor(
    private readonly gl: WebGL2RenderingContext,
    readonly program: Program,
    indices: QuadIndices,
    quads: Quads,
    private readonly textures: Textures = [],
    private readonly lists: Lists = [],
  ) {
    this.count = quads.count;
    this.array = gl.createVertexArray();
    this.buffer = gl.createBuffer();
    gl.bindVertexArray(this.array);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.buffer);
    gl.bufferData(gl.ARRAY_BUFFER, quads.bytes, gl.STATIC_DRAW);
    this.describe(quads);
    indices.bind(this.count);
    gl.bindVertexArray(null);
  }

  private describe({ layout }: Quads): void {
    const { gl } = this;
    const stride = wordsOf(layout) * BYTES_PER_WORD;
    let offset = 0;
    for (const [location, { components, type }] of layout.entries()) {
      gl.enableVertexAttribArray(location);
      if (type === 'f32') {
        gl.vertexAttribPointer(location, components, gl.FLOAT, false, stride, offset);
      } else if (type === 'color') {
        gl.vertexAttribPointer(location, 4, gl.UNSIGNED_BYTE, true, stride, offset);
      } else {
        gl.vertexAttribIPointer(location, components, gl.UNSIGNED_INT, stride, offset);
      }
      offset += components * BYTES_PER_WORD;
    }
  }

  get vertices(): number {
    return this.count * 4;
  }

  /** Paints. The program is in use and has its uniforms. */
  draw(): void {
    const { gl } = this;
    for (const [unit, [name, texture]] of this.textures.entries()) {
      gl.activeTexture(gl.TEXTURE0 + unit);
      gl.bindTexture(gl.TEXTURE_2D, texture);
      gl.uniform1i(this.program.uniform(name), unit);
    }
    for (const [name, list] of this.lists) gl.uniform1fv(this.program.uniform(name), list);
    gl.bindVertexArray(this.array);
    gl.drawElements(gl.TRIANGLES, this.count * INDICES_PER_QUAD, gl.UNSIGNED_INT, 0);
  }

  dispose(): void {
    this.gl.deleteVertexArray(this.array);
    this.gl.deleteBuffer(this.buffer);
    for (const [, texture] of this.textures) this.gl.deleteTexture(texture);
  }
}
