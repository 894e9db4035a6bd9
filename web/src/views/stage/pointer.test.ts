// @vitest-environment happy-dom

import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Point } from '../../lib/geometry';
import { type Gestures, PointerMachine } from './pointer';

const LEFT = 100;
const TOP = 50;

let element: HTMLElement;
let said: string[];
let stop = () => {};

beforeEach(() => {
  element = document.createElement('div');
  element.getBoundingClientRect = () => new DOMRect(LEFT, TOP, 400, 300);
  document.body.append(element);
  said = [];
});
afterEach(() => {
  stop();
  element.remove();
});

const text = ({ x, y }: Point) => `${x},${y}`;

/** Writes down every gesture. */
function scribe(more: Partial<Gestures> = {}): PointerMachine {
  const machine = new PointerMachine({
    drag: ({ at, button }) => {
      said.push(`drag ${text(at)} button ${button}`);
      return {
        move: (to, by) => said.push(`move ${text(to)} by ${text(by)}`),
        end: () => said.push('end'),
        cancel: () => said.push('cancel'),
      };
    },
    click: ({ at, shift }) => said.push(`click ${text(at)}${shift ? ' shift' : ''}`),
    doubleClick: ({ at }) => said.push(`double ${text(at)}`),
    menu: ({ at, page }) => said.push(`menu ${text(at)} on ${text(page)}`),
    wheel: ({ at }, { deltaY }) => said.push(`wheel ${deltaY} ${text(at)}`),
    pinch: ([a, b], [c, d]) => said.push(`pinch ${text(a)} ${text(b)} to ${text(c)} ${text(d)}`),
    hover: ({ at }) => said.push(`hover ${text(at)}`),
    leave: () => said.push('leave'),
    ...more,
  });
  stop = machine.listen(element);
  return machine;
}

/** An event at a place of the element; tells whether the browser may still do its own. */
function pointer(name: string, x: number, y: number, init: PointerEventInit = {}): boolean {
  const place = { clientX: LEFT + x, clientY: TOP + y };
  const usual = { pointerId: 1, pointerType: 'mouse', button: 0, cancelable: true, bubbles: true };
  return element.dispatchEvent(new PointerEvent(`pointer${name}`, { ...usual, ...place, ...init }));
}

it('a press that hardly moves is a click where it began', () => {
  scribe();
  pointer('down', 10, 10);
  pointer('move', 12, 11);
  pointer('up', 12, 11, { shiftKey: true });
  expect(said).toEqual(['click 10,10 shift']);
});

it('a press that moves is a drag, and no click', () => {
  scribe();
  pointer('down', 10, 10);
  pointer('move', 13, 10);
  pointer('move', 20, 10);
  pointer('move', 15, 12);
  pointer('up', 15, 12);
  expect(said).toEqual([
    'leave',
    'drag 10,10 button 0',
    'move 20,10 by 10,0',
    'move 15,12 by -5,2',
    'end',
  ]);
});

it('where nothing can be dragged, a press that moves means nothing', () => {
  scribe({ drag: () => null });
  pointer('down', 10, 10);
  pointer('move', 30, 10);
  pointer('up', 30, 10);
  expect(said).toEqual(['leave']);
});

it('Escape takes a drag back, once', () => {
  const machine = scribe();
  expect(machine.escape()).toBe(false);
  pointer('down', 10, 10);
  expect(machine.escape()).toBe(false);
  pointer('up', 10, 10);
  pointer('down', 10, 10);
  pointer('move', 30, 10);
  expect(machine.escape()).toBe(true);
  expect(machine.escape()).toBe(false);
  pointer('move', 40, 10);
  pointer('up', 40, 10);
  expect(said).toEqual(['leave', 'drag 10,10 button 0', 'move 30,10 by 20,0', 'cancel']);
});

it('a press that the browser takes away is no click', () => {
  scribe();
  pointer('down', 10, 10);
  pointer('cancel', 10, 10);
  pointer('down', 10, 10);
  pointer('move', 30, 10);
  pointer('cancel', 30, 10);
  pointer('move', 31, 10);
  expect(said).toEqual([
    'leave',
    'drag 10,10 button 0',
    'move 30,10 by 20,0',
    'cancel',
    'hover 31,10',
  ]);
});

it('a pointer that presses nothing hovers until it leaves', () => {
  scribe();
  pointer('move', 10, 10);
  pointer('leave', 0, 10);
  pointer('move', 10, 10, { pointerType: 'touch' });
  expect(said).toEqual(['hover 10,10', 'leave']);
});

it('a pointer that is held down outside has not left', () => {
  scribe();
  pointer('down', 10, 10);
  pointer('leave', -5, 10);
  expect(said).toEqual([]);
});

it('two fingers pinch; what one of them began is taken back', () => {
  scribe();
  const finger = (pointerId: number) => ({ pointerId, pointerType: 'touch' });
  pointer('down', 100, 100, finger(1));
  pointer('move', 110, 100, finger(1));
  pointer('down', 200, 100, finger(2));
  pointer('move', 220, 100, finger(2));
  pointer('move', 90, 100, finger(1));
  pointer('up', 90, 100, finger(1));
  pointer('move', 240, 100, finger(2));
  pointer('up', 240, 100, finger(2));
  expect(said).toEqual([
    'leave',
    'drag 100,100 button 0',
    'move 110,100 by 10,0',
    'cancel',
    'leave',
    'pinch 200,100 110,100 to 220,100 110,100',
    'pinch 110,100 220,100 to 90,100 220,100',
  ]);
});

it('a wheel belongs to the picture, not to the page', () => {
  scribe();
  const turn = () => {
    const event = new WheelEvent('wheel', { deltaY: 120, cancelable: true });
    // Those of happy-dom have no place.
    return element.dispatchEvent(Object.assign(event, { clientX: 110, clientY: 60 }));
  };
  expect(turn()).toBe(false);
  expect(said).toEqual(['wheel 120 10,10', 'hover 10,10']);
  stop();
  expect(turn()).toBe(true);
  expect(said).toHaveLength(2);
});

it('a double click', () => {
  scribe();
  element.dispatchEvent(new MouseEvent('dblclick', { clientX: 110, clientY: 60 }));
  expect(said).toEqual(['double 10,10']);
});

const openMenu = () =>
  element.dispatchEvent(
    new MouseEvent('contextmenu', { clientX: 110, clientY: 60, cancelable: true }),
  );

it('the menu is that of the picture', () => {
  scribe();
  pointer('down', 10, 10, { button: 2 });
  pointer('move', 30, 10);
  pointer('up', 30, 10, { button: 2 });
  expect(openMenu()).toBe(false);
  expect(said).toEqual(['hover 30,10', 'leave', 'menu 10,10 on 110,60']);
});

it('where all buttons drag, the right one opens the menu if it did not', () => {
  scribe({ dragsWithAllButtons: true });
  pointer('down', 10, 10, { button: 2 });
  expect(openMenu()).toBe(false);
  pointer('up', 10, 10, { button: 2 });
  expect(said).toEqual(['leave', 'menu 10,10 on 110,60']);
  said = [];
  pointer('down', 10, 10, { button: 2 });
  pointer('move', 30, 10);
  pointer('up', 30, 10, { button: 2 });
  expect(openMenu()).toBe(false);
  expect(said).toEqual(['leave', 'drag 10,10 button 2', 'move 30,10 by 20,0', 'end']);
});
