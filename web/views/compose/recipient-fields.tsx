import { t } from "../../base/languages/language.ts";
import { Combobox, peopleChoices } from "../../parts/fields/combobox.tsx";
import { channelName, IconButton, nameOf, namesOf, PrivacyIcon, topicName } from "../../parts/parts.tsx";
import { state } from "../../session/store.ts";
import { toast } from "../../session/toasts.ts";
import { maxTopicLength, type Recipient, topicsPolicyOf } from "../../state/recipient.ts";
import { sortedSubscriptions } from "../conversations/channel-lists.ts";
import { topicsOf } from "../conversations/channel-topics.ts";

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
    <span class="quiet">{t("To")}</span>{" "}
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
      <span class="quiet">{t("To")}</span> <PrivacyIcon channelId={recipient.channelId} />
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
        <IconButton
          icon="hash"
          label={t("Write to a channel instead")}
          onClick={() => onChange({ kind: "unchosen" })}
        />
      </>
    );
  return (
    <>
      <ChannelField recipient={recipient} onChange={onChange} />
      {recipient.kind === "topic" && <TopicField recipient={recipient} onChange={onChange} />}
      <IconButton
        icon="people"
        label={t("Write to people instead")}
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
      {channelId === undefined ? <strong>{t("Choose where to write:")}</strong> : <PrivacyIcon channelId={channelId} />}
      <Combobox
        label={t("Channel")}
        placeholder={t("a channel")}
        text={channelId === undefined ? "" : channelName(channelId)}
        choices={() =>
          sortedSubscriptions(current).map(({ channel: { stream_id: value, name, description: detail } }) => ({
            value,
            name,
            detail,
          }))
        }
        onChoose={(chosen) => onChange({ kind: "topic", channelId: chosen, topic })}
        onUnknown={(name) => {
          // The channel of before is not the one that was meant.
          onChange({ kind: "unchosen" });
          toast(t("You aren't in a channel called “{name}”.", { name }));
        }}
      />
    </>
  );
}

function TopicField({ recipient, onChange }: FieldProps<TopicRecipient>) {
  const current = state.value;
  if (!current) return null;
  const policy = topicsPolicyOf(current, recipient.channelId);
  // Such a channel has one topic.
  if (policy === "empty_topic_only") return <strong>› {topicName("")}</strong>;
  return (
    <>
      <span aria-hidden="true">›</span>
      <Combobox
        class="topic-field"
        label={t("Topic")}
        max={maxTopicLength(current)}
        placeholder={
          policy === "disable_empty_topic" ? t("Which topic?") : t("Topic ({topic})", { topic: topicName("") })
        }
        text={recipient.topic}
        choices={() =>
          topicsOf(recipient.channelId).flatMap((topic) => (topic === "" ? [] : [{ value: topic, name: topic }]))
        }
        onText={(topic) => onChange({ ...recipient, topic })}
        onChoose={(topic) => onChange({ ...recipient, topic })}
      />
    </>
  );
}

function PeopleField({ recipient, onChange }: FieldProps<Recipient & { kind: "direct" }>) {
  const current = state.value;
  if (!current) return null;
  const { userIds } = recipient;
  const others = () => peopleChoices(current.users.values(), ({ user_id }) => !userIds.includes(user_id));
  return (
    <>
      {userIds.length === 0 ? <strong>{t("Choose recipients:")}</strong> : <span class="quiet">{t("To")}</span>}
      {userIds.map((id) => (
        <span class="pill" key={id}>
          {nameOf(id)}
          <IconButton
            icon="close"
            size={12}
            label={t("Remove {name}", { name: nameOf(id) })}
            onClick={() => onChange({ kind: "direct", userIds: userIds.filter((userId) => userId !== id) })}
          />
        </span>
      ))}
      <Combobox
        label={t("Add a person")}
        placeholder={t("Add a person …")}
        text=""
        choices={others}
        onChoose={(id) => onChange({ kind: "direct", userIds: [...userIds, id].sort((a, b) => a - b) })}
        onUnknown={(name) => toast(t("Nobody is called “{name}”.", { name }))}
      />
    </>
  );
}
