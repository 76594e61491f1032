import { useId } from "preact/hooks";
import { state } from "../../session.ts";
import { type Recipient, topicsPolicyOf } from "../../state/recipient.ts";
import { sortedSubscriptions } from "../navigation/lists.ts";
import { channelName, IconButton, namesOf, PrivacyIcon, topicName } from "../parts/parts.tsx";
import { knownTopics } from "./completion.ts";

/** The recipient of the message in the compose box. */

/** A recipient in words. */
export const recipientName = (recipient: Recipient): string =>
  recipient.kind === "unchosen"
    ? ""
    : recipient.kind === "topic"
      ? `#${channelName(recipient.channelId)} › ${topicName(recipient.topic.trim())}`
      : namesOf(recipient.userIds);

/** Names the recipient where the view decides it. */
export const RecipientName = ({ recipient }: { recipient: Recipient }) => (
  <span class="recipient-name">
    <span class="quiet">To</span>{" "}
    {recipient.kind === "topic" ? (
      <>
        <PrivacyIcon channelId={recipient.channelId} />
        <strong>
          {channelName(recipient.channelId)} › {topicName(recipient.topic)}
        </strong>
      </>
    ) : (
      <strong>{recipientName(recipient)}</strong>
    )}
  </span>
);

interface FieldProps<R extends Recipient = Recipient> {
  recipient: R;
  onChange: (recipient: Recipient) => void;
}

type TopicRecipient = Recipient & { kind: "topic" };

/** Asks for the topic where the view decides the channel. */
export const TopicChoice = ({ recipient, onChange }: FieldProps<TopicRecipient>) => (
  <>
    <span class="recipient-name">
      <span class="quiet">To</span> <PrivacyIcon channelId={recipient.channelId} />
      <strong>{channelName(recipient.channelId)}</strong>
    </span>
    <TopicField recipient={recipient} onChange={onChange} />
  </>
);

/** Asks where to write: to a topic of a channel, or to people. */
export function RecipientChoice({ recipient, onChange }: FieldProps) {
  if (recipient.kind === "direct")
    return (
      <>
        <PeopleField recipient={recipient} onChange={onChange} />
        <IconButton icon="hash" label="Write to a channel instead" onClick={() => onChange({ kind: "unchosen" })} />
      </>
    );
  return (
    <>
      <ChannelField recipient={recipient} onChange={onChange} />
      {recipient.kind === "topic" && <TopicField recipient={recipient} onChange={onChange} />}
      <IconButton
        icon="people"
        label="Write to people instead"
        onClick={() => onChange({ kind: "direct", userIds: [] })}
      />
    </>
  );
}

function ChannelField({ recipient, onChange }: FieldProps<Exclude<Recipient, { kind: "direct" }>>) {
  const current = state.value;
  if (!current) return null;
  const [channelId, topic] = recipient.kind === "topic" ? [recipient.channelId, recipient.topic] : [undefined, ""];
  return (
    <>
      {channelId === undefined ? <strong>Choose where to write:</strong> : <PrivacyIcon channelId={channelId} />}
      <select
        aria-label="Channel"
        value={channelId ?? ""}
        onChange={(event) => onChange({ kind: "topic", channelId: Number(event.currentTarget.value), topic })}
      >
        {channelId === undefined && (
          <option value="" disabled>
            a channel
          </option>
        )}
        {channelId !== undefined && !current.subscriptions.has(channelId) && (
          <option value={channelId}>{channelName(channelId)}</option>
        )}
        {sortedSubscriptions(current).map(({ channel }) => (
          <option key={channel.stream_id} value={channel.stream_id}>
            {channel.name}
          </option>
        ))}
      </select>
    </>
  );
}

function TopicField({ recipient, onChange }: FieldProps<TopicRecipient>) {
  const listId = useId();
  const current = state.value;
  if (!current) return null;
  const policy = topicsPolicyOf(current, recipient.channelId);
  // Such a channel has one topic.
  if (policy === "empty_topic_only") return <strong>› {topicName("")}</strong>;
  return (
    <>
      <span aria-hidden="true">›</span>
      <input
        class="topic-field"
        aria-label="Topic"
        list={listId}
        maxLength={Number(current.realm.max_topic_length)}
        placeholder={policy === "disable_empty_topic" ? "Which topic?" : `Which topic? (${topicName("")})`}
        value={recipient.topic}
        onInput={(event) => onChange({ ...recipient, topic: event.currentTarget.value })}
      />
      <datalist id={listId}>
        {knownTopics(current, recipient.channelId).map((topic) => (
          <option key={topic} value={topic} />
        ))}
      </datalist>
    </>
  );
}

function PeopleField({ recipient, onChange }: FieldProps<Recipient & { kind: "direct" }>) {
  const current = state.value;
  if (!current) return null;
  const { userIds } = recipient;
  const others = [...current.users.values()]
    .filter((user) => user.is_active && !userIds.includes(user.user_id))
    .sort((a, b) => a.full_name.localeCompare(b.full_name));
  return (
    <>
      {userIds.length === 0 ? <strong>Choose whom to write to:</strong> : <span class="quiet">To</span>}
      {userIds.map((id) => (
        <span class="pill" key={id}>
          {current.users.get(id)?.full_name}
          <IconButton
            icon="close"
            size={12}
            label={`Remove ${current.users.get(id)?.full_name}`}
            onClick={() => onChange({ kind: "direct", userIds: userIds.filter((userId) => userId !== id) })}
          />
        </span>
      ))}
      <select
        aria-label="Add a person"
        value=""
        onChange={(event) => {
          const id = Number(event.currentTarget.value);
          if (id) onChange({ kind: "direct", userIds: [...userIds, id].sort((a, b) => a - b) });
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
