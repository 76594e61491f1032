import { useComputed } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { compareTexts, t } from "../../base/languages/language.ts";
import { openProfile } from "../../navigation/open-profile.ts";
import { openDialog } from "../../navigation/page-dialog.ts";
import { confirmAndTry } from "../../parts/confirm.tsx";
import { useChosen } from "../../parts/fields/chosen.ts";
import { FilteredList } from "../../parts/fields/filtered-list.tsx";
import { Avatar, focusPage, nameOf } from "../../parts/parts.tsx";
import { call } from "../../session/session.ts";
import { state } from "../../session/store.ts";
import { toast, tryTo } from "../../session/toasts.ts";
import { type Role, roles, type State, type User } from "../../state/model.ts";
import { isOwner, roleNames } from "../../state/permissions.ts";
import { botTypeNames } from "../people/bot-types.ts";
import { openInvite } from "../people/inviting.ts";
import { confirmErasure, DeactivationDialog } from "./deactivation.tsx";

/** The accounts of people, and those of bots. */

export const PeopleList = () => (
  <Accounts
    includes={(user) => !user.is_bot}
    label={t("Accounts")}
    filterLabel={t("Filter accounts")}
    filterPlaceholder={t("Name or email address")}
    noMatch={t("No matching people.")}
    between={(user, mayManage) => <RoleOf user={user} isLocked={!(user.is_active && mayManage)} />}
  >
    <button type="button" class="primary" onClick={openInvite}>
      {t("Invite people")}
    </button>
  </Accounts>
);

export const BotList = () => (
  <Accounts
    includes={(user) => user.is_bot && !user.is_system_bot}
    label={t("Bots")}
    filterLabel={t("Filter bots")}
    filterPlaceholder={t("Name, address or owner")}
    noMatch={t("No matching bots.")}
    between={({ bot_type, bot_owner_id }) => (
      <span class="quiet small">
        {botTypeNames()[bot_type]}
        {bot_owner_id !== null && ` · ${nameOf(bot_owner_id)}`}
      </span>
    )}
  />
);

const confirmBotDeactivation = ({ user_id, full_name }: User) =>
  confirmAndTry(
    {
      title: t("Deactivate {name}?", { name: full_name }),
      text: t("It can no longer send or receive anything. Its messages stay. Only an administrator can reactivate it."),
      label: t("Deactivate"),
    },
    async () => {
      await call("DELETE /bots/{bot_id}", { bot_id: user_id });
      focusPage();
    },
  );

const reactivate = (user_id: number) =>
  tryTo(async () => {
    await call("POST /users/{user_id}/reactivate", { user_id });
    focusPage();
  });

/** Whether the user may change an account: not their own here, and only owners may change owners. */
const mayManage = (user: User, current: State) =>
  user.user_id !== current.userId && (isOwner(current) || user.role !== roles.owner);

function Accounts({
  includes,
  between,
  children,
  ...list
}: {
  includes: (user: User) => boolean;
  /** What stands between a name and the buttons. */
  between: (user: User, mayManage: boolean) => ComponentChildren;
  label: string;
  filterLabel: string;
  filterPlaceholder: string;
  noMatch: string;
  children?: ComponentChildren;
}) {
  const [showsActive, setShowsActive] = useState(true);
  const current = useComputed(() => state.value).value;
  if (!current) return null;
  const accounts = [...current.users.values()]
    .filter((user) => includes(user) && user.is_active === showsActive)
    .sort((a, b) => compareTexts(a.full_name, b.full_name));
  return (
    <FilteredList
      {...list}
      items={accounts}
      textOf={({ full_name, delivery_email, email, bot_owner_id }) =>
        [full_name, delivery_email ?? email, bot_owner_id !== null ? nameOf(bot_owner_id) : ""].join(" ")
      }
      row={(user) => (
        <li key={user.user_id}>
          <AccountName user={user} isSelf={user.user_id === current.userId} />
          {between(user, mayManage(user, current))}
          {mayManage(user, current) && user.is_active && !user.is_bot && <SignOutButton user={user} />}
          {mayManage(user, current) && <ActivityButton user={user} />}
        </li>
      )}
    >
      <select
        aria-label={t("Which accounts")}
        value={String(showsActive)}
        onChange={(event) => setShowsActive(event.currentTarget.value === "true")}
      >
        <option value="true">{t("Active")}</option>
        <option value="false">{t("Deactivated")}</option>
      </select>
      {children}
    </FilteredList>
  );
}

function AccountName({ user, isSelf }: { user: User; isSelf: boolean }) {
  const address = user.is_bot ? user.email : user.delivery_email;
  return (
    <button type="button" class="plain grow" onClick={() => openProfile(user.user_id)}>
      <span class="person">
        <Avatar user={user} size={28} />
        <span>
          <span class="name">
            {user.full_name}
            {isSelf && <span class="quiet"> {t("(you)")}</span>}
          </span>
          {address && <span class="quiet small address">{address}</span>}
        </span>
      </span>
    </button>
  );
}

function RoleOf({ user, isLocked }: { user: User; isLocked: boolean }) {
  const selfIsOwner = state.value !== undefined && isOwner(state.value);
  const [role, chooseRole] = useChosen(user.role, (chosen) =>
    tryTo(() => call("PATCH /users/{user_id}", { user_id: String(user.user_id), role: chosen })),
  );
  if (isLocked) return <span class="quiet">{roleNames()[role]}</span>;
  return (
    <select
      aria-label={t("Role of {name}", { name: user.full_name })}
      value={role}
      onChange={(event) => chooseRole(Number(event.currentTarget.value) as Role)}
    >
      {Object.values(roles)
        .filter((offered) => selfIsOwner || offered !== roles.owner)
        .map((offered) => (
          <option key={offered} value={offered}>
            {roleNames()[offered]}
          </option>
        ))}
    </select>
  );
}

const SignOutButton = ({ user: { user_id, full_name: name } }: { user: User }) => (
  <button
    type="button"
    aria-label={t("Sign out {name} on all devices", { name })}
    onClick={() =>
      void confirmAndTry(
        {
          title: t("Sign out {name} on all devices?", { name }),
          text: t("They lose access at once, and so do programs with their API key. Their password still works."),
          label: t("Sign out"),
        },
        async () => {
          await call("DELETE /users/{user_id}/devices", { user_id });
          toast(t("{name} is signed out on all devices.", { name }));
        },
      )
    }
  >
    {t("Sign out")}
  </button>
);

const ActivityButton = ({ user }: { user: User }) =>
  user.is_active ? (
    <button
      type="button"
      class="danger"
      aria-label={t("Deactivate {name}", { name: user.full_name })}
      onClick={() =>
        user.is_bot
          ? void confirmBotDeactivation(user)
          : openDialog((onClose) => <DeactivationDialog user={user} onClose={onClose} />)
      }
    >
      {t("Deactivate")}
    </button>
  ) : (
    <>
      <button
        type="button"
        aria-label={t("Reactivate {name}", { name: user.full_name })}
        onClick={() => void reactivate(user.user_id)}
      >
        {t("Reactivate")}
      </button>
      {!user.is_bot && (
        <button
          type="button"
          class="danger"
          aria-label={t("Erase {name}", { name: user.full_name })}
          onClick={() => void confirmErasure(user)}
        >
          {t("Erase")}
        </button>
      )}
    </>
  );
