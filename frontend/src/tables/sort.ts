// The order of a list, as its address has it: "-created" is downwards.

/** The next order when a column's head is pressed: up, down, as before. */
export function nextSort(sort: string, column: string): string | undefined {
  if (sort === column) return `-${column}`;
  return sort === `-${column}` ? undefined : column;
}
