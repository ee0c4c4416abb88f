import type { library as words } from "../en/library";

export const library: Record<keyof typeof words, string> = {};
