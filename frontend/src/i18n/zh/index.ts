// 全部中文文字。

import type { Word } from "../index";
import { common } from "./common";
import { library } from "./library";
import { lists } from "./lists";
import { problems } from "./problems";
import { record } from "./record";
import { review } from "./review";
import { runs } from "./runs";
import { team } from "./team";
import { viewer } from "./viewer";
import { watch } from "./watch";

export const zh: Readonly<Record<Word, string>> = { ...common, ...record, ...library, ...lists, ...review, ...runs, ...team, ...problems, ...viewer, ...watch };
