// Small traces that are written by hand.

const HEAD = `%EventDef PajeDefineContainerType 0
%  Alias string
%  Type string
%  Name string
%EndEventDef
%EventDef PajeDefineStateType 1
%  Alias string
%  Type string
%  Name string
%EndEventDef
%EventDef PajeCreateContainer 2
%  Time date
%  Alias string
%  Type string
%  Container string
%  Name string
%EndEventDef
%EventDef PajeSetState 3
%  Time date
%  Type string
%  Container string
%  Value string
%EndEventDef
%EventDef PajeSetState 4
%  Time date
%  Type string
%  Container string
%  Value string
%  File string
%  Line int
%EndEventDef
%EventDef PajeDestroyContainer 5
%  Time date
%  Type string
%  Name string
%EndEventDef
%EventDef PajeDefineLinkType 6
%  Alias string
%  Type string
%  StartContainerType string
%  EndContainerType string
%  Name string
%EndEventDef
%EventDef PajeStartLink 7
%  Time date
%  Type string
%  Container string
%  StartContainer string
%  Value string
%  Key string
%EndEventDef
%EventDef PajeEndLink 8
%  Time date
%  Type string
%  Container string
%  EndContainer string
%  Value string
%  Key string
%EndEventDef
0 P 0 Process
1 S P State
6 L 0 P P Message
`;

/** Names that would run if a page took them for anything but text. */
export const HOSTILE = '<img src=x onerror="window.hacked=1">';

export function hostileTrace(): string {
  const quoted = HOSTILE.replaceAll('"', "'");
  const script = '</script><script>window.hacked=1</script>';
  return `${HEAD}2 0.0 a P 0 "${quoted}"
2 0.0 b P 0 "${script}"
3 0.0 S a "${quoted}"
3 1.0 S a "${script}"
3 0.0 S b "javascript:window.hacked=1"
3 1.0 S b "{@html window.hacked=1}"
5 2.0 P a
5 2.0 P b
`;
}

export const SOURCE_FILE = 'solver.c';
export const SOURCE_TEXT = [
  'int main(void) {',
  '  compute();',
  '  send();',
  '  return 0;',
  '}',
  '',
].join('\n');

/** States that tell the line of source that made them. */
export function sourceTrace(): string {
  return `${HEAD}2 0.0 a P 0 "rank 0"
4 0.0 S a computing ${SOURCE_FILE} 2
4 1.0 S a sending ${SOURCE_FILE} 3
4 2.0 S a computing ${SOURCE_FILE} 2
5 3.0 P a
`;
}

/** Rank 0 sends to rank 1, which receives in its second state. */
export function linkTrace(): string {
  return `${HEAD}2 0.0 a P 0 "rank 0"
2 0.0 b P 0 "rank 1"
3 0.0 S a sending
3 0.0 S b waiting
7 0.5 L 0 a data k1
3 2.0 S a computing
3 2.0 S b receiving
8 2.5 L 0 b data k1
5 4.0 P a
5 4.0 P b
`;
}

/** Who sends to whom in each round of `phasesTrace`. */
const ROUNDS = [
  [1, 0, 3, 2, 5, 4, 7, 6],
  [2, 3, 0, 1, 6, 7, 4, 5],
  [1, 0, 3, 2, 5, 4, 7, 6],
];

/** Eight ranks exchange in three rounds, 10 s apart; a round is two bursts, 1 s apart. */
export function phasesTrace(): string {
  const lines: [number, string][] = [];
  for (const [round, partners] of ROUNDS.entries()) {
    for (const burst of [0, 1]) {
      for (const [rank, partner] of partners.entries()) {
        const [start, key] = [1 + 10 * round + burst, `k${round}_${burst}_${rank}`];
        lines.push([start, `7 ${start}.0 L 0 r${rank} send ${key}`]);
        lines.push([start + 0.1, `8 ${start}.1 L 0 r${partner} send ${key}`]);
      }
    }
  }
  const ranks = ROUNDS[0]?.map((_, rank) => rank) ?? [];
  const records = lines.sort(([a], [b]) => a - b).map(([, line]) => line);
  return [
    `${HEAD}${ranks.map((rank) => `2 0.0 r${rank} P 0 "rank ${rank}"`).join('\n')}`,
    ...ranks.map((rank) => `3 0.0 S r${rank} computing`),
    ...records,
    ...ranks.map((rank) => `5 30.0 P r${rank}`),
    '',
  ].join('\n');
}

/** Ranks beside each other that compute, each a little longer than the one before. */
export function flatTrace(nRanks: number): string {
  const ranks = Array.from({ length: nRanks }, (_, rank) => rank);
  const lines = [
    ...ranks.map((rank) => `2 0.0 r${rank} P 0 "rank ${rank}"`),
    ...ranks.map((rank) => `3 0.0 S r${rank} computing`),
    ...ranks.map((rank) => `3 ${(2 + rank / nRanks).toFixed(6)} S r${rank} waiting`),
    ...ranks.map((rank) => `5 4.0 P r${rank}`),
  ];
  return `${HEAD}${lines.join('\n')}\n`;
}

const SHORT_STATES = ['computing', 'waiting', 'sending', 'receiving', 'reducing'] as const;

/** Ranks that change their state so often that a picture can only show shares, the same every time. */
export function shortStates(nRanks: number, nSteps: number): string {
  let seed = 1;
  const random = (n: number) => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    return Math.floor((seed / 2 ** 32) * n);
  };
  const ranks = Array.from({ length: nRanks }, (_, rank) => rank);
  const lines = ranks.map((rank) => `2 0.0 r${rank} P 0 "rank ${rank}"`);
  for (let step = 0; step < nSteps; step += 1) {
    for (const rank of ranks) {
      const value = SHORT_STATES[Math.min(random(5), random(5), random(5))];
      lines.push(`3 ${(step + rank / nRanks).toFixed(6)} S r${rank} ${value}`);
    }
  }
  lines.push(...ranks.map((rank) => `5 ${nSteps}.0 P r${rank}`));
  return `${HEAD}${lines.join('\n')}\n`;
}

/** Nothing is wrong with it; a container is named where it has an alias, which is worth a note. */
export function notedTrace(): string {
  return `${HEAD}2 0.0 a P 0 "rank 0"
3 0.0 S "rank 0" computing
5 4.0 P a
`;
}

/** Two states, one after the other, and a record that cannot be read. */
export function damagedTrace(): string {
  return `${HEAD}2 0.0 a P 0 "rank 0"
3 0.0 S a first
3 0,5 S a lost
3 2.0 S a second
5 4.0 P a
`;
}

/** `n` ranks in a ring: each sends its number and one message more to the next. */
export function ringTrace(n: number): string {
  const ranks = Array.from({ length: n }, (_, rank) => rank);
  const lines = [
    ...ranks.map((rank) => `2 0.0 r${rank} P 0 "rank ${rank}"`),
    ...ranks.flatMap((rank) =>
      Array.from({ length: rank + 1 }, (_, at) => `7 1.0 L 0 r${rank} data k${rank}_${at}`),
    ),
    ...ranks.flatMap((rank) =>
      Array.from(
        { length: rank + 1 },
        (_, at) => `8 2.0 L 0 r${(rank + 1) % n} data k${rank}_${at}`,
      ),
    ),
    ...ranks.map((rank) => `5 4.0 P r${rank}`),
  ];
  return `${HEAD}${lines.join('\n')}\n`;
}

/** `n` bursts of messages between two ranks, a second apart. */
export function burstsTrace(n: number): string {
  const bursts = Array.from({ length: n }, (_, burst) => burst + 1);
  const lines = bursts.flatMap((burst) =>
    [0, 1, 2].flatMap((at) => [
      `7 ${burst}.0${at} L 0 a data k${burst}_${at}`,
      `8 ${burst}.0${at}5 L 0 b data k${burst}_${at}`,
    ]),
  );
  return `${HEAD}2 0.0 a P 0 "rank 0"
2 0.0 b P 0 "rank 1"
${lines.join('\n')}
5 ${n + 1}.0 P a
5 ${n + 1}.0 P b
`;
}

/** Definitions of variables, to be put before records. */
const VARIABLES = `%EventDef PajeDefineVariableType 9
%  Alias string
%  Type string
%  Name string
%EndEventDef
%EventDef PajeSetVariable 10
%  Time date
%  Type string
%  Container string
%  Value double
%EndEventDef
`;

/** Machines and links of a network with variables of the same name. */
export function namesakesTrace(): string {
  return `${VARIABLES}${HEAD}0 M 0 Machine
9 VP P power
9 VM M power
2 0.0 a P 0 "rank 0"
2 0.0 m M 0 "machine 0"
3 0.0 S a computing
10 0.0 VP a 1
10 0.0 VM m 2
5 4.0 P a
5 4.0 M m
`;
}

/** States in states, eight deep: each a tenth shorter than the one around it. */
export function deepTrace(nDepths: number): string {
  const depths = Array.from({ length: nDepths }, (_, depth) => depth);
  const lines = [
    ...depths.map((depth) => `11 ${depth / 10} S a f${depth}`),
    ...depths.map((depth) => `12 ${(4 - (nDepths - 1 - depth) / 10).toFixed(1)} S a`),
  ];
  return `%EventDef PajePushState 11
%  Time date
%  Type string
%  Container string
%  Value string
%EndEventDef
%EventDef PajePopState 12
%  Time date
%  Type string
%  Container string
%EndEventDef
${HEAD}2 0.0 a P 0 "rank 0"
${lines.join('\n')}
5 4.0 P a
`;
}

/** A rank whose load is 1, then 3; and a network of many links, each with a load, below one container. */
export function networkTrace(nRanks: number, nLinks: number): string {
  const ranks = Array.from({ length: nRanks }, (_, rank) => rank);
  const links = Array.from({ length: nLinks }, (_, link) => link);
  const lines = [
    '2 0.0 net N 0 "network"',
    ...links.map((link) => `2 0.0 l${link} W net "wire ${link}"`),
    ...ranks.map((rank) => `2 0.0 r${rank} P 0 "rank ${rank}"`),
    ...ranks.map((rank) => `3 0.0 S r${rank} computing`),
    ...links.map((link) => `10 0.0 VW l${link} ${link}`),
    '10 0.0 VP r0 1',
    '10 2.0 VP r0 3',
    ...ranks.map((rank) => `5 4.0 P r${rank}`),
  ];
  return `${VARIABLES}${HEAD}0 N 0 Network
0 W N Wire
9 VW W traffic
9 VP P load
${lines.join('\n')}
`;
}

/** Ranks that compute for 2 of 4 seconds and then wait, but one of them computes for 3.5. */
export function unevenTrace(nRanks: number, odd: number): string {
  const ranks = Array.from({ length: nRanks }, (_, rank) => rank);
  const lines = [
    ...ranks.map((rank) => `2 0.0 r${rank} P 0 "rank ${rank}"`),
    ...ranks.map((rank) => `3 0.0 S r${rank} computing`),
    ...ranks.filter((rank) => rank !== odd).map((rank) => `3 2.0 S r${rank} waiting`),
    `3 3.5 S r${odd} waiting`,
    ...ranks.map((rank) => `5 4.0 P r${rank}`),
  ];
  return `${HEAD}${lines.join('\n')}\n`;
}

/** Rank 0 computes until 3 s and sends; rank 1 waits for that from 1 s on, and has it at 5 s. */
export function lateSenderTrace(): string {
  return `${HEAD}2 0.0 a P 0 "rank 0"
2 0.0 b P 0 "rank 1"
3 0.0 S a computing
3 0.0 S b computing
3 1.0 S b MPI_Recv
3 3.0 S a MPI_Send
7 3.0 L 0 a data k1
3 4.0 S a computing
8 5.0 L 0 b data k1
3 5.0 S b computing
5 6.0 P a
5 8.0 P b
`;
}

/** Numbers in two values of states: `short` lasts 1.00, 1.05, ... 1.95 s, `long` ten times as long, each once. */
export function lengthsTrace(): string {
  const steps = Array.from({ length: 20 }, (_, step) => step);
  let at = 0;
  const lines = steps.flatMap((step) =>
    [1, 10].map((factor) => {
      const line = `3 ${at.toFixed(2)} S a ${factor === 1 ? 'short' : 'long'}`;
      at += factor * (1 + step * 0.05);
      return line;
    }),
  );
  return `${HEAD}2 0.0 a P 0 "rank 0"
${lines.join('\n')}
5 ${at.toFixed(2)} P a
`;
}

/** A rank that computes for 49 of 400 seconds, and waits for the rest: 12.25 %. */
export function halvesTrace(): string {
  return `${HEAD}2 0.0 a P 0 "rank 0"
3 0.0 S a computing
3 49.0 S a waiting
5 400.0 P a
`;
}

/** A rank with two variables: one is 10 all the time, the other 30 and then 90. */
export function gaugesTrace(): string {
  return `${VARIABLES}${HEAD}9 VA P memory
9 VB P power
2 0.0 a P 0 "rank 0"
3 0.0 S a computing
10 0.0 VA a 10
10 0.0 VB a 30
10 2.0 VB a 90
5 4.0 P a
`;
}

/** Many values that take so little time that their names crowd beside a pie. */
export function crowdTrace(): string {
  const values = Array.from({ length: 14 }, (_, value) => value);
  const lines = values.map((value) => `3 ${80 + value * 1.4} S a short_${value}`);
  return `${HEAD}2 0.0 a P 0 "rank 0"
3 0.0 S a computing
${lines.join('\n')}
5 100.0 P a
`;
}

/** Three types of states: one without any, and two of one name, of ranks and of their threads. */
export function kindsTrace(): string {
  return `${HEAD}0 W P Thread
1 I P Idle
1 R W Work
1 Q P Work
2 0.0 a P 0 "rank 0"
2 0.0 b W a "thread 0"
3 0.0 Q a computing
3 0.0 R b helping
3 3.0 R b resting
5 4.0 W b
5 4.0 P a
`;
}
