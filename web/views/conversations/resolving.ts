import { t } from "../../base/languages/language.ts";
import { followTo, route } from "../../navigation/router.ts";
import { editMessage } from "../../session/actions/change-messages.ts";
import { call } from "../../session/session.ts";
import { currentState } from "../../session/store.ts";
import { toastWithUndo, tryTo } from "../../session/toasts.ts";
import { resolvedMark } from "../../state/model.ts";
import { narrowKey, termsOf } from "../../state/narrow.ts";

/** Resolved topics. */

function isTopicShown(channelId: number, topic: string): boolean {
  const view = route.value;
  return view.kind === "narrow" && narrowKey(view.narrow) === narrowKey({ kind: "topic", channelId, topic });
}

/** The newest message of a topic; undefined if there is none. */
export async function newestIn(channelId: number, topic: string): Promise<number | undefined> {
  const narrow = { kind: "topic", channelId, topic } as const;
  const known = currentState().lists.get(narrowKey(narrow));
  if (known?.foundNewest && known.ids.length > 0) return known.ids.at(-1);
  const { messages } = await call("GET /messages", {
    anchor: "newest",
    num_before: 1,
    num_after: 0,
    narrow: termsOf(narrow),
    allow_empty_topic_name: true,
  });
  return messages[0]?.id;
}

/** Resolves a topic by adding the prefix ✔ to its name, or unresolves it by removing the prefix. */
export const setResolved = (channelId: number, topic: string, resolved: boolean) =>
  tryTo(async () => {
    const newestId = await newestIn(channelId, topic);
    if (newestId === undefined) throw new Error(t("There are no messages in this topic."));
    const topicRoute = (name: string) =>
      ({ kind: "narrow", narrow: { kind: "topic", channelId, topic: name } }) as const;
    const newName = resolved ? `${resolvedMark}${topic}` : topic.slice(resolvedMark.length);
    const rename = (name: string) => editMessage(newestId, { topic: name, propagate_mode: "change_all" });
    await rename(newName);
    // The event may have led there already, and the user elsewhere since.
    if (isTopicShown(channelId, topic)) followTo(topicRoute(newName));
    toastWithUndo(
      resolved ? t("“{topic}” is resolved.", { topic }) : t("“{topic}” is unresolved.", { topic }),
      async () => {
        await rename(topic);
        if (isTopicShown(channelId, newName)) followTo(topicRoute(topic));
      },
    );
  });
