// Links to what is shown as files to keep; none where there is no server.

import type { JSX } from "preact";

import { t } from "../i18n";

const FORMATS = ["csv", "json"] as const;

export function Downloads({ label, address }: {
  readonly label: string;
  readonly address: (format: (typeof FORMATS)[number]) => string | null;
}): JSX.Element | null {
  const links = FORMATS.flatMap((format) => {
    const file = address(format);
    return file === null ? [] : [<a key={format} class="button quiet" href={file} download title={label}>↓ {t(`run.export.${format}`)}</a>];
  });
  return links.length === 0 ? null : <span class="row" role="group" aria-label={label}>{links}</span>;
}
