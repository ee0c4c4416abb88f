// Whether everything is saved, and the banner of problems.

import type { JSX } from "preact";

import { Button } from "../components/button";
import { t } from "../i18n";
import type { Session } from "./session";

/** Beside the steps: nothing is shown as saved before the server has confirmed it. */
export function SaveStatus({ session }: { readonly session: Session }): JSX.Element {
  const why = session.state.value?.disk;
  const pending = session.pending.value;
  if (why) return <span class="tag bad" role="status">{t("status.unsaved", { why })}</span>;
  if (pending > 0) return <span class="tag warn" role="status">{t("status.pending", { n: pending })}</span>;
  return <span class="tag good" role="status">✓ {t("status.saved")}</span>;
}

/** Above the screen; the most severe problem first. */
export function Banner({ session, onClose, onResume }: { readonly session: Session; readonly onClose: () => void; readonly onResume: () => void }): JSX.Element | null {
  const state = session.state.value;
  if (session.released.value !== null)
    return (
      <div class="banner warn row" role="alert">
        <span>{t("status.released", { by: session.released.value })}</span>
        <Button label={t("home.resume")} kind="primary" onPress={onResume} />
      </div>
    );
  if (session.link.state.value === "lost") return <p class="banner warn" role="alert">{t("status.lost")}</p>;
  if (!state) return <p class="banner" role="status">{t("status.connecting")}</p>;
  if (state.disk)
    return (
      <div class="banner bad row" role="alert">
        <span>{t("status.unsaved", { why: state.disk })}</span>
        <Button label={t("flow.retry")} onPress={() => session.retry()} />
      </div>
    );
  if (!session.controls.value)
    return (
      <div class="banner warn row" role="alert">
        <span>{t("status.elsewhere")}</span>
        <Button label={t("status.elsewhere.take")} onPress={() => session.takeControl()} />
      </div>
    );
  if (!state.connected) return <p class="banner bad" role="alert">{t("status.device", { why: state.message || state.device })}</p>;
  if (state.restoring !== null)
    return <p class="banner warn" role="status">{t("status.restoring", { n: Math.min(state.restoring + 1, state.steps.length), of: state.steps.length })}</p>;
  if (state.interrupted !== null)
    return (
      <div class="banner bad" role="alert">
        <p>
          {t(`status.interrupted.${state.interrupted}`)} {t("status.interrupted")}
        </p>
        <div class="row">
          <Button label={t("flow.restore")} kind="primary" onPress={() => session.restore()} />
          <Button label={t("flow.close")} onPress={onClose} />
        </div>
      </div>
    );
  if (state.takeover) return <p class="banner warn" role="status">{t("status.takeover")}</p>;
  if (state.paused) return <p class="banner" role="status">{t("status.paused")}</p>;
  return null;
}
