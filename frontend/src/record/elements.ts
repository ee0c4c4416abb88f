// The elements of the live screen, and the one under the pointer.

import { computed, effect, signal, type ReadonlySignal } from "@preact/signals";

import { ApiError, get } from "../api";
import type { Point } from "../components/geometry";
import type { TreeNodeView } from "../generated/api";
import { t } from "../i18n";

const area = ({ box: [left, top, right, bottom] }: TreeNodeView): number => (right - left) * (bottom - top);

/** What a finger would hit: the smallest clickable element there, else the smallest with a name. */
export function findElement(elements: readonly TreeNodeView[], { x, y }: Point): TreeNodeView | null {
  const there = elements.filter(({ box: [left, top, right, bottom] }) => left <= x && x < right && top <= y && y < bottom);
  const clickable = there.filter((element) => element.clickable);
  const wanted = clickable.length > 0 ? clickable : there.filter((element) => element.label !== "");
  return wanted.reduce<TreeNodeView | null>((least, one) => (least === null || area(one) < area(least) ? one : least), null);
}

export function centerOf({ box: [left, top, right, bottom] }: TreeNodeView): Point {
  return { x: (left + right) / 2, y: (top + bottom) / 2 };
}

const REST_MS = 250;

/** The elements of the current frame, fetched while the pointer or a list needs them. */
export class Elements {
  readonly all = signal<readonly TreeNodeView[]>([]);
  private readonly at = signal<Point | null>(null);
  /** What lies under the pointer. */
  readonly pointed: ReadonlySignal<TreeNodeView | null> = computed(() => {
    const at = this.at.value;
    return at && findElement(this.all.value, at);
  });
  /** Whether a list of them is open. */
  readonly listed = signal(false);
  private readonly stop: () => void;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private busy = false;
  private closed = false;
  private readonly known = signal<number | null>(null);
  /** Whether `all` is of the current frame: else nothing of it may be tapped. */
  readonly fresh = computed(() => this.known.value !== null && this.known.value === this.frame.value);

  constructor(
    private readonly session: string,
    private readonly frame: ReadonlySignal<number | null>,
  ) {
    this.stop = effect(() => {
      if (this.frame.value !== null && (this.at.value !== null || this.listed.value)) this.plan();
    });
  }

  /** The pointer is here, or away. */
  point(at: Point | null): void {
    this.at.value = at;
  }

  close(): void {
    this.closed = true;
    this.stop();
    clearTimeout(this.timer);
  }

  /** A tree takes time to be read, so that one is requested at a time and never on every frame. */
  private plan(): void {
    if (this.busy || this.known.peek() === this.frame.peek()) return;
    this.busy = true;
    this.timer = setTimeout(() => void this.fetch(), REST_MS);
  }

  private async fetch(): Promise<void> {
    const frame = this.frame.peek();
    if (frame === null) return;
    try {
      const tree = await get("api/sessions/tree", { session: this.session, frame });
      this.all.value = tree.nodes;
      // A tree of an earlier screen is asked for again, until the server has that of this one.
      this.known.value = tree.stale ? null : frame;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      this.all.value = []; // no tree of this frame: nothing to highlight
    }
    this.busy = false;
    if (this.known.peek() !== this.frame.peek() && !this.closed && (this.at.peek() !== null || this.listed.peek())) this.plan();
  }
}

const ROLES = [
  "button", "image button", "text field", "switch", "checkbox", "radio button", "slider", "tab", "menu", "menu item", "cell", "tree item", "image", "text",
  "list", "other",
] as const;

/** What kind of control an element is, in the page's language. */
export function roleName(role: string): string {
  const known = ROLES.find((one) => one === role);
  return known ? t(`role.${known}`) : role;
}
