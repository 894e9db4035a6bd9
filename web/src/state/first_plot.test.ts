import { describe, expect, it } from 'vitest';
import { writeAddress } from './address';
import { firstView, placeOfPlot, plotCookie, usualPanels } from './first_plot';
import { NO_VIEW } from './view';

const picture = { trace: '1', rows: 'fit', isMarked: false };
const PANELS = 'inspector.bottom.legend';
const none = { inspector: null, bottom: null, tree: null };
const all = { panels: { inspector: true, bottom: true }, isMarked: false };

describe('the first view', () => {
  it('is pictured when the address names nothing, or just that', () => {
    const address = writeAddress({ ...NO_VIEW, trace: '1', rowHeight: 'fit', lensText: '' });
    for (const fragment of ['', '#', `#${address}`, '#panels=legend', '#links=selection']) {
      expect(firstView(fragment, picture, null, PANELS).isPictured, fragment).toBe(true);
    }
    expect(firstView('', picture, 'timeline', PANELS).isPictured).toBe(true);
  });

  it('is not pictured when the address names something else', () => {
    const others = [
      ...['trace=2', 'rows=18', 'views=treemap', 'window=1-2', 'lens=x', 'pick=3', 'nodes=1'],
      ...[
        'range=1-2',
        'value=1',
        'depth=1',
        'open=1',
        'closed=1',
        'y=20',
        'links=all',
        'links=none',
      ],
      `views=${encodeURIComponent('["timeline","treemap",0.5]')}`,
    ];
    for (const other of others) {
      expect(firstView(`#${other}`, picture, null, PANELS).isPictured, other).toBe(false);
    }
    expect(firstView('', picture, 'treemap', PANELS).isPictured).toBe(false);
    expect(firstView('#views=timeline', picture, 'treemap', PANELS).isPictured).toBe(true);
    expect(firstView('', null, null, PANELS).isPictured).toBe(false);
  });

  it('leaves low windows to the picture', () => {
    expect(usualPanels({ width: 1280, height: 720 })).toBe('inspector.legend');
    expect(usualPanels({ width: 1600, height: 1000 })).toBe('inspector.bottom.legend');
  });

  it('has its panels and its marks', () => {
    expect(firstView('#panels=bottom.sql', picture, null, PANELS).panels).toEqual({
      inspector: false,
      bottom: true,
    });
    expect(firstView('', { ...picture, isMarked: true }, null, PANELS).isMarked).toBe(true);
    expect(firstView('#marks=%5B%5D', picture, null, PANELS).isMarked).toBe(true);
    expect(firstView('', picture, null, PANELS).isMarked).toBe(false);
  });
});

describe('the place of the plot', () => {
  it('is what the parts around it leave', () => {
    const page = { width: 1280, height: 800 };
    expect(placeOfPlot(page, none, all)).toEqual({ left: 191, top: 140, width: 833, height: 394 });
    const chosen = { inspector: 200, bottom: 100, tree: 60 };
    expect(placeOfPlot(page, chosen, { ...all, isMarked: true })).toEqual({
      left: 61,
      top: 158,
      width: 1019,
      height: 516,
    });
    const folded = { panels: { inspector: false, bottom: false }, isMarked: false };
    expect(placeOfPlot(page, none, folded)).toEqual({
      left: 191,
      top: 140,
      width: 1089,
      height: 603,
    });
  });

  it('is left some room in small windows', () => {
    const place = placeOfPlot({ width: 600, height: 400 }, { ...none, inspector: 700 }, all);
    expect(place).toEqual({ left: 191, top: 140, width: 109, height: 114 });
  });
});

it('tells the server its size, and a theme that was chosen', () => {
  expect(plotCookie({ width: 789, height: 394 }, null)).toMatch(/^onca-plot=789x394; Path=\/;/);
  expect(plotCookie({ width: 789, height: 394 }, 'dark')).toMatch(/^onca-plot=789x394\.dark;/);
});
