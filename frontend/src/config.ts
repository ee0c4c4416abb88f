// What the server wrote into the page: the data block #config.

export interface Config {
  readonly base: string;
  readonly version: string;
}

export function readConfig(): Config {
  const said: unknown = JSON.parse(document.getElementById("config")?.textContent ?? "{}");
  const values = said as Partial<Config>;
  return { base: values.base ?? "", version: values.version ?? "" };
}
