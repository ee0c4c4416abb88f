// The rows of a run as cards: the picture with the answer on it, or the film strip of an attempt.

import type { JSX } from "preact";

import type { SampleView } from "../generated/api";
import { t } from "../i18n";
import { SamplePicture, Verdict } from "./samples";
import { href } from "../router";
import { Film } from "./film";

export function Gallery({ run, rows, open, onOpen }: {
  readonly run: string;
  readonly rows: readonly SampleView[];
  readonly open: string | null;
  readonly onOpen: (key: string) => void;
}): JSX.Element {
  const films = rows.some((row) => row.film !== null);
  return (
    <ul class={`gallery${films ? " films" : ""}`}>
      {rows.map((row) => (
        <li key={row.key} class={`panel${row.key === open ? " open" : ""}`}>
          <div class="sample">
            {row.film && row.episode !== null
              ? <Film run={run} attempt={row.key} episode={row.episode} film={row.film} />
              : <SamplePicture name={run} row={row} small />}
            <span class="tags">
              <Verdict row={row} />
              {row.steps !== null && <span class="tag">{t("episodes.steps", { count: row.steps })}</span>}
            </span>
            <button type="button" class="link stretched" data-sample={row.key} aria-current={row.key === open ? "true" : undefined} onClick={() => onOpen(row.key)}>
              {t("run.open", { key: row.key, instruction: row.instruction })}
            </button>
            <span class="quiet answer">{row.error ?? (row.given || row.answer)}</span>
            {row.verdict === "miss" && row.right && <span class="answer"><span class="tag good">{t("sample.right")}</span> {row.right}</span>}
          </div>
          {row.episode !== null && <EpisodeLink run={run} id={row.episode} />}
        </li>
      ))}
    </ul>
  );
}

export function EpisodeLink({ run, id }: { readonly run: string; readonly id: string }): JSX.Element {
  return <a href={href(["episodes", id], { run })}>{t("run.episode", { id })}</a>;
}
