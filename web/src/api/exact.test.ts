import fc from 'fast-check';
import { expect, it } from 'vitest';
import { exactInteger, parseExact } from './exact';

it('keeps the digits of large whole numbers', () => {
  const parsed = parseExact('{"a": 9007199254740993, "b": [-12345678901234567890], "c": 12}');
  expect(parsed).toEqual({ a: '9007199254740993', b: ['-12345678901234567890'], c: 12 });
});

it('leaves texts and fractions alone', () => {
  const text =
    '{"a": "x 9007199254740993 \\" 9007199254740993", "b": 9007199254740993.5e2, "c": [0.2857142857142857, -1.2857142857142857e-5]}';
  expect(parseExact(text)).toEqual(JSON.parse(text));
});

it('gives every 64-bit number back', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), (number) => {
      const { ticks } = parseExact(`{"ticks":${number}}`) as { ticks: number | string };
      return exactInteger(ticks) === number;
    }),
  );
});
