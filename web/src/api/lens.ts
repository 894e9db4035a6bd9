// The lens, as docs/lens.md describes it.

export interface LensFilter {
  readonly only?: readonly string[];
  readonly hide?: readonly string[];
}

export interface LensSelect {
  readonly types?: LensFilter;
  readonly values?: LensFilter;
  readonly containers?: LensFilter;
  readonly min_duration?: string | number;
}

export type LensGroup =
  | { readonly containers: { readonly name: string; readonly of: readonly string[] } }
  | { readonly pattern: { readonly expression: string; readonly within?: string } }
  | { readonly level: string }
  | { readonly depth: number };

export type LensOrderKey =
  | 'creation'
  | 'name'
  | 'end'
  | 'messages'
  | { readonly time: readonly string[] };

export interface LensOrder {
  readonly by?: LensOrderKey;
  readonly descending?: boolean;
  readonly first?: readonly string[];
}

export interface LensTreeNode {
  readonly name: string;
  readonly kind: string;
  readonly parent?: number;
}

export type LensHierarchy =
  | { readonly tree: { readonly nodes: readonly LensTreeNode[]; readonly place?: string } }
  | { readonly names: { readonly pattern: string; readonly levels: readonly string[] } };

export interface LensReduction {
  readonly name: string;
  readonly level: string;
  readonly op: 'count' | 'busy' | 'sum' | 'mean' | 'min' | 'max';
  readonly values?: readonly string[];
  readonly variable?: string;
  readonly as?: 'states';
}

export interface EntryAppearance {
  readonly color?: string;
  readonly shape?: string;
  readonly height?: number;
}

export interface LensAppearance {
  readonly types?: Readonly<Record<string, EntryAppearance>>;
  readonly values?: Readonly<Record<string, EntryAppearance>>;
}

export interface Lens {
  readonly version: 1;
  readonly select?: LensSelect;
  readonly hierarchy?: LensHierarchy;
  readonly group?: readonly LensGroup[];
  readonly order?: LensOrder;
  readonly reuse_rows?: readonly string[];
  readonly reduce?: readonly LensReduction[];
  readonly appearance?: LensAppearance;
  readonly roles?: Readonly<Record<string, string>>;
}
