import { useComputed } from "@preact/signals";
import { useState } from "preact/hooks";
import { t } from "../../base/languages/language.ts";
import { isTooLong } from "../../base/lib/length.ts";
import { confirmAndTry } from "../../parts/confirm.tsx";
import { List } from "../../parts/fields/filtered-list.tsx";
import { Form, MoveButtons, TextField, unlessChanged } from "../../parts/fields/form.tsx";
import { Limit } from "../../parts/fields/limit.tsx";
import { useTyped } from "../../parts/fields/typed.ts";
import { focusPage } from "../../parts/parts.tsx";
import { call } from "../../session/session.ts";
import { state } from "../../session/store.ts";
import { tryTo } from "../../session/toasts.ts";
import type { ChannelFolder } from "../../state/model.ts";

const archive = ({ id, name }: ChannelFolder) =>
  confirmAndTry(
    {
      title: t("Archive {name}?", { name }),
      text: t("A folder can be archived once it has no channels."),
      label: t("Archive"),
    },
    async () => {
      await call("PATCH /channel_folders/{channel_folder_id}", { channel_folder_id: id, is_archived: true });
      focusPage();
    },
  );

/** Channel folders, in their order. */
export function ChannelFolders() {
  const allFolders = useComputed(() =>
    [...(state.value?.folders.values() ?? [])].sort((a, b) => a.order - b.order),
  ).value;
  const folders = allFolders.filter(({ is_archived }) => !is_archived);
  const [name, setName] = useState("");
  /** Saves the order of the visible folders. The request must list all, so archived folders follow at the end. */
  const reorder = (visibleFolders: readonly ChannelFolder[]) => {
    const order = [...visibleFolders, ...allFolders.filter(({ is_archived }) => is_archived)].map(({ id }) => id);
    return tryTo(() => call("PATCH /channel_folders", { order }));
  };
  return (
    <>
      <p class="quiet">{t("Choose a channel's folder in the channel's settings.")}</p>
      <List
        class="cards"
        label={t("Folders")}
        items={folders}
        empty={t("There are no folders yet.")}
        row={(folder, index) => (
          <li key={folder.id}>
            <FolderName folder={folder} />
            <div class="dialog-actions">
              <MoveButtons name={folder.name} index={index} items={folders} onMove={reorder} />
              <button
                type="button"
                class="danger"
                aria-label={t("Archive {name}", { name: folder.name })}
                onClick={() => void archive(folder)}
              >
                {t("Archive")}
              </button>
            </div>
          </li>
        )}
      />
      <Form
        submit={t("Create")}
        disabled={name.trim() === ""}
        save={async () => {
          await call("POST /channel_folders/create", { name: name.trim() });
          setName(unlessChanged(name, ""));
        }}
      >
        <TextField label={t("New folder")} required max={maxNameLength()} value={name} onChange={setName} />
      </Form>
    </>
  );
}

const updateFolder = (id: number, change: { name?: string; is_archived?: boolean }) =>
  call("PATCH /channel_folders/{channel_folder_id}", { channel_folder_id: id, ...change });

const maxNameLength = () => Number(state.value?.realm.max_channel_folder_name_length ?? 60);

function FolderName({ folder }: { folder: ChannelFolder }) {
  const { texts, type, saving } = useTyped({ name: folder.name });
  const { name = "" } = texts;
  return (
    <form
      class="form-row"
      onSubmit={(event) => {
        event.preventDefault();
        void tryTo(() => saving(() => updateFolder(folder.id, { name: name.trim() })));
      }}
    >
      <input
        class="grow"
        aria-label={t("Name of {name}", { name: folder.name })}
        required
        value={name}
        onInput={(event) => type("name", event.currentTarget.value)}
      />
      <button
        type="submit"
        disabled={name.trim() === folder.name || name.trim() === "" || isTooLong(name, maxNameLength())}
      >
        {t("Rename")}
      </button>
      <Limit text={name} max={maxNameLength()} />
    </form>
  );
}
