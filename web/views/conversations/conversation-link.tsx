import { linkToNarrow } from "../../navigation/router.ts";
import { channelName, namesOf, PrivacyIcon, topicName } from "../../parts/parts.tsx";
import type { Conversation } from "../../state/model.ts";

/** A conversation by its name, as views that list conversations have it. */
export function ConversationLink({ conversation }: { conversation: Conversation }) {
  return (
    <a class="grow conversation" href={linkToNarrow(conversation)}>
      {conversation.kind === "topic" ? (
        <>
          <PrivacyIcon channelId={conversation.channelId} />
          {channelName(conversation.channelId)} › <strong>{topicName(conversation.topic)}</strong>
        </>
      ) : (
        <strong>{namesOf(conversation.userIds)}</strong>
      )}
    </a>
  );
}
