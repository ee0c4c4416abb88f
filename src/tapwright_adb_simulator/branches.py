"""`if`, `then`, `else`, `fi` in a line for the phone's shell: which of its pipelines run."""

from dataclasses import dataclass, replace

from tapwright_adb_simulator.grammar import Pipeline, ShellSyntax, WordPart

__all__ = ["Branches"]


@dataclass(slots=True)
class _Branch:
    """One `if`: whether it is reached at all, at which part it is, whether its test held."""

    reached: bool
    part: str = "if"
    held: bool = False

    @property
    def runs(self) -> bool:
        return self.reached and (self.part == "if" or (self.part == "then") == self.held)


class Branches:
    """Follows the words of `if` through the pipelines of one line."""

    def __init__(self) -> None:
        self._open: list[_Branch] = []

    def next(self, pipeline: Pipeline, code: int) -> Pipeline | None:
        """What is to be run of a pipeline, when the one before ended with `code`; None for nothing.

        Raises:
            ShellSyntax: a word of `if` stands where it may not.
        """
        while word := _keyword(pipeline):
            if word == "if":
                self._open.append(_Branch(self._runs))
            elif not self._open or (word == "then") != (self._open[-1].part == "if"):
                raise ShellSyntax(f"unexpected '{word}'")
            elif word == "fi":
                self._open.pop()
            else:
                branch = self._open[-1]
                if word == "then":
                    branch.held = branch.reached and not code
                branch.part = word
            first, *others = pipeline.commands
            rest = replace(first, words=first.words[1:])
            if not rest.words and not rest.redirects:
                return None
            pipeline = replace(pipeline, commands=(rest, *others))
        return pipeline if self._runs else None

    def end(self) -> None:
        """Check that every `if` has its `fi`.

        Raises:
            ShellSyntax: one has not.
        """
        if self._open:
            raise ShellSyntax("unexpected 'newline': no 'fi'")

    @property
    def _runs(self) -> bool:
        return not self._open or self._open[-1].runs


def _keyword(pipeline: Pipeline) -> str:
    words = pipeline.commands[0].words
    for word in ("if", "then", "else", "fi"):
        if words and words[0] == (WordPart(word),):
            return word
    return ""
