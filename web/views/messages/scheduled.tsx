import { useComputed } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";
import { t } from "../../base/languages/language.ts";
import { asStored } from "../../base/lib/length.ts";
import { dayAndTime } from "../../base/lib/time.ts";
import { goToNarrow } from "../../navigation/router.ts";
import { rows } from "../../parts/boundary.tsx";
import { confirmAndTry, excerptOf } from "../../parts/confirm.tsx";
import { Content } from "../../parts/content.tsx";
import { TimeDialog } from "../../parts/fields/time-dialog.tsx";
import { Empty } from "../../parts/parts.tsx";
import { checkFits, scheduleMessage } from "../../session/actions/change-messages.ts";
import { fetchMessage } from "../../session/actions/fetch-messages.ts";
import { call } from "../../session/session.ts";
import { currentState, state } from "../../session/store.ts";
import { tryTo } from "../../session/toasts.ts";
import { editOfScheduled, edits, removeEdit } from "../../session/unsent/edits.ts";
import { conversationOf, type Reminder, type ScheduledMessage } from "../../state/model.ts";
import { scheduledConversation } from "../../state/scheduled-conversation.ts";
import { EditForm, openEdit } from "../compose/edit-form.tsx";
import { Snippets } from "../compose/snippets.tsx";
import { ConversationLink } from "../conversations/conversation-link.tsx";

/** The view of what comes later: messages that are sent, and reminders. */

const conversationOfScheduled = (message: ScheduledMessage) => scheduledConversation(message, currentState().userId);

const removeScheduled = (id: number) =>
  call("DELETE /scheduled_messages/{scheduled_message_id}", { scheduled_message_id: id });

const deleteScheduled = ({ scheduled_message_id, content }: ScheduledMessage) =>
  confirmAndTry(
    {
      title: t("Delete the scheduled message?"),
      text: t("It won't be sent, and its text will be lost: “{text}”", { text: excerptOf(content) }),
      label: t("Delete"),
    },
    () => removeScheduled(scheduled_message_id),
  );

/** Opens the form for the text of a scheduled message, which stays scheduled as it is until the user saves. */
function openScheduled(message: ScheduledMessage): void {
  const { scheduled_message_id: id, content } = message;
  openEdit(editOfScheduled(id), { text: content, original: content, recipient: conversationOfScheduled(message) });
}

function ScheduledText({
  message,
  onReschedule,
}: {
  message: ScheduledMessage;
  /** Asks for a new time, which one that could not be sent needs. */
  onReschedule: (message: ScheduledMessage) => void;
}) {
  const { scheduled_message_id: id, rendered_content, failed } = message;
  const key = editOfScheduled(id);
  const edit = edits.value.get(key);
  if (!edit) return <Content html={rendered_content} />;
  const recipient = conversationOfScheduled(message);
  return (
    <EditForm
      editKey={key}
      edit={edit}
      label={t("Text of the scheduled message")}
      recipient={recipient}
      save={async (text, original) => {
        const latest = currentState().scheduled.get(id)?.content;
        if (latest !== undefined && latest !== original && latest !== asStored(text)) return latest;
        checkFits(recipient, text);
        if (failed) {
          onReschedule({ ...message, content: text });
          throw new DOMException("A time is asked for", "AbortError");
        }
        await call("PATCH /scheduled_messages/{scheduled_message_id}", { scheduled_message_id: id, content: text });
        return undefined;
      }}
      findCloser={() => document.getElementById("messages")}
      dialogs={{ Snippets, TimeDialog }}
    />
  );
}

export function Scheduled() {
  const [rescheduled, setRescheduled] = useState<ScheduledMessage>();
  const scheduled = useComputed(() =>
    [...(state.value?.scheduled.values() ?? [])].sort(
      (a, b) => a.scheduled_delivery_timestamp - b.scheduled_delivery_timestamp,
    ),
  ).value;
  return (
    <div class="page" id="messages" tabIndex={-1}>
      <h1>{t("Scheduled messages")}</h1>
      {scheduled.length === 0 && (
        <Empty>{t("Messages you schedule appear here. To schedule one, use the clock next to “Send”.")}</Empty>
      )}
      <ul class="cards">
        {rows(scheduled, (message) => (
          <li key={message.scheduled_message_id}>
            <header>
              <ConversationLink conversation={conversationOfScheduled(message)} />
              <time class="quiet small">{dayAndTime(message.scheduled_delivery_timestamp)}</time>
            </header>
            <ScheduledText message={message} onReschedule={setRescheduled} />
            {message.failed && <p class="problem">{t("It could not be sent.")}</p>}
            <div class="dialog-actions">
              <button type="button" onClick={() => void deleteScheduled(message)}>
                {t("Delete")}
              </button>
              <button type="button" onClick={() => setRescheduled(message)}>
                {t("Another time")}
              </button>
              {!edits.value.has(editOfScheduled(message.scheduled_message_id)) && (
                <button type="button" class="primary" onClick={() => openScheduled(message)}>
                  {t("Edit")}
                </button>
              )}
            </div>
          </li>
        ))}
      </ul>
      <Reminders />
      {rescheduled && (
        <TimeDialog
          title={t("Send at another time")}
          onClose={() => setRescheduled(undefined)}
          onPick={async (deliverAtSeconds) => {
            const { scheduled_message_id, content, failed } = rescheduled;
            const succeeded = await tryTo(async () => {
              if (failed) {
                await scheduleMessage(conversationOfScheduled(rescheduled), content, deliverAtSeconds);
                const key = editOfScheduled(scheduled_message_id);
                if (edits.peek().get(key)?.text === content) removeEdit(key);
                await removeScheduled(scheduled_message_id);
              } else {
                await call("PATCH /scheduled_messages/{scheduled_message_id}", {
                  ...{ scheduled_message_id, scheduled_delivery_timestamp: deliverAtSeconds },
                });
              }
            });
            if (succeeded) setRescheduled(undefined);
          }}
        />
      )}
    </div>
  );
}

const deleteReminder = ({ reminder_id }: Reminder) =>
  confirmAndTry(
    { title: t("Delete the reminder?"), text: t("You will not be reminded of the message."), label: t("Delete") },
    () => call("DELETE /reminders/{reminder_id}", { reminder_id }),
  );

async function showMessage(id: number): Promise<void> {
  const message = await fetchMessage(id);
  goToNarrow(conversationOf(message, currentState().userId), id);
}

/**
 * The texts with which reminders would be delivered now, by ID; undefined until they are known. The page's state has them as they were
 * set: the messages may have been edited or deleted since.
 */
function useCurrentTexts(isNeeded: boolean): ReadonlyMap<number, string> | undefined {
  const [texts, setTexts] = useState<ReadonlyMap<number, string>>();
  useEffect(() => {
    if (!isNeeded) return;
    call("GET /reminders")
      .then(({ reminders }) => setTexts(new Map(reminders.map((one) => [one.reminder_id, one.rendered_content]))))
      .catch(() => setTexts(new Map()));
  }, [isNeeded]);
  return texts;
}

function Reminders() {
  const reminders = useComputed(() =>
    [...(state.value?.reminders.values() ?? [])].sort(
      (a, b) => a.scheduled_delivery_timestamp - b.scheduled_delivery_timestamp,
    ),
  ).value;
  const texts = useCurrentTexts(reminders.length > 0);
  return (
    <section>
      <h2>{t("Reminders")}</h2>
      {reminders.length === 0 && (
        <p class="quiet">{t("The menu of a message has “Remind me”. Nobody else sees your reminders.")}</p>
      )}
      <ul class="cards">
        {rows(reminders, (reminder) => (
          <li key={reminder.reminder_id}>
            <header>
              <time class="quiet small">{dayAndTime(reminder.scheduled_delivery_timestamp)}</time>
            </header>
            {texts && <Content html={texts.get(reminder.reminder_id) ?? reminder.rendered_content} />}
            <div class="dialog-actions">
              <button type="button" onClick={() => void deleteReminder(reminder)}>
                {t("Delete")}
              </button>
              <button
                type="button"
                class="primary"
                onClick={() => void tryTo(() => showMessage(reminder.reminder_target_message_id))}
              >
                {t("Show the message")}
              </button>
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}
