import { useEffect, useState } from "preact/hooks";
import type { ApiFailure } from "../../base/api/client.ts";
import { t } from "../../base/languages/language.ts";
import { Translated } from "../../base/languages/translated.tsx";
import { linkToNarrow } from "../../navigation/router.ts";
import { channelName, namesOf, topicName } from "../../parts/parts.tsx";
import { fetchMessage } from "../../session/actions/fetch-messages.ts";
import { currentState } from "../../session/store.ts";
import { type Conversation, conversationOf } from "../../state/model.ts";

/** Says that a linked message is not in its view, and where it is now. */
export function MissingMessage({ id }: { id: number }) {
  const [found, setFound] = useState<Conversation | "nowhere">();
  useEffect(() => {
    let isEnded = false;
    fetchMessage(id)
      .then((message): Conversation => conversationOf(message, currentState().userId))
      .catch((failure: ApiFailure) => (failure.status === 400 ? ("nowhere" as const) : undefined))
      .then((result) => !isEnded && setFound(result));
    return () => {
      isEnded = true;
    };
  }, [id]);
  return (
    <p class="banner" role="status">
      {found === undefined && t("The linked message is not here.")}
      {found === "nowhere" &&
        t("The linked message is not here: it was deleted, it never existed, or you may not read it.")}
      {typeof found === "object" && (
        <Translated
          text="The linked message is not here, but in {place}."
          place={<a href={linkToNarrow(found, id)}>{nameOfConversation(found)}</a>}
        />
      )}
    </p>
  );
}

const nameOfConversation = (conversation: Conversation) =>
  conversation.kind === "topic"
    ? `${channelName(conversation.channelId)} › ${topicName(conversation.topic)}`
    : namesOf(conversation.userIds);
