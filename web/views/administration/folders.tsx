import { useComputed } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";
import { tryTo } from "../../actions.ts";
import { unwrap } from "../../api/client.ts";
import { api, state } from "../../session.ts";
import type { ChannelFolder } from "../../state/model.ts";
import { Confirm } from "../parts/parts.tsx";

/** Channel folders, in their order. */
export function ChannelFolders() {
  const all = useComputed(() => [...(state.value?.folders.values() ?? [])].sort((a, b) => a.order - b.order)).value;
  const folders = all.filter(({ is_archived }) => !is_archived);
  const [name, setName] = useState("");
  const [archiving, setArchiving] = useState<ChannelFolder>();
  /** Moves a folder before another; archived ones stay at the end. */
  const move = (from: number, to: number) => {
    const order = folders.map(({ id }) => id);
    order.splice(to, 0, ...order.splice(from, 1));
    order.push(...all.filter(({ is_archived }) => is_archived).map(({ id }) => id));
    return tryTo(() => unwrap(api().PATCH("/api/v1/channel_folders", { body: { order } as never })));
  };
  return (
    <>
      <p class="quiet">A channel is put into a folder in its own settings.</p>
      {folders.length === 0 && <p class="notice">There are no folders yet.</p>}
      <ul class="cards" aria-label="Folders">
        {folders.map((folder, at) => (
          <li key={folder.id}>
            <FolderName folder={folder} />
            <div class="dialog-actions">
              <button
                type="button"
                aria-label={`Move up ${folder.name}`}
                disabled={at === 0}
                onClick={() => void move(at, at - 1)}
              >
                Move up
              </button>
              <button
                type="button"
                aria-label={`Move down ${folder.name}`}
                disabled={at === folders.length - 1}
                onClick={() => void move(at, at + 1)}
              >
                Move down
              </button>
              <button
                type="button"
                class="danger"
                aria-label={`Archive ${folder.name}`}
                onClick={() => setArchiving(folder)}
              >
                Archive
              </button>
            </div>
          </li>
        ))}
      </ul>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          void tryTo(async () => {
            await unwrap(api().POST("/api/v1/channel_folders/create", { body: { name: name.trim() } as never }));
            setName("");
          });
        }}
      >
        <label>
          New folder
          <input
            required
            maxLength={Number(state.value?.realm.max_channel_folder_name_length ?? 60)}
            value={name}
            onInput={(event) => setName(event.currentTarget.value)}
          />
        </label>
        <div class="dialog-actions">
          <button type="submit" class="primary" disabled={name.trim() === ""}>
            Create
          </button>
        </div>
      </form>
      {archiving && (
        <Confirm
          title={`Archive ${archiving.name}?`}
          text="A folder can be archived once no channel is in it."
          label="Archive"
          onClose={() => setArchiving(undefined)}
          onYes={() =>
            void change(archiving.id, { is_archived: true }).then((done) => {
              if (done) document.getElementById("messages")?.focus();
            })
          }
        />
      )}
    </>
  );
}

const change = (id: number, body: object) =>
  tryTo(() =>
    unwrap(
      api().PATCH("/api/v1/channel_folders/{channel_folder_id}", {
        params: { path: { channel_folder_id: id } },
        body: body as never,
      }),
    ),
  );

function FolderName({ folder }: { folder: ChannelFolder }) {
  const [name, setName] = useState(folder.name);
  useEffect(() => setName(folder.name), [folder.name]);
  return (
    <form
      class="form-row"
      onSubmit={(event) => {
        event.preventDefault();
        void change(folder.id, { name: name.trim() });
      }}
    >
      <input
        class="grow"
        aria-label={`Name of ${folder.name}`}
        required
        value={name}
        onInput={(event) => setName(event.currentTarget.value)}
      />
      <button type="submit" disabled={name.trim() === folder.name || name.trim() === ""}>
        Rename
      </button>
    </form>
  );
}
