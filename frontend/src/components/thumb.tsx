// A small picture of a screen; where it is missing, an empty place of its size.

import type { JSX } from "preact";
import { useState } from "preact/hooks";

export function Thumb({ src }: { readonly src: string }): JSX.Element {
  const [missing, setMissing] = useState<string | null>(null);
  if (missing === src) return <span class="thumb" />;
  return <img class="thumb" alt="" loading="lazy" decoding="async" draggable={false} src={src} onError={() => setMissing(src)} />;
}
