import { useState } from "preact/hooks";
import { t } from "../../base/languages/language.ts";
import { isTooLong } from "../../base/lib/length.ts";
import { ComboboxField } from "../../parts/fields/combobox.tsx";
import { FormButtons } from "../../parts/fields/form.tsx";
import { Limit } from "../../parts/fields/limit.tsx";
import { channelName, Dialog, topicName } from "../../parts/parts.tsx";
import { currentState } from "../../session/store.ts";
import { toast } from "../../session/toasts.ts";
import { maxTopicLength } from "../../state/recipient.ts";
import { sortedSubscriptions } from "./channel-lists.ts";
import { moveMessages, type PropagateMode, type TopicRef } from "./moves.ts";

/** What to move, with its label. */
const propagateModes = (): readonly (readonly [PropagateMode, string])[] => [
  ["change_one", t("Only this message")],
  ["change_later", t("This message and all later ones in the topic")],
  ["change_all", t("All messages in the topic")],
];

/** Moves a message, optionally with others of its topic, to another topic or channel. */
export function MoveDialog({
  messageId,
  from,
  isWholeTopic,
  onClose,
}: {
  messageId: number;
  from: TopicRef;
  isWholeTopic: boolean;
  onClose: () => void;
}) {
  const [channelId, setChannelId] = useState(from.channelId);
  const [topic, setTopic] = useState(from.topic);
  const [mode, setMode] = useState<PropagateMode>(isWholeTopic ? "change_all" : "change_later");
  const [notifyOld, setNotifyOld] = useState(false);
  const [notifyNew, setNotifyNew] = useState(true);
  const maxTopic = maxTopicLength(currentState());
  const save = async () => {
    const to = { channelId, topic: topic.trim() };
    // Somebody else may have moved it meanwhile.
    const message = currentState().messages.get(messageId);
    const now = message?.stream_id === undefined ? from : { channelId: message.stream_id, topic: message.subject };
    if (to.channelId === now.channelId && to.topic === now.topic) return onClose();
    const notices = { inOldTopic: notifyOld, inNewTopic: notifyNew };
    const succeeded = await moveMessages(messageId, now, to, mode, notices);
    if (succeeded) onClose();
  };
  return (
    <Dialog title={isWholeTopic ? t("Rename or move") : t("Move messages")} onClose={onClose}>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <ComboboxField
          label={t("Channel")}
          text={channelName(channelId)}
          choices={() =>
            sortedSubscriptions(currentState()).map(({ channel: { stream_id: value, name } }) => ({ value, name }))
          }
          onChoose={setChannelId}
          onUnknown={(name) => toast(t("You aren't in a channel called “{name}”.", { name }))}
        />
        <label>
          {t("Topic")}
          <input
            autofocus
            placeholder={topicName("")}
            value={topic}
            onInput={(event) => setTopic(event.currentTarget.value)}
          />
        </label>
        <Limit text={topic} max={maxTopic} />
        <label>
          {t("What to move")}
          <select value={mode} onChange={(event) => setMode(event.currentTarget.value as typeof mode)}>
            {propagateModes().map(([value, label]) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </select>
        </label>
        <label class="check">
          <input type="checkbox" checked={notifyNew} onChange={(event) => setNotifyNew(event.currentTarget.checked)} />
          {t("Post a notice in the new topic")}
        </label>
        <label class="check">
          <input type="checkbox" checked={notifyOld} onChange={(event) => setNotifyOld(event.currentTarget.checked)} />
          {t("Post a notice in the old topic")}
        </label>
        <FormButtons
          submit={isWholeTopic ? t("Save") : t("Move")}
          disabled={isTooLong(topic, maxTopic)}
          onCancel={onClose}
        />
      </form>
    </Dialog>
  );
}
