// The words of the library pages.

export const library = {} as const;
