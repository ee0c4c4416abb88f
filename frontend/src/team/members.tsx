// The members: roles, progress, new members, new tokens. A token is shown once.

import type { JSX } from "preact";
import { useState } from "preact/hooks";

import { get, post } from "../api";
import { Button } from "../components/button";
import { Data, useData, useRefresh } from "../components/data";
import { Dialog } from "../components/dialog";
import { notify, notifyError } from "../components/notices";
import { t, type Word } from "../i18n";
import { currentUser, ROLES, type Role } from "../user";
import type { Member, MemberProgress } from "../generated/api";

const ROLE_WORDS: Readonly<Record<Role, Word>> = {
  annotator: "team.role.annotator",
  reviewer: "team.role.reviewer",
  admin: "team.role.admin",
};

/** How often the members' work is read again while it is looked at, in milliseconds. */
const REFRESH_MS = 10_000;

interface Given {
  readonly name: string;
  readonly token: string;
}

/** What is done to a member only when it is confirmed. */
interface Question {
  readonly name: string;
  readonly what: "promote" | "rotate" | "remove";
  readonly change: () => void;
}

export function Members(): JSX.Element {
  const data = useData(async () => {
    const [members, progress] = await Promise.all([
      get("api/team/accounts"),
      get("api/team/progress"),
    ]);
    return { members, work: new Map(progress.members.map((one) => [one.name, one])) };
  }, []);
  useRefresh(data, REFRESH_MS);
  const [given, setGiven] = useState<Given | null>(null);
  const [asked, setAsked] = useState<Question | null>(null);
  const apply = (change: Promise<unknown>): void => void change.then(data.reload, notifyError);
  const actions: MemberActions = {
    setRole: (name, role) => {
      const change = (): void => apply(post("api/team/accounts/role", { name, role }));
      if (role === "admin") setAsked({ name, what: "promote", change });
      else change();
    },
    rotate: (name) => setAsked({ name, what: "rotate", change: () => apply(post("api/team/accounts/rotate", { name }).then(({ token }) => setGiven({ name, token }))) }),
    remove: (name) => setAsked({ name, what: "remove", change: () => apply(post("api/team/accounts/remove", { name })) }),
  };
  return (
    <section class="panel" aria-label={t("team.members")}>
      <h2>{t("team.members")}</h2>
      <Data data={data}>
        {({ members, work }) => (
          <table>
            <thead>
              <tr>
                <th scope="col">{t("team.name")}</th>
                <th scope="col">{t("team.role")}</th>
                <th scope="col">{t("team.done")}</th>
                <th scope="col">{t("team.held")}</th>
                <th scope="col">{t("team.lapsed")}</th>
                <th scope="col"><span class="visually-hidden">{t("team.actions")}</span></th>
              </tr>
            </thead>
            <tbody>
              {members.map((one) => (
                <MemberRow key={one.name} member={one} work={work.get(one.name)} actions={actions} />
              ))}
            </tbody>
          </table>
        )}
      </Data>
      <NewMember
        add={async (name, role) => {
          const { token } = await post("api/team/accounts/add", { name, role });
          setGiven({ name, token });
          data.reload();
        }}
      />
      {given && <Token given={given} onClose={() => setGiven(null)} />}
      {asked && (
        <Dialog
          title={t(`team.${asked.what}.title`, { name: asked.name })}
          onClose={() => setAsked(null)}
          actions={<Button label={t(`team.${asked.what}`)} kind="danger" onPress={() => { asked.change(); setAsked(null); }} />}
        >
          <p>{t(`team.${asked.what}.words`)}</p>
        </Dialog>
      )}
    </section>
  );
}

interface MemberActions {
  readonly setRole: (name: string, role: Role) => void;
  readonly rotate: (name: string) => void;
  readonly remove: (name: string) => void;
}

interface MemberRowProps {
  readonly member: Member;
  readonly work: MemberProgress | undefined;
  readonly actions: MemberActions;
}

function MemberRow({ member, work, actions }: MemberRowProps): JSX.Element {
  const { name, role } = member;
  const mine = currentUser.value?.name === name;
  return (
    <tr>
      <th scope="row">{name}</th>
      <td>
        <RoleChoice label={t("team.roleOf", { name })} role={role} disabled={mine} choose={(next) => actions.setRole(name, next)} />
      </td>
      <td data-name={t("team.done")}>{work?.done ?? 0}</td>
      <td data-name={t("team.held")}>{work?.held ?? 0}</td>
      <td data-name={t("team.lapsed")}>{work?.lapsed ?? 0}</td>
      <td class="row-actions">
        <Button label={t("team.rotate")} disabled={mine} onPress={() => actions.rotate(name)} />
        <Button label={t("team.remove")} kind="danger" disabled={mine} onPress={() => actions.remove(name)} />
      </td>
    </tr>
  );
}

interface RoleChoiceProps {
  readonly label: string;
  readonly role: Role;
  readonly disabled?: boolean;
  readonly choose: (role: Role) => void;
}

function RoleChoice({ label, role, disabled = false, choose }: RoleChoiceProps): JSX.Element {
  return (
    <select
      aria-label={label}
      value={role}
      disabled={disabled}
      onChange={(event) => {
        const next = event.currentTarget.value as Role;
        event.currentTarget.value = role; // until it is so: it may be refused, or not be meant
        choose(next);
      }}
    >
      {ROLES.map((one) => <option key={one} value={one}>{t(ROLE_WORDS[one])}</option>)}
    </select>
  );
}

/** A name that is refused stays in its field. */
function NewMember({ add }: { readonly add: (name: string, role: Role) => Promise<void> }): JSX.Element {
  const [name, setName] = useState("");
  const [role, setRole] = useState<Role>("annotator");
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    add(name.trim(), role).then(() => setName(""), notifyError);
  };
  return (
    <form class="line" onSubmit={submit}>
      <input aria-label={t("team.new")} placeholder={t("team.new")} required maxLength={100} value={name} onInput={(event) => setName(event.currentTarget.value)} />
      <RoleChoice label={t("team.new.role")} role={role} choose={setRole} />
      <button type="submit" class="button primary">{t("team.add")}</button>
    </form>
  );
}

function Token({ given, onClose }: { readonly given: Given; readonly onClose: () => void }): JSX.Element {
  const copy = (): void => void navigator.clipboard.writeText(given.token).then(() => notify("success", t("team.copied")), notifyError);
  return (
    <Dialog title={t("team.token.title", { name: given.name })} closeLabel={t("team.token.done")} onClose={onClose} actions={<Button label={t("team.copy")} kind="primary" onPress={copy} />}>
      <p>{t("team.token.words")}</p>
      <p><code class="token">{given.token}</code></p>
    </Dialog>
  );
}
