// What the command palette finds in the library: episodes, and the tasks that can be recorded.

import { get } from "../api";
import type { Command, Source } from "../components/commands";
import { go } from "../router";

const SHOWN = 6;

export const episodesSource: Source = {
  title: "palette.episodes",
  find: async (words) => {
    if (words === "") return [];
    const { episodes } = await get("api/episodes", { q: words });
    return episodes.slice(0, SHOWN).map(({ id, instruction }): Command => ({ label: instruction || id, detail: id, run: () => go(["episodes", id]) }));
  },
};

export const tasksSource: Source = {
  title: "palette.tasks",
  find: async (words) => {
    if (words === "") return [];
    const suites = await get("api/suites");
    const found = await Promise.all(suites.map(async (suite) => {
      const tasks = await get("api/tasks", { suite, q: words });
      return tasks.map(({ id, instruction }): Command => ({
        label: instruction || id, detail: `${suite} · ${id}`, run: () => go([], { suite, task: id }),
      }));
    }));
    return found.flat().slice(0, SHOWN);
  },
};
