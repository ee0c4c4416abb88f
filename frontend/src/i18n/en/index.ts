// Every text of the app in English.

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

export const en = { ...common, ...record, ...library, ...lists, ...review, ...runs, ...team, ...problems, ...viewer, ...watch };
