// The values that a list can be narrowed to, each with how many rows have it.

/** What is chosen can be taken back, even where it leaves nothing. */
export function withChosen(counts: Readonly<Record<string, number>>, chosen: string | undefined): [string, number][] {
  const listed = Object.entries(counts);
  return !chosen || chosen in counts ? listed : [...listed, [chosen, 0]];
}
