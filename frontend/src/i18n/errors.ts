// What an error of the server means to a person: its code names a kind, and a kind has two texts in each
// language, what happened and the way out. `tests/web/test_error_words.py` compares the codes with the server's.

import { t, type Word } from "./index";

/** The codes of each kind; all other codes are "failed". */
export const CODES_OF = {
  request: ["TW100", "TW150", "TW352"],
  name: ["TW101"],
  install: ["TW102", "TW113", "TW187", "TW183", "TW360", "TW362", "TW710", "TW717"],
  nothing: ["TW103"],
  system: ["TW104"],
  plugin: ["TW106"],
  offscreen: ["TW110"],
  image: ["TW111"],
  tree: ["TW112"],
  site: ["TW151"],
  large: ["TW152"],
  signin: ["TW153"],
  role: ["TW154"],
  tries: ["TW155"],
  missing: ["TW156"],
  database: ["TW160", "TW163"],
  account: ["TW161"],
  lease: ["TW162"],
  selection: ["TW164"],
  recording: ["TW190"],
  waiting: ["TW191"],
  journal: ["TW192"],
  restore: ["TW193"],
  field: ["TW194"],
  id: ["TW201"],
  exists: ["TW202"],
  gone: ["TW203"],
  damaged: ["TW200", "TW204"],
  schema: ["TW205"],
  disk: ["TW206", "TW209"],
  annotations: ["TW185", "TW186", "TW220", "TW640"],
  filter: ["TW208"],
  device: ["TW300", "TW317", "TW319", "TW331", "TW333"],
  lost: ["TW302", "TW314", "TW361", "TW372", "TW390", "TW393", "TW715"],
  action: ["TW303", "TW340", "TW374", "TW376", "TW391", "TW394"],
  app: ["TW304"],
  computer: ["TW301", "TW305", "TW310", "TW311", "TW312", "TW315", "TW330", "TW370", "TW371", "TW373", "TW380", "TW381", "TW382", "TW392"],
  unauthorised: ["TW313"],
  keyboard: ["TW316"],
  locked: ["TW318"],
  busy: ["TW332"],
  session: ["TW350"],
  tab: ["TW351"],
  behind: ["TW354"],
  released: ["TW353"],
  over: ["TW519"],
  held: ["TW520"],
  model: ["TW105", "TW184", "TW400", "TW401", "TW402", "TW403", "TW405", "TW406", "TW407", "TW410", "TW420", "TW421", "TW440", "TW450"],
  task: [
    "TW500", "TW501", "TW510", "TW511", "TW512", "TW513", "TW514", "TW515", "TW517", "TW530", "TW531", "TW532", "TW533", "TW534", "TW535",
    "TW536", "TW538", "TW540",
  ],
  judge: ["TW516"],
  setup: ["TW502", "TW518"],
  run: ["TW600", "TW601", "TW610", "TW611", "TW613"],
  modifier: ["TW820"],
  conflict: ["TW821"],
  part: ["TW824"],
  undo: ["TW822"],
  version: ["TW823"],
  failed: ["TW000", "TW207", "TW230", "TW231", "TW232", "TW355", "TW620", "TW641", "TW711", "TW712", "TW713", "TW714", "TW716", "TW800", "TW801", "TW802", "TW803", "TW830"],
} as const;
export type ErrorKind = keyof typeof CODES_OF;

export type Values = Readonly<Record<string, string | number>>;

const KINDS = new Map<string, ErrorKind>(
  Object.entries(CODES_OF).flatMap(([kind, codes]) => codes.map((code): [string, ErrorKind] => [code, kind as ErrorKind])),
);

/** Texts that name what an error is about, where the server tells it. */
const NAMED: Partial<Record<ErrorKind, { readonly word: Word; readonly names: readonly string[] }>> = {
  name: { word: "problem.name.named", names: ["name"] },
  role: { word: "problem.role.named", names: ["role"] },
  tries: { word: "problem.tries.named", names: ["seconds"] },
  released: { word: "problem.released.named", names: ["by"] },
  held: { word: "problem.held.named", names: ["by"] },
  gone: { word: "problem.gone.named", names: ["id"] },
  selection: { word: "problem.selection.named", names: ["before", "now"] },
  part: { word: "problem.part.named", names: ["part"] },
  conflict: { word: "problem.conflict.named", names: ["version"] },
  version: { word: "problem.version.named", names: ["version"] },
};

/** What happened, and the way out, in the page's language. */
export function explainError(code: string, values: Values): { readonly text: string; readonly hint: string } {
  const kind = KINDS.get(code) ?? "failed";
  const named = NAMED[kind];
  const told = named?.names.every((name) => name in values) ? t(named.word, spoken(values)) : t(`problem.${kind}`);
  return { text: told, hint: t(`problem.${kind}.out`) };
}

/** The values with our own words in the page's language. */
function spoken(values: Values): Values {
  const { role } = values;
  return role === "annotator" || role === "reviewer" || role === "admin" ? { ...values, role: t(`problem.role.${role}`) } : values;
}
