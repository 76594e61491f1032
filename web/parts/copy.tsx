import { useRef, useState } from "preact/hooks";
import { t } from "../base/languages/language.ts";

/** A link with a button that copies it. */
export function LinkToCopy({ label, url }: { label: string; url: string }) {
  const [note, setNote] = useState("");
  const field = useRef<HTMLInputElement>(null);
  const copy = async () => {
    field.current?.select();
    try {
      await navigator.clipboard.writeText(url);
      setNote(t("Copied."));
    } catch {
      // The clipboard is unavailable without TLS or permission: select the link instead.
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
          value={url}
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
