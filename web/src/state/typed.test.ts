import { expect, it } from 'vitest';
import { TypedAhead } from './typed';

const key = (name: string, control = false) => ({
  key: name,
  ctrlKey: control,
  metaKey: false,
  altKey: false,
});

it('keeps what a field would take, and gives it out once', () => {
  const typed = new TypedAhead();
  for (const name of ['r', 'é', '😀', 'x', 'Backspace', ' ', '7', 'Enter']) {
    expect(typed.keep(key(name)), name).toBe(true);
  }
  expect(typed.take()).toBe('ré😀 7\n');
  expect(typed.take()).toBe('');
});

it('leaves keys that mean something else', () => {
  const typed = new TypedAhead();
  for (const name of ['Escape', 'ArrowDown', 'Tab', 'F5', 'Shift']) {
    expect(typed.keep(key(name)), name).toBe(false);
  }
  expect(typed.keep(key('k', true))).toBe(false);
  expect(typed.take()).toBe('');
});

it('has nothing to take back at first', () => {
  const typed = new TypedAhead();
  expect(typed.keep(key('Backspace'))).toBe(true);
  expect(typed.take()).toBe('');
});
