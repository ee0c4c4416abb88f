// The admins' page: what is recorded, the devices, the queue, members and agreement.

import type { JSX } from "preact";

import { ApiError } from "../api";
import { Failure } from "../components/data";
import { useTitle, type PageProps } from "../components/pages";
import { t } from "../i18n";
import { Agreement } from "../team/agreement";
import { hasRole, currentUser } from "../user";
import { Members } from "../team/members";
import { Devices } from "../team/devices";
import { QueueTable } from "../team/queuetable";
import { Recordings } from "../team/recordings";
import "../team/team.css";

/** The code of what the server says of another role's page. */
const FORBIDDEN = "TW154";

export default function TeamPage(_: PageProps): JSX.Element {
  useTitle(t("team.title"));
  if (currentUser.value === null) return <p class="page quiet" role="status">{t("loading")}</p>;
  return (
    <div class="page team team-pages">
      <h1>{t("team.title")}</h1>
      {!currentUser.value.team ? <p class="panel">{t("team.none")}</p> : !hasRole("admin") ? <Failure error={new ApiError(403, FORBIDDEN, "", "", { role: "admin" })} /> : (
        <>
          <Recordings />
          <Devices />
          <QueueTable />
          <Members />
          <Agreement />
        </>
      )}
    </div>
  );
}
