// The words of the record pages.

export const record = {} as const;
