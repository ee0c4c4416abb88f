// The inspector of a view hierarchy: its elements by depth, searched, with the attributes of the chosen one.

import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

import type { InspectedNodeView, TreeView } from "../generated/api";
import { t } from "../i18n";

export interface Inspected {
  /** The index of the element under the pointer, in the picture or in the list. */
  readonly hovered: number | undefined;
  readonly chosen: number | undefined;
}

export function Inspector({ tree, inspected, onInspect }: {
  readonly tree: TreeView;
  readonly inspected: Inspected;
  readonly onInspect: (next: Inspected) => void;
}): JSX.Element {
  const [words, setWords] = useState("");
  const chosen = inspected.chosen === undefined ? undefined : tree.nodes[inspected.chosen];
  const shown = tree.nodes.map((node, index) => ({ node, index })).filter(({ node }) => has(node, words));
  return (
    <section class="panel inspector" aria-label={t("inspect.title")}>
      <h2>{t("inspect.title")}</h2>
      <label class="field">
        <span>{t("inspect.search", { shown: shown.length, count: tree.nodes.length })}</span>
        <input type="search" value={words} onInput={(event) => setWords(event.currentTarget.value)} />
      </label>
      <ul class="nodes" aria-label={t("inspect.nodes")} onPointerLeave={() => onInspect({ ...inspected, hovered: undefined })}>
        {shown.map(({ node, index }) => (
          <Row
            key={index}
            node={node}
            state={index === inspected.chosen ? "chosen" : index === inspected.hovered ? "hovered" : ""}
            onHover={() => onInspect({ ...inspected, hovered: index })}
            onChoose={() => onInspect({ ...inspected, chosen: index })}
          />
        ))}
      </ul>
      {chosen && (
        <div class="attributes" tabIndex={0} role="group" aria-label={t("inspect.attributes")}>
          <dl class="facts">
            {Object.entries(chosen.attributes).map(([name, value]) => (
              <div key={name}>
                <dt class="mono">{name}</dt>
                <dd>{value}</dd>
              </div>
            ))}
          </dl>
        </div>
      )}
    </section>
  );
}

function Row({ node, state, onHover, onChoose }: {
  readonly node: InspectedNodeView;
  readonly state: "chosen" | "hovered" | "";
  readonly onHover: () => void;
  readonly onChoose: () => void;
}): JSX.Element {
  const row = useRef<HTMLLIElement>(null);
  useEffect(() => {
    const list = row.current?.parentElement;
    // The list alone: the page must not move.
    if (state === "chosen" && list && row.current) list.scrollTop = row.current.offsetTop - list.offsetTop - list.clientHeight / 3;
  }, [state]);
  return (
    <li ref={row} class={state} onPointerEnter={onHover}>
      <button type="button" style={{ paddingLeft: `${6 + 10 * Math.min(node.depth, 12)}px` }} aria-pressed={state === "chosen"} onFocus={onHover} onClick={onChoose}>
        <span class="mono">{node.attributes["class"]?.split(".").at(-1) ?? node.role}</span>{" "}
        {node.label && <span>“{node.label}”</span>} {node.id && <span class="quiet mono">#{node.id}</span>}
      </button>
    </li>
  );
}

/** Whether an element has all words in one of its attributes. */
export function has(node: Pick<InspectedNodeView, "label" | "attributes">, words: string): boolean {
  const text = `${node.label} ${Object.values(node.attributes).join(" ")}`.toLowerCase();
  return words.toLowerCase().split(/\s+/).every((word) => text.includes(word));
}
