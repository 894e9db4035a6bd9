// Shaders of scenes in space. `z` is a share of the time axis of the answer; `time` leads from there
// to what is seen, and what lies outside is not drawn.

const COMMON = `
precision highp float;
uniform mat4 place;
uniform vec2 viewport;
uniform float height;
uniform vec2 time;

float seen(float z) {
  return z * time.x + time.y;
}

vec4 placed(vec3 at) {
  return place * vec4(at.xy, seen(at.z) * height, 1.0);
}
`;

/** Strokes and outlines may end exactly at the ends of the window. */
const LOOK = `
precision highp float;
uniform vec4 background;
uniform vec4 emphasis;
uniform float opacity;
out vec4 result;

void hideOutside(float z) {
  if (z < -0.0005 || z > 1.0005) discard;
}

vec3 emphasised(vec3 color) {
  bool isOther = emphasis.w > 0.0 && distance(color, emphasis.rgb) > 0.01;
  return isOther ? mix(color, background.rgb, 0.8) : color;
}
`;

export const FLAT_VERTEX = `
${COMMON}
in vec3 position;
in vec4 color;
out vec4 ink;
out float level;

void main() {
  gl_Position = placed(position);
  ink = color;
  level = seen(position.z);
}
`;

/** Widths are in pixels: a vertex goes off its line across and along it, on the page. */
export const STROKE_VERTEX = `
${COMMON}
in vec3 position;
in vec3 toward;
in vec2 offset;
in vec4 color;
out vec4 ink;
out float level;

void main() {
  vec4 here = placed(position);
  vec2 way = (placed(toward).xy - here.xy) * viewport;
  float size = length(way);
  vec2 along = size < 0.0001 ? vec2(1.0, 0.0) : way / size;
  vec2 across = vec2(-along.y, along.x);
  here.xy += (along * offset.y + across * offset.x) * 2.0 / viewport;
  // Just before the boxes that it touches.
  here.z -= 0.0005;
  gl_Position = here;
  ink = color;
  level = seen(position.z);
}
`;

export const PLAIN_FRAGMENT = `
${LOOK}
in vec4 ink;
in float level;

void main() {
  hideOutside(level);
  result = vec4(ink.rgb, ink.a * opacity);
}
`;

export const BOX_VERTEX = `
${COMMON}
in vec3 position;
in vec4 corner;
in vec4 color;
out vec3 within;
out vec4 ink;
out float level;

void main() {
  gl_Position = placed(position);
  within = corner.xyz;
  ink = color;
  level = seen(position.z);
}
`;

/**
 * On a face of a box one of the three coordinates within it does not change: that tells which face
 * it is. The others tell how far its edges are. Sides are darker as in the figures.
 */
export const BOX_FRAGMENT = `
${LOOK}
in vec3 within;
in vec4 ink;
in float level;

uniform vec2 shades;

const float STILL = 0.00001;

void main() {
  hideOutside(level);
  vec3 change = fwidth(within);
  float shade = change.x < STILL ? shades.x : change.y < STILL ? shades.y : 0.0;
  vec3 pixels = 1.0 / max(change, vec3(STILL));
  vec3 fromEdge = min(within, 1.0 - within) * pixels;
  vec3 moving = step(vec3(STILL), change);
  fromEdge = mix(vec3(1000.0), fromEdge, moving);
  pixels = mix(vec3(1000.0), pixels, moving);
  float nearest = min(fromEdge.x, min(fromEdge.y, fromEdge.z));
  float smallest = min(pixels.x, min(pixels.y, pixels.z));
  float edge = (1.0 - smoothstep(0.4, 1.2, nearest)) * smoothstep(4.0, 9.0, smallest);
  vec3 color = emphasised(ink.rgb) * (1.0 - shade);
  result = vec4(color * (1.0 - 0.3 * edge), ink.a * opacity);
}
`;
