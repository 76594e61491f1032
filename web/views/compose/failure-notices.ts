import { effect } from "@preact/signals";
import { t } from "../../base/languages/language.ts";
import { goToNarrow, route } from "../../navigation/router.ts";
import { currentState } from "../../session/store.ts";
import { toast } from "../../session/toasts.ts";
import { outgoing } from "../../session/unsent/unsent-messages.ts";
import { conversationIn } from "../../state/narrow.ts";
import { conversationFor, isSameRecipient } from "../../state/recipient.ts";
import { recipientName } from "./recipient-fields.tsx";

/** Tells the user of messages of other views that could not be sent; returns a function that stops this. */
export function startFailureNotices(): () => void {
  const known = new Set<string>();
  return effect(() => {
    for (const { id, recipient, sending } of outgoing.value) {
      if (sending?.failure === undefined) known.delete(id);
      if (sending?.failure === undefined || known.has(id)) continue;
      known.add(id);
      const conversation = conversationFor(recipient, currentState());
      const view = route.peek();
      const shown = view.kind === "narrow" ? conversationIn(view.narrow) : undefined;
      if (conversation && shown && isSameRecipient(conversation, shown)) continue;
      toast(
        t("Your message to {recipient} was not sent.", { recipient: recipientName(recipient) }),
        conversation && { label: t("Show"), run: () => goToNarrow(conversation) },
      );
    }
  });
}
