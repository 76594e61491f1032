import { useComputed, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { compareTexts, t } from "../../base/languages/language.ts";
import { matcher } from "../../base/lib/find.ts";
import { openProfile } from "../../navigation/open-profile.ts";
import { linkToNarrow, peopleOpen } from "../../navigation/router.ts";
import { rows } from "../../parts/boundary.tsx";
import { EmojiGlyph } from "../../parts/emoji/emoji-glyph.tsx";
import { FilterField } from "../../parts/fields/filter-field.tsx";
import { Icon } from "../../parts/parts.tsx";
import { ownUser, state, statuses } from "../../session/store.ts";
import { directConversation } from "../../state/model.ts";
import { presenceNames, presenceStatusOf } from "../conversations/channel-lists.ts";
import { mayInvite, openInvite } from "./inviting.ts";

const presenceOrder = { active: 0, idle: 1, offline: 2 };
const maxPeople = 200;

/** The users of the organization with their presence. */
export function People() {
  const filter = useSignal("");
  /** Re-renders once a minute, because users become offline without an event. */
  const nowMs = useSignal(Date.now());
  useEffect(() => {
    const timer = setInterval(() => {
      nowMs.value = Date.now();
    }, 60_000);
    return () => clearInterval(timer);
  }, []);
  const people = useComputed(() => {
    const current = state.value;
    if (!current) return [];
    return [...current.users.values()]
      .filter((user) => user.is_active && !user.is_bot)
      .map((user) => ({ user, presence: presenceStatusOf(current, user.user_id, nowMs.value) }))
      .sort(
        (a, b) =>
          Number(b.user.user_id === current.userId) - Number(a.user.user_id === current.userId) ||
          presenceOrder[a.presence] - presenceOrder[b.presence] ||
          compareTexts(a.user.full_name, b.user.full_name),
      );
  }).value;
  const matchOf = matcher(filter.value);
  const found = people.filter(({ user }) => matchOf(user.full_name) !== undefined);
  return (
    <aside class={`people-bar ${peopleOpen.value ? "open" : ""}`} aria-label={t("People")}>
      <FilterField
        class="filter"
        label={t("Filter people")}
        value={filter.value}
        onChange={(text) => {
          filter.value = text;
        }}
      />
      <ul>
        {rows(found.slice(0, maxPeople), ({ user, presence }) => {
          const status = statuses.value?.get(user.user_id);
          return (
            <li key={user.user_id} class="nav-row">
              <a
                class="nav"
                href={linkToNarrow(directConversation([user.user_id], ownUser.value?.user_id ?? 0))}
                title={status?.status_text || undefined}
              >
                <span class={`presence ${presence}`} role="img" aria-label={presenceNames()[presence]} />
                <span class="grow">{user.full_name}</span>
                {user.user_id === ownUser.value?.user_id && <span class="quiet">{t("(you)")}</span>}
                {status?.emoji_name && (
                  <EmojiGlyph type={status.reaction_type} code={status.emoji_code} name={status.emoji_name} />
                )}
              </a>
              <button
                type="button"
                class="icon-button"
                aria-label={t("Profile of {name}", { name: user.full_name })}
                title={t("Profile of {name}", { name: user.full_name })}
                onClick={() => openProfile(user.user_id)}
              >
                <Icon name="more" />
              </button>
            </li>
          );
        })}
      </ul>
      {mayInvite.value && (
        <button type="button" class="invite" onClick={openInvite}>
          <Icon name="plus" size={16} /> {t("Invite people")}
        </button>
      )}
      {found.length > maxPeople && (
        <p class="quiet small">{t("{count} more: type part of a name.", { count: found.length - maxPeople })}</p>
      )}
    </aside>
  );
}
