// A static copy that opens from file://: pages that read from data beside them.

import { startApp } from "./app";

startApp({ hash: true, links: [], routes: [] });
