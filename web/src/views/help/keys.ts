// All gestures and keys, as the help shows them. docs/view.md has the same list for readers.

export interface KeyGroup {
  readonly title: string;
  readonly keys: readonly (readonly [keys: string, meaning: string])[];
}

export const KEY_GROUPS: readonly KeyGroup[] = [
  {
    title: 'Move through time',
    keys: [
      ['W  S  +  −', 'zoom in, zoom out'],
      ['A  D  ←  →', 'pan'],
      ['↑  ↓', 'scroll the rows'],
      ['F', 'show the whole trace'],
      ['T', 'enter the window as exact times'],
      ['Ctrl-Z  Ctrl-Y', 'undo, redo; also back and forward of the browser'],
    ],
  },
  {
    title: 'Select and mark',
    keys: [
      ['M', 'mark the time under the pointer'],
      ['Shift-M', 'a note on the selected window, and the selected row'],
      ['G', 'group the selected rows'],
      ['U', 'pin the selected rows to the top, or let them go'],
      ['H', 'hide the value that is selected, or the selected rows'],
      ['Esc', 'close, cancel, select nothing'],
    ],
  },
  {
    title: 'Follow',
    keys: [
      ['[  ]', 'previous, next on the row; from a row to its last, first state'],
      ['P  N', 'previous, next in cause: who was waited for, messages, the states at their ends'],
      ['K  J', 'previous, next step of the critical path'],
      ['L  Shift-L', 'next shorter, next longer of the same value; from a value to its longest'],
      ['O', 'what stands out in the trace'],
    ],
  },
  {
    title: 'Pointer',
    keys: [
      ['Wheel', 'scroll the rows, or zoom when all are seen; in a treemap: through the levels'],
      ['Ctrl-wheel  pinch', 'zoom at the pointer'],
      ['Shift-wheel  drag', 'pan'],
      [
        'Shift-drag',
        'select a window of time; so does a drag on the ruler. On the strip at the top: a new window',
      ],
      ['Alt-drag', 'zoom to a window of time'],
      ['Click  Shift-click', 'select, add to the selection'],
      ['Double-click', 'zoom to it'],
      ['Right click', 'what can be done with it'],
    ],
  },
  {
    title: 'Space',
    keys: [
      ['Drag', 'turn the scene; on a node of the base: move it and pin it there'],
      ['Shift-drag  right drag', 'move the scene'],
      ['Wheel  +  −', 'nearer, farther'],
      ['Alt-wheel', 'scale time; with Shift: move through it'],
      ['Ctrl-drag', 'move the node that a box stands on'],
      ['W A S D  arrows', 'fly'],
      ['Q  E', 'turn around'],
      ['Double-click', 'zoom to it; on a node: unpin it'],
    ],
  },
  {
    title: 'Panels',
    keys: [
      ['Ctrl-K', 'commands, and containers by name'],
      ['Ctrl-O', 'open a trace; so does a file that is dropped on the page'],
      ['V', 'another trace beside this one; again: to the other side'],
      ['/', 'search'],
      ['I', 'fold or unfold the inspector'],
      ['B', 'fold or unfold the panels at the foot'],
      ['1 … 8', 'show a panel at the foot'],
      ['X', 'show or hide who waits for others'],
      ['C', 'show or hide the critical path'],
      ['?', 'this help'],
    ],
  },
];
