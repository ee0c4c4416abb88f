"""The documentation's site: navigation, the Chinese edition, and what is asked is found."""

import fcntl
import json
import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml
from playwright.sync_api import expect

from tests.scripts import ROOT, load_script
from tests.test_docs import DOCS, ENGLISH, snippets
from tests.web.browsing import chromium

GENERATED = {"commands/", "python/", "errors.md", "schemas.md", "changelog.md", "security.md",
             "contributing.md"}  # fmt: skip
QUESTIONS = {
    "how do I connect an emulator": "guides/emulator.html",
    "how do I import AndroidControl": "guides/import.html",
    "what does TW204 mean": "errors.html#tw204",
    "how do I measure my vLLM model on ScreenSpot": "guides/vllm-screenspot.html",
    "how do I type Chinese on a phone": "android.html",
    "how much does annotating 10000 steps cost": "guides/annotate-budget.html",
    "how do I check that a task is done": "guides/checks.html",
    "how do I migrate from MobiAgent": "guides/from-mobiagent.html",
    "how do I evaluate on a Ray cluster": "guides/ray.html",
    "how do I export training data for llamafactory": "sft.html",
    "how do I use an iPhone": "guides/ios.html",
    "how do I push a data set to the hub": "data.html#push-to-the-hub",
    "undo an edit": "edit.html",
    "write my own agent": "start/agent.html",
    "how do I compare two models": "start/measure.html",
    "delete an episode and get it back": "curate.html",
    "run WebArena tasks": "browsergym.html",
    "report as latex table": "report.html",
    "how do I record a demonstration in the browser": "record.html",
    "how do I fine-tune with DPO": "learn-from-play.html",
    "how do I resume an interrupted run": "evaluate.html",
    "how do I run tapwright in docker": "server.html",
    "how do I limit what a model costs": "start/measure.html",
    "how do I use my own prompt": "own-parts.html",
    "coordinates are wrong by a scale": "evaluate.html",
    "how do I play several emulators at once": "guides/emulator.html",
    "how do I try it without a phone": "start/demo.html",
    "how do I delete the account of a member": "start/team.html",
    "Windows computer": "webdriver.html",
    "how do I play OSWorld": "osworld.html",
}
CHINESE_QUESTIONS = {
    "怎么连接模拟器": "guides/emulator.html",
    "如何导入 AndroidControl": "guides/import.html",
    "怎么评测 vLLM 模型": "guides/vllm-screenspot.html",
    "标注一万步要多少钱": "guides/annotate-budget.html",
    "从 MobiAgent 迁移": "guides/from-mobiagent.html",
    "怎么在 Ray 集群上评测": "guides/ray.html",
    "怎么判断任务完成": "guides/checks.html",
    "团队队列": "start/team.html",
    "怎么安装": "start/install.html",
    "怎么输入中文": "guides/phone.html",
    "怎么连接安卓手机": "guides/phone.html",
    "苹果手机": "guides/ios.html",
    "怎么导出训练数据": "start/training-data.html",
    "怎么比较两个模型": "start/measure.html",
    "怎么写任务模板": "guides/templates.html",
    "怎么在浏览器里录制": "guides/record.html",
    "怎么用 Docker 部署": "start/team.html",
    "怎么录制网页": "guides/web.html",
    "怎么写自己的智能体": "start/agent.html",
    "没有手机怎么试用": "start/demo.html",
    "怎么删除成员的账号": "start/team.html",
    "模型花费上限": "start/measure.html",
    "怎么审核标注": "guides/review.html",
    "怎么看智能体的实况": "guides/watch.html",
}
_MMBENCH, _MOBILE_ENV, _MOBIAGENT = (
    f"guides/from-{origin}.html" for origin in ("mmbench-gui", "mobile-env", "mobiagent")
)
NAMES = {
    **dict.fromkeys(
        (
            "L1_SYSTEM_PROMPT_DEFAULT",
            "L2_SYSTEM_PROMPT_DEFAULT",
            "L2_USER_PROMPT_DEFAULT",
            "build_prompt",
            "dump_image",
            "default_preprocess_function",
            "simple_prepare_content",
            "ensure_image_url",
            "process_vision_info",
            "qwen_vl_utils",
            "default_postprocess_function",
            "parser_answers_into_option",
            "parser_response_into_coordinates",
            "generate_cfg",
            "parse_function_xxxxxx",
        ),
        _MMBENCH,
    ),
    **dict.fromkeys(
        (
            "mobile-env-web",
            "init_conf.py",
            "parse.py",
            "templates.toolkits",
            "modifiers.py",
            "modifiers.lhs",
            "modifiers-zh.lhs",
            "TASKFILE",
            "syntax.ebnf",
            "resave_pickles.py",
            "pkl_tools",
            "visualize_pickle.py",
            "make_video_from_pickle.sh",
            "edit_pickle.py",
            "instructionize",
            "rewardize",
        ),
        _MOBILE_ENV,
    ),
    **dict.fromkeys(
        (
            "construct_sft",
            "compare_actions",
            "collect/annotate.py",
            "react.json",
            "screenshot_count",
            "React Agent Simulation",
            "System Prompt for React Agent Simulation",
        ),
        _MOBIAGENT,
    ),
}
"""What the originals call it, and where it stands here, in both editions."""
MORE_NAMES = {
    **dict.fromkeys(
        ("gui-odyssey-1k", "acp_vlora_v7.jinja", "!FUNCTIONCALL", "custom_tools",
         "previous_actions", "screen_description", "<|eot_id|>", "eot_id", "<|start_header_id|>",
         "EOS_STRING", "FUNCTION_CALL_STRING", "expected_roles", "raise_exception"),
        "chat-template.html",
    ),
    **dict.fromkeys(
        ("to_list", "regex_list", "regex_esc", "url_path", "url_query", "url_title", "no_quote"),
        "tasks.html",
    ),
}  # fmt: skip
MORE_CHINESE_NAMES = {
    **dict.fromkeys(
        ("gui-odyssey-1k", "acp_vlora_v7.jinja", "<|eot_id|>", "EOS_STRING"), "guides/import.html"
    ),
    **dict.fromkeys(("人类演示标注工具", "标注转存工具"), _MOBILE_ENV),
    **dict.fromkeys(("regex_list", "regex_esc", "no_quote"), "guides/templates.html"),
}
FIRST_HITS = 5
READ = {
    "mkdocs.yml": ("", ["Start", "Guides", "Concepts"]),
    "mkdocs.zh.yml": ("zh", ["开始", "指南"]),
}
"""The sections that are read, not looked up, of each edition, and where its pages lie."""
WORDS_A_MINUTE, IDEOGRAPHS_A_MINUTE = 200, 400
_LOOKED_AT = re.compile(r"^```.*?^```|^ *\|.*?$|^ {4}.*?$", re.MULTILINE | re.DOTALL)
_TARGET = re.compile(r"\]\([^)]*\)")


def navigation(file: str, sections: Sequence[str] = ()) -> Iterator[str]:
    """The pages of some sections, or of all."""

    def walk(items: Any) -> Iterator[str]:
        if isinstance(items, str):
            yield items
        else:
            for item in items.values() if isinstance(items, dict) else items:
                yield from walk(item)

    for section in yaml.safe_load((ROOT / file).read_text("utf-8"))["nav"]:
        if not sections or set(section) & set(sections):
            yield from walk(section)


def minutes(text: str) -> float:
    """How long a page is read; code and tables are looked at, and not counted."""
    prose = _TARGET.sub("]", _LOOKED_AT.sub("", text))
    ideographs = len(re.findall("[\u3400-\u9fff]", prose))
    words = len(re.findall(r"[A-Za-z0-9][^\s\u3400-\u9fff]*", prose))
    return words / WORDS_A_MINUTE + ideographs / IDEOGRAPHS_A_MINUTE


def test_only_prose_is_counted() -> None:
    text = (
        f"# One [two](x.md)\n\n```console\n$ three\n```\n\n| four |\n\n    five\n\n{'字' * 200}\n"
    )
    assert minutes(text) == pytest.approx(2 / 200 + 0.5)


@pytest.mark.parametrize("file", READ)
def test_a_page_is_read_in_five_minutes(file: str) -> None:
    folder, sections = READ[file]
    pages = list(navigation(file, sections))
    assert len(pages) > 15
    took = {page: minutes((DOCS / folder / page).read_text("utf-8")) for page in pages}
    assert {page: round(time, 1) for page, time in took.items() if time > 5} == {}


def test_every_page_has_its_place_in_the_navigation() -> None:
    english = {page.relative_to(DOCS).as_posix() for page in DOCS.rglob("*.md")}
    chinese = {page.removeprefix("zh/") for page in english if page.startswith("zh/")}
    english = {page for page in english if not page.startswith("zh/")}
    shown = [page for page in navigation("mkdocs.yml") if page not in GENERATED]
    assert sorted(shown) == sorted(english), "put the page into `nav` of mkdocs.yml"
    assert sorted(navigation("mkdocs.zh.yml")) == sorted(chinese)


def test_start_and_guides_are_there_in_chinese() -> None:
    written = {page.relative_to(DOCS).as_posix() for page in (DOCS / "zh").rglob("*.md")}
    for page in [*DOCS.glob("start/*.md"), *DOCS.glob("guides/*.md")]:
        assert f"zh/{page.relative_to(DOCS).as_posix()}" in written


@pytest.mark.parametrize(
    "page", sorted((DOCS / "zh").rglob("*.md")), ids=lambda page: page.relative_to(DOCS).as_posix()
)
def test_a_chinese_page_shows_the_snippets_of_the_english_one(page: Path) -> None:
    path = page.relative_to(DOCS / "zh").as_posix()
    theirs = snippets(DOCS / ENGLISH.get(path, path))
    assert [one for one in snippets(page) if one not in theirs] == []


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, written once for all the processes of a run."""
    pytest.importorskip("material", reason="locks/docs.txt is not installed")
    folder = tmp_path_factory.getbasetemp()
    out = (folder.parent if "PYTEST_XDIST_WORKER" in os.environ else folder) / "site"
    with out.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (out / "llms.txt").exists():
            load_script("write_site").write_site(out)  # strictly: a warning is an error
    return out


@pytest.mark.slow
def test_no_page_loads_anything_from_elsewhere(site: Path) -> None:
    loaded = re.compile(r'<(?:script|img|iframe)[^>]* src="(?:https?:)?//|<link [^>]*href="https?:')
    pages = list(site.rglob("*.html"))
    assert len(pages) > 100
    assert [page for page in pages if loaded.search(page.read_text("utf-8"))] == []


@pytest.mark.slow
@pytest.mark.parametrize("home", ["index.html", "zh/index.html"])
def test_chinese_is_drawn_where_the_machine_has_no_font_for_it(site: Path, home: str) -> None:
    assert (site / "assets/NotoSansSC-LICENSE.txt").is_file()
    with chromium() as browser:
        page = browser.new_page()
        page.goto((site / home).as_uri())
        fonts = page.evaluate("document.fonts.load('1em \"tapwright Chinese\"', '中文')")
        assert len(fonts) == 1


@pytest.mark.slow
def test_links_between_the_editions_lead_somewhere(site: Path) -> None:
    dead = []
    for page in (site / "zh").rglob("*.html"):
        for target in re.findall(r'href="((?!https?:|#|mailto:)[^"]+)"', page.read_text("utf-8")):
            path, _, anchor = target.partition("#")
            file = (page.parent / path).resolve()
            is_there = file.is_file() and (
                not anchor or not path or f'id="{anchor}"' in file.read_text("utf-8")
            )
            if not is_there and page.name != "404.html":
                dead.append(f"{page.relative_to(site)}: {target}")
    assert dead == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("folder", "asked"),
    [
        ("", QUESTIONS),
        ("zh", CHINESE_QUESTIONS),
        ("", NAMES | MORE_NAMES),
        ("zh", NAMES | MORE_CHINESE_NAMES),
    ],
    ids=["questions", "Chinese questions", "names", "names in Chinese pages"],
)
def test_a_strangers_question_finds_its_page(
    site: Path, folder: str, asked: dict[str, str]
) -> None:
    index = site / folder / "search/search_index.json"
    hits = json.loads(
        load_script("frontend").node(
            ROOT / "tests/site_search.js", str(site), str(index), text=json.dumps(list(asked))
        )
    )
    missed = {
        question: found[:FIRST_HITS]
        for (question, page), found in zip(asked.items(), hits, strict=True)
        if page not in found[:FIRST_HITS]
        and page not in [one.partition("#")[0] for one in found[:FIRST_HITS]]
    }
    assert missed == {}


@pytest.mark.slow
def test_the_site_is_searched_and_changes_language_from_a_file(site: Path) -> None:
    with chromium() as browser:
        page = browser.new_page()
        problems: list[str] = []
        requests: list[str] = []
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("request", lambda one: requests.append(one.url))
        page.goto((site / "guides/emulator.html").as_uri())
        page.get_by_role("textbox", name="Search").press_sequentially("what does TW204 mean")
        expect(page.get_by_role("heading", name=re.compile("TW204")).first).to_be_visible()
        page.keyboard.press("Escape")
        page.get_by_role("link", name="中文").click()
        expect(page.get_by_role("heading", name="连接模拟器")).to_be_visible()
        page.get_by_role("textbox", name="搜索").fill("怎么安装")  # pasted: no key goes up
        expect(page.get_by_role("heading", name="安装", exact=True).first).to_be_visible()
        page.keyboard.press("Escape")
        page.get_by_role("link", name="English").click()
        expect(page.get_by_role("heading", name="Connect an emulator")).to_be_visible()
        assert problems == []
        assert [url for url in requests if url.startswith("http")] == []


@pytest.mark.slow
def test_a_model_reads_what_there_is(site: Path) -> None:
    text = (site / "llms.txt").read_text("utf-8")
    assert text.startswith("# tapwright\n")
    targets = re.findall(r"^- \[[^\]]+\]\(([^)]+)\)", text, re.MULTILINE)
    assert len(targets) > 100
    assert [one for one in targets if not (site / one).is_file()] == []
