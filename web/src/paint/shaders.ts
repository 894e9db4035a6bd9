// The programs on the graphics card. Every mark is a quad of four vertices that all carry the
// whole mark; a vertex learns from its number which corner it is. Marks need no instancing, which
// is slow in software renderers, and no rebuilding when the view moves.

import { ARROW, PATTERN, SHAPE } from '../api/generated';
import { FADE, HATCH_OPACITY, HATCH_STEP } from './painter';

const COMMON = `#version 300 es
precision highp float;
precision highp int;
precision highp usampler2D;
uniform vec2 u_scale;       // from the scene to device pixels
uniform vec2 u_shift;
uniform vec2 u_size;        // of the canvas in device pixels
uniform float u_pixel;      // device pixels of a pixel of the page
uniform vec3 u_background;
uniform vec4 u_emphasis;    // the colour that stays while others fade; clear for none
uniform float u_hatch;      // where the hatch begins, so that it moves with the marks
`;

const VERTEX = `${COMMON}
vec2 corner() { return vec2(float(gl_VertexID & 1), float((gl_VertexID >> 1) & 1)); }
vec4 clip(vec2 at) { return vec4(at.x / u_size.x * 2.0 - 1.0, 1.0 - at.y / u_size.y * 2.0, 0.0, 1.0); }
`;

/** Marks that are boxes: `place_box` puts a vertex at its corner. */
const BOX_VERTEX = `${VERTEX}
layout(location = 0) in vec4 a_box;
flat out vec4 v_box;
// The sides of a box on whole pixels, at least one apart, and not far outside the canvas.
vec4 snapped(vec4 box) {
  vec2 first = floor(box.xy * u_scale + u_shift + 0.5);
  vec2 last = floor(box.zw * u_scale + u_shift + 0.5);
  // Views whose values grow upwards have their boxes upside down.
  vec2 low = min(first, last);
  vec2 high = max(max(first, last), low + 1.0);
  return vec4(max(low, vec2(-16.0)), min(high, u_size + 16.0));
}
void place_box() {
  v_box = snapped(a_box);
  gl_Position = clip(mix(v_box.xy, v_box.zw, corner()));
}
`;

const FRAGMENT = `${COMMON}
const float FADE = ${FADE};
out vec4 o_color;
vec2 here() { return vec2(gl_FragCoord.x, u_size.y - gl_FragCoord.y); }
void paint(vec4 color) { o_color = vec4(color.rgb * color.a, color.a); }
// A pixel that a mark covers only in part.
void paint_share(vec4 color, float share) {
  if (share <= 0.0) discard;
  paint(vec4(color.rgb, color.a * share));
}
// A colour of a mark, faded unless the mark has the colour that stays.
vec4 faded(vec4 color, vec4 mark) {
  bool stays = u_emphasis.a == 0.0 || distance(mark.rgb, u_emphasis.rgb) < 0.004;
  return stays ? color : vec4(mix(color.rgb, u_background, FADE), color.a);
}
// Lists lie in textures, row by row.
ivec2 texel(uint place) { return ivec2(place & 2047u, place >> 11); }
uint number(usampler2D list, uint place) { return texelFetch(list, texel(place), 0).r; }
// Fine slanted lines of the background.
vec4 hatched(vec4 color, vec2 at) {
  float step_ = ${HATCH_STEP.toFixed(1)} * u_pixel;
  float aside = abs(mod(at.x + at.y - u_hatch, step_) - step_ * 0.5) * 0.7071;
  float share = clamp(0.5 * u_pixel - aside + 0.5, 0.0, 1.0) * ${HATCH_OPACITY};
  return vec4(mix(color.rgb, u_background, share), color.a);
}
`;

export const RECT_VERTEX = `${BOX_VERTEX}
layout(location = 1) in vec4 a_fill;
layout(location = 2) in vec4 a_edge;
layout(location = 3) in uint a_pattern;
flat out vec4 v_fill;
flat out vec4 v_edge;
flat out uint v_pattern;
void main() {
  place_box();
  v_fill = a_fill;
  v_edge = a_edge;
  v_pattern = a_pattern;
}
`;

/** How a rectangle looks at a place in it: fill, pattern, edge. */
const RECT_LOOK = `
float to_line(vec2 at, vec2 from, vec2 to) {
  vec2 along = normalize(to - from);
  return abs(dot(at - from, vec2(-along.y, along.x)));
}
vec4 marking(vec4 fill) {
  vec3 ground = mix(u_background, fill.rgb, fill.a);
  float light = dot(ground, vec3(0.299, 0.587, 0.114));
  return vec4(vec3(light > 0.431 ? 0.0 : 1.0), 0.588);
}
vec4 rect_look(vec2 at, vec4 box, vec4 fill, vec4 edge, uint pattern) {
  vec2 size = box.zw - box.xy;
  vec2 inside = min(at - box.xy, box.zw - at);
  bool has_edge = edge.a > 0.0 && min(size.x, size.y) >= 3.0 * u_pixel;
  if (has_edge && min(inside.x, inside.y) < u_pixel) return faded(edge, fill);
  vec4 color = faded(fill, fill);
  if (pattern == ${PATTERN.hatch}u) color = hatched(color, at);
  if (pattern == ${PATTERN.diagonal}u || pattern == ${PATTERN.cross}u) {
    float far = to_line(at, box.xw, box.zy);
    if (pattern == ${PATTERN.cross}u) far = min(far, to_line(at, box.xy, box.zw));
    vec4 mark = marking(fill);
    float share = clamp(0.5 * u_pixel - far + 0.5, 0.0, 1.0) * mark.a;
    color = vec4(mix(color.rgb, mark.rgb, share), max(color.a, share));
  }
  return color;
}
`;

export const RECT_FRAGMENT = `${FRAGMENT}${RECT_LOOK}
flat in vec4 v_box;
flat in vec4 v_fill;
flat in vec4 v_edge;
flat in uint v_pattern;
void main() { paint(rect_look(here(), v_box, v_fill, v_edge, v_pattern)); }
`;

export const BAND_VERTEX = `${BOX_VERTEX}
layout(location = 1) in uvec2 a_rects;
flat out uvec2 v_rects;
void main() {
  place_box();
  v_rects = a_rects;
}
`;

export const BAND_FRAGMENT = `${FRAGMENT}${RECT_LOOK}
flat in vec4 v_box;
flat in uvec2 v_rects;      // the first, and how many
uniform highp sampler2D u_x0;
uniform highp sampler2D u_x1;
uniform sampler2D u_fill;
uniform sampler2D u_edge;
uniform usampler2D u_pattern;
float side(highp sampler2D list, uint place) {
  return floor(texelFetch(list, texel(place), 0).r * u_scale.x + u_shift.x + 0.5);
}
void main() {
  vec2 at = here();
  // The last rectangle that begins at or before this place.
  uint low = v_rects.x, high = v_rects.x + v_rects.y;
  while (high - low > 1u) {
    uint middle = (low + high) >> 1;
    if (side(u_x0, middle) <= at.x) low = middle; else high = middle;
  }
  float x0 = side(u_x0, low);
  float x1 = max(side(u_x1, low), x0 + 1.0);
  if (at.x < x0 || at.x >= x1) discard;
  vec4 fill = texelFetch(u_fill, texel(low), 0);
  vec4 edge = texelFetch(u_edge, texel(low), 0);
  paint(rect_look(at, vec4(x0, v_box.y, x1, v_box.w), fill, edge, number(u_pattern, low)));
}
`;

export const STRIP_VERTEX = `${BOX_VERTEX}
layout(location = 1) in uvec2 a_columns;
flat out vec2 v_sides;
flat out uvec2 v_columns;
flat out float v_height;    // before it was put on whole pixels
void main() {
  place_box();
  v_height = abs(a_box.w - a_box.y) * u_scale.y;
  v_sides = a_box.xz * u_scale.x + u_shift.x;
  v_columns = a_columns;
}
`;

export const STRIP_FRAGMENT = `${FRAGMENT}
flat in vec4 v_box;
flat in vec2 v_sides;
flat in uvec2 v_columns;
flat in float v_height;
// How columns become pixels: what is thin; the step of means; share, least and most of the mark of
// what is rare; the height and the shade of a foot.
uniform float u_rules[7];
uniform usampler2D u_run;
uniform usampler2D u_first_part;
uniform usampler2D u_rare;
uniform usampler2D u_aggregate;
uniform usampler2D u_color;
uniform usampler2D u_share;
uniform sampler2D u_palette;
vec4 shade(uint place) {
  vec4 color = texelFetch(u_palette, texel(place), 0);
  return faded(color, color);
}
// What a pixel sees of the parts of a column: the mean of those that it covers, so that no part is
// lost where rows are thin.
vec4 mixed(uint part, uint end, float level, float reach) {
  float from = max(level - reach, 0.0), to = min(level + reach, 255.0);
  vec4 sum = vec4(0.0);
  float below = 0.0;
  for (; part < end && below < to; part += 1u) {
    float above = below + float(number(u_share, part));
    float amount = min(above, to) - max(below, from);
    if (amount > 0.0) {
      vec4 color = shade(number(u_color, part));
      sum += amount * vec4(color.rgb * color.a, color.a);
    }
    below = above;
  }
  if (sum.a == 0.0) return sum;
  float step_ = u_rules[1] / 255.0;
  return vec4(min(floor(sum.rgb / sum.a / step_ + 0.5) * step_, 1.0), sum.a / (to - from));
}
vec4 part_at(uint part, uint end, float level) {
  float above = 0.0;
  for (; part < end; part += 1u) {
    above += float(number(u_share, part));
    if (level < above) return shade(number(u_color, part));
  }
  return vec4(0.0);
}
void main() {
  vec2 at = here();
  float height = v_box.w - v_box.y;
  float along = (at.x - v_sides.x) / (v_sides.y - v_sides.x) * float(v_columns.y);
  uint column = v_columns.x + uint(clamp(along, 0.0, float(v_columns.y) - 1.0));
  uint run = number(u_run, column);
  uint part = number(u_first_part, run);
  uint end = number(u_first_part, run + 1u);
  uint rare = number(u_rare, run);
  float mark = clamp(height * u_rules[2], u_rules[3] * u_pixel, u_rules[4] * u_pixel);
  float level = (v_box.w - at.y) / height * 255.0;
  bool is_foot = number(u_aggregate, run) != 0u && v_box.w - at.y < u_rules[5] * u_pixel;
  vec4 color;
  if (v_height < u_rules[0] * u_pixel) color = mixed(part, end, level, 127.5 / height);
  else if (rare != 65535u && at.y - v_box.y < mark) color = shade(rare);
  else {
    color = part_at(part, end, level);
    if (is_foot) color.rgb *= 1.0 - u_rules[6];
  }
  if (color.a == 0.0) discard;
  paint(color);
}
`;

export const STROKE_VERTEX = `${VERTEX}
layout(location = 0) in vec4 a_ends;
layout(location = 1) in vec4 a_color;
layout(location = 2) in float a_width;
layout(location = 3) in uint a_kind;
flat out vec4 v_color;
flat out uint v_kind;
flat out vec4 v_sizes;      // half the width, the length, the length of the head, the dot
out vec2 v_at;              // along and aside
float centred(float at, float width) {
  return mod(floor(width + 0.5), 2.0) == 1.0 ? floor(at) + 0.5 : floor(at + 0.5);
}
void main() {
  vec2 from = a_ends.xy * u_scale + u_shift;
  vec2 to = a_ends.zw * u_scale + u_shift;
  float width = a_width * u_pixel;
  // What lies along an axis is sharp on whole pixels.
  if (abs(from.y - to.y) < 0.01) { from.y = centred(from.y, width); to.y = from.y; }
  else if (abs(from.x - to.x) < 0.01) { from.x = centred(from.x, width); to.x = from.x; }
  float far = distance(from, to);
  vec2 along = far > 0.0 ? (to - from) / far : vec2(1.0, 0.0);
  float head = (a_kind & ${ARROW.head}u) != 0u ? min(max(6.0 * u_pixel, width * 3.0), far * 0.7) : 0.0;
  float dot_ = (a_kind & ${ARROW.dot}u) != 0u ? max(1.75 * u_pixel, width * 1.1) : 0.0;
  float reach = max(max(width * 0.5, head * 0.38), dot_) + 1.0;
  vec2 side = corner();
  v_at = vec2(mix(-reach, far + reach, side.x), mix(-reach, reach, side.y));
  v_color = a_color;
  v_kind = a_kind;
  v_sizes = vec4(width * 0.5, far, head, dot_);
  gl_Position = clip(from + along * v_at.x + vec2(-along.y, along.x) * v_at.y);
}
`;

export const STROKE_FRAGMENT = `${FRAGMENT}
flat in vec4 v_color;
flat in uint v_kind;
flat in vec4 v_sizes;
in vec2 v_at;
void main() {
  float half_ = v_sizes.x, far = v_sizes.y, head = v_sizes.z;
  float base = far - head;
  float aside = abs(v_at.y);
  // The shaft is a line with round ends; a thin one fades rather than vanishes.
  float beyond = max(max(-v_at.x, v_at.x - base), 0.0);
  float share = clamp(half_ + 0.5 - length(vec2(beyond, aside)), 0.0, min(1.0, half_ * 2.0));
  if (head > 0.0 && v_at.x >= base) {
    float room = max(head * 0.38, half_) * (1.0 - (v_at.x - base) / head);
    share = max(share, clamp(room + 0.5 - aside, 0.0, 1.0));
  }
  if (v_sizes.w > 0.0) share = max(share, clamp(v_sizes.w + 0.5 - length(v_at), 0.0, 1.0));
  if ((v_kind & 4u) != 0u && mod(v_at.x, 7.0 * u_pixel) > 4.0 * u_pixel) share = 0.0;
  paint_share(v_color, share);
}
`;

export const GLYPH_VERTEX = `${VERTEX}
layout(location = 0) in vec2 a_at;
layout(location = 1) in vec4 a_color;
layout(location = 2) in float a_size;
layout(location = 3) in uint a_shape;
flat out vec4 v_color;
flat out uint v_shape;
flat out float v_size;
out vec2 v_from;
void main() {
  v_size = a_size * u_pixel;
  v_color = a_color;
  v_shape = a_shape;
  float reach = v_size + 1.0;
  v_from = mix(vec2(-reach), vec2(reach), corner());
  gl_Position = clip(a_at * u_scale + u_shift + v_from);
}
`;

export const GLYPH_FRAGMENT = `${FRAGMENT}
flat in vec4 v_color;
flat in uint v_shape;
flat in float v_size;
in vec2 v_from;
// How far inside the shape a place is, in pixels.
float depth() {
  float half_ = v_size * 0.5;
  vec2 away = abs(v_from);
  if (v_shape == ${SHAPE.triangle}u) return min((v_from.y * 0.5 - away.x) * 0.894, v_size - v_from.y);
  if (v_shape == ${SHAPE.diamond}u) return (half_ - away.x - away.y) * 0.707;
  if (v_shape == ${SHAPE.disc}u) return half_ - length(v_from);
  if (v_shape == ${SHAPE.square}u) return half_ - max(away.x, away.y);
  return min(0.5 * u_pixel - away.x, half_ - away.y);
}
void main() {
  float share = clamp(depth() + 0.5, 0.0, 1.0);
  paint_share(v_color, share);
}
`;

export const FILL_VERTEX = `${VERTEX}
layout(location = 0) in vec2 a_at;
layout(location = 1) in vec4 a_color;
flat out vec4 v_color;
void main() {
  v_color = a_color;
  gl_Position = clip(a_at * u_scale + u_shift);
}
`;

export const FILL_FRAGMENT = `${FRAGMENT}
flat in vec4 v_color;
void main() { paint(v_color); }
`;
