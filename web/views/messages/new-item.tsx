import { useState } from "preact/hooks";
import { t } from "../../base/languages/language.ts";
import { isTooLong } from "../../base/lib/length.ts";
import { unlessChanged } from "../../parts/fields/form.tsx";
import { Limit } from "../../parts/fields/limit.tsx";

const maxItemLength = 1000;

/** The field that adds an option to a poll, or a task to a to-do list. `onAdd` returns whether it was added. */
export function NewItem({ label, onAdd }: { label: string; onAdd: (text: string) => Promise<boolean> }) {
  const [text, setText] = useState("");
  const add = async () => {
    const trimmed = text.trim();
    if (trimmed !== "" && (await onAdd(trimmed))) setText(unlessChanged(text, ""));
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
