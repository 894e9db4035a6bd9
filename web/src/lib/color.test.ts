import { expect, it } from 'vitest';
import { cssColor, pack, parseHex, rgba, textOn } from './color';

it('reads and writes colours', () => {
  expect(parseHex('#0072B2')).toBe(pack(0, 0x72, 0xb2));
  expect(parseHex('#fff')).toBe(0xffffffff);
  expect(parseHex('#01020304')).toBe(0x04030201);
  expect(parseHex('red')).toBeNull();
  expect(rgba(0x80030201)).toEqual([1, 2, 3, 128]);
  expect(cssColor(pack(1, 2, 3))).toBe('rgb(1 2 3)');
  expect(cssColor(0x80030201)).toBe('rgb(1 2 3 / 0.502)');
});

it('chooses ink that can be read', () => {
  expect(textOn(pack(255, 255, 0))).toBe('#000000');
  expect(textOn(pack(0, 0, 120))).toBe('#ffffff');
});
