// The views that the server knows, and what each can be asked for.

export interface ViewsAnswer {
  readonly views: readonly ViewInfo[];
}

export interface ViewInfo {
  readonly name: string;
  readonly title: string;
  readonly screen: 'flat' | 'rows' | 'space';
  readonly has_time: boolean;
  /** Why the trace does not fit. */
  readonly misfit: string | null;
  readonly options: readonly OptionInfo[];
}

export interface OptionInfo {
  readonly name: string;
  readonly flag: string;
  readonly help: string;
  readonly kind: OptionKind;
  /** What holds where nothing is chosen; `null` where the view chooses. */
  readonly default: unknown;
}

export type OptionKind =
  | { readonly is: 'switch' | 'number' | 'text' | 'texts' }
  | { readonly is: 'choice'; readonly choices: readonly OptionChoice[] };

export interface OptionChoice {
  readonly name: string;
  readonly help: string;
}
