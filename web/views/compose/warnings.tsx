import { useEffect } from "preact/hooks";
import { meantBy } from "../../../shared/base/name-key.ts";
import { t } from "../../base/languages/language.ts";
import { call, sessionSignal } from "../../session/session.ts";
import { channels, currentState, users } from "../../session/store.ts";
import { tryTo } from "../../session/toasts.ts";
import { type Conversation, resolvedMark, type User } from "../../state/model.ts";
import { setResolved } from "../conversations/resolving.ts";

/** What one should know before a message is sent, above its text, with the way out. */

/** From how many subscribers on a mention of everybody is pointed out. */
const manyPeople = 15;

const wildcard = /(?<![\w`])@\*\*(?:all|everyone|channel|stream)\*\*/;
const personMention = /(?<![\w`])@\*\*([^*\n|]*)(?:\|(\d+))?\*\*/g;

/** The people whom a text mentions aloud. */
function mentionedIn(text: string): User[] {
  if (!text.includes("@**")) return [];
  const known = [...(users.value?.values() ?? [])].filter((user) => user.is_active);
  const found = [...text.matchAll(personMention)].flatMap(([, name = "", id]) => {
    const user = id ? users.value?.get(Number(id)) : meantBy(name, known, ({ full_name }) => full_name);
    return user?.is_active && !user.is_system_bot ? [user] : [];
  });
  return [...new Set(found)];
}

/** Whether people are subscribed to channels, by `<user ID>:<channel ID>`, as far as it was asked. */
const areSubscribed = sessionSignal<ReadonlyMap<string, boolean>>(new Map());
const setSubscribed = (key: string, isSubscribed: boolean) => {
  areSubscribed.value = new Map(areSubscribed.peek()).set(key, isSubscribed);
};

async function askWhetherSubscribed(userId: number, channelId: number): Promise<void> {
  const key = `${userId}:${channelId}`;
  if (areSubscribed.peek().has(key)) return;
  // Nobody is warned of what is not known.
  setSubscribed(key, true);
  const { is_subscribed } = await call("GET /users/{user_id}/subscriptions/{stream_id}", {
    user_id: userId,
    stream_id: channelId,
  });
  setSubscribed(key, is_subscribed);
}

const subscribe = ({ user_id }: User, channelId: number) =>
  tryTo(async () => {
    const name = channels.peek()?.get(channelId)?.name ?? "";
    await call("POST /users/me/subscriptions", { subscriptions: [{ name }], principals: [user_id] });
    setSubscribed(`${user_id}:${channelId}`, true);
  });

export function Warnings({ text, conversation }: { text: string; conversation: Conversation | undefined }) {
  const channelId = conversation?.kind === "topic" ? conversation.channelId : undefined;
  const mentioned = channelId === undefined ? [] : mentionedIn(text);
  const mentionedIds = mentioned.map(({ user_id }) => user_id).join();
  useEffect(() => {
    if (channelId !== undefined)
      for (const { user_id } of mentioned)
        if (user_id !== currentState().userId) askWhetherSubscribed(user_id, channelId).catch(() => {});
  }, [mentionedIds, channelId]);
  if (conversation?.kind !== "topic" || channelId === undefined || text.trim() === "") return null;
  const { topic } = conversation;
  const name = channels.value?.get(channelId)?.name ?? "";
  const count = channels.value?.get(channelId)?.subscriber_count ?? 0;
  const absent = mentioned.filter(({ user_id }) => areSubscribed.value.get(`${user_id}:${channelId}`) === false);
  return (
    <>
      {wildcard.test(text) && count > manyPeople && (
        <p class="warning" role="status">
          {t("This notifies all {count} subscribers of {name}.", { count, name })}
        </p>
      )}
      {absent.map((user) => (
        <p class="warning" role="status" key={user.user_id}>
          {t("{person} isn't subscribed to {name} and may not see this.", { person: user.full_name, name })}{" "}
          <button type="button" onClick={() => void subscribe(user, channelId)}>
            {t("Subscribe {person}", { person: user.full_name })}
          </button>
        </p>
      ))}
      {topic.startsWith(resolvedMark) && (
        <p class="warning" role="status">
          {t("This topic is resolved.")}{" "}
          <button type="button" onClick={() => void setResolved(channelId, topic, false)}>
            {t("Reopen it")}
          </button>
        </p>
      )}
    </>
  );
}
