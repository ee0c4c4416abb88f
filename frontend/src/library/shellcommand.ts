// The command that does the same as the page, for a POSIX shell.

/** Words as one command line; what a shell would read otherwise stands in single quotes. */
export function shellCommand(...words: readonly string[]): string {
  return words.map(quoted).join(" ");
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'"'"'`)}'`;
}
