import { useComputed } from "@preact/signals";
import { useState } from "preact/hooks";
import { compareTexts, t } from "../../base/languages/language.ts";
import { confirmAndTry } from "../../parts/confirm.tsx";
import { List } from "../../parts/fields/filtered-list.tsx";
import { Form, TextField, unlessChanged } from "../../parts/fields/form.tsx";
import { PictureChoice } from "../../parts/fields/picture-choice.tsx";
import { focusPage } from "../../parts/parts.tsx";
import { call } from "../../session/session.ts";
import { realmEmoji } from "../../session/store.ts";
import type { RealmEmoji } from "../../state/model.ts";

const remove = ({ name }: RealmEmoji) =>
  confirmAndTry(
    {
      title: t("Remove :{name}:?", { name }),
      text: t("Nobody will be able to use it any more. Existing messages and reactions will still show it."),
      label: t("Remove"),
    },
    async () => {
      await call("DELETE /realm/emoji/{emoji_name}", { emoji_name: name });
      focusPage();
    },
  );

/** The organization's own emoji. */
export function CustomEmoji() {
  const [name, setName] = useState("");
  const [file, setFile] = useState<File>();
  const emoji = useComputed(() =>
    [...(realmEmoji.value?.values() ?? [])]
      .filter(({ deactivated }) => !deactivated)
      .sort((a, b) => compareTexts(a.name, b.name)),
  ).value;
  const add = async () => {
    if (!file) return;
    await call("POST /realm/emoji/{emoji_name}", { emoji_name: name.trim() }, { file });
    setName(unlessChanged(name, ""));
    setFile((latest) => (latest === file ? undefined : latest));
  };
  return (
    <>
      <List
        label={t("Emoji")}
        items={emoji}
        empty={t("There are no custom emoji yet.")}
        row={(entry) => (
          <li key={entry.id}>
            <img class="custom-emoji" src={entry.source_url} width={24} height={24} alt="" />
            <span class="grow">:{entry.name}:</span>
            <button
              type="button"
              aria-label={t("Remove {name}", { name: entry.name })}
              onClick={() => void remove(entry)}
            >
              {t("Remove")}
            </button>
          </li>
        )}
      />
      <Form heading={t("New emoji")} submit={t("Add")} disabled={name.trim() === "" || !file} save={add}>
        <TextField
          label={t("Name")}
          required
          pattern="[a-z0-9_\-]+"
          title={t("Lowercase letters, digits, - and _")}
          value={name}
          onChange={setName}
        />
        <PictureChoice isRemovable={file !== undefined} onChoose={setFile} onRemove={() => setFile(undefined)}>
          {file && <span class="break">{file.name}</span>}
        </PictureChoice>
      </Form>
    </>
  );
}
