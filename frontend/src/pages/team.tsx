// For admins: who is in the team, what is to be recorded, how it goes, how far people agree.

import type { JSX } from "preact";

import { Failure } from "../components/data";
import { useTitle, type PageProps } from "../components/pages";
import { t } from "../i18n";
import { Agreement } from "../team/agreement";
import { may, me } from "../team/me";
import { Members } from "../team/members";
import { QueueTable } from "../team/queuetable";
import "../team/team.css";

export default function TeamPage(_: PageProps): JSX.Element {
  useTitle(t("team.title"));
  if (me.value === null) return <p class="page quiet" role="status">{t("loading")}</p>;
  return (
    <div class="page team">
      <h1>{t("team.title")}</h1>
      {!me.value.team ? <p class="panel">{t("team.none")}</p> : !may("admin") ? <Failure error={new Error(t("team.admins"))} /> : (
        <>
          <Members />
          <QueueTable />
          <Agreement />
        </>
      )}
    </div>
  );
}
