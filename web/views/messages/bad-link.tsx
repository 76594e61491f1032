import { useEffect, useState } from "preact/hooks";
import type { ApiFailure } from "../../base/api/client.ts";
import { t } from "../../base/languages/language.ts";
import { Translated } from "../../base/languages/translated.tsx";
import { linkTo, linkToNarrow } from "../../navigation/router.ts";
import { channelName, namesOf, topicName } from "../../parts/parts.tsx";
import { fetchMessage } from "../../session/actions/fetch-messages.ts";
import { currentState } from "../../session/store.ts";
import { type Conversation, conversationOf } from "../../state/model.ts";

/** What is shown of links that do not lead where they should. */

/** Says what is wrong with a link, and offers a way on. There is nobody to write to, so there is no compose box. */
export const BadLink = ({ problem }: { problem: string }) => (
  <div class="page" id="messages" tabIndex={-1}>
    <h1>{t("This cannot be shown")}</h1>
    <p>{problem}</p>
    <p class="page-tools">
      <a class="button" href={linkTo({ kind: "inbox" })}>
        {t("Inbox")}
      </a>
      <a class="button" href={linkTo({ kind: "channels" })}>
        {t("All channels")}
      </a>
      {history.length > 1 && (
        <button type="button" onClick={() => history.back()}>
          {t("Back")}
        </button>
      )}
    </p>
  </div>
);

/** Why the server refused to list messages, in words. */
export function explainRefusal({ message, details }: ApiFailure): string {
  const description = typeof details.desc === "string" ? details.desc : message;
  if (description.startsWith("unknown channel"))
    return t("The link or search names a channel that does not exist, or whose messages you may not read.");
  if (description.startsWith("unknown user"))
    return t("The link or search names a user who does not exist, or whom you may not see.");
  return t("The server does not understand this link or search: {description}.", { description });
}

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
