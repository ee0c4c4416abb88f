// What the library's addresses answer; see web/library/*.py.

import type { Point, Size } from "../components/geometry";

export interface Entry {
  readonly id: string;
  readonly task: string;
  readonly instruction: string;
  readonly agent: string;
  readonly created: string;
  readonly version: number;
  readonly steps: number;
  readonly outcome: string;
  readonly apps: readonly string[];
  readonly first: string | null;
  readonly last: string | null;
}

export type Facet = "task" | "app" | "outcome" | "agent";

export interface EpisodePage {
  readonly total: number;
  readonly found: number;
  readonly page: number;
  readonly pages: number;
  readonly store: string;
  readonly facets: Readonly<Record<Facet, Readonly<Record<string, number>>>>;
  readonly unreadable: readonly string[];
  readonly episodes: readonly Entry[];
}

export interface Shot extends Size {
  readonly sha: string;
  readonly tree: boolean;
}

export type Action =
  | { readonly type: "tap" | "double_tap" | "hover"; readonly at: Point; readonly button?: "left" | "right" | "middle" }
  | { readonly type: "long_press"; readonly at: Point; readonly duration_s: number }
  | { readonly type: "swipe" | "drag"; readonly start: Point; readonly end: Point; readonly duration_s: number }
  | { readonly type: "scroll"; readonly at: Point; readonly dx: number; readonly dy: number }
  | { readonly type: "type_text" | "answer"; readonly text: string }
  | { readonly type: "press_key"; readonly key: string }
  | { readonly type: "hotkey"; readonly keys: readonly string[] }
  | { readonly type: "open_app"; readonly app: string }
  | { readonly type: "wait"; readonly duration_s: number }
  | { readonly type: "finish"; readonly outcome: string; readonly reason: string };

export interface EpisodeStep {
  readonly index: number;
  readonly action: Action;
  readonly target: string;
  readonly reasoning: string;
  readonly note: string;
  readonly reward: number;
  readonly instructions: readonly string[];
  readonly log: readonly string[];
  readonly refused: string;
  readonly app: string;
  readonly stale: boolean;
  readonly time_s: number;
  readonly raw: number;
  readonly before: Shot;
  readonly after: Shot | null;
}

export interface Change {
  readonly version: number;
  readonly change: "recorded" | "edit" | "remove" | "undo" | "redo";
  readonly from: number | null;
  readonly edit: string;
  readonly time: string;
}

export interface Episode {
  readonly id: string;
  readonly task: string;
  readonly instruction: string;
  readonly agent: string;
  readonly device: string;
  readonly created: string;
  readonly outcome: string;
  readonly version: number;
  readonly shown: number;
  readonly log: readonly string[];
  readonly store: string;
  readonly steps: readonly EpisodeStep[];
  readonly final: Shot | null;
  readonly history: readonly Change[];
  readonly may_edit: boolean;
}

export type Edges = readonly [left: number, top: number, right: number, bottom: number];

export interface TreeNode {
  readonly box: Edges;
  readonly label: string;
  readonly role: string;
  readonly clickable: boolean;
  readonly id: string;
}

export interface Tree {
  readonly nodes: readonly TreeNode[];
  readonly target: number | null;
}

export interface Preview {
  readonly lines: readonly { readonly episode: string; readonly sign: "-" | "+" | " "; readonly step: number | null; readonly text: string }[];
  readonly removed: boolean;
  readonly command: string;
}

export interface Edited {
  readonly kept: readonly { readonly id: string; readonly what: "edited" | "new" | "removed"; readonly version: number }[];
  readonly command: string;
}

export type ReviewState = "accept" | "edit" | "reject" | "withdraw";

export interface Review {
  readonly state: ReviewState;
  readonly reasoning: string | null;
  readonly target: string | null;
  readonly code: string;
  readonly who: string;
  readonly time: string;
}

export interface Meaning {
  readonly code: string;
  readonly means: string;
}

export interface ReviewItem {
  readonly annotator: string;
  readonly episode: string;
  readonly step: number;
  readonly steps: number;
  readonly instruction: string;
  readonly action: Action;
  readonly before: Shot;
  readonly reasoning: string;
  readonly target: string;
  readonly codes: readonly Meaning[];
  readonly repairs: readonly Meaning[];
  readonly warnings: readonly Meaning[];
  readonly invalid: boolean;
  readonly provenance: {
    readonly annotator: string;
    readonly version: string;
    readonly time: string;
    readonly prompt_sha256: string;
    readonly asked: number;
    readonly model: string;
    readonly tokens: number | null;
  };
  readonly review: Review | null;
  readonly log: readonly Review[];
  readonly reject_codes: Readonly<Record<string, string>>;
}

export interface Progress {
  readonly total: number;
  readonly open: number;
  readonly accept: number;
  readonly edit: number;
  readonly reject: number;
  readonly invalid: number;
}

export type Pair = readonly [low: number, high: number];

export interface RunSummary {
  readonly directory: string;
  readonly name: string;
  readonly benchmark: string;
  readonly subject: string;
  readonly created: string;
  readonly score: number | null;
  readonly interval: Pair | null;
  readonly n: number;
  readonly answered: number;
  readonly expected: number;
  readonly complete: boolean;
  readonly format_errors: number;
  readonly cost: number | null;
  readonly wall_s: number;
  readonly data_sha256: string;
  readonly tapwright: string;
}

export interface Row {
  readonly key: string;
  readonly verdict: "hit" | "miss" | "failed";
  readonly status: string;
  readonly score: number | null;
  readonly mistake: string | null;
  readonly labels: Readonly<Record<string, string>>;
  readonly instruction: string;
  readonly answer: string;
  readonly error: string | null;
  readonly box: Edges | null;
  readonly corners: readonly Pair[] | null;
  readonly point: Pair | null;
  readonly size: Pair | null;
  readonly options: Readonly<Record<string, string>>;
  readonly truth: string | null;
  readonly chosen: string | null;
  readonly episode: string | null;
  readonly picture: string | null;
  readonly latency_s: number;
}

export interface Cell {
  readonly n: number;
  readonly value: number | null;
  readonly interval: Pair | null;
}

export interface Run {
  readonly name: string;
  readonly directory: string;
  readonly summary: RunSummary;
  readonly mistakes: Readonly<Record<string, number>>;
  readonly tables: readonly { readonly dimension: string; readonly groups: readonly string[]; readonly cells: readonly Cell[] }[];
  readonly warnings: readonly string[];
  readonly rows: readonly Row[];
}

export interface Comparison {
  readonly before: RunSummary;
  readonly after: RunSummary;
  readonly n: number;
  readonly before_score: number;
  readonly after_score: number;
  readonly difference: number;
  readonly interval: Pair | null;
  readonly p_value: number;
  readonly gained: number;
  readonly lost: number;
  readonly ties: number;
  readonly unpaired: number;
  readonly flips: readonly { readonly key: string; readonly change: "gained" | "lost"; readonly instruction: string; readonly before: Row; readonly after: Row }[];
  readonly header: readonly { readonly field: string; readonly before: unknown; readonly after: unknown }[];
}
