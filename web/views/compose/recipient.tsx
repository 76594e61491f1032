import { state } from "../../session.ts";
import type { Conversation } from "../../state/model.ts";
import { sortedSubscriptions } from "../navigation/lists.ts";
import { channelName, IconButton, PrivacyIcon, topicName } from "../parts/parts.tsx";
import { knownTopics } from "./completion.ts";
import { compose } from "./compose-state.ts";

/** The recipient of the message being composed. */

export function Recipient({ conversation }: { conversation: Conversation }) {
  const current = state.value;
  if (!current) return null;
  if (conversation.kind === "topic")
    return (
      <>
        <PrivacyIcon channelId={conversation.channelId} />
        <select
          aria-label="Channel"
          value={conversation.channelId}
          onChange={(event) =>
            compose.change({ conversation: { ...conversation, channelId: Number(event.currentTarget.value) } })
          }
        >
          {!current.subscriptions.has(conversation.channelId) && (
            <option value={conversation.channelId}>{channelName(conversation.channelId)}</option>
          )}
          {sortedSubscriptions(current).map(({ channel }) => (
            <option key={channel.stream_id} value={channel.stream_id}>
              {channel.name}
            </option>
          ))}
        </select>
        <span aria-hidden="true">›</span>
        <input
          class="topic-field"
          aria-label="Topic"
          list="known-topics"
          maxLength={Number(current.realm.max_topic_length)}
          placeholder={topicName("")}
          value={conversation.topic}
          onInput={(event) => compose.change({ conversation: { ...conversation, topic: event.currentTarget.value } })}
        />
        <datalist id="known-topics">
          {knownTopics(current, conversation.channelId).map((topic) => (
            <option key={topic} value={topic} />
          ))}
        </datalist>
      </>
    );
  const others = [...current.users.values()]
    .filter((user) => user.is_active && !conversation.userIds.includes(user.user_id))
    .sort((a, b) => a.full_name.localeCompare(b.full_name));
  return (
    <>
      <span>To</span>
      {conversation.userIds.map((id) => (
        <span class="pill" key={id}>
          {current.users.get(id)?.full_name}
          <IconButton
            icon="close"
            size={12}
            label={`Remove ${current.users.get(id)?.full_name}`}
            onClick={() =>
              compose.change({
                conversation: { kind: "direct", userIds: conversation.userIds.filter((userId) => userId !== id) },
              })
            }
          />
        </span>
      ))}
      <select
        aria-label="Add a person"
        value=""
        onChange={(event) => {
          const id = Number(event.currentTarget.value);
          if (!id) return;
          const userIds = [...conversation.userIds, id].sort((a, b) => a - b);
          compose.change({ conversation: { kind: "direct", userIds } });
        }}
      >
        <option value="">Add a person …</option>
        {others.map((user) => (
          <option key={user.user_id} value={user.user_id}>
            {user.full_name}
          </option>
        ))}
      </select>
    </>
  );
}
