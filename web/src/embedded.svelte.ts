// Starts the page inside another one, as in a cell of a notebook. That page may neither be looked into
// nor asked by address: whatever is needed comes through a port that it sends.

import { mount } from 'svelte';
import App from './App.svelte';
import { Client } from './api/client';
import { isPortAnswer, PortTransport } from './api/port';
import {
  type FromHost,
  type Greeting,
  readSelection,
  readWindow,
  type ToHost,
  Told,
  writeSelection,
} from './host';
import { isTyping } from './keys';
import { Desk } from './state/desk.svelte';
import { Navigation } from './state/navigation.svelte';
import { OwnPlace } from './state/own_place';
import { TraceSession } from './state/trace_session.svelte';
import { Workspace } from './state/workspace.svelte';
import './widgets/theme.css';
import './widgets/base.css';
import './widgets/embedded.css';

addEventListener('message', function greeted({ source, data, ports: [port] }: MessageEvent) {
  // Only the page around this one is listened to, and once.
  if (source !== parent || (data as Greeting | null)?.kind !== 'onca' || port === undefined) return;
  removeEventListener('message', greeted);
  void start(data as Greeting, port);
});

const FONTS = [
  ['Regular', '400'],
  ['Bold', '700'],
] as const;

async function start(greeting: Greeting, port: MessagePort): Promise<void> {
  const target = document.getElementById('app');
  if (target === null) throw new Error('the page has no element for the app');
  const send = (message: ToHost) => port.postMessage(message);
  const transport = new PortTransport(send);
  const theme = new HostTheme(greeting.isDark);
  let heard: (message: FromHost) => void = () => {};
  port.onmessage = ({ data }: MessageEvent<FromHost>) => {
    if (isPortAnswer(data)) transport.answered(data);
    else if (data.kind === 'theme') theme.set(data.isDark);
    else heard(data);
  };

  const asked = transport.ask('/api/start', { method: 'GET' });
  const place = new OwnPlace(firstFragment(greeting), (fragment) =>
    send({ kind: 'fragment', fragment }),
  );
  const session: TraceSession = new TraceSession(
    new Client(() => session.serverChanged(), transport),
  );
  const desk = new Desk();
  const navigation = new Navigation(session, desk.notices, place);
  const workspace = new Workspace(navigation);
  desk.followTheme(theme);
  // Pictures are measured in these fonts: without them, texts would be drawn twice.
  await Promise.all(FONTS.map(([name, weight]) => loadFont(transport, name, weight)));
  mount(App, { target, props: { session, navigation, workspace, desk } });
  keepWheels();
  passKeysOn(navigation, desk, send);
  await navigation.start(asked);
  heard = exchange(greeting, navigation, send);
}

/** Begins with the window that the other page wants, and else as it was when it was shown before. */
function firstFragment({ fragment, window }: Greeting): string {
  const parts = new URLSearchParams(fragment);
  const wanted = readWindow(window);
  if (wanted === null) parts.delete('window');
  else parts.set('window', `${wanted.from}-${wanted.to}`);
  return parts.toString();
}

async function loadFont(transport: PortTransport, name: string, weight: string): Promise<void> {
  try {
    const answer = await transport.ask(`/font/NotoSans-${name}.ttf`, { method: 'GET' });
    const font = new FontFace('Noto Sans', await answer.arrayBuffer(), { weight });
    document.fonts.add(await font.load());
  } catch {
    // The fonts of the machine have to do.
  }
}

class HostTheme {
  isDark: boolean;
  #listener: () => void = () => {};

  constructor(isDark: boolean) {
    this.isDark = isDark;
  }

  onChange(listener: () => void): void {
    this.#listener = listener;
  }
  set(isDark: boolean): void {
    this.isDark = isDark;
    this.#listener();
  }
}

/** Keeps window and selection the same here and there. Returns what to do with what comes. */
function exchange(
  greeting: Greeting,
  navigation: Navigation,
  send: (message: ToHost) => void,
): (message: FromHost) => void {
  const toldWindow = new Told(readWindow(greeting.window), (window) =>
    send({ kind: 'window', window }),
  );
  const known = greeting.selection === null ? null : readSelection(greeting.selection);
  const toldSelection = new Told(known, (selection) => send({ kind: 'selection', selection }));
  if (known !== null) navigation.select(known);
  $effect.root(() => {
    $effect(() => {
      const { window, session } = navigation;
      if (!session.hasTrace) return;
      const isWhole = window.from === 0 && window.to === session.whole.to;
      toldWindow.set(isWhole ? null : { from: window.from, to: window.to });
    });
    $effect(() => toldSelection.set(writeSelection(navigation.selection)));
  });
  return (message) => {
    if (message.kind === 'window') {
      const window = readWindow(message.window);
      toldWindow.heard(window);
      if (window === null) navigation.fit();
      else navigation.setWindow(window, 'gesture');
    } else if (message.kind === 'selection') {
      const selection = readSelection(message.selection);
      toldSelection.heard(writeSelection(selection));
      navigation.select(selection);
    }
  };
}

/**
 * Whoever scrolls over the cell on the way to another one wants no zoom. Wheels are for the page while
 * it has the focus, and with a key that makes them mean something else than scrolling.
 */
function keepWheels(): void {
  const options = { capture: true, passive: true };
  const passOn = (event: WheelEvent) => {
    const isMeant = document.hasFocus() || event.ctrlKey || event.metaKey || event.shiftKey;
    if (!isMeant) event.stopImmediatePropagation();
  };
  addEventListener('wheel', passOn, options);
}

/** Saving is for the notebook; so are all keys once there is nothing left to leave here. */
function passKeysOn(navigation: Navigation, desk: Desk, send: (message: ToHost) => void): void {
  addEventListener(
    'keydown',
    (event) => {
      const { key, code, keyCode, ctrlKey, metaKey, shiftKey, altKey } = event;
      if ((ctrlKey || metaKey) && key.toLowerCase() === 's') {
        event.preventDefault();
        send({
          kind: 'key',
          key: { key, code, keyCode, ctrlKey, metaKey, shiftKey, altKey } as KeyboardEventInit,
        });
      } else if (key === 'Escape' && isIdle(navigation, desk) && !isTyping(event.target)) {
        send({ kind: 'leave' });
      } else return;
      event.stopImmediatePropagation();
    },
    { capture: true },
  );
}

function isIdle({ selection }: Navigation, { dialog, menu }: Desk): boolean {
  return dialog === null && menu === null && writeSelection(selection) === null;
}
