import { useEffect, useState } from "preact/hooks";
import type { Reply } from "../../base/api/calls.ts";
import { t } from "../../base/languages/language.ts";
import { isTooLong } from "../../base/lib/length.ts";
import { fullTime } from "../../base/lib/time.ts";
import { rows } from "../../parts/boundary.tsx";
import { Content } from "../../parts/content.tsx";
import { ComboboxField } from "../../parts/fields/combobox.tsx";
import { FormButtons } from "../../parts/fields/form.tsx";
import { Limit } from "../../parts/fields/limit.tsx";
import { Avatar, channelName, Dialog, nameOf, topicName } from "../../parts/parts.tsx";
import { call, currentState } from "../../session/session.ts";
import { toast, tryTo } from "../../session/toasts.ts";
import type { Message } from "../../state/model.ts";
import { maxTopicLength } from "../../state/recipient.ts";
import { sortedSubscriptions } from "../conversations/lists.ts";
import { moveMessages, type PropagateMode, type TopicRef } from "../conversations/moves.ts";

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
  initialMode = "change_later",
  onClose,
}: {
  messageId: number;
  from: TopicRef;
  initialMode?: PropagateMode;
  onClose: () => void;
}) {
  const [channelId, setChannelId] = useState(from.channelId);
  const [topic, setTopic] = useState(from.topic);
  const [mode, setMode] = useState<PropagateMode>(initialMode);
  const [notifyOld, setNotifyOld] = useState(false);
  const [notifyNew, setNotifyNew] = useState(true);
  const maxTopic = maxTopicLength(currentState());
  const save = async () => {
    const to = { channelId, topic: topic.trim() };
    if (to.channelId === from.channelId && to.topic === from.topic) return onClose();
    const notices = { inOldTopic: notifyOld, inNewTopic: notifyNew };
    const succeeded = await moveMessages(messageId, from, to, mode, notices);
    if (succeeded) onClose();
  };
  return (
    <Dialog title={t("Move messages")} onClose={onClose}>
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
        <FormButtons submit={t("Move")} disabled={isTooLong(topic, maxTopic)} onCancel={onClose} />
      </form>
    </Dialog>
  );
}

type HistoryEntry = Reply<"GET /messages/{message_id}/history">["message_history"][number];

/** From where a version was moved; empty if it was not. */
function movedFrom({ prev_topic, prev_stream }: HistoryEntry): string {
  const topic = prev_topic === undefined ? "" : topicName(prev_topic);
  const channel = prev_stream === undefined ? "" : channelName(prev_stream);
  if (prev_topic === undefined) return channel && t(": moved from {channel}", { channel });
  return channel
    ? t(": moved from “{topic}” in {channel}", { topic, channel })
    : t(": moved from “{topic}”", { topic });
}

/** Shows the versions of a message. */
export function HistoryDialog({ message, onClose }: { message: Message; onClose: () => void }) {
  const [entries, setEntries] = useState<readonly HistoryEntry[]>();
  useEffect(() => {
    void tryTo(async () => {
      const reply = await call("GET /messages/{message_id}/history", {
        message_id: message.id,
        allow_empty_topic_name: true,
      });
      setEntries(reply.message_history);
    });
  }, [message.id]);
  return (
    <Dialog title={t("Edit history")} onClose={onClose} wide>
      {entries === undefined && <p class="quiet">{t("Loading …")}</p>}
      <ol class="history">
        {rows(entries ?? [], (entry) => (
          <li key={entry.timestamp}>
            <p class="quiet">
              {nameOf(entry.user_id)}, {fullTime(entry.timestamp)}
              {movedFrom(entry)}
            </p>
            <Content html={entry.content_html_diff ?? entry.rendered_content} />
          </li>
        ))}
      </ol>
    </Dialog>
  );
}

/** Lists the users who have read a message. */
export function ReadersDialog({ message, onClose }: { message: Message; onClose: () => void }) {
  const [ids, setIds] = useState<readonly number[]>();
  useEffect(() => {
    void tryTo(async () => {
      const reply = await call("GET /messages/{message_id}/read_receipts", { message_id: message.id });
      setIds(reply.user_ids as number[]);
    });
  }, [message.id]);
  return (
    <Dialog title={t("Who has read this")} onClose={onClose}>
      {ids === undefined && <p class="quiet">{t("Loading …")}</p>}
      {ids?.length === 0 && <p>{t("Nobody has read it yet.")}</p>}
      <ul class="people-list">
        {rows(ids ?? [], (id) => (
          <li key={id}>
            <Avatar user={currentState().users.get(id)} size={28} /> {nameOf(id)}
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
