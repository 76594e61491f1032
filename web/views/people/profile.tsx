import { useState } from "preact/hooks";
import { t } from "../../base/languages/language.ts";
import { shortDate, timeIn } from "../../base/lib/time.ts";
import { closeProfile, openUserId } from "../../navigation/open-profile.ts";
import { go, goToNarrow, linkToNarrow } from "../../navigation/router.ts";
import { Boundary } from "../../parts/boundary.tsx";
import { confirmAndTry } from "../../parts/confirm.tsx";
import { LineToCopy } from "../../parts/copy.tsx";
import { EmojiGlyph } from "../../parts/emoji/emoji-glyph.tsx";
import { Avatar, Dialog, nameOf } from "../../parts/parts.tsx";
import { call } from "../../session/session.ts";
import { currentState, ownUserId, state, statuses, users } from "../../session/store.ts";
import { toast } from "../../session/toasts.ts";
import { directConversation, roles, type User } from "../../state/model.ts";
import { isAdministrator, isOwner, roleNames } from "../../state/permissions.ts";
import { compose } from "../compose/compose-state.ts";
import { presenceNames, presenceStatusOf } from "../conversations/channel-lists.ts";
import { changeUserMuted } from "../conversations/undoable.ts";
import { ProfileValues } from "./profile-values.tsx";

export const ProfileCard = () => (
  <Boundary
    what={`the profile of user ${openUserId.value}`}
    of={openUserId.value}
    fallback={() => <Dialog title={nameOf(openUserId.value ?? 0)} onClose={closeProfile} />}
  >
    <Card />
  </Boundary>
);

function Card() {
  const [resetLink, setResetLink] = useState("");
  const id = openUserId.value;
  const user = id === undefined ? undefined : users.value?.get(id);
  if (id === undefined || !user || !state.value) return null;
  const close = () => {
    closeProfile();
    setResetLink("");
  };
  const status = statuses.value?.get(id);
  const isMuted = state.value.mutedUsers.has(id);
  const resetPassword = ({ user_id, full_name }: User) =>
    confirmAndTry(
      {
        title: t("Reset the password of {name}?", { name: full_name }),
        text: t("They get a link to choose a new password. The old one works until they do."),
        label: t("Send a link"),
      },
      async () => {
        const { reset_link } = await call("POST /users/{user_id}/password_reset", { user_id });
        if (reset_link) setResetLink(reset_link);
        else toast(t("A link is on its way to {name}.", { name: full_name }));
      },
    );
  const time = localTime(user.timezone);
  return (
    <Dialog title={user.full_name} onClose={close}>
      <div class="profile">
        <Avatar user={user} size={96} />
        <dl>
          <dt>{t("Role")}</dt>
          <dd>{user.is_bot ? t("Bot") : (roleNames()[user.role] ?? t("Member"))}</dd>
          {user.delivery_email && (
            <>
              <dt>{t("Email")}</dt>
              <dd>
                <a href={`mailto:${user.delivery_email}`}>{user.delivery_email}</a>
              </dd>
            </>
          )}
          <dt>{t("Presence")}</dt>
          <dd>{user.is_active ? presenceNames()[presenceStatusOf(state.value, id)] : t("Deactivated")}</dd>
          {status && (
            <>
              <dt>{t("Status")}</dt>
              <dd>
                {status.emoji_name && (
                  <EmojiGlyph type={status.reaction_type} code={status.emoji_code} name={status.emoji_name} />
                )}{" "}
                {status.status_text}
              </dd>
            </>
          )}
          {time && (
            <>
              <dt>{t("Local time")}</dt>
              <dd>{time}</dd>
            </>
          )}
          <ProfileValues user={user} />
          {user.date_joined && (
            <>
              <dt>{t("Joined")}</dt>
              <dd>{shortDate(Date.parse(user.date_joined) / 1000)}</dd>
            </>
          )}
        </dl>
      </div>
      <div class="dialog-actions">
        <a href={linkToNarrow({ kind: "sender", userId: id })} class="button" onClick={close}>
          {t("Messages sent")}
        </a>
        {id !== ownUserId.value && !user.is_system_bot && (
          <button
            type="button"
            onClick={() => {
              // The notice that offers to undo it cannot be used while the dialog is open.
              close();
              void changeUserMuted(id, !isMuted);
            }}
          >
            {isMuted ? t("Unmute") : t("Mute")}
          </button>
        )}
        {mayResetAccess(user) && (
          <>
            <button type="button" onClick={() => void resetPassword(user)}>
              {t("Reset password")}
            </button>
            <button type="button" onClick={() => void removeSecondFactor(user)}>
              {t("Remove second factor")}
            </button>
          </>
        )}
        {id === ownUserId.value && (
          <button
            type="button"
            onClick={() => {
              close();
              go({ kind: "settings", section: "profile" });
            }}
          >
            {t("Edit profile")}
          </button>
        )}
        <button
          type="button"
          class="primary"
          onClick={() => {
            close();
            const conversation = directConversation([id], currentState().userId);
            goToNarrow(conversation);
            compose.open(conversation);
          }}
        >
          {id === ownUserId.value ? t("Write a note to yourself") : t("Write a message")}
        </button>
      </div>
      {resetLink && (
        <section aria-label={t("Password reset link")}>
          <p>
            {t("This server doesn't send email. Give this link to {name}. It works once and expires in a day.", {
              name: user.full_name,
            })}
          </p>
          <LineToCopy label={t("Password reset link")} line={resetLink} />
        </section>
      )}
    </Dialog>
  );
}

const removeSecondFactor = ({ user_id, full_name: name }: User) =>
  confirmAndTry(
    {
      title: t("Remove the second factor of {name}?", { name }),
      text: t(
        "If they have lost their phone, they can then sign in with their password alone. They are told by email.",
      ),
      label: t("Remove"),
    },
    async () => {
      await call("DELETE /users/{user_id}/second_factor", { user_id });
      toast(t("{name} has no second factor any more.", { name }));
    },
  );

/** Administrators may do so for others, but only owners for owners. Users change their own access in the settings. */
const mayResetAccess = (user: User) =>
  user.is_active &&
  !user.is_bot &&
  user.user_id !== ownUserId.value &&
  (user.role === roles.owner ? isOwner(currentState()) : isAdministrator(currentState()));

function localTime(timeZone: string): string | undefined {
  if (!timeZone) return undefined;
  try {
    return timeIn(timeZone);
  } catch {
    return undefined;
  }
}
