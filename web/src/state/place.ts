// Where the view stands: in the address and the history of a window, or in the page alone, if that
// is part of another one, whose address and history are not its own.

/** What was kept with a step; `null` if the address was changed by hand. */
export type Kept = unknown;

export interface Place {
  /** An address leads here: it can be passed on, and other traces can be opened in it. */
  readonly isAddressed: boolean;
  /** All of the address; empty without one. */
  readonly address: string;
  /** What it says about the view. */
  readonly fragment: string;
  readonly kept: Kept;
  /** Adds a step, or changes the one that we are at. */
  write(how: 'pushState' | 'replaceState', kept: Kept, fragment: string): void;
  back(): void;
  forward(): void;
  onStep(listener: (kept: Kept) => void): void;
}

export const ADDRESS: Place = {
  isAddressed: true,
  get address() {
    return location.href;
  },
  get fragment() {
    return location.hash;
  },
  get kept() {
    return history.state;
  },
  write: (how, kept, fragment) => history[how](kept, '', `#${fragment}`),
  back: () => history.back(),
  forward: () => history.forward(),
  onStep: (listener) => window.addEventListener('popstate', ({ state }) => listener(state)),
};
