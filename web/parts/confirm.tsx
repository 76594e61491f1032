import type { ComponentChildren } from "preact";
import { t } from "../base/languages/language.ts";
import { sessionSignal } from "../session/session.ts";
import { tryTo } from "../session/toasts.ts";
import { Dialog } from "./parts.tsx";

/** Asks before acts that cannot be undone. */

interface Question {
  title: string;
  /** What will be lost. */
  text: string;
  /** The button that does it. */
  label: string;
}

const asked = sessionSignal<(Question & { answer: (agrees: boolean) => void }) | undefined>(undefined);

/** Resolves with whether the user agrees. */
export const confirm = (question: Question) =>
  new Promise<boolean>((resolve) => {
    asked.value?.answer(false);
    asked.value = {
      ...question,
      answer: (agrees) => {
        asked.value = undefined;
        resolve(agrees);
      },
    };
  });

/** Runs an action if the user agrees; returns whether it was done. */
export const confirmAndTry = async (question: Question, work: () => Promise<unknown>): Promise<boolean> =>
  (await confirm(question)) && tryTo(work);

/** The dialog of the question; `App` shows it above all others. */
export function ConfirmDialog() {
  if (!asked.value) return null;
  const { answer, ...question } = asked.value;
  return <Confirm {...question} onYes={() => answer(true)} onClose={() => answer(false)} />;
}

export function Confirm({
  title,
  text,
  label,
  onYes,
  onClose,
}: Omit<Question, "text"> & { text: ComponentChildren; onYes: () => void; onClose: () => void }) {
  return (
    <Dialog title={title} onClose={onClose}>
      <p>{text}</p>
      <div class="dialog-actions">
        <button type="button" onClick={onClose}>
          {t("Cancel")}
        </button>
        <button
          type="button"
          class="primary danger"
          onClick={() => {
            onYes();
            onClose();
          }}
        >
          {label}
        </button>
      </div>
    </Dialog>
  );
}

const maxExcerpt = 100;
/** What is shown of a text that will be lost. */
export const excerptOf = (text: string) => (text.length > maxExcerpt ? `${text.slice(0, maxExcerpt)} …` : text);
