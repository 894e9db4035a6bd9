// Lenses and marks.

import type { Lens } from '../lens';
import type { ColorFrom, Nature } from './basic';

export interface LensAnswer {
  readonly schema: string;
  readonly trace: string;
  readonly containers: { readonly seen: number; readonly all: number };
  readonly levels: readonly { readonly level: string; readonly nodes: number }[];
  readonly types: readonly {
    readonly type: string;
    readonly nature: Nature;
    readonly seen: boolean;
    readonly color: string;
    readonly color_from: ColorFrom;
    readonly shape: string;
    readonly height: number;
  }[];
  readonly values: readonly {
    readonly type: string;
    readonly value: string;
    readonly seen: boolean;
    readonly role: string | null;
    readonly color: string;
    readonly color_from: ColorFrom;
    readonly shape: string;
    readonly height: number;
  }[];
  readonly lens: Lens;
}

export interface KeptMark {
  readonly time: number;
  readonly name: string;
  readonly note: string;
  readonly color: string;
}

export interface MarksAnswer {
  readonly schema: string;
  readonly marks: readonly KeptMark[];
}
