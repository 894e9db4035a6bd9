import * as fc from 'fast-check';
import { afterEach, expect, it, vi } from 'vitest';
import { heard, readBeside, USUAL_BESIDE, writeBeside } from './beside';

afterEach(() => vi.unstubAllGlobals());

it('says what is beside in words', () => {
  const beside = { share: 61.5, isLinked: true, fragment: 'trace=2&window=1-2' };
  expect(writeBeside(beside)).toBe('61.5 linked trace=2&window=1-2');
  expect(writeBeside(USUAL_BESIDE)).toBe('50');
});

it('reads what it wrote', () => {
  const beside = fc.record({
    share: fc.integer({ min: 200, max: 800 }).map((tenths) => tenths / 10),
    isLinked: fc.boolean(),
    fragment: fc.constantFrom('', 'trace=2', 'trace=2&views=%5B1%5D&y=7'),
  });
  fc.assert(
    fc.property(beside, (given) => {
      expect(readBeside(writeBeside(given))).toEqual(given);
    }),
  );
});

it.each(['', '5', '19.9', '80.1', '99 trace=2', '-50', 'half', '50  trace=2', '50 a b'])(
  'is not read from %j',
  (text) => expect(readBeside(text)).toBe(null),
);

it('leaves room for both', () => {
  expect(writeBeside({ ...USUAL_BESIDE, share: 1 })).toBe('20');
  expect(writeBeside({ ...USUAL_BESIDE, share: 1e9 })).toBe('80');
});

it('hears the other page only', () => {
  const { port1: other, port2: stranger } = new MessageChannel();
  vi.stubGlobal('origin', 'http://127.0.0.1:1');
  const message = (source: MessageEventSource, from: string) =>
    ({ source, origin: from, data: { kind: 'leave' } }) as MessageEvent;
  expect(heard(other, message(other, 'http://127.0.0.1:1'))).toEqual({ kind: 'leave' });
  expect(heard(other, message(other, 'http://127.0.0.1:2'))).toBe(null);
  expect(heard(other, message(stranger, 'http://127.0.0.1:1'))).toBe(null);
  expect(heard(null, message(other, 'http://127.0.0.1:1'))).toBe(null);
});
