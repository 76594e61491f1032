import { useState } from "preact/hooks";
import { t } from "../../base/languages/language.ts";
import { isTooLong } from "../../base/lib/length.ts";
import { fullTime } from "../../base/lib/time.ts";
import { go } from "../../navigation/router.ts";
import { TextField } from "../../parts/fields/form.tsx";
import { TimeDialog } from "../../parts/fields/time-dialog.tsx";
import { call } from "../../session/session.ts";
import { toast, tryTo } from "../../session/toasts.ts";
import type { Message } from "../../state/model.ts";

const maxNoteLength = 1000;

/** Asks when the user is to be reminded of a message, and what to say then. */
export function ReminderDialog({ message, onClose }: { message: Message; onClose: () => void }) {
  const [note, setNote] = useState("");
  const remind = async (deliverAtSeconds: number) => {
    const succeeded = await tryTo(() =>
      call("POST /reminders", {
        message_id: message.id,
        scheduled_delivery_timestamp: deliverAtSeconds,
        note: note.trim(),
      }),
    );
    if (!succeeded) return;
    onClose();
    toast(t("You will be reminded {time}.", { time: fullTime(deliverAtSeconds) }), {
      label: t("Show"),
      run: () => go({ kind: "scheduled" }),
    });
  };
  return (
    <TimeDialog
      title={t("Remind me of this message")}
      disabled={isTooLong(note, maxNoteLength)}
      onClose={onClose}
      onPick={remind}
    >
      <div class="form">
        <TextField label={t("Note (optional)")} max={maxNoteLength} value={note} onChange={setNote} />
      </div>
    </TimeDialog>
  );
}
