// The few things of WebGL2 that painting needs.

export class NoWebGl extends Error {
  override readonly name = 'NoWebGl';

  constructor() {
    super('This browser gives the page no WebGL 2.');
  }
}

export function contextOf(canvas: HTMLCanvasElement): WebGL2RenderingContext {
  const gl = canvas.getContext('webgl2', {
    alpha: false,
    antialias: false,
    depth: false,
    // Pictures of the page are taken from the canvas after its frame.
    preserveDrawingBuffer: true,
    powerPreference: 'high-performance',
  });
  if (gl === null) throw new NoWebGl();
  return gl;
}

export class Program {
  readonly handle: WebGLProgram;
  private readonly places = new Map<string, WebGLUniformLocation | null>();

  constructor(
    private readonly gl: WebGL2RenderingContext,
    vertex: string,
    fragment: string,
  ) {
    const program = gl.createProgram();
    const shaders = [
      compiling(gl, gl.VERTEX_SHADER, vertex),
      compiling(gl, gl.FRAGMENT_SHADER, fragment),
    ];
    for (const shader of shaders) gl.attachShader(program, shader);
    gl.linkProgram(program);
    // Asked once, at the end: every question to the card waits until it has done all before.
    if (!gl.getProgramParameter(program, gl.LINK_STATUS) && !gl.isContextLost()) {
      const logs = shaders.map((shader) => gl.getShaderInfoLog(shader));
      const why = [...logs, gl.getProgramInfoLog(program)].filter(Boolean).join('; ');
      throw new Error(`A program for drawing does not link: ${why}`);
    }
    for (const shader of shaders) gl.deleteShader(shader);
    this.handle = program;
  }

  uniform(name: string): WebGLUniformLocation | null {
    const known = this.places.get(name);
    if (known !== undefined) return known;
    const place = this.gl.getUniformLocation(this.handle, name);
    this.places.set(name, place);
    return place;
  }
}

function compiling(gl: WebGL2RenderingContext, kind: number, source: string): WebGLShader {
  const shader = gl.createShader(kind);
  // Only a lost context gives none; it will be restored.
  if (shader === null) throw new NoWebGl();
  gl.shaderSource(shader, source);
  gl.compileShader(shader);
  return shader;
}

/** Texels are laid out in rows of this many; every WebGL2 has textures of this width. */
export const TEXTURE_WIDTH = 2048;

type Numbers = Uint8Array | Uint16Array | Uint32Array;

/** A list of whole numbers, uploaded as it lies in memory, for `texelFetch`. */
export function numbersTexture(gl: WebGL2RenderingContext, numbers: Numbers): WebGLTexture {
  const [internal, type] = integerFormat(gl, numbers);
  return listTexture(gl, numbers, 1, internal, gl.RED_INTEGER, type);
}

/** A list of numbers with fractions, uploaded as it lies. */
export function fractionsTexture(gl: WebGL2RenderingContext, numbers: Float32Array): WebGLTexture {
  return listTexture(gl, numbers, 1, gl.R32F, gl.RED, gl.FLOAT);
}

export function colorsTexture(gl: WebGL2RenderingContext, colors: Uint32Array): WebGLTexture {
  const bytes = new Uint8Array(colors.buffer, colors.byteOffset, colors.byteLength);
  return listTexture(gl, bytes, 4, gl.RGBA8, gl.RGBA, gl.UNSIGNED_BYTE);
}

function integerFormat(gl: WebGL2RenderingContext, numbers: Numbers): [number, number] {
  if (numbers instanceof Uint8Array) return [gl.R8UI, gl.UNSIGNED_BYTE];
  if (numbers instanceof Uint16Array) return [gl.R16UI, gl.UNSIGNED_SHORT];
  return [gl.R32UI, gl.UNSIGNED_INT];
}

function listTexture(
  gl: WebGL2RenderingContext,
  numbers: Numbers | Float32Array,
  perTexel: number,
  internal: number,
  format: number,
  type: number,
): WebGLTexture {
  const texture = gl.createTexture();
  const n = numbers.length / perTexel;
  const fullRows = Math.floor(n / TEXTURE_WIDTH);
  const rest = n - fullRows * TEXTURE_WIDTH;
  gl.bindTexture(gl.TEXTURE_2D, texture);
  gl.pixelStorei(gl.UNPACK_ALIGNMENT, 1);
  gl.texStorage2D(gl.TEXTURE_2D, 1, internal, TEXTURE_WIDTH, Math.max(fullRows + 1, 1));
  const write = (row: number, width: number, height: number) => {
    const first = row * TEXTURE_WIDTH * perTexel;
    const part = numbers.subarray(first, first + width * height * perTexel);
    gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, row, width, height, format, type, part);
  };
  if (fullRows > 0) write(0, TEXTURE_WIDTH, fullRows);
  if (rest > 0) write(fullRows, rest, 1);
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.NEAREST);
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.NEAREST);
  return texture;
}
