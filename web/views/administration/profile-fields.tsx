import { useComputed } from "@preact/signals";
import { useState } from "preact/hooks";
import { tryTo } from "../../actions.ts";
import { unwrap } from "../../api/client.ts";
import { api, state } from "../../session.ts";
import { fieldTypes, type ProfileField } from "../../state/model.ts";
import { Confirm, IconButton } from "../parts/parts.tsx";

const typeNames: Readonly<Record<number, string>> = {
  [fieldTypes.shortText]: "Short text",
  [fieldTypes.longText]: "Long text",
  [fieldTypes.choice]: "Choice",
  [fieldTypes.date]: "Date",
  [fieldTypes.link]: "Link",
  [fieldTypes.people]: "People",
  [fieldTypes.account]: "Account elsewhere",
  [fieldTypes.pronouns]: "Pronouns",
};

/** The fields that everybody's profile has. */
export function ProfileFields() {
  const fields = useComputed(() => state.value?.profileFields ?? []).value;
  const [editing, setEditing] = useState<number>();
  const [removing, setRemoving] = useState<ProfileField>();
  const move = (from: number, to: number) => {
    const order = fields.map(({ id }) => id);
    order.splice(to, 0, ...order.splice(from, 1));
    return tryTo(() => unwrap(api().PATCH("/api/v1/realm/profile_fields", { body: { order } as never })));
  };
  return (
    <>
      <p class="quiet">People fill them in under Settings, and others see them on their profile.</p>
      {fields.length === 0 && <p class="notice">There are no profile fields yet.</p>}
      <ul class="cards" aria-label="Profile fields">
        {fields.map((field, at) => (
          <li key={field.id}>
            {editing === field.id ? (
              <FieldForm field={field} onDone={() => setEditing(undefined)} />
            ) : (
              <>
                <header>
                  <strong class="grow">{field.name}</strong>
                  <span class="quiet small">{typeNames[field.type]}</span>
                </header>
                <p class="quiet">{field.hint}</p>
                <div class="dialog-actions">
                  <button
                    type="button"
                    aria-label={`Move up ${field.name}`}
                    disabled={at === 0}
                    onClick={() => void move(at, at - 1)}
                  >
                    Move up
                  </button>
                  <button
                    type="button"
                    aria-label={`Move down ${field.name}`}
                    disabled={at === fields.length - 1}
                    onClick={() => void move(at, at + 1)}
                  >
                    Move down
                  </button>
                  <button type="button" aria-label={`Edit ${field.name}`} onClick={() => setEditing(field.id)}>
                    Edit
                  </button>
                  <IconButton icon="trash" label={`Remove ${field.name}`} onClick={() => setRemoving(field)} />
                </div>
              </>
            )}
          </li>
        ))}
      </ul>
      <h2>New profile field</h2>
      <FieldForm />
      {removing && (
        <Confirm
          title={`Remove ${removing.name}?`}
          text="What people have written there is removed with it."
          label="Remove"
          onClose={() => setRemoving(undefined)}
          onYes={() =>
            void tryTo(async () => {
              const params = { path: { field_id: removing.id } };
              await unwrap(api().DELETE("/api/v1/realm/profile_fields/{field_id}", { params }));
              document.getElementById("messages")?.focus();
            })
          }
        />
      )}
    </>
  );
}

type FieldData = Record<string, { text: string; order: string }>;

/** The choices of a field, one per line. */
const choicesIn = (data: string) =>
  Object.values(JSON.parse(data || "{}") as FieldData)
    .sort((a, b) => Number(a.order) - Number(b.order))
    .map(({ text }) => text)
    .join("\n");

/** Parses choices; existing ones keep their keys, which users' values refer to. */
function choicesOf(text: string, before: string): FieldData {
  const kept = new Map(Object.entries(JSON.parse(before || "{}") as FieldData).map(([key, { text }]) => [text, key]));
  let last = Math.max(0, ...[...kept.values()].map(Number).filter(Number.isFinite));
  const lines = text.split("\n").flatMap((line) => line.trim() || []);
  return Object.fromEntries(
    lines.map((line, at) => [kept.get(line) ?? String(++last), { text: line, order: String(at) }]),
  );
}

const patternIn = (data: string) => (JSON.parse(data || "{}") as { url_pattern?: string }).url_pattern ?? "";

function FieldForm({ field, onDone }: { field?: ProfileField; onDone?: () => void }) {
  const start = {
    type: field?.type ?? fieldTypes.shortText,
    name: field?.name ?? "",
    hint: field?.hint ?? "",
    choices: field?.type === fieldTypes.choice ? choicesIn(field.field_data) : "",
    pattern: field?.type === fieldTypes.account ? patternIn(field.field_data) : "",
    required: field?.required ?? false,
    editable: field?.editable_by_user ?? true,
  };
  const [form, setForm] = useState(start);
  const [problem, setProblem] = useState("");
  const set = (change: Partial<typeof start>) => setForm({ ...form, ...change });
  const { type } = form;
  // The server defines the URLs of known sites such as GitHub.
  const isCustom = type === fieldTypes.account && !(field && start.pattern === "");
  const data = () => {
    if (type === fieldTypes.choice) return { field_data: choicesOf(form.choices, field?.field_data ?? "") };
    return isCustom ? { field_data: { subtype: "custom", url_pattern: form.pattern.trim() } } : {};
  };
  const save = async () => {
    const common = {
      ...{ name: form.name.trim(), hint: form.hint.trim(), required: form.required, editable_by_user: form.editable },
      ...data(),
    };
    setProblem("");
    try {
      if (field)
        await unwrap(
          api().PATCH("/api/v1/realm/profile_fields/{field_id}", {
            params: { path: { field_id: field.id } },
            body: common as never,
          }),
        );
      else {
        await unwrap(api().POST("/api/v1/realm/profile_fields", { body: { field_type: type, ...common } as never }));
        setForm(start);
      }
      onDone?.();
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    }
  };
  return (
    <form
      class="form"
      aria-label={field ? "Edit the profile field" : "New profile field"}
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      {!field && (
        <label>
          Kind
          <select value={type} onChange={(event) => set({ type: Number(event.currentTarget.value) })}>
            {Object.entries(typeNames).map(([value, label]) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </select>
        </label>
      )}
      <label>
        Name of the field
        <input
          required
          maxLength={40}
          value={form.name}
          onInput={(event) => set({ name: event.currentTarget.value })}
        />
      </label>
      <label>
        Hint
        <input maxLength={80} value={form.hint} onInput={(event) => set({ hint: event.currentTarget.value })} />
      </label>
      {type === fieldTypes.choice && (
        <label>
          Choices, one in a line
          <textarea
            required
            rows={4}
            value={form.choices}
            onInput={(event) => set({ choices: event.currentTarget.value })}
          />
        </label>
      )}
      {isCustom && (
        <label>
          Address, with %(username)s for the name
          <input
            required
            placeholder="https://example.com/%(username)s"
            value={form.pattern}
            onInput={(event) => set({ pattern: event.currentTarget.value })}
          />
        </label>
      )}
      <label class="check">
        <input
          type="checkbox"
          checked={form.editable}
          onChange={(event) => set({ editable: event.currentTarget.checked })}
        />
        People fill it in themselves
      </label>
      {problem && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      <div class="dialog-actions">
        {onDone && (
          <button type="button" onClick={onDone}>
            Cancel
          </button>
        )}
        <button type="submit" class="primary" disabled={form.name.trim() === ""}>
          {field ? "Save" : "Add"}
        </button>
      </div>
    </form>
  );
}
