// What is typed while the field for it is still being loaded: nobody waits for a field that he has
// asked for with a key.

type Key = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey'>;

export class TypedAhead {
  #text = '';

  /** Keeps a key that a field would take; tells whether it did. Enter is the end of a line. */
  keep({ key, ctrlKey, metaKey, altKey }: Key): boolean {
    if (ctrlKey || metaKey || altKey) return false;
    if (key === 'Backspace') this.#text = [...this.#text].slice(0, -1).join('');
    else if (key === 'Enter') this.#text += '\n';
    else if ([...key].length === 1) this.#text += key;
    else return false;
    return true;
  }

  /** Gives out what was typed, once: the field is there, or given up. */
  take(): string {
    const text = this.#text;
    this.#text = '';
    return text;
  }
}
