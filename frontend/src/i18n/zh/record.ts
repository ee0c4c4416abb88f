import type { record as words } from "../en/record";

export const record: Record<keyof typeof words, string> = {};
