import { useRef, useState } from "preact/hooks";
import { t } from "../base/languages/language.ts";

/** A text of one line with a button that copies it. */
export function LineToCopy({ label, line }: { label: string; line: string }) {
  const [note, setNote] = useState("");
  const field = useRef<HTMLInputElement>(null);
  const copy = async () => {
    field.current?.select();
    try {
      await navigator.clipboard.writeText(line);
      setNote(t("Copied."));
    } catch {
      // The clipboard is unavailable without TLS or permission: select the text instead.
      field.current?.focus();
      setNote(t("Press Ctrl+C to copy it."));
    }
  };
  return (
    <div>
      <div class="form-row">
        <input
          ref={field}
          class="grow"
          aria-label={label}
          readOnly
          value={line}
          onFocus={(event) => event.currentTarget.select()}
        />
        <button type="button" onClick={() => void copy()}>
          {t("Copy")}
        </button>
      </div>
      <p class="quiet small" role="status">
        {note}
      </p>
    </div>
  );
}
