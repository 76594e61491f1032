import { useState } from "preact/hooks";
import { compareTexts, t } from "../../base/languages/language.ts";
import { confirmAndTry } from "../../parts/confirm.tsx";
import { Form, TextField, unlessChanged } from "../../parts/fields/form.tsx";
import { Dialog, IconButton } from "../../parts/parts.tsx";
import { call } from "../../session/session.ts";
import { state } from "../../session/store.ts";
import type { SavedSnippet } from "../../state/model.ts";

/** The dialog of saved snippets: inserts one, or saves the current text as one. */

const deleteSnippet = ({ id, title }: SavedSnippet) =>
  confirmAndTry(
    { title: t("Delete {title}?", { title }), text: t("The saved text is lost."), label: t("Delete") },
    () => call("DELETE /saved_snippets/{saved_snippet_id}", { saved_snippet_id: id }),
  );

export function Snippets({
  text,
  onPick,
  onClose,
}: {
  text: string;
  onPick: (text: string) => void;
  onClose: () => void;
}) {
  const [title, setTitle] = useState("");
  const snippets = [...(state.value?.snippets.values() ?? [])].sort((a, b) => compareTexts(a.title, b.title));
  return (
    <Dialog title={t("Saved snippets")} onClose={onClose}>
      {snippets.length === 0 && <p class="quiet">{t("Save texts that you use often.")}</p>}
      <ul class="rows">
        {snippets.map((snippet) => (
          <li key={snippet.id}>
            <button
              type="button"
              class="plain grow"
              onClick={() => {
                onPick(snippet.content);
                onClose();
              }}
            >
              <strong>{snippet.title}</strong>
              <span class="quiet small">{snippet.content.slice(0, 80)}</span>
            </button>
            <IconButton
              icon="trash"
              label={t("Delete {title}", { title: snippet.title })}
              onClick={() => void deleteSnippet(snippet)}
            />
          </li>
        ))}
      </ul>
      <Form
        submit={t("Save")}
        disabled={text.trim() === "" || title.trim() === ""}
        save={async () => {
          await call("POST /saved_snippets", { title: title.trim(), content: text });
          setTitle(unlessChanged(title, ""));
        }}
      >
        <TextField
          label={t("Save the current text as")}
          required
          max={60}
          value={title}
          disabled={text.trim() === ""}
          onChange={setTitle}
        />
      </Form>
    </Dialog>
  );
}
