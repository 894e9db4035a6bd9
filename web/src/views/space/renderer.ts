// Draws a scene in space. Everything of one kind is one merged mesh and one draw call; a frame is
// drawn when something has changed, never in a loop.

import {
  BufferAttribute,
  BufferGeometry,
  Camera,
  GLSL3,
  Matrix4,
  Mesh,
  RawShaderMaterial,
  Scene,
  Vector2,
  Vector4,
  WebGLRenderer,
} from 'three';
import { rgba } from '../../lib/color';
import { statisticsOf } from '../../paint/statistics';
import type { View } from './camera';
import { CANVAS } from './canvas';
import type { BoxMesh } from './geometry';
import type { TimeShift } from './hit';
import type { Strokes, Surfaces } from './mesh';
import { BOX_FRAGMENT, BOX_VERTEX, FLAT_VERTEX, PLAIN_FRAGMENT, STROKE_VERTEX } from './shaders';

const SLOTS = ['walls', 'base', 'lines', 'boxes', 'ribbons', 'strokes', 'outlines'] as const;
type Slot = (typeof SLOTS)[number];

export interface Frame {
  readonly view: View;
  readonly time: TimeShift;
  readonly background: number;
  /** All but this colour fades. */
  readonly emphasis: number | null;
  readonly opacity: number;
  readonly strokeOpacity: number;
}

export class SpaceRenderer {
  private readonly renderer: WebGLRenderer;
  private readonly scene = new Scene();
  /** Shaders place everything themselves. */
  private readonly camera = new Camera();
  private readonly meshes: Readonly<Record<Slot, Mesh<BufferGeometry, RawShaderMaterial>>>;
  private readonly shared = {
    place: { value: new Matrix4() },
    viewport: { value: new Vector2(1, 1) },
    height: { value: 1 },
    background: { value: new Vector4(1, 1, 1, 1) },
    emphasis: { value: new Vector4(0, 0, 0, 0) },
    time: { value: new Vector2(1, 0) },
    shades: { value: new Vector2(0, 0) },
  };
  private readonly lost: (event: Event) => void;

  constructor(
    private readonly canvas: HTMLCanvasElement,
    /** Edges are smooth; without a graphics card that takes too long. */
    antialias: boolean,
    requestFrame: () => void,
  ) {
    this.renderer = new WebGLRenderer({ canvas, antialias, preserveDrawingBuffer: true });
    this.renderer.debug.checkShaderErrors = false;
    this.renderer.sortObjects = false;
    // The room does not move with the time of the answer.
    const still = { ...this.shared, time: { value: new Vector2(1, 0) } };
    const onBase = { depthTest: false, depthWrite: false };
    const above = { depthTest: true, depthWrite: false };
    this.meshes = {
      walls: flatMesh(still, onBase),
      base: flatMesh(still, onBase),
      lines: strokeMesh(still, onBase),
      boxes: boxMesh(this.shared),
      ribbons: flatMesh(this.shared, above),
      strokes: strokeMesh(this.shared, above),
      outlines: strokeMesh(this.shared, { depthTest: false, depthWrite: false }),
    };
    for (const [order, slot] of SLOTS.entries()) {
      const mesh = this.meshes[slot];
      mesh.frustumCulled = false;
      mesh.renderOrder = order;
      this.scene.add(mesh);
    }
    this.lost = () => requestFrame();
    canvas.addEventListener('webglcontextrestored', this.lost);
  }

  resize(width: number, height: number, pixelRatio: number): void {
    this.renderer.setPixelRatio(pixelRatio);
    this.renderer.setSize(width, height, false);
    // In a coarse picture no line is thinner than a pixel of it.
    const coarse = Math.min(pixelRatio, 1);
    this.shared.viewport.value.set(width * coarse, height * coarse);
  }

  setSurfaces(slot: 'walls' | 'base' | 'ribbons', mesh: Surfaces): void {
    this.replace(slot, mesh.indices, {
      position: new BufferAttribute(new Float32Array(mesh.positions), 3),
      color: new BufferAttribute(new Uint8Array(mesh.colors), 4, true),
    });
  }

  setStrokes(slot: 'lines' | 'strokes' | 'outlines', mesh: Strokes): void {
    this.replace(slot, mesh.indices, {
      position: new BufferAttribute(new Float32Array(mesh.at), 3),
      toward: new BufferAttribute(new Float32Array(mesh.toward), 3),
      offset: new BufferAttribute(new Float32Array(mesh.offsets), 2),
      color: new BufferAttribute(new Uint8Array(mesh.colors), 4, true),
    });
  }

  setBoxes({ positions, corners, colors, indices }: BoxMesh): void {
    this.replace('boxes', indices, {
      position: new BufferAttribute(positions, 3),
      corner: new BufferAttribute(corners, 4, true),
      color: new BufferAttribute(colors, 4, true),
    });
  }

  /** The same boxes in another order. */
  setBoxOrder(indices: Uint32Array): void {
    this.meshes.boxes.geometry.setIndex(new BufferAttribute(indices, 1));
  }

  draw({ view, time, background, emphasis, opacity, strokeOpacity }: Frame): void {
    const { place, height, background: ground, emphasis: lit, time: shift } = this.shared;
    const matrix = view.matrix();
    place.value.fromArray(matrix);
    height.value = view.height;
    ground.value.set(...shares(background));
    lit.value.set(...shares(emphasis ?? 0));
    if (emphasis === null) lit.value.w = 0;
    shift.value.set(time.scale, time.shift);
    this.shared.shades.value.set(...view.shades());
    const boxes = this.meshes.boxes.material;
    boxes.uniforms['opacity'] = { value: opacity };
    // What is seen through does not hide what is behind it.
    boxes.depthWrite = opacity >= 1;
    this.meshes.strokes.material.uniforms['opacity'] = { value: strokeOpacity };
    this.renderer.setClearColor(hexOf(background), 1);
    this.renderer.render(this.scene, this.camera);
    const statistics = statisticsOf(CANVAS);
    statistics.drawCalls = this.renderer.info.render.calls;
    statistics.vertices = SLOTS.reduce((sum, slot) => sum + this.verticesOf(slot), 0);
  }

  dispose(): void {
    this.canvas.removeEventListener('webglcontextrestored', this.lost);
    for (const slot of SLOTS) {
      this.meshes[slot].geometry.dispose();
      this.meshes[slot].material.dispose();
    }
    this.renderer.dispose();
  }

  private verticesOf(slot: Slot): number {
    return this.meshes[slot].geometry.getAttribute('position')?.count ?? 0;
  }

  private replace(
    slot: Slot,
    indices: readonly number[] | Uint32Array,
    attributes: Readonly<Record<string, BufferAttribute>>,
  ): void {
    const geometry = new BufferGeometry();
    for (const [name, attribute] of Object.entries(attributes)) {
      geometry.setAttribute(name, attribute);
    }
    const whole = indices instanceof Uint32Array ? indices : new Uint32Array(indices);
    geometry.setIndex(new BufferAttribute(whole, 1));
    const mesh = this.meshes[slot];
    mesh.geometry.dispose();
    mesh.geometry = geometry;
    mesh.visible = whole.length > 0;
  }
}

type Uniforms = Readonly<Record<string, { value: unknown }>>;
interface Depth {
  readonly depthTest: boolean;
  readonly depthWrite: boolean;
}

function flatMesh(uniforms: Uniforms, depth: Depth) {
  return meshOf(FLAT_VERTEX, PLAIN_FRAGMENT, uniforms, depth);
}

function strokeMesh(uniforms: Uniforms, depth: Depth) {
  return meshOf(STROKE_VERTEX, PLAIN_FRAGMENT, uniforms, depth);
}

function boxMesh(uniforms: Uniforms) {
  return meshOf(BOX_VERTEX, BOX_FRAGMENT, uniforms, { depthTest: true, depthWrite: true }, 0);
}

const FRONT = 0;
const DOUBLE = 2;

function meshOf(
  vertexShader: string,
  fragmentShader: string,
  shared: Uniforms,
  depth: Depth,
  side: typeof FRONT | typeof DOUBLE = DOUBLE,
): Mesh<BufferGeometry, RawShaderMaterial> {
  const material = new RawShaderMaterial({
    vertexShader,
    fragmentShader,
    glslVersion: GLSL3,
    uniforms: { ...shared, opacity: { value: 1 } },
    transparent: true,
    side,
    ...depth,
  });
  const mesh = new Mesh(new BufferGeometry(), material);
  mesh.visible = false;
  return mesh;
}

function shares(color: number): [number, number, number, number] {
  const [red, green, blue, alpha] = rgba(color);
  return [red / 255, green / 255, blue / 255, alpha / 255];
}

/** As three.js takes colours: red in the highest byte. */
function hexOf(color: number): number {
  const [red, green, blue] = rgba(color);
  return (red << 16) | (green << 8) | blue;
}
