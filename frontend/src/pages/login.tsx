// The login page.

import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

import { Failure } from "../components/data";
import { useTitle, type PageProps } from "../components/pages";
import { t } from "../i18n";
import { signIn } from "../user";
import "../team/team.css";

export default function LoginPage({ query }: PageProps): JSX.Element {
  useTitle(t("login.title"));
  const field = useRef<HTMLInputElement>(null);
  const [token, setToken] = useState("");
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(undefined);
  useEffect(() => field.current?.focus(), []);
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    setError(undefined);
    try {
      await signIn(token, query.get("to") ?? "");
    } catch (reason) {
      setError(reason);
      setBusy(false);
      field.current?.select();
    }
  };
  return (
    <div class="page login team-pages">
      <h1>{t("login.title")}</h1>
      <form class="panel" onSubmit={(event) => void submit(event)}>
        <label class="field">
          <span>{t("login.token")}</span>
          <input
            ref={field}
            type="password"
            autoComplete="current-password"
            required
            maxLength={200}
            value={token}
            onInput={(event) => setToken(event.currentTarget.value)}
          />
        </label>
        <p class="hint">{t("login.hint")}</p>
        <button type="submit" class="button primary" disabled={busy}>{t("login.submit")}</button>
      </form>
      {error !== undefined && <Failure error={error} />}
    </div>
  );
}
