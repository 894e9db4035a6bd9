// The page of a trace in a cell of a notebook: `_widget.py` holds the data. The page is one document in
// a frame that can reach nothing; a port is its only way out. What it asks goes to Python as a message
// and comes back as one, so that neither a port of the machine nor a token is needed.

/** What a page says of a kernel that cannot be asked. */
const NOBODY = 0;

function render({ model, el }) {
  /** Ids of questions differ among all cells and browsers that show this trace: all hear all answers. */
  const own = Math.random().toString(36).slice(2);
  const waiting = new Map();
  let asked = 0;
  /** How the view was written last: the frame begins anew whenever the notebook moves it. */
  let fragment = model.get('_fragment') ?? '';
  let port = null;
  let isTelling = false;

  const frame = document.createElement('iframe');
  frame.title = 'Onca';
  // Without allow-same-origin: the page reads nothing of the notebook and keeps nothing.
  frame.sandbox = 'allow-scripts allow-downloads';
  frame.allow = 'clipboard-write';
  frame.style.cssText =
    'display: block; box-sizing: border-box; width: 100%; border: 1px solid #8884';
  const note = document.createElement('p');
  note.textContent = 'The trace is on its way. If it does not come, run the cell again.';

  /** Tells whether the kernel can be reached at all. */
  function send(content, buffers = []) {
    try {
      model.send(content, undefined, buffers);
      return true;
    } catch {
      return false;
    }
  }

  function ask(request, body, answered) {
    asked += 1;
    const id = `${own}.${asked}`;
    if (send({ ...request, id }, body === null ? [] : [body])) waiting.set(id, answered);
    else answered({ status: NOBODY, type: '' }, new ArrayBuffer(0));
    return id;
  }

  function received(content, buffers) {
    if (content?.kind !== 'answer') return;
    const answered = waiting.get(content.id);
    if (answered === undefined) return;
    waiting.delete(content.id);
    answered(content, bytesOf(buffers?.[0]));
  }

  function shown() {
    return { window: windowOf(model.get('_window')), selection: model.get('_selection') };
  }

  /** Sets a trait to what the page of this cell says; it need not be told the same. */
  function tell(name, value) {
    isTelling = true;
    model.set(name, value);
    isTelling = false;
    model.save_changes();
  }

  /** Saving is for the notebook. No other key is passed on, whatever the page says. */
  function passOn(key) {
    const isSave = key.key?.toLowerCase() === 's' && (key.ctrlKey || key.metaKey) && !key.altKey;
    if (!isSave) return;
    el.dispatchEvent(new KeyboardEvent('keydown', { ...key, bubbles: true, cancelable: true }));
  }

  /** The questions of one life of the page, by its own numbers. */
  function listen(end) {
    const ids = new Map();
    end.onmessage = ({ data }) => {
      switch (data.kind) {
        case 'ask': {
          const { method, path, body } = data;
          const answered = ({ status, type }, bytes) => {
            ids.delete(data.id);
            end.postMessage({ kind: 'answer', id: data.id, status, type, body: bytes }, [bytes]);
          };
          ids.set(data.id, ask({ kind: 'ask', method, path }, body, answered));
          break;
        }
        case 'cancel': {
          const id = ids.get(data.id);
          ids.delete(data.id);
          if (waiting.delete(id)) send({ kind: 'cancel', id });
          break;
        }
        case 'window':
          tell('_window', data.window && [data.window.from, data.window.to]);
          break;
        case 'selection':
          tell('_selection', data.selection);
          break;
        case 'fragment':
          fragment = data.fragment;
          break;
        case 'leave':
          el.parentElement?.closest('[tabindex]')?.focus({ preventScroll: true });
          break;
        case 'key':
          passOn(data.key);
          break;
      }
    };
  }

  function greet() {
    port?.close();
    const { port1, port2 } = new MessageChannel();
    port = port1;
    listen(port);
    const greeting = { kind: 'onca', fragment, isDark: isDark(el), ...shown() };
    // The origin of the frame is like no other, and has no name.
    frame.contentWindow.postMessage(greeting, '*', [port2]);
  }

  const resize = () => {
    frame.style.height = `${model.get('height')}px`;
  };
  const changed = (kind) => () => {
    if (!isTelling) port?.postMessage({ kind, [kind]: shown()[kind] });
  };
  const windowChanged = changed('window');
  const selectionChanged = changed('selection');
  const stopWatching = watchTheme(el, (isDark) => port?.postMessage({ kind: 'theme', isDark }));

  model.on('msg:custom', received);
  model.on('change:_window', windowChanged);
  model.on('change:_selection', selectionChanged);
  model.on('change:height', resize);
  frame.addEventListener('load', greet);
  resize();
  el.append(note);
  ask({ kind: 'page' }, null, ({ status }, bytes) => {
    const text = new TextDecoder().decode(bytes);
    if (status !== 200) {
      if (status !== NOBODY) note.textContent = JSON.parse(text).message;
      return;
    }
    frame.srcdoc = text;
    note.replaceWith(frame);
  });

  return () => {
    stopWatching();
    port?.close();
    model.off('msg:custom', received);
    model.off('change:_window', windowChanged);
    model.off('change:_selection', selectionChanged);
    model.off('change:height', resize);
  };
}

function windowOf(told) {
  return told && { from: told[0], to: told[1] };
}

/** The bytes alone: an answer may lie in a larger message. */
function bytesOf(view) {
  if (view === undefined) return new ArrayBuffer(0);
  if (view instanceof ArrayBuffer) return view.slice(0);
  return view.buffer.slice(view.byteOffset, view.byteOffset + view.byteLength);
}

/** Every notebook names its themes in its own way, but all paint what lies behind the cell. */
function isDark(element) {
  for (let at = element; at; at = at.parentElement ?? at.getRootNode().host) {
    const [red, green, blue, alpha = 1] = (
      getComputedStyle(at).backgroundColor.match(/[\d.]+/g) ?? []
    ).map(Number);
    if (alpha > 0.5) return 0.299 * red + 0.587 * green + 0.114 * blue < 128;
  }
  return matchMedia('(prefers-color-scheme: dark)').matches;
}

/** Tells when the theme has changed. Returns how to stop. */
function watchTheme(element, tell) {
  let last = null;
  const look = () => {
    if (!element.isConnected) return;
    const now = isDark(element);
    if (now !== last) tell(now);
    last = now;
  };
  // Styles of a new theme may be loaded after it was named.
  const observer = new MutationObserver(() => {
    for (const ms of [0, 300, 1500]) setTimeout(look, ms);
  });
  for (const root of [document.documentElement, document.body]) {
    observer.observe(root, { attributes: true });
  }
  const system = matchMedia('(prefers-color-scheme: dark)');
  system.addEventListener('change', look);
  return () => {
    observer.disconnect();
    system.removeEventListener('change', look);
  };
}

export default { render };
