import { useComputed } from "@preact/signals";
import { useState } from "preact/hooks";
import { compareTexts, t } from "../../languages/language.ts";

import { call, state } from "../../session.ts";
import { type Role, roles, type User } from "../../state/model.ts";
import { isOwner, roleNames } from "../../state/permissions.ts";
import { tryTo } from "../../toasts.ts";
import { rows } from "../parts/boundary.tsx";
import { useChosen } from "../parts/chosen.ts";
import { confirmAndTry } from "../parts/confirm.tsx";
import { Avatar, focusPage } from "../parts/parts.tsx";
import { openInvite } from "../people/inviting.ts";
import { openProfile } from "../people/open-profile.ts";

const maxRows = 100;

const deactivate = ({ user_id, full_name }: User) =>
  confirmAndTry(
    {
      title: t("Deactivate {name}?", { name: full_name }),
      text: t(
        "They are signed out everywhere and cannot sign in. What they have written stays, and their bots are deactivated too.",
      ),
      label: t("Deactivate"),
    },
    async () => {
      await call("DELETE /users/{user_id}", { user_id });
      focusPage();
    },
  );

/** All users, with their roles and whether they are deactivated. */
export function PeopleList() {
  const [filter, setFilter] = useState("");
  const [showsActive, setShowsActive] = useState(true);
  const people = useComputed(() => [...(state.value?.users.values() ?? [])])
    .value.filter((user) => !user.is_bot && user.is_active === showsActive)
    .filter(({ full_name, delivery_email }) =>
      `${full_name} ${delivery_email ?? ""}`.toLowerCase().includes(filter.toLowerCase()),
    )
    .sort((a, b) => compareTexts(a.full_name, b.full_name));
  return (
    <>
      <div class="page-tools">
        <label class="grow">
          <span class="unseen">{t("Filter accounts")}</span>
          <input
            type="search"
            placeholder={t("Name or e-mail address")}
            value={filter}
            onInput={(event) => setFilter(event.currentTarget.value)}
          />
        </label>
        <select
          aria-label={t("Which accounts")}
          value={String(showsActive)}
          onChange={(event) => setShowsActive(event.currentTarget.value === "true")}
        >
          <option value="true">{t("Active")}</option>
          <option value="false">{t("Deactivated")}</option>
        </select>
        <button type="button" class="primary" onClick={openInvite}>
          {t("Invite people")}
        </button>
      </div>
      {people.length === 0 && <p class="notice">{t("No matching people.")}</p>}
      <ul class="rows" aria-label={t("Accounts")}>
        {rows(people.slice(0, maxRows), (user) => (
          <Row key={user.user_id} user={user} />
        ))}
      </ul>
      {people.length > maxRows && (
        <p class="quiet small">
          {t("{count} more. Type part of a name to find them.", { count: people.length - maxRows })}
        </p>
      )}
    </>
  );
}

function Row({ user }: { user: User }) {
  const current = state.value;
  const selfIsOwner = current !== undefined && isOwner(current);
  const isSelf = user.user_id === current?.userId;
  // Only owners can manage owners.
  const mayManage = !isSelf && (selfIsOwner || user.role !== roles.owner);
  const [role, chooseRole] = useChosen(user.role, (chosen) =>
    tryTo(() => call("PATCH /users/{user_id}", { user_id: String(user.user_id), role: chosen })),
  );
  return (
    <li>
      <button type="button" class="plain grow" onClick={() => openProfile(user.user_id)}>
        <span class="person">
          <Avatar user={user} size={28} />
          <span>
            {user.full_name}
            {isSelf && <span class="quiet"> {t("(you)")}</span>}
            {user.delivery_email && <span class="quiet small address">{user.delivery_email}</span>}
          </span>
        </span>
      </button>
      {user.is_active && mayManage ? (
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
      ) : (
        <span class="quiet">{roleNames()[role]}</span>
      )}
      {mayManage && user.is_active && (
        <button
          type="button"
          class="danger"
          aria-label={t("Deactivate {name}", { name: user.full_name })}
          onClick={() => void deactivate(user)}
        >
          {t("Deactivate")}
        </button>
      )}
      {mayManage && !user.is_active && (
        <button
          type="button"
          aria-label={t("Reactivate {name}", { name: user.full_name })}
          onClick={() =>
            void tryTo(async () => {
              await call("POST /users/{user_id}/reactivate", { user_id: user.user_id });
              focusPage();
            })
          }
        >
          {t("Reactivate")}
        </button>
      )}
    </li>
  );
}
