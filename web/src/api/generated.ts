// What the server says and takes, made of its own types. Do not edit: CONTRIBUTING.md tells how to make it again.

/** A whole number that may be too large for a script; such a one arrives as a text. */
export type Exact = number | string;

/** What the change of the run time is made of, in ticks. */
export type Account = {
  /** The busiest process of each part works longer. */
  readonly work: number;
  /** Communication, waiting, and what else is no work. */
  readonly rest: number;
  /** What only the second run has. */
  readonly new: number;
  /** What only the first run has, as a negative number. */
  readonly gone: number;
};

/** All runs of both sides. */
export type AllRuns = {
  /** How long those of the first side are, in their own ticks. */
  readonly before_ticks: ReadonlyArray<Exact>;
  /** How long those of the second side are. */
  readonly after_ticks: ReadonlyArray<Exact>;
  /** How likely such a difference is by chance. */
  readonly p: number;
};

/** Where an area of the partition is. */
export type AreaPlace = {
  /** The path of its node. */
  readonly path: string;
  /** Its first slice. */
  readonly first: number;
  /** Its last slice. */
  readonly last: number;
};

/** Some rows with all below them, during some time. */
export type AskedArea = {
  readonly nodes: ReadonlyArray<number>;
  readonly window: TimeWindow;
};

/** An amount along an axis. */
export type AxisMark = {
  /** Where it is. */
  readonly at: number;
  readonly text: string;
};

/** A number of a link of a network, between two places. */
export type BaseNumber = {
  readonly a: number;
  readonly b: number;
  readonly text: string;
  /** The colour around it. */
  readonly edge: string;
};

/** The way of a message over a network. */
export type BaseRoute = {
  /** The places of the nodes, from the one that sends. */
  readonly places: ReadonlyArray<number>;
  /** When it leaves, from 0 to 1. */
  readonly za: number;
  /** When it arrives. */
  readonly zb: number;
  /** The way in words. */
  readonly text: string;
};

/** A rectangle of view space. */
export type Bounds = {
  readonly x0: number;
  readonly y0: number;
  readonly x1: number;
  readonly y1: number;
};

/** What the colours and widths of network links mean. */
export type CableScale = {
  /** What they show. */
  readonly title: string;
  /** From little to much. */
  readonly stops: ReadonlyArray<CableStop>;
  /** How wide links of some bandwidths are. */
  readonly widths: ReadonlyArray<CableWidth>;
  /** The colour around links that are far slower than the rest, if there are any. */
  readonly slow: string | null;
};

export type CableStop = {
  /** As `#rrggbb` or `#rrggbbaa`. */
  readonly color: string;
  /** The amount. */
  readonly text: string;
};

export type CableWidth = {
  /** Of the widest. */
  readonly width: number;
  /** The bandwidth. */
  readonly text: string;
};

/** How many messages an operation has. */
export type CalledFunction = {
  /** The value of links, or of the states of a collective operation. */
  readonly name: string;
  /** How many messages. */
  readonly count: number;
};

export type ColorFrom = "lens" | "remembered" | "trace" | "role" | "palette";

/** What the strengths of colours mean. */
export type ColorScale = {
  /** What is measured. */
  readonly name: string;
  /** Colours from the least amount to the largest, evenly, as `#rrggbb` or `#rrggbbaa`. */
  readonly colors: ReadonlyArray<string>;
  /** Amounts along the scale; `at` is from 0 to 1. */
  readonly marks: ReadonlyArray<AxisMark>;
};

/** Where a column lies: what its numbers are, how many bytes after the begin of the body, how many numbers. */
export type ColumnPlace = readonly [ColumnType, number, number];

/** What the numbers of a column are. */
export type ColumnType = "u8" | "u16" | "u32" | "f32";

/** The command that makes the same file. */
export type CommandAnswer = {
  /** The command, as shells read it. */
  readonly command: string;
  /** The text of the file of the lens that it names; `null` if it needs none. */
  readonly lens_file: string | null;
};

/** What one community sends to another. */
export type CommunityFlow = {
  /** The place of the community that sends. */
  readonly from: number;
  /** The place of the community that receives. */
  readonly to: number;
  /** Its size, or the number of messages where no message has a size. */
  readonly weight: number;
  /** How many messages. */
  readonly count: number;
};

/** All merges of the communities of a phase. */
export type CommunityMerges = {
  /** The active processors, as places in the list of all. */
  readonly processors: ReadonlyArray<number>;
  /** Left, right and the gain of modularity. Numbers below the number of active processors are places in that list, larger ones are the merges from the first on. */
  readonly merges: ReadonlyArray<readonly [number, number, number | null]>;
};

/** Two runs compared, as JSON: `onca-compare/1`. */
export type Compare<F = ComparedFinding> = {
  /** The kind of the answer and its version. */
  readonly schema: string;
  /** The unit of all differences. Times of each run are in its own unit. */
  readonly unit: UnitInfo;
  /** The first run. */
  readonly before: Run;
  /** The second run. */
  readonly after: Run;
  /** How much longer the second run is, in ticks of `unit`. */
  readonly change_ticks: Exact;
  /** The same in units. */
  readonly change: number;
  /** The same as a share of the first run. */
  readonly change_share: number;
  /** How much of the change may be chance, in ticks; null where nothing tells. */
  readonly noise_ticks: number | null;
  /** The lengths of all runs of each side in ticks, and how likely their difference is by chance; null where there is one run a side. */
  readonly all_runs: AllRuns | null;
  /** Do the runs have anything in common? If not, nothing else is compared. */
  readonly related: boolean;
  /** How containers were paired. */
  readonly matched: Matched;
  /** By what times were paired. */
  readonly align: string;
  /** Parts of the runs that belong together, in order. */
  readonly pairs: ReadonlyArray<Pair>;
  /** How long the axis is that both share, in ticks: each pair takes as much of it as the longer of the two. */
  readonly axis_ticks: Exact;
  /** What the change of the run time is made of, in ticks; the parts add up to it. */
  readonly account: Account;
  /** The time of all processes by value, the largest change first. */
  readonly values: ReadonlyArray<ValueChange>;
  /** What changes the run time most first. */
  readonly findings: ReadonlyArray<F>;
  /** What was assumed, in words. */
  readonly assumed: ReadonlyArray<string>;
  /** What could not be examined, in words. */
  readonly not_examined: ReadonlyArray<string>;
};

/** Something that changes the run time: a finding as in `onca-findings/1`, and what it was before. */
export type ComparedFinding = {
  /** The share of the change of the run time; null where that is 0. */
  readonly change_share: number | null;
  /** How many times as long, or as much, as before. */
  readonly ratio: number;
  /** When in the first run. */
  readonly before: Span;
  /** When in the second run. */
  readonly after: Span;
  /** How much more other processes wait, all together, in ticks. */
  readonly waiting_ticks: Exact;
  /** How many wait longer. */
  readonly waiting_processes: number;
  /** How likely it is by chance, where there are several runs on each side. */
  readonly p: number | null;
  /** `slow`, `burst`, `stall`, `imbalance`, `outlier-iteration`, `change`, `link`, `collective-wait`, `serialised`, `hot-spot`, `late-sender`, `communication`, `disruption`, `clock` or `lost-records`. */
  readonly kind: string;
  /** The paths of all containers that it is about. */
  readonly where: ReadonlyArray<string>;
  /** The paths of the largest containers that hold just these. */
  readonly groups: ReadonlyArray<string>;
  /** The paths of the containers on the other side of a link. */
  readonly towards: ReadonlyArray<string>;
  /** The time of all processes that it costs, in units. */
  readonly cost: number;
  /** The same in ticks. */
  readonly cost_ticks: Exact;
  /** How much shorter the run would be without it, in ticks; 0 where that is not known. */
  readonly saved_ticks: Exact;
  /** The same as a share of the run time. */
  readonly cost_share: number;
  /** How sure it is, from 0 to 1. */
  readonly sure: number;
  /** One sentence. */
  readonly text: string;
  /** What follows from it, the costliest first. */
  readonly effects: ReadonlyArray<Effect>;
  /** What shows it. */
  readonly evidence: Evidence;
  /** Where it begins, in units. */
  readonly from: number;
  /** Where it ends, in units. */
  readonly to: number;
  /** Where it begins, in ticks. */
  readonly from_ticks: Exact;
  /** Where it ends, in ticks. */
  readonly to_ticks: Exact;
};

/** What the states of one value take in one container or group. */
export type ContainerRow = {
  /** The number of its node. */
  readonly node: number;
  /** Its name. */
  readonly name: string;
  /** The exclusive time in the window, in units. */
  readonly total: number;
  /** The same in ticks. */
  readonly total_ticks: Exact;
  /** The share of the time of all states of the type there. */
  readonly share: number | null;
  /** Instances that touch the window. */
  readonly count: number;
  /** The mean duration of whole instances, in units. */
  readonly mean: number | null;
  /** The same in ticks, which are not whole. */
  readonly mean_ticks: number | null;
  /** The longest instance, in units. */
  readonly max: number | null;
  /** The same in ticks. */
  readonly max_ticks: Exact | null;
  /** By how many per cent the time is above the mean of all that can have the value; `null` where that is 0. */
  readonly imbalance_percent: number | null;
  /** `high` or `low` where the time is far from that of most; else `null`. */
  readonly outlier: Odd | null;
  /** The exclusive time in each slice of the window, in ticks. */
  readonly over_time: ReadonlyArray<number>;
  /** Its path from the root. */
  readonly path: string;
  /** The name of its container type, or what the lens calls its level. */
  readonly kind: string;
  /** The name of the value. */
  readonly value: string;
  /** The name of its type. */
  readonly type: string;
};

/** What each value takes in each container: `onca-containers/1`. */
export type ContainersAnswer = {
  /** How many slices `over_time` has. */
  readonly slices: number;
  /** The rows, those with the most time first. */
  readonly rows: ReadonlyArray<ContainerRow>;
  /** How many rows with less time are left out. */
  readonly left_out: number;
  /** The kind of the answer and its version, such as `onca-find/1`. */
  readonly schema: string;
  /** The unit of all times. */
  readonly unit: UnitInfo;
  /** The window that was asked about. */
  readonly window: Span;
  /** Entities had to be looked at one by one; else cumulative sums were enough. */
  readonly scanned: boolean;
};

export type ContainersQuestion = {
  /** The nodes of this kind, each with all below it; by default every container for itself. */
  readonly level?: string;
  readonly nodes?: ReadonlyArray<number>;
  /** The number of a value. */
  readonly value?: number;
  readonly slices?: number;
  readonly limit?: number;
};

/** How clocks were made to agree. Largest amounts are without sign. */
export type Correction = {
  /** What was done, in a sentence. */
  readonly text: string;
  /** The store that was corrected. */
  readonly from: string;
  /** Clocks run at different speeds too. */
  readonly drifts: boolean;
  /** How many clocks there are. */
  readonly processes: number;
  /** How many of them were moved. */
  readonly moved: number;
  /** The most that one was moved. */
  readonly largest_offset_ticks: Exact;
  /** The most that one was slowed down or sped up, per tick. */
  readonly largest_drift: number;
  /** By how much a time can be wrong; `null` where that is not known. */
  readonly uncertainty_ticks: Exact | null;
  /** How many clocks can be wrong by any amount. */
  readonly unbounded: number;
  /** Messages that were received before they were sent. */
  readonly backward_before: number;
  /** Messages that still are. */
  readonly backward_after: number;
};

/** How many entities a trace has. */
export type Counts = {
  /** Containers, the root included. */
  readonly containers: number;
  /** States. */
  readonly states: number;
  /** Links, half links included. */
  readonly links: number;
  /** Events. */
  readonly events: number;
  /** Intervals of variables. */
  readonly variables: number;
};

/** Where the best partition changes. */
export type Curve = {
  /** The trade-offs at which it changes. */
  readonly breakpoints: ReadonlyArray<number>;
  /** The segments between them. */
  readonly segments: ReadonlyArray<TradeOff>;
  /** The number of the default segment. */
  readonly default: number;
  /** How far the value may be off, as a share of gain and loss of the whole. */
  readonly bound: number;
  /** How many partitions were computed. */
  readonly solves: number;
};

/** A disruption. */
export type DisruptionFound = {
  /** How clear it is. */
  readonly score: number;
  /** Its first slice. */
  readonly first: number;
  /** Its last slice. */
  readonly last: number;
  /** The paths of the largest nodes of which all leaves with data are hit. */
  readonly containers: ReadonlyArray<string>;
  /** The paths of the leaves. */
  readonly leaves: ReadonlyArray<string>;
  /** What rises most. */
  readonly rises: ValueShift | null;
  /** What falls most. */
  readonly falls: ValueShift | null;
  /** How much is displaced. */
  readonly displaced: number;
  /** What is hit of areas of the partition, the clearest first. */
  readonly areas: ReadonlyArray<HitArea>;
  /** Where it begins, in units. */
  readonly from?: number;
  /** Where it ends, in units. */
  readonly to?: number;
  /** Where it begins, in ticks. */
  readonly from_ticks?: Exact;
  /** Where it ends, in ticks. */
  readonly to_ticks?: Exact;
};

/** What is disrupted. */
export type Disruptions = {
  /** The trade-off of the partition whose areas are named. */
  readonly p: number;
  /** The score from which on it is more than noise. */
  readonly threshold: number;
  /** How many reach it. */
  readonly found: number;
  /** The highest score met. */
  readonly highest: number;
  /** The clearest first. */
  readonly disruptions: ReadonlyArray<DisruptionFound>;
};

/** Files that were dropped together. */
export type Dropped = {
  /** What requests call it. */
  readonly drop: string;
  readonly files: ReadonlyArray<string>;
  /** In bytes. */
  readonly size: number;
};

export type DroppedFiles = {
  readonly drop: string;
};

/** Waiting that follows from something. */
export type Effect = {
  /** The kind of the waits, as in `onca-waits/1`. */
  readonly kind: string;
  /** How long, all together, in ticks. */
  readonly ticks: number;
  /** How many processes wait. */
  readonly processes: number;
};

/** How one type or value looks; what is not given stays as it is. */
export type EntryAppearance = {
  /** `#rrggbb`. */
  readonly color?: string;
  /** The mark. */
  readonly shape?: Shape;
  /** The share of the row that it takes, from 0 to 1. */
  readonly height?: number;
};

/** What may be opened, or looked into. */
export type EntryKind = "folder" | "trace";

/** Why a request has no answer: `onca-error/1`. */
export type ErrorAnswer = {
  readonly schema: string;
  /** The kind of the failure; it is stable. */
  readonly code: ErrorCode;
  /** For people. */
  readonly message: string;
  /** The number under which the server prints more about a fault; else `null`. */
  readonly id: string | null;
};

/** The kind of a failure, by its stable name. */
export type ErrorCode = "question" | "nothing" | "lens" | "token" | "host" | "origin" | "method" | "not-found" | "not-ready" | "too-long" | "busy" | "fault" | "limit" | "no-sql";

/** What shows a finding: a window with some time around it, and whom to look at. */
export type Evidence = {
  /** The lens under which only those are seen that it is about: its `select.containers.only`. */
  readonly only: ReadonlyArray<string>;
  /** Where it begins, in units. */
  readonly from: number;
  /** Where it ends, in units. */
  readonly to: number;
  /** Where it begins, in ticks. */
  readonly from_ticks: Exact;
  /** Where it ends, in ticks. */
  readonly to_ticks: Exact;
};

/** The unit of time. */
export type ExactUnit = {
  readonly name: string;
  /** Nothing tells the unit. */
  readonly assumed: boolean;
  /** A text because it may pass what scripts can count to. */
  readonly ticks_per_unit: string;
};

/** An extra field of an entity. Both halves of a link may have one of the same name. */
export type Extra = {
  /** The name of the field. */
  readonly name: string;
  /** What it holds. */
  readonly text: string;
};

/** An extra field that the source declares. */
export type FieldDef = {
  /** Its name. */
  readonly name: string;
  /** Its declared type. */
  readonly type: string;
};

export type FindQuestion = {
  readonly pattern: string;
  readonly kinds?: ReadonlyArray<Nature>;
  readonly fields?: ReadonlyArray<SearchedField>;
  readonly ignore_case?: boolean;
  readonly longer_than?: number;
  readonly shorter_than?: number;
  readonly after?: string;
  readonly limit?: number;
};

/** Something that costs time. */
export type Finding = {
  /** `slow`, `burst`, `stall`, `imbalance`, `outlier-iteration`, `change`, `link`, `collective-wait`, `serialised`, `hot-spot`, `late-sender`, `communication`, `disruption`, `clock` or `lost-records`. */
  readonly kind: string;
  /** The paths of all containers that it is about. */
  readonly where: ReadonlyArray<string>;
  /** The paths of the largest containers that hold just these. */
  readonly groups: ReadonlyArray<string>;
  /** The paths of the containers on the other side of a link. */
  readonly towards: ReadonlyArray<string>;
  /** The time of all processes that it costs, in units. */
  readonly cost: number;
  /** The same in ticks. */
  readonly cost_ticks: Exact;
  /** How much shorter the run would be without it, in ticks; 0 where that is not known. */
  readonly saved_ticks: Exact;
  /** The same as a share of the run time. */
  readonly cost_share: number;
  /** How sure it is, from 0 to 1. */
  readonly sure: number;
  /** One sentence. */
  readonly text: string;
  /** What follows from it, the costliest first. */
  readonly effects: ReadonlyArray<Effect>;
  /** What shows it. */
  readonly evidence: Evidence;
  /** Where it begins, in units. */
  readonly from: number;
  /** Where it ends, in units. */
  readonly to: number;
  /** Where it begins, in ticks. */
  readonly from_ticks: Exact;
  /** Where it ends, in ticks. */
  readonly to_ticks: Exact;
};

/** What costs time, as JSON: `onca-findings/1`. */
export type Findings<F = Finding> = {
  /** The most costly first. */
  readonly findings: ReadonlyArray<F>;
  /** What was assumed, in words. */
  readonly assumed: ReadonlyArray<string>;
  /** What could not be examined, in words: nothing is known about it. */
  readonly not_examined: ReadonlyArray<string>;
  /** The kind of the answer and its version, such as `onca-find/1`. */
  readonly schema: string;
  /** The unit of all times. */
  readonly unit: UnitInfo;
  /** The window that was asked about. */
  readonly window: Span;
  /** Entities had to be looked at one by one; else cumulative sums were enough. */
  readonly scanned: boolean;
};

/** Of no selection: all links if they are few. */
export type FirstLinks = {
  readonly of: ReadonlyArray<string>;
  readonly nodes: ReadonlyArray<number>;
  readonly few: number;
};

/** The question to `timeline` that a page begins with. */
export type FirstQuestion = {
  /** The whole trace. */
  readonly window: TimeWindow;
  readonly lens: Lens;
  readonly width: number;
  readonly rows: RowsAsked;
  /** Nothing is collapsed. */
  readonly depth: number | null;
  readonly open: ReadonlyArray<number>;
  readonly closed: ReadonlyArray<number>;
  readonly groups: boolean;
  readonly links: FirstLinks;
  readonly theme: Theme;
};

/** What one community sends to another: `onca-flow/1`. Times are ticks after the begin of the trace. */
export type FlowAnswer = {
  readonly schema: string;
  /** How many messages. */
  readonly count: number;
  /** The sum of their sizes. */
  readonly size: number;
  /** The smallest and the largest size; `null` if no message has one. */
  readonly sizes: readonly [number, number] | null;
  readonly start: number;
  readonly end: number;
  /** The values of the messages. */
  readonly operations: ReadonlyArray<Operation>;
  /** The first messages, as many as were asked for. */
  readonly messages: ReadonlyArray<FlowMessage>;
};

export type FlowMessage = {
  /** `null` if it is no link of the trace. */
  readonly pick: string | null;
  /** The name of its value. */
  readonly operation: string | null;
  /** The path of the sender. */
  readonly from: string;
  /** The path of the receiver. */
  readonly to: string;
  readonly from_node: number | null;
  readonly to_node: number | null;
  readonly start: number;
  readonly end: number;
  /** `null` if it has none. */
  readonly size: number | null;
};

export type FlowPlace = {
  readonly phase: number;
  readonly from: number;
  readonly to: number;
  /** How many messages are listed, at most. */
  readonly limit?: number;
};

/** What is in a folder: `onca-folder/1`. */
export type FolderAnswer = {
  readonly schema: string;
  /** Folders, then traces, each by name. */
  readonly entries: ReadonlyArray<FolderEntry>;
  /** How many more there are than a page shows. */
  readonly left_out: number;
};

/** One line of a listing. */
export type FolderEntry = {
  /** Its name in the folder. */
  readonly name: string;
  readonly kind: EntryKind;
  /** Bytes of a file; else `null`. */
  readonly size: number | null;
};

/** A hit of `onca-find/1`, with what the page needs to show it. */
export type Found = {
  /** The number of the node of its container, if the lens shows it. */
  readonly node: number | null;
  /** What asks for more about it. */
  readonly pick: string;
  /** `container`, `state`, `event`, `variable` or `link`. */
  readonly kind: Nature;
  /** The name of its type. */
  readonly type: string;
  /** Where it begins, in units. */
  readonly start: number;
  /** Where it begins, in ticks. */
  readonly start_ticks: Exact;
  /** Where it ends, in units; an event ends when it begins. */
  readonly end: number;
  /** Where it ends, in ticks. */
  readonly end_ticks: Exact;
  /** How long it is, in units. */
  readonly duration: number;
  /** How long it is, in ticks. */
  readonly duration_ticks: Exact;
  /** The path of its container; of the source for links, of itself for containers. `null` if it is not known. */
  readonly container: string | null;
  /** Of links only: the path of the container at the end, `null` if it is not known. */
  readonly destination?: string | null;
  /** Of links only: what joins the two halves. */
  readonly key?: string;
  /** Its value; `null` for what has none. */
  readonly value: HitValue | null;
  /** The extra fields. */
  readonly extras: ReadonlyArray<Extra>;
  /** What continues a search here. */
  readonly cursor: string;
};

/** Entities and containers that were found: `onca-find/1`. The server says more of each. */
export type FoundPage<H = Hit> = {
  /** What asks for the next page; `null` if there is none. */
  readonly next: string | null;
  /** What was found, in order of time. */
  readonly found: ReadonlyArray<H>;
  /** The kind of the answer and its version, such as `onca-find/1`. */
  readonly schema: string;
  /** The unit of all times. */
  readonly unit: UnitInfo;
  /** The window that was asked about. */
  readonly window: Span;
  /** Entities had to be looked at one by one; else cumulative sums were enough. */
  readonly scanned: boolean;
};

/** The numbers beside a graph, in the pixels of rows. */
export type GraphScale = {
  /** What the graph shows. */
  readonly name: string;
  /** Its upper side. */
  readonly y0: number;
  /** Its lower side. */
  readonly y1: number;
  readonly marks: ReadonlyArray<ScaleMark>;
};

/** How far a trace is that is read while it is written. */
export type Growth = {
  /** Grows whenever answers change. */
  readonly looks: number;
  /** Up to when answers are sure, in ticks since the beginning of the trace. */
  readonly watermark_ticks: Exact;
  /** Records that came too late, and are left out until the end. */
  readonly late: number;
  /** How long nothing has come, in seconds; 0 if something came lately. */
  readonly silent_seconds: number;
  /** What else there is to know; empty if nothing. */
  readonly note: string;
};

/** A histogram in a picture. */
export type HistogramPlot = {
  /** Its columns, all of the same width. That of zeros is left of them, where there is one. */
  readonly bounds: Bounds;
  /** The number of the value whose states it counts; `null` where it counts something else. */
  readonly value: number | null;
  /** The smallest number of each column, and of one that would come after the last, in ticks or bytes. */
  readonly edges: ReadonlyArray<number>;
};

/** An entity or container that was found. */
export type Hit = {
  /** `container`, `state`, `event`, `variable` or `link`. */
  readonly kind: Nature;
  /** The name of its type. */
  readonly type: string;
  /** Where it begins, in units. */
  readonly start: number;
  /** Where it begins, in ticks. */
  readonly start_ticks: Exact;
  /** Where it ends, in units; an event ends when it begins. */
  readonly end: number;
  /** Where it ends, in ticks. */
  readonly end_ticks: Exact;
  /** How long it is, in units. */
  readonly duration: number;
  /** How long it is, in ticks. */
  readonly duration_ticks: Exact;
  /** The path of its container; of the source for links, of itself for containers. `null` if it is not known. */
  readonly container: string | null;
  /** Of links only: the path of the container at the end, `null` if it is not known. */
  readonly destination?: string | null;
  /** Of links only: what joins the two halves. */
  readonly key?: string;
  /** Its value; `null` for what has none. */
  readonly value: HitValue | null;
  /** The extra fields. */
  readonly extras: ReadonlyArray<Extra>;
  /** What continues a search here. */
  readonly cursor: string;
};

/** What is hit of an area of the partition. */
export type HitArea = {
  /** How clear it is. */
  readonly score: number;
  /** The paths of the largest nodes of which all leaves with data are hit. */
  readonly containers: ReadonlyArray<string>;
  /** How many leaves there are. */
  readonly leaves: number;
  /** Its first slice. */
  readonly first: number;
  /** Its last slice. */
  readonly last: number;
  /** The area; `null` if the whole of it is hit. */
  readonly part_of: AreaPlace | null;
  /** What rises most. */
  readonly rises: ValueShift | null;
  /** What falls most. */
  readonly falls: ValueShift | null;
  /** Where it begins, in units. */
  readonly from?: number;
  /** Where it ends, in units. */
  readonly to?: number;
  /** Where it begins, in ticks. */
  readonly from_ticks?: Exact;
  /** Where it ends, in ticks. */
  readonly to_ticks?: Exact;
};

/** The value of what was found. */
export type HitValue = string | number;

/** A state at an end of a link. */
export type InspectEnd = {
  /** Does the link come from it? Else it goes there. */
  readonly is_source: boolean;
  /** Its pick. */
  readonly pick: string;
  /** What it is called. */
  readonly title: string;
  /** Where it begins. */
  readonly start: number;
  /** Where it ends. */
  readonly end: number;
  /** The number of its node. */
  readonly node: number | null;
  /** The path of its node. */
  readonly path: string | null;
};

/** Something that is known of what is inspected. */
export type InspectField = {
  /** What it is. */
  readonly name: string;
  /** The text for people. */
  readonly text: string;
};

export type InspectKind = "state" | "link" | "event" | "variable" | "container" | "aggregate" | "value";

/** A link that begins or ends in a state. */
export type InspectLink = {
  /** Its pick. */
  readonly pick: string;
  /** Which way it goes. */
  readonly direction: LinkDirection;
  /** What it is called. */
  readonly title: string;
  /** Where it begins. */
  readonly start: number;
  /** Where it ends. */
  readonly end: number;
  /** The number of the node at its other end. */
  readonly node: number | null;
  /** The path of the node at its other end. */
  readonly path: string | null;
};

export type InspectQuestion = {
  readonly pick: string;
  /** A time, and the ticks of a column of pixels there. */
  readonly at?: number;
  readonly span?: number;
  /** All nodes of the row there, if it stands for several. */
  readonly nodes?: ReadonlyArray<number>;
  /** The network over which a message goes, by its name; the first one by default. */
  readonly topology?: string;
};

/** A wait during a state. */
export type InspectWait = {
  /** The kind, as in `onca-waits/1`. */
  readonly kind: string;
  /** Where it begins. */
  readonly start: number;
  /** Where it ends. */
  readonly end: number;
  /** The number of the node that was waited for. */
  readonly node: number | null;
  /** Its path. */
  readonly path: string | null;
  /** The pick of what that one did until the wait was over. */
  readonly pick: string | null;
};

/** What a mark of a picture stands for: `onca-inspect/1`. All times are ticks after the begin of the trace, and a pick is what the server calls a subject. */
export type Inspection = {
  /** `onca-inspect/1`. */
  readonly schema: string;
  /** `state`, `event`, `variable`, `link`, `container`, `aggregate` or `value`. */
  readonly kind: InspectKind;
  /** What it is called. */
  readonly title: string;
  /** Its colour, as `#rrggbb` or `#rrggbbaa`; `null` for what has none. */
  readonly color: string | null;
  /** The number of its node; `null` where it has none. */
  readonly node: number | null;
  /** The path of its node. */
  readonly path: string | null;
  /** The name of its container. */
  readonly container: string | null;
  /** The number of the node where a link ends. */
  readonly destination_node: number | null;
  /** The path of the node where a link ends. */
  readonly destination_path: string | null;
  /** Where it begins. */
  readonly start: number | null;
  /** Where it ends. */
  readonly end: number | null;
  /** What else is known of it. */
  readonly fields: ReadonlyArray<InspectField>;
  /** The line of source code that made it, if the trace tells. */
  readonly source: SourceLine | null;
  /** The states around it, from the outermost, and those right inside it. */
  readonly nesting: ReadonlyArray<NestedState>;
  /** How many more states are inside it. */
  readonly inside_left_out: number;
  /** The links that begin or end in it. */
  readonly links: ReadonlyArray<InspectLink>;
  /** How many more links there are. */
  readonly links_left_out: number;
  /** The states at both ends of a link. */
  readonly ends: ReadonlyArray<InspectEnd>;
  /** How a state waited for others; empty as long as that is not known. */
  readonly waits: ReadonlyArray<InspectWait>;
  /** Is a state on the critical path? `null` as long as that is not known. */
  readonly on_path: boolean | null;
  /** How it compares with others of its value. */
  readonly same_value: SameValue | null;
  /** What an aggregate is made of. */
  readonly shares: ReadonlyArray<ShareOfAggregate>;
  /** The picks of what is to be shown with it. */
  readonly related: ReadonlyArray<string>;
  /** The way of a message over the network; `null` for others, and where no network is known. */
  readonly route: Route | null;
};

/** A state or link. */
export type Instance = {
  /** The path of its container, if it is known. */
  readonly container: string | null;
  /** Where it begins, in units. */
  readonly start: number;
  /** Where it begins, in ticks. */
  readonly start_ticks: Exact;
  /** Where it ends, in units. */
  readonly end: number;
  /** Where it ends, in ticks. */
  readonly end_ticks: Exact;
  /** How long it is, in units. */
  readonly duration: number;
  /** How long it is, in ticks. */
  readonly duration_ticks: Exact;
};

/** An iteration. */
export type Iteration = {
  /** Its first phase. */
  readonly first: number;
  /** How long it is, in units; `null` if it is not whole. */
  readonly length: number | null;
  /** The same in ticks. */
  readonly length_ticks: Exact | null;
  /** The sum of the sizes of its messages. */
  readonly size: number;
  /** Its length is unusual. */
  readonly odd_length: boolean;
  /** Its size is unusual. */
  readonly odd_size: boolean;
  /** Its phases that are unlike those of the pattern. */
  readonly odd_phases: ReadonlyArray<number>;
  /** Where it begins, in units. */
  readonly from: number;
  /** Where it ends, in units. */
  readonly to: number;
  /** Where it begins, in ticks. */
  readonly from_ticks: Exact;
  /** Where it ends, in ticks. */
  readonly to_ticks: Exact;
};

/** A trace that became part of another one. */
export type JoinedSource = {
  /** What the container that holds it is called. */
  readonly name: string;
  /** Where its time 0 came to lie, in ticks of the whole. */
  readonly offset_ticks: Exact;
  /** By what its times were multiplied, as a fraction: `1` or `1000001/1000000`. */
  readonly rate: string;
};

/** A time with a name, or a note on a window of time. */
export type KeptMark = {
  /** Ticks after the begin of the trace. */
  readonly time: number;
  /** Where the window of a note ends, likewise. */
  readonly end?: number;
  /** The path of the row that a note is about. */
  readonly row?: string;
  /** What it is called. */
  readonly name: string;
  /** What there is to say. */
  readonly note: string;
  /** Such as `#cc3366`. */
  readonly color: string | null;
};

/** A line of a legend. */
export type LegendEntry = {
  readonly name: string;
  /** As `#rrggbb` or `#rrggbbaa`. */
  readonly color: string;
  /** The number of the value; `null` where the colour stands for a type. */
  readonly value: number | null;
  /** Its share of the time of all states; `null` for links and events. */
  readonly share: number | null;
};

/** What stands between a trace and a view of it: what is seen, how it is grouped and ordered, what is reduced, how it looks. The empty lens shows everything as it is. */
export type Lens = {
  /** The version of the form: [`LENS_VERSION`]. */
  readonly version: 1;
  /** What is seen. */
  readonly select?: LensSelect;
  /** A tree of containers that the trace did not have. */
  readonly hierarchy?: LensHierarchy;
  /** Containers that are shown as one; the first group that takes a container has it. */
  readonly group?: ReadonlyArray<LensGroup>;
  /** The order of siblings. */
  readonly order?: LensOrder;
  /** Container types whose containers share a row once one has ended. */
  readonly reuse_rows?: ReadonlyArray<string>;
  /** Derived variables and states of parents. */
  readonly reduce?: ReadonlyArray<LensReduction>;
  /** Rules that find locks in states. */
  readonly locks?: ReadonlyArray<LensLock>;
  /** Colours, shapes and heights. */
  readonly appearance?: LensAppearance;
  /** The role of values, by pattern, where the guess from the name is wrong. */
  readonly roles?: {
    readonly [key in string]: Role;
  };
};

/** What a lens shows of a trace, and how it looks: `onca-lens-answer/1`. */
export type LensAnswer = {
  /** `onca-lens-answer/1`. */
  readonly schema: string;
  /** The name of the trace. */
  readonly trace: string;
  /** How many containers are seen. */
  readonly containers: SeenOfAll;
  /** The levels of the tree of what is seen, from the root. */
  readonly levels: ReadonlyArray<Level>;
  /** All types. */
  readonly types: ReadonlyArray<TypeLook>;
  /** All values. */
  readonly values: ReadonlyArray<ValueLook>;
  /** The lens itself, as `docs/lens.md` describes it. */
  readonly lens: Lens;
};

/** Colours, shapes and heights of types and values, by pattern. */
export type LensAppearance = {
  /** Of types. */
  readonly types?: {
    readonly [key in string]: EntryAppearance;
  };
  /** Of values. */
  readonly values?: {
    readonly [key in string]: EntryAppearance;
  };
  /** Whether the colours that the trace gives are used. */
  readonly trace_colors?: TraceColors | null;
};

/** A length of time: a number in the unit of the trace, or a text such as `2ms`. */
export type LensDuration = number | string;

/** Some of many things, by patterns. */
export type LensFilter = {
  /** If given, only these. */
  readonly only?: ReadonlyArray<string>;
  /** Not these. */
  readonly hide?: ReadonlyArray<string>;
};

/** Containers that are shown as one. */
export type LensGroup = {
  readonly containers: {
    /** The name of the group. */
    readonly name: string;
    /** References to its members; what lies below them belongs to it. */
    readonly of: ReadonlyArray<string>;
  };
} | {
  readonly pattern: {
    /** The expression. */
    readonly expression: string;
    /** A container type: one group for each container of it. */
    readonly within?: string;
  };
} | {
  readonly level: string;
} | {
  readonly depth: number;
};

/** Where a tree of containers comes from. */
export type LensHierarchy = {
  readonly tree: {
    /** Its nodes, parents before children. */
    readonly nodes: ReadonlyArray<LensTreeNode>;
    /** An expression of which the first group is the name of the node that a container belongs to. Without it, a container belongs to the node of the same name. */
    readonly place?: string;
  };
} | {
  readonly names: {
    /** An expression with a named group for each level. */
    readonly pattern: string;
    /** The groups, from the outermost level to the innermost. Without any, all groups are levels: one with fewer different names lies around one with more. */
    readonly levels?: ReadonlyArray<string>;
  };
} | {
  readonly fields: {
    /** The fields, from the outermost level to the innermost. A container is placed if it has the first. */
    readonly levels: ReadonlyArray<string>;
  };
};

/** Which states hold a lock, and which wait for one. */
export type LensLock = {
  /** The values of states that hold one. */
  readonly holds: string;
  /** The values of states that wait for one. */
  readonly waits: string;
  /** What the lock is called: `value`, or the name of an extra field. */
  readonly key: string;
};

/** The order of siblings. */
export type LensOrder = {
  /** What decides. */
  readonly by?: LensOrderKey;
  /** The largest or last first. */
  readonly descending?: boolean;
  /** These first, in this order. */
  readonly first?: ReadonlyArray<string>;
};

/** What decides the order of siblings. */
export type LensOrderKey = "creation" | "name" | "end" | "messages" | {
  readonly time: ReadonlyArray<string>;
};

/** A derived variable or state of a container, made of those below it. */
export type LensReduction = {
  /** The name of what it makes. */
  readonly name: string;
  /** The container type that gets it. */
  readonly level: string;
  /** How many, which share, or what of a variable. */
  readonly op: LensReductionOp;
  /** For `count` and `busy`: the values that count. */
  readonly values?: ReadonlyArray<string>;
  /** For `sum`, `mean`, `min`, `max`: the variable type. */
  readonly variable?: string;
  /** What is made of it. */
  readonly as?: LensReductionForm;
};

/** What a reduction makes. */
export type LensReductionForm = "variable" | "states";

/** How what lies below is reduced. */
export type LensReductionOp = "count" | "busy" | "sum" | "mean" | "min" | "max";

/** What is seen. */
export type LensSelect = {
  /** Types of states, events, variables and links. */
  readonly types?: LensFilter;
  /** Values of states, events and links. */
  readonly values?: LensFilter;
  /** Containers. */
  readonly containers?: LensFilter;
  /** Types that are seen in some containers only. */
  readonly types_in?: ReadonlyArray<LensTypesIn>;
  /** States and links that are shorter are not seen. */
  readonly min_duration?: LensDuration;
};

/** A node of a tree that is written down. */
export type LensTreeNode = {
  /** Its name. */
  readonly name: string;
  /** What it is: site, cluster, machine. */
  readonly kind?: string;
  /** The index of its parent; nothing for those directly below the root. */
  readonly parent?: number;
};

/** Types that are seen in some containers only. */
export type LensTypesIn = {
  /** Patterns of types of states, events, variables and links. */
  readonly types: ReadonlyArray<string>;
  /** If given, only in these containers; links of which one end is such a container. */
  readonly only?: ReadonlyArray<string>;
  /** Not in these containers; no links of which one end is such a container. */
  readonly hide?: ReadonlyArray<string>;
  /** Both ends of a link must be in containers of `only`. */
  readonly both_ends?: boolean;
};

/** A level of the tree. */
export type Level = {
  /** Its name. */
  readonly level: string;
  /** How many nodes it has. */
  readonly nodes: number;
};

export type LevelInfo = {
  readonly name: string;
  /** How many nodes it has. */
  readonly nodes: number;
};

export type LineQuestion = {
  readonly file: string;
  readonly line: number;
  readonly after?: string;
  readonly limit?: number;
};

export type LinkDirection = "in" | "out";

/** The marks of a trace: `onca-marks/1`. */
export type MarksAnswer = {
  /** `onca-marks/1`. */
  readonly schema: string;
  /** In no order. */
  readonly marks: ReadonlyArray<KeptMark>;
};

/** How containers were paired. */
export type Matched = {
  /** `path`, `name` or `position`. */
  readonly rule: string;
  /** The level whose containers are compared by means over their processes; null where single processes are. */
  readonly level: string | null;
  /** How many pairs there are. */
  readonly places: number;
  /** Processes of the first run without a counterpart. */
  readonly alone_before: ReadonlyArray<string>;
  /** Processes of the second run without a counterpart. */
  readonly alone_after: ReadonlyArray<string>;
};

export type Measure = "exclusive" | "inclusive";

/** How many messages there are. */
export type Messages = {
  /** All of them. */
  readonly count: number;
  /** Those that have a size. */
  readonly with_size: number;
  /** The sum of the sizes. */
  readonly size: number;
  /** Those that a processor sends to itself. */
  readonly to_self: number;
  /** Those of collective operations. */
  readonly collective: number;
  /** Links without two known ends, which do not count. */
  readonly left_out: number;
  /** Collective operations that states of their members tell of. */
  readonly operations: number;
  /** Do the members of these follow from the order of calls, for want of numbers? */
  readonly members_assumed: boolean;
  /** Were collective operations left out because they have too many calls? */
  readonly operations_left_out: boolean;
  /** The names of operations, the most frequent first. */
  readonly functions: ReadonlyArray<CalledFunction>;
};

/** The first and last sum of start and end of messages, in ticks after the begin of the trace: whole numbers, where a middle need not be. */
export type Middles = {
  /** Of the first message. */
  readonly first: number;
  /** Of the last message. */
  readonly last: number;
};

/** What the header of a minimap says: `onca-scene/1`, and more. */
export type MinimapHeader = {
  /** The times at which most changes. */
  readonly peaks: ReadonlyArray<Peak>;
  readonly schema: string;
  /** The part of view space that the picture fills. */
  readonly view: Bounds;
  /** Nothing was summed up, thinned or left out: there are no `notes`. */
  readonly exact: boolean;
  /** What was summed up, thinned or left out, in words. */
  readonly notes: ReadonlyArray<string>;
  /** The layers in the order in which they are painted. */
  readonly layers: ReadonlyArray<WireLayer>;
  /** Texts that labels and titles refer to. */
  readonly texts: ReadonlyArray<string>;
  /** The time that was drawn; absent where the view has no time. */
  readonly window?: TimeWindow;
  /** How long it took, in milliseconds. */
  readonly ms: number;
  /** What the colours mean. */
  readonly legend: ReadonlyArray<LegendEntry>;
  /** What the strengths of colours mean; absent where they mean no amounts. */
  readonly scale?: ColorScale;
  /** What the height means; absent where it is no single quantity. */
  readonly upright?: UprightAxis;
  /** The histograms in the picture; absent where there are none. */
  readonly plots?: ReadonlyArray<HistogramPlot>;
};

export type MinimapQuestion = {
  readonly width: number;
  readonly height: number;
  readonly theme?: Theme;
  /** The communication curve too, which takes longer. */
  readonly communication?: boolean;
};

/** Who has the most to do. */
export type MostLoaded = {
  /** The number of its node. */
  readonly node: number;
  /** Its name. */
  readonly name: string;
  /** The value that is compared; `null` for all useful time. */
  readonly value: string | null;
  /** The type of the value. */
  readonly type: string | null;
  /** Its time, in units. */
  readonly max: number;
  /** Its time, in ticks. */
  readonly max_ticks: number;
  /** The mean of all, in units. */
  readonly mean: number;
  /** The mean of all, in ticks. */
  readonly mean_ticks: number;
  /** By how many per cent its time is above the mean. */
  readonly imbalance_percent: number | null;
  /** How many are compared. */
  readonly nodes: number;
  /** Its path from the root. */
  readonly path: string;
  /** The name of its container type, or what the lens calls its level. */
  readonly kind: string;
};

export type Nature = "container" | "state" | "event" | "variable" | "link";

/** The entity before or after another. */
export type Neighbour = {
  /** `null` if there is none. */
  readonly pick: string | null;
};

/** A state around or inside another. */
export type NestedState = {
  /** Its pick. */
  readonly pick: string;
  /** What it is called. */
  readonly title: string;
  /** Where it begins. */
  readonly start: number;
  /** Where it ends. */
  readonly end: number;
  /** `inside` or `around`. */
  readonly relation: Relation;
};

/** A container or group. */
export type Node = {
  /** Its path from the root. */
  readonly path: string;
  /** The name of its container type, or what the lens calls its level. */
  readonly kind: string;
};

export type Odd = "high" | "low";

/** What is to be opened. */
export type OpenQuestion = Spot | DroppedFiles;

/** A trace that is opened: `onca-opened/1`. */
export type OpenedAnswer = {
  readonly schema: string;
  /** What requests call it. */
  readonly id: string;
};

/** A value of messages. */
export type Operation = {
  readonly name: string;
  /** Its number. */
  readonly value: number;
  /** How many messages. */
  readonly count: number;
};

/** A word that can be chosen. */
export type OptionChoice = {
  /** The word. */
  readonly name: string;
  /** What it means. */
  readonly help: string;
};

/** An option of a view, for those who offer it. */
export type OptionInfo = {
  /** What requests call it. */
  readonly name: string;
  /** The flag of the command. */
  readonly flag: string;
  /** What it does, in a sentence. */
  readonly help: string;
  /** What can be chosen. */
  readonly kind: OptionKind;
  /** What holds where nothing is chosen; null where the view chooses. */
  readonly default: unknown;
};

/** What can be chosen of an option. */
export type OptionKind = {
  readonly is: "switch";
} | {
  readonly is: "choice";
  /** The words, each with what it means. */
  readonly choices: ReadonlyArray<OptionChoice>;
} | {
  readonly is: "number";
} | {
  readonly is: "text";
} | {
  readonly is: "texts";
};

/** The trade-offs of an overview: `onca-overview/1` without areas. */
export type OverviewAnswer = {
  /** Where the best partition changes. */
  readonly curve: Curve;
  /** What is disrupted; `null` if nobody asked. */
  readonly disruptions: Disruptions | null;
  /** The trade-off at which what was asked for stands out most; `null` if nothing was, or if it is nowhere. */
  readonly own_area: OwnArea | null;
  /** `onca-overview/1`. */
  readonly schema: string;
  /** `states`, `events`, `bytes`, `bytes-received`, a variable; `values` of a cube of numbers. */
  readonly metric: string;
  /** The unit of all times; absent for a cube of numbers. */
  readonly unit?: UnitInfo;
  /** How many slices there are. */
  readonly slices: number;
  /** How many leaves there are. */
  readonly leaves: number;
  /** The names of the values that occur; their numbers in a cube of numbers. */
  readonly values: ReadonlyArray<string>;
  /** The lens made it necessary to look at every entity. */
  readonly scanned: boolean;
  /** Where it begins, in units. */
  readonly from?: number;
  /** Where it ends, in units. */
  readonly to?: number;
  /** Where it begins, in ticks. */
  readonly from_ticks?: Exact;
  /** Where it ends, in ticks. */
  readonly to_ticks?: Exact;
};

export type OverviewQuestion = {
  /** Into how many slices the window is cut. */
  readonly slices?: number;
  /** The time in no state is a value too. */
  readonly idle?: boolean;
  /** What is looked at: `states` by default, `events`, `bytes`, `bytes-received`, or the name of a variable. */
  readonly metric?: string;
  /** Along which axes cells are joined. */
  readonly axis?: string;
  /** How many disruptions are wanted. */
  readonly disruptions?: number;
  /** What is to stand out as an area of its own. */
  readonly own_area?: AskedArea;
};

/** A trade-off at which something stands out. */
export type OwnArea = {
  /** The trade-off. */
  readonly p: number;
  /** How alike the areas are to what was asked for; 1 is the same. */
  readonly likeness: number;
};

/** Parts of both runs that belong together. One is empty where the other run has nothing like it. */
export type Pair = {
  /** In the first run. */
  readonly before: Span;
  /** In the second run. */
  readonly after: Span;
};

/** A time at which much changes. */
export type Peak = {
  /** In ticks after the begin of the trace. */
  readonly time: number;
  /** What changes. */
  readonly of: PeakOf;
  /** By how much, from 0 to 1. */
  readonly change: number;
};

/** What changes at a peak. */
export type PeakOf = "states" | "communication";

/** A phase. */
export type Phase = {
  /** The letters of its pattern: phases that look alike have the same. */
  readonly pattern: string;
  /** How many messages it has. */
  readonly messages: number;
  /** The sum of their sizes. */
  readonly size: number;
  /** How many of them a processor sends to itself. */
  readonly to_self: number;
  /** How many of them are of collective operations. */
  readonly collective: number;
  /** How many processors have no message. */
  readonly idle: number;
  /** How well the communities are set apart; `null` where there is no traffic. */
  readonly modularity: number | null;
  /** The communities, each a list of places in `processors`. */
  readonly communities: ReadonlyArray<ReadonlyArray<number>>;
  /** What communities send each other. */
  readonly flows: ReadonlyArray<CommunityFlow>;
  /** The height of the curve of change. */
  readonly height: number;
  /** How much it differs from the next phase, from 0 to 1; `null` for the last. */
  readonly difference_to_next: number | null;
  /** With `--trees` only: how the communities joined. */
  readonly merges?: CommunityMerges;
  /** Where it begins, in units. */
  readonly from: number;
  /** Where it ends, in units. */
  readonly to: number;
  /** Where it begins, in ticks. */
  readonly from_ticks: Exact;
  /** Where it ends, in ticks. */
  readonly to_ticks: Exact;
};

/** A phase, with what a page needs to ask for its messages. */
export type PhaseFound = {
  /** In ticks after the begin of the trace. */
  readonly start: number;
  readonly end: number;
  /** `null` if it has no messages. */
  readonly within: Middles | null;
  /** The letters of its pattern: phases that look alike have the same. */
  readonly pattern: string;
  /** How many messages it has. */
  readonly messages: number;
  /** The sum of their sizes. */
  readonly size: number;
  /** How many of them a processor sends to itself. */
  readonly to_self: number;
  /** How many of them are of collective operations. */
  readonly collective: number;
  /** How many processors have no message. */
  readonly idle: number;
  /** How well the communities are set apart; `null` where there is no traffic. */
  readonly modularity: number | null;
  /** The communities, each a list of places in `processors`. */
  readonly communities: ReadonlyArray<ReadonlyArray<number>>;
  /** What communities send each other. */
  readonly flows: ReadonlyArray<CommunityFlow>;
  /** The height of the curve of change. */
  readonly height: number;
  /** How much it differs from the next phase, from 0 to 1; `null` for the last. */
  readonly difference_to_next: number | null;
  /** With `--trees` only: how the communities joined. */
  readonly merges?: CommunityMerges;
  /** Where it begins, in units. */
  readonly from: number;
  /** Where it ends, in units. */
  readonly to: number;
  /** Where it begins, in ticks. */
  readonly from_ticks: Exact;
  /** Where it ends, in ticks. */
  readonly to_ticks: Exact;
};

/** A merge of phases. */
export type PhaseMerge = {
  /** The time between the two, in units. */
  readonly at: number;
  /** The same in ticks. */
  readonly at_ticks: Exact;
  /** How far they are apart, in units. */
  readonly distance: number;
};

/** The answer of `onca phases --json`, `onca-phases/1`, with what a page needs to ask on. */
export type PhasesAnswer = {
  /** The numbers of the nodes of `processors`. */
  readonly nodes: ReadonlyArray<number | null>;
  /** There can be no more phases than this, nor are more shown. */
  readonly most_phases: number;
  /** How many messages there are. */
  readonly messages: Messages;
  /** The paths of those that send or receive; phases name them by their place in this list. */
  readonly processors: ReadonlyArray<string>;
  /** What traffic is measured in: `size`, or `count` where no message has a size. */
  readonly weight: TrafficWeight;
  /** `midpoint` or `weighted`. */
  readonly linkage: string;
  /** By how much the time of a message may have been moved, in units; 0 if all are exact. */
  readonly rounding: number;
  /** The same in ticks. */
  readonly rounding_ticks: Exact;
  /** The numbers of phases that stand out most. */
  readonly suggestions: ReadonlyArray<Suggestion>;
  /** The number of phases that stands out most, where that is more than are made. */
  readonly too_many_phases: number | null;
  /** The phases, in order of time. */
  readonly phases: ReadonlyArray<PhaseFound>;
  /** What repeats; `null` if nothing does. */
  readonly repetition: Repetition | null;
  /** With `--trees` only: how the phases would join, the last merge first. */
  readonly merges?: ReadonlyArray<PhaseMerge>;
  /** The kind of the answer and its version, such as `onca-find/1`. */
  readonly schema: string;
  /** The unit of all times. */
  readonly unit: UnitInfo;
  /** The window that was asked about. */
  readonly window: Span;
  /** Entities had to be looked at one by one; else cumulative sums were enough. */
  readonly scanned: boolean;
};

/** What may be opened: `onca-places/1`. */
export type PlacesAnswer = {
  readonly schema: string;
  /** The folders that were allowed. */
  readonly folders: ReadonlyArray<string>;
  /** Traces below them that were shown last, the last one first. */
  readonly recent: ReadonlyArray<Spot>;
  readonly dropped: ReadonlyArray<Dropped>;
  /** What all dropped files may have together, in bytes. */
  readonly drop_limit: number;
  /** What may still be dropped, in bytes. */
  readonly drop_room: number;
};

export type Problem = {
  /** `null` if it is of no file. */
  readonly file: string | null;
  /** From 1; 0 when it has none. */
  readonly line: number;
  /** In bytes from 1; 0 when it has none. */
  readonly column: number;
  /** Where there are no lines: the place in bytes. */
  readonly offset: number | null;
  /** `note`, `warning`, `error` or `fatal`. */
  readonly severity: Severity;
  readonly code: string;
  /** What is wrong. */
  readonly message: string;
  /** What would help. */
  readonly hint: string | null;
};

/** The first problem of a code. */
export type ProblemCount = {
  /** How many of them there are. */
  readonly count: number;
  /** `null` if it is of no file. */
  readonly file: string | null;
  /** From 1; 0 when it has none. */
  readonly line: number;
  /** In bytes from 1; 0 when it has none. */
  readonly column: number;
  /** Where there are no lines: the place in bytes. */
  readonly offset: number | null;
  /** `note`, `warning`, `error` or `fatal`. */
  readonly severity: Severity;
  readonly code: string;
  /** What is wrong. */
  readonly message: string;
  /** What would help. */
  readonly hint: string | null;
};

/** How many problems a trace has. */
export type ProblemCounts = {
  readonly notes: number;
  readonly warnings: number;
  readonly errors: number;
};

/** What is wrong with a trace: `onca-problems/1`. */
export type ProblemsAnswer = {
  readonly schema: string;
  /** The first problem of each code. */
  readonly counts: ReadonlyArray<ProblemCount>;
  /** Some problems of each code, in the order of the files. */
  readonly samples: ReadonlyArray<Problem>;
};

/** How long each path of nested states took: `onca-profile/1`. */
export type ProfileAnswer = {
  /** The exclusive time of all paths, in units. */
  readonly total: number;
  /** The same in ticks. */
  readonly total_ticks: Exact;
  /** How many paths are too small to be listed. */
  readonly left_out: number;
  /** Their exclusive time, in units. */
  readonly left_out_exclusive: number;
  /** The same in ticks. */
  readonly left_out_exclusive_ticks: Exact;
  /** The paths, each before those that continue it. */
  readonly paths: ReadonlyArray<ProfilePath>;
  /** The kind of the answer and its version, such as `onca-find/1`. */
  readonly schema: string;
  /** The unit of all times. */
  readonly unit: UnitInfo;
  /** The window that was asked about. */
  readonly window: Span;
  /** Entities had to be looked at one by one; else cumulative sums were enough. */
  readonly scanned: boolean;
};

/** A path of nested states, by the value that it ends with. */
export type ProfilePath = {
  /** Whose path it is. */
  readonly node: Node;
  /** The place in `paths` of the path that it continues; `null` for outermost states. */
  readonly outer: number | null;
  /** How many values it has before its last. */
  readonly depth: number;
  /** States that touch the window. */
  readonly count: number;
  /** The time in these states, in units. */
  readonly inclusive: number;
  /** The same in ticks. */
  readonly inclusive_ticks: Exact;
  /** The time in these states and in no state inside them, in units. */
  readonly exclusive: number;
  /** The same in ticks. */
  readonly exclusive_ticks: Exact;
  /** The name of the value. */
  readonly value: string;
  /** The name of its type. */
  readonly type: string;
};

export type ProfileQuestion = {
  readonly nodes?: ReadonlyArray<number>;
  /** Paths with a smaller share of all time are left out. */
  readonly min_share?: number;
};

/** How far indexing is. What is not known yet is `null`. */
export type Progress = {
  /** In bytes. */
  readonly read: number;
  /** In bytes. */
  readonly total: number | null;
  readonly records: number | null;
};

export type Relation = "around" | "inside";

/** What repeats. */
export type Repetition = {
  /** How many phases make an iteration. */
  readonly phases: number;
  /** Their patterns. */
  readonly patterns: ReadonlyArray<string>;
  /** How alike the iterations are. */
  readonly correlation: number;
  /** The first phase of the first iteration. */
  readonly first: number;
  /** How long an iteration usually is, in units. */
  readonly length: number;
  /** The same in ticks. */
  readonly length_ticks: Exact;
  /** The size that an iteration usually has. */
  readonly size: number;
  /** The iterations. */
  readonly iterations: ReadonlyArray<Iteration>;
};

/** What kind of activity a state is. */
export type Role = "compute" | "task" | "send" | "receive" | "wait" | "collective" | "init" | "runtime" | "idle";

/** The way of a message over a network. */
export type Route = {
  /** The message, as the option `route` of pictures names it: its key, and when it starts. */
  readonly link: string;
  /** The names of the nodes that it passes, from the machine that sends; one where it stays on its machine, none where no way is known. */
  readonly nodes: ReadonlyArray<string>;
  /** The names of the links that it crosses. */
  readonly links: ReadonlyArray<string>;
  /** Was the way given? If not, it is assumed to be the shortest. */
  readonly given: boolean;
  /** The latencies of the links together, in seconds; `null` where one is not known. */
  readonly latency: number | null;
  /** The same in words. */
  readonly text: string;
};

/** What a row is in the tree. */
export type RowState = "leaf" | "open" | "closed" | "merged";

/** How rows get their height. */
export type RowsAsked = {
  readonly fit: number;
} | {
  readonly height: number;
  readonly from: number;
  readonly to: number;
};

/** A number of the time axis. */
export type RulerTick = {
  /** Where it is, from 0 to 1. */
  readonly z: number;
  readonly text: string;
};

/** One of two runs. */
export type Run = {
  /** Its own unit. */
  readonly unit: UnitInfo;
  /** How many processes it has. */
  readonly processes: number;
  /** Where it begins, in units. */
  readonly from: number;
  /** Where it ends, in units. */
  readonly to: number;
  /** Where it begins, in ticks. */
  readonly from_ticks: Exact;
  /** Where it ends, in ticks. */
  readonly to_ticks: Exact;
};

/** All of the same value in the window. */
export type SameValue = {
  /** How many there are. */
  readonly count: number;
  /** Their time, in ticks. */
  readonly total: number;
  /** Their share of the time of all seen states of their type, each tick counted once. */
  readonly share: number | null;
  /** The shortest, in ticks. */
  readonly min: number | null;
  /** The mean, in ticks, which are not whole. */
  readonly mean: number | null;
  /** The longest, in ticks. */
  readonly max: number | null;
};

/** A number beside a graph. */
export type ScaleMark = {
  /** Its middle. */
  readonly y: number;
  readonly text: string;
};

/** What the header of every scene says: `onca-scene/1`. */
export type SceneHeader = {
  readonly schema: string;
  /** The part of view space that the picture fills. */
  readonly view: Bounds;
  /** Nothing was summed up, thinned or left out: there are no `notes`. */
  readonly exact: boolean;
  /** What was summed up, thinned or left out, in words. */
  readonly notes: ReadonlyArray<string>;
  /** The layers in the order in which they are painted. */
  readonly layers: ReadonlyArray<WireLayer>;
  /** Texts that labels and titles refer to. */
  readonly texts: ReadonlyArray<string>;
  /** The time that was drawn; absent where the view has no time. */
  readonly window?: TimeWindow;
  /** How long it took, in milliseconds. */
  readonly ms: number;
  /** What the colours mean. */
  readonly legend: ReadonlyArray<LegendEntry>;
  /** What the strengths of colours mean; absent where they mean no amounts. */
  readonly scale?: ColorScale;
  /** What the height means; absent where it is no single quantity. */
  readonly upright?: UprightAxis;
  /** The histograms in the picture; absent where there are none. */
  readonly plots?: ReadonlyArray<HistogramPlot>;
};

/** How a page shows a view. */
export type Screen = "flat" | "rows" | "space";

export type SearchedField = "values" | "containers" | "types" | "extras" | "keys";

/** How many are seen. */
export type SeenOfAll = {
  /** How many are seen. */
  readonly seen: number;
  /** How many there are. */
  readonly all: number;
};

/** What the server shows, and how far it is: `onca-session/1`. */
export type Session = {
  readonly schema: string;
  /** The version of the program. */
  readonly version: string;
  /** The number of this server: a page that sees another one talks to another program. */
  readonly instance: number;
  /** The names of the networks that the server was started with. */
  readonly topologies: ReadonlyArray<string>;
  /** Source files may be read. */
  readonly sources: boolean;
  /** Other traces may be opened. */
  readonly opens: boolean;
  /** The page is to report what it measures of itself. */
  readonly measured: boolean;
  readonly traces: ReadonlyArray<SessionTrace>;
};

/** What is known of a trace before it is asked. */
export type SessionTrace = {
  /** What requests call it. */
  readonly id: string;
  /** What people call it. */
  readonly name: string;
  readonly status: TraceStatus;
  readonly progress: Progress;
  /** Why it failed or broke off; else `null`. */
  readonly message: string | null;
  /** How far it is, if it is followed; else `null`. */
  readonly growth: Growth | null;
};

export type Severity = "note" | "warning" | "error" | "fatal";

/** The mark that stands for an entity. */
export type Shape = "box" | "line" | "triangle" | "diamond" | "disc" | "arrow" | "steps" | "area";

/** What an address for others is made of: `onca-share/1`. */
export type ShareAnswer = {
  readonly schema: string;
  /** What lets in whoever has it. */
  readonly token: string;
  /** The command that shows the trace again. */
  readonly command: string;
};

/** What an aggregate has of a value. */
export type ShareOfAggregate = {
  /** The number of the value. */
  readonly value: number;
  /** What it is called. */
  readonly title: string;
  /** Its colour, as `#rrggbb` or `#rrggbbaa`. */
  readonly color: string;
  /** The time in it, in ticks. */
  readonly ticks: number;
  /** The share of the time of the aggregate. */
  readonly share: number;
  /** How many there are. */
  readonly count: number;
};

/** A finding, and where it is in the picture. */
export type ShownChange = {
  /** The rows of those that it is about, in the second run; none where only the first has it. */
  readonly nodes: ReadonlyArray<number>;
  /** What of the axis of both runs shows it, in ticks of the comparison. */
  readonly part: TimeWindow;
  /** The share of the change of the run time; null where that is 0. */
  readonly change_share: number | null;
  /** How many times as long, or as much, as before. */
  readonly ratio: number;
  /** When in the first run. */
  readonly before: Span;
  /** When in the second run. */
  readonly after: Span;
  /** How much more other processes wait, all together, in ticks. */
  readonly waiting_ticks: Exact;
  /** How many wait longer. */
  readonly waiting_processes: number;
  /** How likely it is by chance, where there are several runs on each side. */
  readonly p: number | null;
  /** `slow`, `burst`, `stall`, `imbalance`, `outlier-iteration`, `change`, `link`, `collective-wait`, `serialised`, `hot-spot`, `late-sender`, `communication`, `disruption`, `clock` or `lost-records`. */
  readonly kind: string;
  /** The paths of all containers that it is about. */
  readonly where: ReadonlyArray<string>;
  /** The paths of the largest containers that hold just these. */
  readonly groups: ReadonlyArray<string>;
  /** The paths of the containers on the other side of a link. */
  readonly towards: ReadonlyArray<string>;
  /** The time of all processes that it costs, in units. */
  readonly cost: number;
  /** The same in ticks. */
  readonly cost_ticks: Exact;
  /** How much shorter the run would be without it, in ticks; 0 where that is not known. */
  readonly saved_ticks: Exact;
  /** The same as a share of the run time. */
  readonly cost_share: number;
  /** How sure it is, from 0 to 1. */
  readonly sure: number;
  /** One sentence. */
  readonly text: string;
  /** What follows from it, the costliest first. */
  readonly effects: ReadonlyArray<Effect>;
  /** What shows it. */
  readonly evidence: Evidence;
  /** Where it begins, in units. */
  readonly from: number;
  /** Where it ends, in units. */
  readonly to: number;
  /** Where it begins, in ticks. */
  readonly from_ticks: Exact;
  /** Where it ends, in ticks. */
  readonly to_ticks: Exact;
};

/** A finding, and where it is in the picture. */
export type ShownFinding = {
  /** The rows of those that it is about, of what is seen. */
  readonly nodes: ReadonlyArray<number>;
  /** The window that shows it, with some time around it. */
  readonly window: TimeWindow;
  /** When it is. */
  readonly span: TimeWindow;
  /** `slow`, `burst`, `stall`, `imbalance`, `outlier-iteration`, `change`, `link`, `collective-wait`, `serialised`, `hot-spot`, `late-sender`, `communication`, `disruption`, `clock` or `lost-records`. */
  readonly kind: string;
  /** The paths of all containers that it is about. */
  readonly where: ReadonlyArray<string>;
  /** The paths of the largest containers that hold just these. */
  readonly groups: ReadonlyArray<string>;
  /** The paths of the containers on the other side of a link. */
  readonly towards: ReadonlyArray<string>;
  /** The time of all processes that it costs, in units. */
  readonly cost: number;
  /** The same in ticks. */
  readonly cost_ticks: Exact;
  /** How much shorter the run would be without it, in ticks; 0 where that is not known. */
  readonly saved_ticks: Exact;
  /** The same as a share of the run time. */
  readonly cost_share: number;
  /** How sure it is, from 0 to 1. */
  readonly sure: number;
  /** One sentence. */
  readonly text: string;
  /** What follows from it, the costliest first. */
  readonly effects: ReadonlyArray<Effect>;
  /** What shows it. */
  readonly evidence: Evidence;
  /** Where it begins, in units. */
  readonly from: number;
  /** Where it ends, in units. */
  readonly to: number;
  /** Where it begins, in ticks. */
  readonly from_ticks: Exact;
  /** Where it ends, in ticks. */
  readonly to_ticks: Exact;
};

/** What lies on the base. */
export type SolidBase = "graph" | "topology" | "treemap" | "coords";

/** What the header of a scene in space says: `onca-solid/1`. */
export type SolidHeader = {
  readonly schema: string;
  /** Nothing was summed up, thinned or left out: there are no `notes`. */
  readonly exact: boolean;
  /** What was summed up, thinned or left out, in words. */
  readonly notes: ReadonlyArray<string>;
  /** The numbers of the time axis. */
  readonly ruler: ReadonlyArray<RulerTick>;
  /** Numbers of links of a network. */
  readonly numbers: ReadonlyArray<BaseNumber>;
  /** The way of the message that was asked for; `null` where none was, or where it has none. */
  readonly route: BaseRoute | null;
  /** One layer of each kind. */
  readonly layers: ReadonlyArray<WireLayer>;
  /** Texts that labels and titles refer to. */
  readonly texts: ReadonlyArray<string>;
  /** The time that was drawn; absent where the view has no time. */
  readonly window?: TimeWindow;
  /** How long it took, in milliseconds. */
  readonly ms: number;
  /** What the colours mean. */
  readonly legend: ReadonlyArray<LegendEntry>;
  /** What the strengths of colours mean; absent where they mean no amounts. */
  readonly scale?: ColorScale;
  /** What the height means; absent where it is no single quantity. */
  readonly upright?: UprightAxis;
  /** The histograms in the picture; absent where there are none. */
  readonly plots?: ReadonlyArray<HistogramPlot>;
  /** The bases that the trace can have. */
  readonly bases: ReadonlyArray<SolidBase>;
  /** The base that was drawn. */
  readonly base: SolidBase;
  /** The layout of the base; `null` where it has none. */
  readonly layout: string | null;
  /** What the time axis is called. */
  readonly ruler_title: string;
  /** What the colours and widths of network links mean; `null` where they mean nothing. */
  readonly cable_scale: CableScale | null;
};

/** A file of source code: `onca-source/1`. */
export type SourceAnswer = {
  readonly schema: string;
  /** Where it is. */
  readonly file: string;
  readonly lines: ReadonlyArray<string>;
};

/** A line of source code. */
export type SourceLine = {
  /** The file, as the trace names it. */
  readonly file: string;
  /** The line, from 1. */
  readonly line: number;
};

/** A part of time: the window, a slice, a phase. */
export type Span = {
  /** Where it begins, in units. */
  readonly from: number;
  /** Where it ends, in units. */
  readonly to: number;
  /** Where it begins, in ticks. */
  readonly from_ticks: Exact;
  /** Where it ends, in ticks. */
  readonly to_ticks: Exact;
};

/** A file or folder below one that was allowed. */
export type Spot = {
  /** The number of the allowed folder, from 0 on. */
  readonly folder: number;
  /** The names from there on, with `/` between them; empty for the folder itself. */
  readonly path: string;
};

/** A column of a table. */
export type SqlColumn = {
  /** Its name. */
  readonly name: string;
  /** Its type. */
  readonly type: string;
};

export type SqlExample = {
  readonly title: string;
  readonly sql: string;
};

/** A table and its columns. */
export type SqlTable = {
  /** Its name. */
  readonly name: string;
  /** Its columns. */
  readonly columns: ReadonlyArray<SqlColumn>;
};

/** What can be asked in SQL: `onca-sql-tables/1`. */
export type SqlTablesAnswer = {
  readonly schema: string;
  /** The tables, each with `name` and `columns`. */
  readonly tables: ReadonlyArray<SqlTable>;
  /** Queries that any trace can be asked. */
  readonly examples: ReadonlyArray<SqlExample>;
};

/** What the header of the first scene says: `onca-start/1` in a timeline. */
export type StartHeader = {
  /** What the scene answers. */
  readonly question: FirstQuestion;
  /** What the page would ask for besides. */
  readonly start: WireStart;
  /** The rows that were drawn, after the open groups above them. */
  readonly rows: ReadonlyArray<TimelineRow>;
  /** The numbers beside graphs of variables. */
  readonly scales: ReadonlyArray<GraphScale>;
  /** How many rows there are, drawn or not. */
  readonly n_rows: number;
  /** How high they are together, in pixels. */
  readonly height: number;
  readonly schema: string;
  /** The part of view space that the picture fills. */
  readonly view: Bounds;
  /** Nothing was summed up, thinned or left out: there are no `notes`. */
  readonly exact: boolean;
  /** What was summed up, thinned or left out, in words. */
  readonly notes: ReadonlyArray<string>;
  /** The layers in the order in which they are painted. */
  readonly layers: ReadonlyArray<WireLayer>;
  /** Texts that labels and titles refer to. */
  readonly texts: ReadonlyArray<string>;
  /** The time that was drawn; absent where the view has no time. */
  readonly window?: TimeWindow;
  /** How long it took, in milliseconds. */
  readonly ms: number;
  /** What the colours mean. */
  readonly legend: ReadonlyArray<LegendEntry>;
  /** What the strengths of colours mean; absent where they mean no amounts. */
  readonly scale?: ColorScale;
  /** What the height means; absent where it is no single quantity. */
  readonly upright?: UprightAxis;
  /** The histograms in the picture; absent where there are none. */
  readonly plots?: ReadonlyArray<HistogramPlot>;
};

/** The trace that a page begins with: part of `onca-start/1`. */
export type StartTrace = {
  readonly info: TraceInfo;
  readonly marks: MarksAnswer;
};

/** Time, count and durations of values: `onca-stats-values/1`. */
export type StatisticsAnswer = {
  /** What the time of nested states counts for: `exclusive` or `inclusive`. */
  readonly measure: Measure;
  /** The values. */
  readonly values: ReadonlyArray<ValueStatistics>;
  /** The kind of the answer and its version, such as `onca-find/1`. */
  readonly schema: string;
  /** The unit of all times. */
  readonly unit: UnitInfo;
  /** The window that was asked about. */
  readonly window: Span;
  /** Entities had to be looked at one by one; else cumulative sums were enough. */
  readonly scanned: boolean;
};

export type StatisticsQuestion = {
  readonly nodes?: ReadonlyArray<number>;
};

/** A step between the sources of a trace and its store, as JSON. */
export type Step = {
  readonly kind: "joined";
  /** What was done, in a sentence. */
  readonly text: string;
  /** They, in order. */
  readonly sources: ReadonlyArray<JoinedSource>;
} | {
  readonly kind: "corrected";
} & Correction;

/** What is stepped along: the row, cause and effect, the critical path, or all of the same value by length. */
export type StepAlong = "row" | "cause" | "path" | "length";

export type StepQuestion = {
  /** Nothing for the first or last step of the critical path. */
  readonly pick?: string;
  readonly step: -1 | 1;
  /** What is stepped along. */
  readonly along?: StepAlong;
};

/** A number of phases that stands out. */
export type Suggestion = {
  /** How many phases. */
  readonly phases: number;
  /** How much it stands out. */
  readonly contrast: number;
};

/** A run in a few numbers, as JSON: `onca-summary/1`. */
export type SummaryAnswer = {
  /** How well processes used their time; `null` if nothing is known to be useful. */
  readonly efficiency: SummaryEfficiency | null;
  /** Who has the most to do; `null` of one alone. */
  readonly most_loaded: MostLoaded | null;
  /** The kind of the answer and its version, such as `onca-find/1`. */
  readonly schema: string;
  /** The unit of all times. */
  readonly unit: UnitInfo;
  /** The window that was asked about. */
  readonly window: Span;
  /** Entities had to be looked at one by one; else cumulative sums were enough. */
  readonly scanned: boolean;
};

/** How well all processes used their time. */
export type SummaryEfficiency = {
  /** How many processes there are. */
  readonly processes: number;
  /** Parallel efficiency. */
  readonly parallel: number | null;
  /** Load balance. */
  readonly load_balance: number | null;
  /** Communication efficiency. */
  readonly communication: number | null;
  /** States of several types of one container overlap: what they take can be more than the time there is. */
  readonly several_types: boolean;
};

/** The tabs of a page, in the order in which they stand there. */
export type Tab = "timeline" | "overview" | "treemap" | "matrix" | "charts" | "flame" | "phases" | "graph" | "space" | "compare";

/** Light or dark. */
export type Theme = "light" | "dark";

/** A part of time in ticks after the begin of the trace; half open. */
export type TimeWindow = {
  readonly from: number;
  readonly to: number;
};

/** What the header of a timeline says: `onca-scene/1`, and more. */
export type TimelineHeader = {
  /** The rows that were drawn, after the open groups above them. */
  readonly rows: ReadonlyArray<TimelineRow>;
  /** The numbers beside graphs of variables. */
  readonly scales: ReadonlyArray<GraphScale>;
  /** How many rows there are, drawn or not. */
  readonly n_rows: number;
  /** How high they are together, in pixels. */
  readonly height: number;
  readonly schema: string;
  /** The part of view space that the picture fills. */
  readonly view: Bounds;
  /** Nothing was summed up, thinned or left out: there are no `notes`. */
  readonly exact: boolean;
  /** What was summed up, thinned or left out, in words. */
  readonly notes: ReadonlyArray<string>;
  /** The layers in the order in which they are painted. */
  readonly layers: ReadonlyArray<WireLayer>;
  /** Texts that labels and titles refer to. */
  readonly texts: ReadonlyArray<string>;
  /** The time that was drawn; absent where the view has no time. */
  readonly window?: TimeWindow;
  /** How long it took, in milliseconds. */
  readonly ms: number;
  /** What the colours mean. */
  readonly legend: ReadonlyArray<LegendEntry>;
  /** What the strengths of colours mean; absent where they mean no amounts. */
  readonly scale?: ColorScale;
  /** What the height means; absent where it is no single quantity. */
  readonly upright?: UprightAxis;
  /** The histograms in the picture; absent where there are none. */
  readonly plots?: ReadonlyArray<HistogramPlot>;
};

/** A row of a timeline. */
export type TimelineRow = {
  /** The numbers of the nodes that it shows; several where they share it. */
  readonly nodes: ReadonlyArray<number>;
  /** What is written beside it. */
  readonly name: string;
  /** The kind of its first node. */
  readonly kind: string;
  /** How far its first node is from the root. */
  readonly depth: number;
  /** Upper side, in pixels. */
  readonly y0: number;
  /** Lower side, in pixels. */
  readonly y1: number;
  /** What it is in the tree. */
  readonly state: RowState;
  /** How many containers lie below its nodes. */
  readonly below: number;
  /** The path of its first node. */
  readonly path: string;
};

/** Whether the colours that the trace gives to values are used. */
export type TraceColorUse = {
  /** The trace gives some. */
  readonly given: boolean;
  /** Whether they are wanted. */
  readonly asked: TraceColors;
  /** Why some are not used; `null` if all are, or if none are wanted. */
  readonly unused: string | null;
};

/** Whether the colours that a trace gives to its values are used. */
export type TraceColors = "auto" | "always" | "never";

/** What is in a trace, as the page needs it: `onca-view-info/1`. */
export type TraceInfo = {
  readonly schema: string;
  /** What the trace is called. */
  readonly name: string;
  /** The begin in ticks, a text because it may pass what scripts can count to. */
  readonly begin_ticks: string;
  /** In ticks. */
  readonly length: number;
  readonly unit: ExactUnit;
  /** Lines that are neither blank nor comment nor header. */
  readonly records: number;
  /** Records without any effect. */
  readonly lost: number;
  readonly counts: Counts;
  /** The program that wrote it, if it can be told. */
  readonly producer: string | null;
  /** What was done to times on the way from the sources, first to last. */
  readonly changes: ReadonlyArray<Step>;
  /** All types. */
  readonly types: ReadonlyArray<TypeInfo>;
  /** Whether the colours of the trace are used. */
  readonly trace_colors: TraceColorUse;
  /** The values that occur. */
  readonly values: ReadonlyArray<ValueInfo>;
  /** The levels of the tree of what is seen, from the root. */
  readonly levels: ReadonlyArray<LevelInfo>;
  /** The height of rows at first, in pixels, or `fit`. */
  readonly row_height: 'fit' | number;
  readonly problems: ProblemCounts;
  /** The extra fields. */
  readonly fields: ReadonlyArray<FieldDef>;
  /** Entities tell the lines of source code that made them. */
  readonly has_source: boolean;
};

/** Whether a trace can be asked. */
export type TraceStatus = "indexing" | "following" | "ready" | "broken" | "failed";

/** Trade-offs with the same best partition. */
export type TradeOff = {
  /** The least trade-off. */
  readonly from: number;
  /** The greatest trade-off. */
  readonly to: number;
  /** The trade-off for which it was computed. */
  readonly p: number;
  /** What is gained, in bits. */
  readonly gain: number;
  /** What is lost, in bits. */
  readonly loss: number;
  /** The share of the gain of the whole. */
  readonly gain_share: number;
  /** The share of the loss of the whole. */
  readonly loss_share: number;
  /** The number of areas. */
  readonly aggregates: number;
};

export type TrafficWeight = "size" | "count";

export type TypeInfo = {
  /** Its number; types come in order of definition. */
  readonly id: number;
  readonly name: string;
  /** `container`, `state`, `event`, `variable` or `link`. */
  readonly nature: Nature;
  /** The id of the container type that it belongs to; the root is its own. */
  readonly parent: number;
  /** As `#rrggbb` or `#rrggbbaa`. */
  readonly color: string;
  /** How many entities, or containers, there are. */
  readonly count: number;
};

/** How a type looks. */
export type TypeLook = {
  /** The name of the type. */
  readonly type: string;
  /** `container`, `state`, `event`, `variable` or `link`. */
  readonly nature: Nature;
  /** It is seen. */
  readonly seen: boolean;
  /** As `#rrggbb` or `#rrggbbaa`. */
  readonly color: string;
  /** Who chose the colour: `lens`, `remembered`, `trace`, `role` or `palette`. */
  readonly color_from: ColorFrom;
  /** The mark of an event. */
  readonly shape: Shape;
  /** The share of the row that it takes, from 0 to 1. */
  readonly height: number;
};

/** The unit of time. */
export type UnitInfo = {
  /** Its name, such as `s`. */
  readonly name: string;
  /** Nothing tells the unit. */
  readonly assumed: boolean;
  /** How many ticks make one unit. */
  readonly ticks_per_unit: Exact;
};

/** What the height of a picture means. */
export type UprightAxis = {
  /** What is measured. */
  readonly name: string;
  /** Amounts along it; `at` is in view space. */
  readonly marks: ReadonlyArray<AxisMark>;
};

/** The time of a value in both runs. */
export type ValueChange = {
  /** Its name; null is what is outside of all states. */
  readonly value: string | null;
  /** The time of all processes in the first run, in ticks. */
  readonly before_ticks: Exact;
  /** In the second run. */
  readonly after_ticks: Exact;
  /** The difference. */
  readonly change_ticks: Exact;
};

export type ValueInfo = {
  readonly id: number;
  /** The number of its type. */
  readonly type: number;
  readonly name: string;
  /** As `#rrggbb` or `#rrggbbaa`. */
  readonly color: string;
  /** Who chose the colour: `lens`, `remembered`, `trace`, `role` or `palette`. */
  readonly color_from: ColorFrom;
  /** `null` if it has none. */
  readonly role: string | null;
  /** The mark of an event. */
  readonly shape: Shape;
  /** How often it occurs. */
  readonly count: number;
};

/** How a value looks. */
export type ValueLook = {
  /** It is seen. */
  readonly seen: boolean;
  /** Its role; `null` if there is none. */
  readonly role: string | null;
  /** The name of the value. */
  readonly value: string;
  /** The name of its type. */
  readonly type: string;
  /** As `#rrggbb` or `#rrggbbaa`. */
  readonly color: string;
  /** Who chose the colour: `lens`, `remembered`, `trace`, `role` or `palette`. */
  readonly color_from: ColorFrom;
  /** The mark of an event. */
  readonly shape: Shape;
  /** The share of the row that it takes, from 0 to 1. */
  readonly height: number;
};

/** A value whose share changes. */
export type ValueShift = {
  /** Its name. */
  readonly value: string;
  /** By how much. */
  readonly by: number;
};

/** What there is of one value below one node. */
export type ValueStatistics = {
  /** Whose row it is; the root for everything together. */
  readonly node: Node;
  /** `state`, `link` or `event`. */
  readonly nature: Nature;
  /** The role of the value; `null` if it has none. */
  readonly role: string | null;
  /** The time in the window, in units; `null` for events. */
  readonly total: number | null;
  /** The same in ticks. */
  readonly total_ticks: Exact | null;
  /** The share of the time of all states of the type; `null` for links and events. */
  readonly share: number | null;
  /** Instances that touch the window. */
  readonly count: number;
  /** The sum of the sizes of links; `null` for all others. */
  readonly size: number | null;
  /** The longest instances, as many as were asked for. */
  readonly longest: ReadonlyArray<Instance>;
  /** The name of the value. */
  readonly value: string;
  /** The name of its type. */
  readonly type: string;
  /** The shortest, in units. */
  readonly min: number | null;
  /** The shortest, in ticks. */
  readonly min_ticks: Exact | null;
  /** The mean, in units. */
  readonly mean: number | null;
  /** The mean, in ticks, which are not whole. */
  readonly mean_ticks: number | null;
  /** The median, in units. */
  readonly median: number | null;
  /** The median, in ticks. */
  readonly median_ticks: Exact | null;
  /** What 90 of 100 do not exceed, in units. */
  readonly p90: number | null;
  /** What 90 of 100 do not exceed, in ticks. */
  readonly p90_ticks: Exact | null;
  /** What 99 of 100 do not exceed, in units. */
  readonly p99: number | null;
  /** What 99 of 100 do not exceed, in ticks. */
  readonly p99_ticks: Exact | null;
  /** The longest, in units. */
  readonly max: number | null;
  /** The longest, in ticks. */
  readonly max_ticks: Exact | null;
  /** The quantiles are exact. */
  readonly exact: boolean | null;
};

/** A view. */
export type ViewInfo = {
  /** Its name in requests, addresses and commands. */
  readonly name: string;
  /** What people call it. */
  readonly title: string;
  /** How a page shows it. */
  readonly screen: Screen;
  /** Where a page shows it. */
  readonly tab: Tab;
  /** Does time go to the right? */
  readonly has_time: boolean;
  /** Why the trace does not fit; `null` where it does. */
  readonly misfit: string | null;
  /** What it can be asked for. */
  readonly options: ReadonlyArray<OptionInfo>;
};

/** All views: `onca-views/1`. */
export type ViewsAnswer = {
  readonly schema: string;
  readonly views: ReadonlyArray<ViewInfo>;
};

/** A layer: marks of one kind. */
export type WireLayer = {
  /** What the marks are. */
  readonly kind: string;
  /** How many there are. */
  readonly n: number;
  /** Where the columns lie, by name. */
  readonly columns: {
    readonly [key in string]: ColumnPlace;
  };
};

/** Everything that a page begins with: `onca-start/1`. */
export type WireStart = {
  readonly schema: string;
  readonly session: Session;
  /** The number of the trace. */
  readonly id: string;
  /** A [`StartTrace`]; `null` while it is not ready. */
  readonly trace: StartTrace | null;
};

/** The tabs of the page, in order. */
export const TABS = ["timeline","overview","treemap","matrix","charts","flame","phases","graph","space","compare"] as const;

/** What people call views. */
export const VIEW_TITLES: { readonly [name: string]: string } = {
  timeline: 'Timeline',
  treemap: 'Treemap',
  overview: 'Overview',
  pie: 'Pie',
  bars: 'Bars',
  matrix: 'Matrix',
  commgram: 'CommGram',
  histogram: 'Histogram',
  durations: 'Durations',
  concurrency: 'Concurrency',
  traffic: 'Traffic',
  efficiency: 'Efficiency',
  flame: 'Flame graph',
  graph: 'Graph',
  topology: 'Network',
  scene3d: '3D scene',
  'compare-timeline': 'Two timelines',
  'compare-overview': 'Change over time',
  'compare-treemap': 'Change by container',
  'compare-flame': 'Change of nested states',
  'compare-matrix': 'Change of messages',
  'compare-table': 'Table of changes',
};

/** How a scene begins: its name, the version, how long that is; where columns may begin. */
export const WIRE = {
  magic: 1396919887,
  version: 1,
  prefix: 12,
  alignment: 8,
  none: 4294967295,
} as const;

/** Bits of the look of columns, and how many rules tell how columns become pixels. */
export const STRIP = {
  aggregate: 1,
  hasRare: 2,
  nRules: 7,
} as const;

/** How rectangles are filled. */
export const PATTERN = {
  plain: 0,
  hatch: 1,
  diagonal: 2,
  cross: 3,
} as const;

/** What glyphs are. */
export const SHAPE = {
  triangle: 0,
  diamond: 1,
  disc: 2,
  square: 3,
  bar: 4,
} as const;

/** Bits of what arrows have. */
export const ARROW = {
  head: 1,
  dot: 2,
} as const;

/** Where the place of a label is in its length. */
export const ALIGN = {
  start: 0,
  middle: 1,
  end: 2,
} as const;

/** Where the place of a label is in its height. */
export const RISE = {
  baseline: 0,
  middle: 1,
  top: 2,
} as const;

/** What nodes of the base of a scene in space are. */
export const BASE_KIND = {
  container: 0,
  host: 1,
  switch: 2,
  wire: 3,
  middle: 4,
  group: 5,
} as const;

/** The bits of picks: those of the two parts below the kind, and the kinds. */
export const PICK = {
  firstBits: 28,
  secondBits: 32,
  entity: 1,
  node: 2,
  value: 3,
  share: 4,
  pair: 5,
  area: 6,
  community: 7,
  flow: 8,
} as const;
