// What the server is asked and what it answers. docs/http-api.md describes the contract.

export type * from './lens';
export type * from './types/basic';
export type * from './types/entities';
export type * from './types/kept';
export type * from './types/numbers';
export type * from './types/overview';
export type * from './types/phases';
export type * from './types/pictures';
export type * from './types/trace';
export type * from './types/views';
