// A person at the page: everything that is done counts as a step.

import type { Locator } from 'playwright-core';
import type { Visit } from './browser';

export class User {
  #steps = 0;

  constructor(readonly visit: Visit) {}

  get steps(): number {
    return this.#steps;
  }

  /** Something was done that is counted nowhere else. */
  did(): void {
    this.#steps += 1;
  }
  async press(...keys: readonly string[]): Promise<void> {
    for (const key of keys) {
      this.#steps += 1;
      await this.visit.page.keyboard.press(key);
    }
  }
  /** A text is one step, however long it is. */
  async type(text: string): Promise<void> {
    this.#steps += 1;
    await this.visit.page.keyboard.type(text);
  }
  async click(what: Locator, options: Parameters<Locator['click']>[0] = {}): Promise<void> {
    this.#steps += 1;
    await what.click(options);
  }
  async clickRow(row: string, share: number): Promise<void> {
    this.#steps += 1;
    await this.visit.clickRow(row, share);
  }
  async doubleClickRow(row: string, share: number): Promise<void> {
    this.#steps += 1;
    await this.visit.pointAt(row, share);
    for (const clickCount of [1, 2]) {
      await this.visit.page.mouse.down({ clickCount });
      await this.visit.page.mouse.up({ clickCount });
    }
  }
  /** Drags over the plot, from one share of its width to another. */
  async drag(from: number, to: number, key: 'Shift' | 'Alt'): Promise<void> {
    this.#steps += 1;
    const { plot, page } = this.visit;
    const box = await plot.first().boundingBox();
    if (box === null) throw new Error('no plot');
    const y = box.y + box.height / 2;
    await page.keyboard.down(key);
    await page.mouse.move(box.x + box.width * from, y);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * ((from + to) / 2), y);
    await page.mouse.move(box.x + box.width * to, y);
    await page.mouse.up();
    await page.keyboard.up(key);
  }
  async choose(what: Locator, label: string): Promise<void> {
    this.#steps += 1;
    await what.selectOption({ label });
  }
}
