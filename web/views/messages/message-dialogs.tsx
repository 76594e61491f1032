import { useEffect, useState } from "preact/hooks";
import type { Input, Reply } from "../../base/api/calls.ts";
import { t } from "../../base/languages/language.ts";
import { fullTime } from "../../base/lib/time.ts";
import { Content } from "../../parts/content.tsx";
import { Form, SelectField, TextField } from "../../parts/fields/form.tsx";
import { GrowingRows, linesOf } from "../../parts/growing.tsx";
import { Avatar, channelName, Dialog, nameOf, topicName } from "../../parts/parts.tsx";
import { fetchMarkdown } from "../../session/actions/fetch-messages.ts";
import { call } from "../../session/session.ts";
import { currentState } from "../../session/store.ts";
import { toast, tryTo } from "../../session/toasts.ts";
import type { Message } from "../../state/model.ts";

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
        <GrowingRows
          of={entries ?? []}
          weightOf={(entry) => Math.min(40, linesOf(entry.content_html_diff ?? entry.rendered_content))}
          row={(entry, index) => (
            <li key={index}>
              <p class="quiet">
                {nameOf(entry.user_id)}, {fullTime(entry.timestamp)}
                {movedFrom(entry)}
              </p>
              <Content html={entry.content_html_diff ?? entry.rendered_content} />
            </li>
          )}
        />
      </ol>
    </Dialog>
  );
}

/** Shows the Markdown of a message. */
export function SourceDialog({ message, onClose }: { message: Message; onClose: () => void }) {
  const [source, setSource] = useState<string>();
  useEffect(() => {
    void tryTo(async () => setSource(await fetchMarkdown(message.id)));
  }, [message.id]);
  return (
    <Dialog title={t("Message source")} onClose={onClose} wide>
      {source === undefined ? (
        <p class="quiet">{t("Loading …")}</p>
      ) : (
        <div class="form-row">
          <textarea
            class="grow"
            readOnly
            autofocus
            dir="auto"
            rows={12}
            aria-label={t("Message source")}
            value={source}
          />
        </div>
      )}
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
        <GrowingRows
          of={ids ?? []}
          row={(id) => (
            <li key={id}>
              <Avatar user={currentState().users.get(id)} size={28} /> {nameOf(id)}
            </li>
          )}
        />
      </ul>
    </Dialog>
  );
}

type ReportReason = Input<"POST /messages/{message_id}/report">["report_type"];

const maxReportNoteLength = 1000;

/** Reports a message to the organization's moderators. */
export function ReportDialog({ message, onClose }: { message: Message; onClose: () => void }) {
  const [reason, setReason] = useState<ReportReason>("spam");
  const [note, setNote] = useState("");
  const reasons: { value: ReportReason; label: string }[] = [
    { value: "spam", label: t("Spam") },
    { value: "harassment", label: t("Harassment") },
    { value: "inappropriate", label: t("Inappropriate content") },
    { value: "norms", label: t("Violates community norms") },
    { value: "other", label: t("Other reason") },
  ];
  return (
    <Dialog title={t("Report this message")} onClose={onClose}>
      <Form
        label={t("Report this message")}
        submit={t("Report")}
        disabled={reason === "other" && note.trim() === ""}
        save={async () => {
          const report = { report_type: reason, description: note.trim() };
          await call("POST /messages/{message_id}/report", { message_id: message.id, ...report });
          onClose();
          toast(t("The message was reported to the moderators."));
        }}
        onCancel={onClose}
      >
        <p class="quiet">{t("Your report goes to the organization's moderators, with your name and the message.")}</p>
        <SelectField label={t("Why")} value={reason} options={reasons} onChange={setReason} />
        <TextField
          label={reason === "other" ? t("What's wrong with it") : t("Anything to add (optional)")}
          rows={4}
          max={maxReportNoteLength}
          value={note}
          onChange={setNote}
        />
      </Form>
    </Dialog>
  );
}
