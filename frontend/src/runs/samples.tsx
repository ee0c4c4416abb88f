// A sample of a run on its picture: the target's box, and the answered points.

import type { ComponentChildren, JSX } from "preact";

import { Screen } from "../components/screen";
import { t } from "../i18n";
import { Fact } from "../library/facts";
import { BoxMark, OutlineMark, PointMark } from "../library/marks";
import { sampleImageUrl, THUMB_PX } from "../library/imageurls";
import type { SampleView } from "../generated/api";
import { heading, outcomeColor } from "../library/format";
import { labelName } from "./columns";

/** `name` is the run's; `others` are points of other runs on the same sample, with their colour. */
export function SamplePicture({ name, row, small = false, others }: {
  readonly name: string;
  readonly row: SampleView;
  readonly small?: boolean;
  readonly others?: ComponentChildren;
}): JSX.Element | null {
  if (row.picture === null || row.size === null) return null;
  const size = { width: row.size[0], height: row.size[1] };
  return (
    <div class="shot" style={{ aspectRatio: `${size.width} / ${size.height}`, "--shape": String(size.width / size.height) }}>
      <Screen size={size} src={sampleImageUrl(name, row.key, row.picture, small ? THUMB_PX : undefined)} label={labelOf(row)} lazy={small}
        marks={
          <>
            {row.box && <BoxMark name="truth" box={row.box} size={size} />}
            {row.corners && <OutlineMark corners={row.corners} size={size} />}
            {others ?? (row.point && <PointMark name={row.verdict === "hit" ? "hit" : "miss"} at={{ x: row.point[0], y: row.point[1] }} size={size} />)}
          </>
        }
      />
    </div>
  );
}

function labelOf(row: SampleView): string {
  return t(row.point ? "sample.picture.point" : "sample.picture", { instruction: row.instruction });
}

export function Verdict({ row }: { readonly row: SampleView }): JSX.Element {
  return (
    <>
      <span class={`tag ${outcomeColor(row.verdict)}`}>{t(`verdict.${row.verdict}`)}</span>
      {row.mistake && <span class="tag warn">{formatMistake(row.mistake)}</span>}
    </>
  );
}

export function formatMistake(mistake: string): string {
  switch (mistake) {
    case "scale error":
    case "swapped axes":
    case "near miss":
    case "elsewhere":
    case "no place":
      return t(`mistake.${mistake}`);
    default:
      return mistake;
  }
}

/** The instruction, the correct answer and the given one. */
export function SampleFacts({ row }: { readonly row: SampleView }): JSX.Element {
  const options = Object.entries(row.options);
  return (
    <dl class="facts">
      <Fact word="sample.asked"><strong>{row.instruction}</strong></Fact>
      {options.length > 0 && (
        <Fact word="sample.options">
          <ul>
            {options.map(([letter, text]) => (
              <li key={letter}>
                {letter}. {text}{" "}
                {letter === row.truth && <span class="tag good">{t("sample.right")}</span>}
                {letter === row.chosen && <span class={`tag ${letter === row.truth ? "good" : "bad"}`}>{t("sample.chosen")}</span>}
              </li>
            ))}
          </ul>
        </Fact>
      )}
      {row.error ? <Fact word="sample.error"><span class="bad-text">{row.error}</span></Fact> : <Fact word="sample.answer"><code class="log">{row.answer || "–"}</code></Fact>}
      {options.length === 0 && row.right && <Fact word="sample.right"><strong>{row.right}</strong></Fact>}
      {options.length === 0 && row.given && <Fact word="sample.chosen">{row.given}</Fact>}
      <Fact word="sample.status">{row.status}</Fact>
      {Object.entries(row.labels).filter(([, value]) => value !== "").map(([label, value]) => (
        <div key={label}><dt>{heading(labelName(label))}</dt><dd>{value}</dd></div>
      ))}
    </dl>
  );
}
