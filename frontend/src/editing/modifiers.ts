// Edits in the grammar of `tapwright episodes edit`; see curate/edit/grammar.py. Texts and
// actions are JSON there, so that a colon or a comma in them ends nothing.

import type { Action } from "../generated/api";

export const modifiers = {
  remove: (start: number, stop: number): string => `delete:${start}:${stop}`,
  crop: (start: number, stop: number): string => `crop:${start}:${stop}`,
  insert: (step: number, action: Action): string => `insert:${step}:${JSON.stringify(action)}`,
  action: (step: number, action: Action): string => `relabel:${step}:action:${JSON.stringify(action)}`,
  reasoning: (step: number, text: string): string => `relabel:${step}:reasoning:${JSON.stringify(text)}`,
  target: (step: number, text: string): string => `relabel:${step}:target:${JSON.stringify(text)}`,
  step_instruction: (step: number, text: string): string => `relabel:${step}:step_instruction:${JSON.stringify(text)}`,
  reward: (step: number, delta: number): string => `rewardize:${step}:${delta}`,
  messages: (step: number, lines: readonly string[]): string =>
    lines.length === 0 ? `instructionize:${step}:-1` : `instructionize:${step}:${JSON.stringify(lines)}`,
  outcome: (outcome: string): string => `outcome:${outcome}`,
  instruction: (text: string): string => `instruction:${JSON.stringify(text)}`,
  split: (step: number, id: string): string => `split:${step}:${JSON.stringify(id)}`,
  take: (): string => "remove",
} as const;
