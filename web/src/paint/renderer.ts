// Draws any scene with the graphics card. What a scene holds goes to the graphics card once; moving and
// zooming only changes a few numbers there.

import type { Layer, RectLayer, Scene, StripLayer } from '../api/scene';
import { rgba } from '../lib/color';
import { hasBands } from './bands';
import { Batch, type Lists, QuadIndices, type Textures } from './batch';
import { colorsTexture, contextOf, fractionsTexture, numbersTexture, Program } from './gl';
import { type Frame, fitCanvas, HATCH_STEP, type Painter } from './painter';
import * as shaders from './shaders';
import { type CanvasStatistics, statisticsOf } from './statistics';
import {
  arrowQuads,
  bandQuads,
  glyphQuads,
  lineQuads,
  polygonEdgeQuads,
  polygonQuads,
  type Quads,
  rectQuads,
  stripQuads,
} from './vertices';

export class SceneRenderer implements Painter {
  readonly statistics: CanvasStatistics;
  private readonly gl: WebGL2RenderingContext;
  private card: Card | null = null;
  private scene: Scene | null = null;
  private pixelRatio = 1;
  private readonly listening = new AbortController();

  /** Throws `NoWebGl` where the browser cannot. `onRestored` asks for a new frame. */
  constructor(
    private readonly canvas: HTMLCanvasElement,
    name: string,
    onRestored: () => void,
  ) {
    this.gl = contextOf(canvas);
    this.statistics = statisticsOf(name);
    this.card = new Card(this.gl);
    const { signal } = this.listening;
    // Without this the browser would not give the context back.
    canvas.addEventListener('webglcontextlost', (event) => event.preventDefault(), { signal });
    canvas.addEventListener(
      'webglcontextrestored',
      () => {
        this.card = new Card(this.gl);
        this.card.load(this.scene);
        onRestored();
      },
      { signal },
    );
  }

  resize(width: number, height: number, pixelRatio: number): void {
    this.pixelRatio = pixelRatio;
    fitCanvas(this.canvas, width, height, pixelRatio);
  }

  load(scene: Scene | null): void {
    const begin = performance.now();
    this.scene = scene;
    if (!this.gl.isContextLost()) this.card?.load(scene);
    this.statistics.loadMs = performance.now() - begin;
  }

  draw(frame: Frame): void {
    if (this.gl.isContextLost() || this.card === null) return;
    const { width, height } = this.canvas;
    this.gl.viewport(0, 0, width, height);
    const counted = this.card.draw(frame, [width, height], this.pixelRatio);
    this.statistics.drawCalls = counted.drawCalls;
    this.statistics.vertices = counted.vertices;
  }

  dispose(): void {
    this.listening.abort();
    this.card?.dispose();
    this.card = null;
    // A browser has only a few contexts, and takes long to find out that one is not used any more.
    this.gl.getExtension('WEBGL_lose_context')?.loseContext();
  }
}

const SHADERS = {
  rects: [shaders.RECT_VERTEX, shaders.RECT_FRAGMENT],
  bands: [shaders.BAND_VERTEX, shaders.BAND_FRAGMENT],
  strips: [shaders.STRIP_VERTEX, shaders.STRIP_FRAGMENT],
  strokes: [shaders.STROKE_VERTEX, shaders.STROKE_FRAGMENT],
  glyphs: [shaders.GLYPH_VERTEX, shaders.GLYPH_FRAGMENT],
  fills: [shaders.FILL_VERTEX, shaders.FILL_FRAGMENT],
} as const;

type ProgramName = keyof typeof SHADERS;

/** Programs and batches of one context; a restored context needs new ones. */
class Card {
  private readonly indices: QuadIndices;
  private readonly programs = new Map<ProgramName, Program>();
  private batches: Batch[] = [];

  constructor(private readonly gl: WebGL2RenderingContext) {
    this.indices = new QuadIndices(gl);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
  }

  /** A program, made when it is first needed: few scenes need all. */
  private program(name: ProgramName): Program {
    const known = this.programs.get(name);
    if (known !== undefined) return known;
    const [vertex, fragment] = SHADERS[name];
    const program = new Program(this.gl, vertex, fragment);
    this.programs.set(name, program);
    return program;
  }

  load(scene: Scene | null): void {
    for (const batch of this.batches) batch.dispose();
    const all = scene?.layers.flatMap((layer) => this.batchesOf(layer)) ?? [];
    this.batches = all.filter((batch) => batch.count > 0);
  }

  private batchesOf(layer: Layer): Batch[] {
    switch (layer.kind) {
      case 'rects':
        return [hasBands(layer) ? this.bandBatch(layer) : this.batch('rects', rectQuads(layer))];
      case 'strips':
        return [this.stripBatch(layer)];
      case 'lines':
        return [this.batch('strokes', lineQuads(layer))];
      case 'arrows':
        return [this.batch('strokes', arrowQuads(layer))];
      case 'polygons':
        return [
          this.batch('fills', polygonQuads(layer)),
          this.batch('strokes', polygonEdgeQuads(layer)),
        ];
      case 'glyphs':
        return [this.batch('glyphs', glyphQuads(layer))];
      case 'labels':
        // Texts lie on a canvas of their own.
        return [];
    }
  }

  private batch(program: ProgramName, quads: Quads): Batch {
    return new Batch(this.gl, this.program(program), this.indices, quads);
  }

  private bandBatch(layer: RectLayer): Batch {
    const { gl } = this;
    return new Batch(gl, this.program('bands'), this.indices, bandQuads(layer), [
      ['u_x0', fractionsTexture(gl, layer.x0)],
      ['u_x1', fractionsTexture(gl, layer.x1)],
      ['u_fill', colorsTexture(gl, layer.fill)],
      ['u_edge', colorsTexture(gl, layer.edge)],
      ['u_pattern', numbersTexture(gl, layer.pattern)],
    ]);
  }

  private stripBatch(layer: StripLayer): Batch {
    const { gl } = this;
    const textures: Textures = [
      ['u_run', numbersTexture(gl, layer.run)],
      ['u_first_part', numbersTexture(gl, layer.firstPart)],
      ['u_rare', numbersTexture(gl, layer.rare)],
      ['u_aggregate', numbersTexture(gl, layer.aggregate)],
      ['u_color', numbersTexture(gl, layer.color)],
      ['u_share', numbersTexture(gl, layer.share)],
      ['u_palette', colorsTexture(gl, layer.palette)],
    ];
    const lists: Lists = [['u_rules', layer.rules]];
    return new Batch(gl, this.program('strips'), this.indices, stripQuads(layer), textures, lists);
  }

  draw(
    frame: Frame,
    size: readonly [number, number],
    pixel: number,
  ): { drawCalls: number; vertices: number } {
    const { gl } = this;
    const [red, green, blue] = rgba(frame.background).map((byte) => byte / 255);
    gl.clearColor(red, green, blue, 1);
    gl.clear(gl.COLOR_BUFFER_BIT);
    let vertices = 0;
    let inUse: Program | null = null;
    for (const batch of this.batches) {
      if (batch.program !== inUse) this.use(batch.program, frame, size, pixel);
      inUse = batch.program;
      batch.draw();
      vertices += batch.vertices;
    }
    return { drawCalls: this.batches.length, vertices };
  }

  private use(
    program: Program,
    frame: Frame,
    size: readonly [number, number],
    pixel: number,
  ): void {
    const { gl } = this;
    const { scaleX, shiftX, scaleY, shiftY } = frame.transform;
    const color = (number: number) => rgba(number).map((byte) => byte / 255);
    const [red, green, blue] = color(frame.background);
    const step = HATCH_STEP * pixel;
    const hatch = (((shiftX + shiftY) * pixel) % step) + step;
    gl.useProgram(program.handle);
    gl.uniform2f(program.uniform('u_scale'), scaleX * pixel, scaleY * pixel);
    gl.uniform2f(program.uniform('u_shift'), shiftX * pixel, shiftY * pixel);
    gl.uniform2f(program.uniform('u_size'), ...size);
    gl.uniform1f(program.uniform('u_pixel'), pixel);
    gl.uniform1f(program.uniform('u_hatch'), hatch % step);
    gl.uniform3f(program.uniform('u_background'), red, green, blue);
    gl.uniform4fv(
      program.uniform('u_emphasis'),
      frame.emphasis === null ? [0, 0, 0, 0] : [...color(frame.emphasis).slice(0, 3), 1],
    );
  }

  dispose(): void {
    for (const batch of this.batches) batch.dispose();
    this.batches = [];
    this.indices.dispose();
    for (const program of this.programs.values()) this.gl.deleteProgram(program.handle);
  }
}
