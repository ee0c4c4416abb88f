// What the server tells of a team; src/tapwright/web/team says what it means.

import type { Role } from "./me";

export interface Member {
  readonly name: string;
  readonly role: Role;
}

export interface Work {
  readonly name: string;
  readonly done: number;
  readonly held: number;
  readonly lapsed: number;
}

export interface Standing {
  readonly item: number;
  readonly suite: string;
  readonly task: string;
  readonly copies: number;
  readonly only: string | null;
  readonly done: readonly (readonly [name: string, episode: string])[];
  readonly held: readonly string[];
  readonly lapsed: readonly string[];
  readonly waiting: number;
}

export interface Progress {
  readonly items: readonly Standing[];
  readonly people: readonly Work[];
}

export interface TaskOverlap {
  readonly item: number;
  readonly suite: string;
  readonly task: string;
  readonly people: readonly string[];
  readonly outcomes: readonly string[];
  readonly steps: readonly number[];
  readonly same_way: number;
}

export interface Overlap {
  readonly tasks: readonly TaskOverlap[];
  readonly same_outcome: number | null;
  readonly same_way: number | null;
  readonly alpha: number | null;
  readonly missing: readonly string[];
}

export interface Held {
  readonly item: number;
  readonly suite: string;
  readonly task: string;
  readonly left_s: number;
  readonly episode: string | null;
  readonly instruction: string;
}
