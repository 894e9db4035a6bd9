// Colours: whole numbers with red in the lowest byte and alpha in the highest, as in scenes.

export function rgba(color: number): readonly [number, number, number, number] {
  return [color & 255, (color >>> 8) & 255, (color >>> 16) & 255, color >>> 24];
}

export function pack(red: number, green: number, blue: number, alpha = 255): number {
  return (red | (green << 8) | (blue << 16) | (alpha << 24)) >>> 0;
}

/** A colour for CSS. */
export function cssColor(color: number): string {
  const [red, green, blue, alpha] = rgba(color);
  return alpha === 255
    ? `rgb(${red} ${green} ${blue})`
    : `rgb(${red} ${green} ${blue} / ${(alpha / 255).toFixed(3)})`;
}

/** The number of `#rgb`, `#rrggbb` or `#rrggbbaa`; `null` for anything else. */
export function parseHex(text: string): number | null {
  const digits = /^#([0-9a-f]{3}|[0-9a-f]{6}|[0-9a-f]{8})$/i.exec(text.trim())?.[1];
  if (digits === undefined) return null;
  const long = digits.length === 3 ? [...digits].map((digit) => digit + digit).join('') : digits;
  const byte = (place: number) => Number.parseInt(long.slice(place * 2, place * 2 + 2), 16);
  return pack(byte(0), byte(1), byte(2), long.length === 8 ? byte(3) : 255);
}

/** How bright a colour is for the eye, from 0 to 1, as WCAG defines it. */
export function luminance(color: number): number {
  const linear = (byte: number) => {
    const share = byte / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  };
  const [red, green, blue] = rgba(color);
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
}

/** Black or white, whichever reads better on a colour. */
export function textOn(color: number): '#000000' | '#ffffff' {
  return luminance(color) > 0.179 ? '#000000' : '#ffffff';
}

/** The same colour, less opaque. */
export function faded(color: number, opacity: number): number {
  const [red, green, blue, alpha] = rgba(color);
  return pack(red, green, blue, Math.round(alpha * opacity));
}

/** So much of the second colour in the first; opaque. */
export function mixed(first: number, second: number, share: number): number {
  const [a, b] = [rgba(first), rgba(second)];
  const mix = (part: 0 | 1 | 2) => Math.round(a[part] + (b[part] - a[part]) * share);
  return pack(mix(0), mix(1), mix(2));
}
