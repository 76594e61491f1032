import { useComputed } from "@preact/signals";
import { useState } from "preact/hooks";
import { tryTo } from "../../actions.ts";
import { unwrap } from "../../api/client.ts";
import { api, state } from "../../session.ts";
import type { User } from "../../state/model.ts";
import { isOwner, roleNames, roles } from "../../state/permissions.ts";
import { Avatar, Confirm } from "../parts/parts.tsx";
import { openInvite } from "../people/inviting.ts";
import { openProfile } from "../people/profile.tsx";

const shown = 100;

/** All users, with their roles and whether they are deactivated. */
export function PeopleList() {
  const [filter, setFilter] = useState("");
  const [active, setActive] = useState(true);
  const [ending, setEnding] = useState<User>();
  const people = useComputed(() => [...(state.value?.users.values() ?? [])])
    .value.filter((user) => !user.is_bot && user.is_active === active)
    .filter(({ full_name, delivery_email }) =>
      `${full_name} ${delivery_email ?? ""}`.toLowerCase().includes(filter.toLowerCase()),
    )
    .sort((a, b) => a.full_name.localeCompare(b.full_name));
  return (
    <>
      <div class="page-tools">
        <label class="grow">
          <span class="unseen">Filter accounts</span>
          <input
            type="search"
            placeholder="Name or e-mail address"
            value={filter}
            onInput={(event) => setFilter(event.currentTarget.value)}
          />
        </label>
        <select
          aria-label="Which accounts"
          value={String(active)}
          onChange={(event) => setActive(event.currentTarget.value === "true")}
        >
          <option value="true">Active</option>
          <option value="false">Deactivated</option>
        </select>
        <button type="button" class="primary" onClick={openInvite}>
          Invite people
        </button>
      </div>
      {people.length === 0 && <p class="notice">No matching people.</p>}
      <ul class="rows" aria-label="Accounts">
        {people.slice(0, shown).map((user) => (
          <Row key={user.user_id} user={user} onEnd={() => setEnding(user)} />
        ))}
      </ul>
      {people.length > shown && <p class="quiet small">{people.length - shown} more: type part of a name.</p>}
      {ending && (
        <Confirm
          title={`Deactivate ${ending.full_name}?`}
          text="They are signed out everywhere and cannot sign in. What they have written stays, and their bots are deactivated too."
          label="Deactivate"
          onClose={() => setEnding(undefined)}
          onYes={() =>
            void tryTo(async () => {
              const params = { path: { user_id: ending.user_id } };
              await unwrap(api().DELETE("/api/v1/users/{user_id}", { params } as never) as never);
              // The focused row was removed: move the focus.
              document.getElementById("messages")?.focus();
            })
          }
        />
      )}
    </>
  );
}

function Row({ user, onEnd }: { user: User; onEnd: () => void }) {
  const now = state.value;
  const owns = now !== undefined && isOwner(now);
  const isSelf = user.user_id === now?.userId;
  // Only owners can manage owners.
  const manages = !isSelf && (owns || user.role !== roles.owner);
  const params = { path: { user_id: user.user_id } };
  return (
    <li>
      <button type="button" class="plain grow" onClick={() => openProfile(user.user_id)}>
        <span class="person">
          <Avatar user={user} size={28} />
          <span>
            {user.full_name}
            {isSelf && <span class="quiet"> (you)</span>}
            {user.delivery_email && <span class="quiet small address">{user.delivery_email}</span>}
          </span>
        </span>
      </button>
      {user.is_active && manages ? (
        <select
          aria-label={`Role of ${user.full_name}`}
          value={user.role}
          onChange={(event) => {
            const field = event.currentTarget;
            const role = Number(field.value);
            const path = { user_id: String(user.user_id) };
            void tryTo(() =>
              unwrap(
                api().PATCH("/api/v1/users/{user_id}", { params: { path }, body: { role } as never } as never) as never,
              ),
            ).then((done) => {
              if (!done) field.value = String(user.role);
            });
          }}
        >
          {Object.values(roles)
            .filter((role) => owns || role !== roles.owner)
            .map((role) => (
              <option key={role} value={role}>
                {roleNames[role]}
              </option>
            ))}
        </select>
      ) : (
        <span class="quiet">{roleNames[user.role]}</span>
      )}
      {manages && user.is_active && (
        <button type="button" class="danger" aria-label={`Deactivate ${user.full_name}`} onClick={onEnd}>
          Deactivate
        </button>
      )}
      {manages && !user.is_active && (
        <button
          type="button"
          aria-label={`Reactivate ${user.full_name}`}
          onClick={() =>
            void tryTo(async () => {
              await unwrap(api().POST("/api/v1/users/{user_id}/reactivate", { params }));
              document.getElementById("messages")?.focus();
            })
          }
        >
          Reactivate
        </button>
      )}
    </li>
  );
}
