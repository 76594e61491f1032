import { useEffect, useState } from "preact/hooks";
import type { Reply } from "../../api/calls.ts";
import { t } from "../../languages/language.ts";
import { isTooLong } from "../../lib/length.ts";
import { fullTime } from "../../lib/time.ts";
import { call, currentState } from "../../session.ts";
import type { Message } from "../../state/model.ts";
import { maxTopicLength } from "../../state/recipient.ts";
import { tryTo } from "../../toasts.ts";
import { sortedSubscriptions } from "../navigation/lists.ts";
import { rows } from "../parts/boundary.tsx";
import { Content } from "../parts/content.tsx";
import { FormButtons } from "../parts/form.tsx";
import { Limit } from "../parts/limit.tsx";
import { Avatar, channelName, Dialog, nameOf, topicName } from "../parts/parts.tsx";
import { moveMessages, type PropagateMode } from "./moves.ts";

/** What to move, with its label. */
const propagateModes = (): readonly (readonly [PropagateMode, string])[] => [
  ["change_one", t("Only this message")],
  ["change_later", t("This message and all later ones in the topic")],
  ["change_all", t("All messages in the topic")],
];

/** Moves a message, optionally with others of its topic, to another topic or channel. */
export function MoveDialog({ message, onClose }: { message: Message; onClose: () => void }) {
  const [channelId, setChannelId] = useState(message.stream_id ?? 0);
  const [topic, setTopic] = useState(message.subject);
  const [mode, setMode] = useState<PropagateMode>("change_later");
  const [notifyOld, setNotifyOld] = useState(false);
  const [notifyNew, setNotifyNew] = useState(true);
  const maxTopic = maxTopicLength(currentState());
  const save = async () => {
    const from = { channelId: message.stream_id ?? 0, topic: message.subject };
    const to = { channelId, topic: topic.trim() };
    if (to.channelId === from.channelId && to.topic === from.topic) return onClose();
    const notices = { inOldTopic: notifyOld, inNewTopic: notifyNew };
    const succeeded = await moveMessages(message.id, from, to, mode, notices);
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
        <label>
          {t("Channel")}
          <select value={channelId} onChange={(event) => setChannelId(Number(event.currentTarget.value))}>
            {sortedSubscriptions(currentState()).map(({ channel }) => (
              <option key={channel.stream_id} value={channel.stream_id}>
                {channel.name}
              </option>
            ))}
          </select>
        </label>
        <label>
          {t("Topic")}
          <input placeholder={topicName("")} value={topic} onInput={(event) => setTopic(event.currentTarget.value)} />
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
