import type { team as words } from "../en/team";

export const team: Record<keyof typeof words, string> = {};
