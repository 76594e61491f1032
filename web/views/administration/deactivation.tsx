import { useState } from "preact/hooks";
import { t } from "../../base/languages/language.ts";
import { confirmAndTry } from "../../parts/confirm.tsx";
import { useOneAtATime } from "../../parts/fields/form.tsx";
import { Dialog, focusPage } from "../../parts/parts.tsx";
import { call } from "../../session/session.ts";
import { tryTo } from "../../session/toasts.ts";
import type { User } from "../../state/model.ts";

/** What the server can delete together with a deactivation, with its label. */
const deletions = () =>
  [
    ["delete_profile", t("Their name and picture")],
    ["delete_public_channel_messages", t("Their messages in public channels")],
    ["delete_private_channel_messages", t("Their messages in private channels")],
    ["delete_direct_messages", t("Their direct messages")],
    ["erase", t("All of this, and everything else that identifies them")],
  ] as const;
type Deletion = ReturnType<typeof deletions>[number][0];

const erasureNotice = () =>
  t(
    "An erased account cannot be reactivated. What others have written stays, also where it names or quotes this person.",
  );

/** Asks before somebody who is deactivated already is erased. */
export const confirmErasure = ({ user_id, full_name: name }: User) =>
  confirmAndTry(
    {
      title: t("Erase {name}?", { name }),
      text: `${t("All of their messages, their name, picture, email address, profile and status are deleted for good.")} ${erasureNotice()}`,
      label: t("Erase"),
    },
    async () => {
      await call("DELETE /users/{user_id}", { user_id, actions: { erase: true } });
    },
  );

/** Asks before a person is deactivated, and what of theirs is to be deleted. */
export function DeactivationDialog({ user, onClose }: { user: User; onClose: () => void }) {
  const { user_id, full_name } = user;
  const [chosen, setChosen] = useState<readonly Deletion[]>([]);
  const oneAtATime = useOneAtATime();
  const isErased = chosen.includes("erase");
  const deactivate = async () => {
    const actions = Object.fromEntries(chosen.map((deletion) => [deletion, true]));
    if (await tryTo(() => call("DELETE /users/{user_id}", { user_id, ...(chosen.length > 0 && { actions }) }))) {
      onClose();
      focusPage();
    }
  };
  return (
    <Dialog title={t("Deactivate {name}?", { name: full_name })} onClose={onClose}>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          void oneAtATime(deactivate);
        }}
      >
        <p>
          {t(
            "They are signed out everywhere and can't sign in again, and their bots are deactivated too. Their messages stay unless you choose otherwise.",
          )}
        </p>
        <fieldset>
          <legend>{t("Also delete, including for their bots")}</legend>
          {deletions().map(([deletion, label]) => (
            <label class="check" key={deletion}>
              <input
                type="checkbox"
                checked={isErased || chosen.includes(deletion)}
                disabled={isErased && deletion !== "erase"}
                onChange={({ currentTarget: { checked } }) =>
                  setChosen((before) => [...before.filter((one) => one !== deletion), ...(checked ? [deletion] : [])])
                }
              />
              {label}
            </label>
          ))}
        </fieldset>
        {chosen.length > 0 && (
          <p class="quiet">
            {isErased ? erasureNotice() : t("Deleted content cannot be restored, even by reactivating.")}
          </p>
        )}
        <div class="dialog-actions">
          <button type="button" onClick={onClose}>
            {t("Cancel")}
          </button>
          <button type="submit" class="primary danger">
            {t("Deactivate")}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
