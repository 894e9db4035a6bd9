// Runs before anything of the page is drawn: it stands in the page itself. It shows the picture that
// the server sends in the place of the plot, unless the address names something else, and asks for
// what the page begins with while the scripts of the page are still on their way.

import { type FirstPicture, firstView, placeOfPlot, usualPanels } from './state/first_plot';
import { isNumber, isText, recall } from './state/remembered';
import { isTheme } from './state/themes';

const root = document.documentElement;
const { dataset } = root;

// The token has done its work: the cookie is there. It is not to be seen, nor kept in the history.
if (location.search !== '') history.replaceState(history.state, '', `/${location.hash}`);

const chosenTheme = recall('theme', isTheme);
const isDark = matchMedia('(prefers-color-scheme: dark)').matches;
const theme = chosenTheme ?? (isDark ? 'dark' : 'light');
dataset['theme'] = theme;

const picture: FirstPicture | null =
  dataset['first'] === undefined
    ? null
    : {
        trace: dataset['first'],
        rows: dataset['rows'] ?? '',
        isMarked: dataset['marked'] !== undefined,
      };
const page = { width: innerWidth, height: innerHeight };
const panels = recall('panels', isText) ?? usualPanels(page);
const view = firstView(location.hash, picture, recall('workspace', isText), panels);
const chosen = {
  inspector: recall('inspector', isNumber),
  bottom: recall('bottom', isNumber),
  tree: recall('tree-width', isNumber),
};
const place = placeOfPlot(page, chosen, view);
const question = new URLSearchParams();

if (view.isPictured && place.width >= 1 && place.height >= 1) {
  const [width, height] = [Math.floor(place.width), Math.floor(place.height)];
  for (const side of ['left', 'top'] as const) {
    root.style.setProperty(`--first-${side}`, `${place[side]}px`);
  }
  root.style.setProperty('--first-width', `${width}px`);
  root.style.setProperty('--first-height', `${height}px`);
  question.set('width', String(width));
  question.set('height', String(height));
  question.set('theme', theme);
  // A theme that was chosen in another window may not have reached the server yet.
  if ((dataset['firstTheme'] ?? '') !== (chosenTheme ?? '')) delete dataset['first'];
} else {
  const trace = new URLSearchParams(location.hash.slice(1)).get('trace');
  if (trace !== null) question.set('trace', trace);
  delete dataset['first'];
}
globalThis.oncaStart = fetch(`/api/start?${question}`, { credentials: 'same-origin' });
