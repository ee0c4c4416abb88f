// What can be edited of an episode, and of the step that is shown.

import type { EpisodeStepView, EpisodeView } from "../generated/api";
import { modifiers } from "./modifiers";

export const OF_STEP = ["action", "step_instruction", "target", "reasoning", "reward", "messages", "insert"] as const;
export const OF_EPISODE = ["delete", "crop", "split", "instruction", "outcome", "remove"] as const;
export type Kind = (typeof OF_STEP)[number] | (typeof OF_EPISODE)[number];

export interface Editing {
  readonly episode: EpisodeView;
  readonly step: EpisodeStepView;
}

/** The modifiers of an untouched form; null where it has none yet. */
export function initialModifiers(kind: Kind, episode: EpisodeView, step: EpisodeStepView): string | null {
  switch (kind) {
    case "delete":
      return modifiers.remove(step.index, step.index + 1);
    case "remove":
      return modifiers.take();
    case "split":
      return step.index > 0 ? modifiers.split(step.index, `${episode.id}-${step.index}`) : null;
    default:
      return null;
  }
}
