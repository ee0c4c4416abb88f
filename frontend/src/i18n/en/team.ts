// The words of the team pages.

export const team = {} as const;
