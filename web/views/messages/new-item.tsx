import { useComputed } from "@preact/signals";
import { t } from "../../base/languages/language.ts";
import { isTooLong } from "../../base/lib/length.ts";
import { unlessChanged } from "../../parts/fields/form.tsx";
import { Limit } from "../../parts/fields/limit.tsx";
import { sessionSignal } from "../../session/session.ts";

const maxItemLength = 1000;

/** What is being added, by message: a message that is scrolled far away is not in the page. */
const texts = sessionSignal<ReadonlyMap<number, string>>(new Map());

/** The field that adds an option to a poll, or a task to a to-do list. `onAdd` returns whether it was added. */
export function NewItem({
  messageId,
  label,
  onAdd,
}: {
  messageId: number;
  label: string;
  onAdd: (text: string) => Promise<boolean>;
}) {
  const text = useComputed(() => texts.value.get(messageId) ?? "").value;
  const setText = (changed: string) => {
    texts.value = new Map(texts.peek()).set(messageId, changed);
  };
  const add = async () => {
    const trimmed = text.trim();
    if (trimmed !== "" && (await onAdd(trimmed))) setText(unlessChanged(text, "")(texts.peek().get(messageId) ?? ""));
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void add();
      }}
    >
      <input
        aria-label={label}
        placeholder={label}
        dir="auto"
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <button type="submit" disabled={isTooLong(text, maxItemLength)}>
        {t("Add")}
      </button>
      <Limit text={text} max={maxItemLength} />
    </form>
  );
}
