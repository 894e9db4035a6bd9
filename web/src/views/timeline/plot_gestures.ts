// What pointers and wheels do over the rows.

import type { Point } from '../../lib/geometry';
import { around, zoomed } from '../../lib/window';
import { nodeOf } from '../../state/picks';
import { wheelMeaning } from '../stage/gestures';
import { panBy, pinchTime, rangeDrag, zoomAt } from '../stage/over_time';
import type { PointedMark } from '../stage/pointed.svelte';
import type { Gestures } from '../stage/pointer';
import { rowAt } from './rows';
import type { Timeline } from './timeline.svelte';

export function plotGestures(timeline: Timeline): Gestures {
  const { pane, desk, pointed } = timeline;
  return {
    hover: ({ at }) => pointed.moveTo(markAt(timeline, at)),
    leave: () => pointed.leave(),
    drag: (press) =>
      rangeDrag(timeline.stage, press) ?? {
        move(_, by) {
          panBy(timeline.stage, -by.x);
          timeline.scrollBy(-by.y);
        },
      },
    pinch(before, after) {
      pinchTime(timeline.stage, before, after);
      timeline.scrollBy((before[0].y + before[1].y - after[0].y - after[1].y) / 2);
    },
    wheel({ at }, event) {
      const canScroll = !timeline.isFit && timeline.mostScroll > 0;
      const meaning = wheelMeaning(event, canScroll);
      if (meaning.kind === 'zoom') zoomAt(timeline.stage, meaning.factor, at.x);
      else if (meaning.kind === 'pan') panBy(timeline.stage, meaning.pixels);
      else timeline.scrollBy(meaning.pixels);
    },
    click({ at, shift }) {
      const mark = markAt(timeline, at);
      if (mark === null) {
        pane.selectNothing();
        return;
      }
      const nodes = rowUnder(timeline, at)?.nodes ?? [];
      const others = shift ? pane.selection.nodes.filter((node) => !nodes.includes(node)) : [];
      const { hit, at: time, span } = mark;
      pane.select({ pick: hit.pick, nodes: [...others, ...nodes], at: time, span });
    },
    doubleClick: ({ at }) => void zoomInto(timeline, at),
    menu({ at, page }) {
      const mark = markAt(timeline, at);
      const isRow = mark && nodeOf(mark.hit.pick) !== null && mark.hit.kind === 'rects';
      const row = isRow ? rowUnder(timeline, at) : null;
      if (row !== null) {
        const { nodes, name, path } = row;
        desk.openMenu(page, { kind: 'row', nodes, name, path });
      } else if (mark !== null) {
        const { hit, at: time, span } = mark;
        desk.openMenu(page, { kind: 'entity', pick: hit.pick, at: time, span });
      } else {
        desk.openMenu(page, { kind: 'time', at: Math.round(timeline.stage.timeAt(at.x)) });
      }
    },
  };
}

/** Points at what is now where the pointer rests. */
export function pointAgain(timeline: Timeline): void {
  const { pointing } = timeline.stage;
  if (pointing !== null) timeline.pointed.moveTo(markAt(timeline, pointing.at));
}

function rowUnder({ scene, scrollY }: Timeline, { y }: Point) {
  return rowAt(scene?.rows ?? [], y + scrollY);
}

function markAt(timeline: Timeline, at: Point): PointedMark | null {
  const { hits, transform, scene } = timeline;
  const hit = hits?.at(at.x, at.y, transform) ?? null;
  if (hit === null || scene === null) return null;
  if (hit.kind === 'strips') {
    const begin = Math.max(Math.floor(scene.window.from + hit.box.x0), 0);
    const span = Math.max(Math.round(hit.box.x1 - hit.box.x0), 1);
    const nodes = rowUnder(timeline, at)?.nodes ?? [];
    return { hit, at: begin, span, ...(nodes.length > 1 && { nodes }) };
  }
  const span = Math.max(Math.ceil(1 / timeline.pixelsPerTick), 1);
  return { hit, at: Math.max(Math.floor(timeline.stage.timeAt(at.x)), 0), span };
}

/** Zooms to what is under the pointer, or into the place. */
async function zoomInto(timeline: Timeline, at: Point): Promise<void> {
  const { pane, session, pointed, stage } = timeline;
  const mark = markAt(timeline, at);
  const { start, end } = mark === null ? NOWHERE : await pointed.inspect(mark).catch(() => NOWHERE);
  const window =
    start !== null && end !== null && end > start
      ? around(start, end, session.whole.to)
      : zoomed(pane.window, 0.25, at.x / stage.width, session.whole.to);
  pane.zoomTo(window.from, window.to);
}

const NOWHERE = { start: null, end: null };
