// Two pages beside each other in one window: the one that has the address, and one in a frame of it that
// shows another trace, or the same one elsewhere. What the second one shows is part of the address of
// the first.

import type { Navigation } from './navigation.svelte';
import type { Window } from './types';

export interface BesideView {
  /** What the first page has of the width, in percent. */
  readonly share: number;
  /** Both show the same window. */
  readonly isLinked: boolean;
  /** What the other page shows, as it stands in addresses; empty until that is decided. */
  readonly fragment: string;
}

export const USUAL_BESIDE: BesideView = { share: 50, isLinked: false, fragment: '' };
export const LEAST_SHARE = 20;

/** Whole tenths keep the address short and let the border move by a pixel or so. */
export function writeBeside({ share, isLinked, fragment }: BesideView): string {
  const kept = Math.min(Math.max(share, LEAST_SHARE), 100 - LEAST_SHARE);
  return [Math.round(kept * 10) / 10, ...(isLinked ? ['linked'] : []), fragment].join(' ').trim();
}

/** `null` if it is none. */
export function readBeside(text: string): BesideView | null {
  const [, share, linked, fragment = ''] =
    /^(\d\d(?:\.\d)?)( linked)?(?: (\S+))?$/.exec(text) ?? [];
  const isShare = Number(share) >= LEAST_SHARE && Number(share) <= 100 - LEAST_SHARE;
  return isShare ? { share: Number(share), isLinked: linked !== undefined, fragment } : null;
}

/** Has the page room and right for another one beside it? One that stands in a frame has not. */
export function mayHaveBeside({ isAddressed }: Navigation): boolean {
  return isAddressed && window.parent === window;
}

/** Shows a trace beside, in the place of what was there. */
export function openBeside(navigation: Navigation, trace: string): void {
  const now = readBeside(navigation.beside) ?? USUAL_BESIDE;
  const fragment = new URLSearchParams({ trace }).toString();
  navigation.setBeside(writeBeside({ ...now, fragment }));
}

/** What the two tell each other. Windows are in seconds after the begin of the trace. */
export type Told =
  | { readonly kind: 'window'; readonly window: Window }
  /** Another trace is there, with a window that nobody chose. */
  | { readonly kind: 'begun' }
  /** How the view is written in addresses. */
  | { readonly kind: 'fragment'; readonly fragment: string }
  /** The keys are for the first page again. */
  | { readonly kind: 'leave' };

/** What a message says, if it comes from the other page: nobody else is listened to. */
export function heard(other: MessageEventSource | null, event: MessageEvent): Told | null {
  return other !== null && event.source === other && event.origin === origin ? event.data : null;
}
