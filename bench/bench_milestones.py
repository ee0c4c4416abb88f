"""How long milestones take: 1000 episodes of 20 frames, 10 milestones with checks of words."""

import random
import time

from tapwright.tasks.milestones.judgement import graph_from_dict, judge

EPISODES, FRAMES, NODES, WORDS = 1000, 20, 10, 12


def main() -> None:
    chance = random.Random(0)
    graph = graph_from_dict(
        {
            "nodes": [
                {
                    "id": f"n{number}",
                    "any": [f"w{number}", f"v{number}"],
                    "next": [f"n{number + 1}"] if number + 1 < NODES else [],
                }
                for number in range(NODES)
            ]
        }
    )
    words = [f"w{number}" for number in range(NODES)] + [f"x{number}" for number in range(40)]
    # Every second milestone's word is seen in time, so that most are looked for to the end.
    episodes = [
        [{*chance.sample(words[NODES:], WORDS), f"w{number // 2}"} for number in range(FRAMES)]
        for _ in range(EPISODES)
    ]
    for gap in (1, 0):
        started = time.process_time()
        passed = sum(bool(judge(graph, frames, gap=1 if gap else 0).success) for frames in episodes)
        spent = time.process_time() - started
        print(
            f"gap {gap}: {EPISODES} episodes x {FRAMES} frames x {NODES} milestones: "
            f"{spent:.3f} s CPU (2 s allowed), {passed} passed"
        )


if __name__ == "__main__":
    main()
