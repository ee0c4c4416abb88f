// The URLs of pictures: by their hash, so that a browser fetches each of them once.

import { imageUrl } from "../api";

export const THUMB_PX = 240;

/** Where an episode is: in the store, or with a run's name among those that the run played. */
export interface EpisodeRef {
  readonly id: string;
  readonly run: string | undefined;
  readonly version?: number | undefined;
}

export function frameUrl({ id, run, version }: EpisodeRef, sha: string): string {
  return imageUrl("api/frame", { episode: id, run, version, sha });
}

export function thumbnailUrl({ id, run, version }: EpisodeRef, sha: string): string {
  return imageUrl("api/thumb", { episode: id, run, version, sha, w: THUMB_PX });
}

export function sampleImageUrl(name: string, key: string, file: string, width?: number): string {
  return imageUrl("api/run/picture", { name, key, file, w: width });
}
