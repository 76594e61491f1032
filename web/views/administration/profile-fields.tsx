import { useComputed } from "@preact/signals";
import { useState } from "preact/hooks";
import { t } from "../../base/languages/language.ts";
import { asMap, asText, choicesIn, parseJson } from "../../base/lib/json.ts";
import { confirmAndTry } from "../../parts/confirm.tsx";
import { List } from "../../parts/fields/filtered-list.tsx";
import { CheckBox, Form, MoveButtons, TextField, unlessChanged } from "../../parts/fields/form.tsx";
import { focusPage, IconButton } from "../../parts/parts.tsx";
import { call } from "../../session/session.ts";
import { state } from "../../session/store.ts";
import { tryTo } from "../../session/toasts.ts";
import { fieldTypes, type ProfileField } from "../../state/model.ts";

type FieldType = (typeof fieldTypes)[keyof typeof fieldTypes];

const typeNames = (): Readonly<Record<number, string>> => ({
  [fieldTypes.shortText]: t("Short text"),
  [fieldTypes.longText]: t("Long text"),
  [fieldTypes.choice]: t("Choice"),
  [fieldTypes.date]: t("Date"),
  [fieldTypes.link]: t("Link"),
  [fieldTypes.people]: t("People"),
  [fieldTypes.account]: t("External account"),
  [fieldTypes.pronouns]: t("Pronouns"),
});

const remove = ({ id, name }: ProfileField) =>
  confirmAndTry(
    {
      title: t("Remove {name}?", { name }),
      text: t("What people entered in it is deleted too."),
      label: t("Remove"),
    },
    async () => {
      await call("DELETE /realm/profile_fields/{field_id}", { field_id: id });
      focusPage();
    },
  );

/** The fields that everybody's profile has. */
export function ProfileFields() {
  const fields = useComputed(() => state.value?.profileFields ?? []).value;
  const [editing, setEditing] = useState<number>();
  const reorder = (reordered: readonly ProfileField[]) => {
    const order = reordered.map(({ id }) => id);
    return tryTo(() => call("PATCH /realm/profile_fields", { order }));
  };
  return (
    <>
      <p class="quiet">{t("People fill them in under Settings, and others see them on their profile.")}</p>
      <List
        class="cards"
        label={t("Profile fields")}
        items={fields}
        empty={t("There are no profile fields yet.")}
        row={(field, index) => (
          <li key={field.id}>
            {editing === field.id ? (
              <FieldForm field={field} onDone={() => setEditing(undefined)} />
            ) : (
              <>
                <header>
                  <strong class="grow">{field.name}</strong>
                  <span class="quiet small">{typeNames()[field.type]}</span>
                </header>
                <p class="quiet">{field.hint}</p>
                <div class="dialog-actions">
                  <MoveButtons name={field.name} index={index} items={fields} onMove={reorder} />
                  <button
                    type="button"
                    aria-label={t("Edit {name}", { name: field.name })}
                    onClick={() => setEditing(field.id)}
                  >
                    {t("Edit")}
                  </button>
                  <IconButton
                    icon="trash"
                    label={t("Remove {name}", { name: field.name })}
                    onClick={() => void remove(field)}
                  />
                </div>
              </>
            )}
          </li>
        )}
      />
      <h2>{t("New profile field")}</h2>
      <FieldForm />
    </>
  );
}

/** The choices of a field by key. */
type Choices = Record<string, { text: string; order: string }>;

/** Formats the choices of a field as text, one per line. */
const formatChoices = (data: string) =>
  choicesIn(data)
    .map(({ text }) => text)
    .join("\n");

/** Parses choices, one per line. Existing ones keep their keys, because users' values refer to these. */
function parseChoices(text: string, previousData: string): Choices {
  const existingKeys = new Map(choicesIn(previousData).map(({ key, text }) => [text, key]));
  let lastKey = Math.max(0, ...[...existingKeys.values()].map(Number).filter(Number.isFinite));
  const lines = text.split("\n").flatMap((line) => line.trim() || []);
  return Object.fromEntries(
    lines.map((line, index) => [existingKeys.get(line) ?? String(++lastKey), { text: line, order: String(index) }]),
  );
}

const urlPatternOf = (data: string) => asText(asMap(parseJson(data)).get("url_pattern"));

function FieldForm({ field, onDone }: { field?: ProfileField; onDone?: () => void }) {
  const initial = {
    type: (field?.type ?? fieldTypes.shortText) as FieldType,
    name: field?.name ?? "",
    hint: field?.hint ?? "",
    choices: field?.type === fieldTypes.choice ? formatChoices(field.field_data) : "",
    pattern: field?.type === fieldTypes.account ? urlPatternOf(field.field_data) : "",
    required: field?.required ?? false,
    editable: field?.editable_by_user ?? true,
  };
  const [form, setForm] = useState(initial);
  const set = (change: Partial<typeof initial>) => setForm({ ...form, ...change });
  const { type } = form;
  // The server defines the URLs of known sites such as GitHub.
  const isCustom = type === fieldTypes.account && !(field && initial.pattern === "");
  const typeData = () => {
    if (type === fieldTypes.choice) return { field_data: parseChoices(form.choices, field?.field_data ?? "") };
    return isCustom ? { field_data: { subtype: "custom", url_pattern: form.pattern.trim() } } : {};
  };
  const save = async () => {
    const properties = {
      ...{ name: form.name.trim(), hint: form.hint.trim(), required: form.required, editable_by_user: form.editable },
      ...typeData(),
    };
    if (field) {
      await call("PATCH /realm/profile_fields/{field_id}", { field_id: field.id, ...properties });
    } else {
      await call("POST /realm/profile_fields", { field_type: type, ...properties });
      setForm(unlessChanged(form, initial));
    }
    onDone?.();
  };
  return (
    <Form
      label={field ? t("Edit the profile field") : t("New profile field")}
      submit={field ? t("Save") : t("Add")}
      disabled={form.name.trim() === ""}
      save={save}
      onCancel={onDone}
    >
      {!field && (
        <label>
          {t("Kind")}
          <select value={type} onChange={(event) => set({ type: Number(event.currentTarget.value) as FieldType })}>
            {Object.entries(typeNames()).map(([value, label]) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </select>
        </label>
      )}
      <TextField
        label={t("Name of the field")}
        required
        max={40}
        value={form.name}
        onChange={(name) => set({ name })}
      />
      <TextField label={t("Hint")} max={80} value={form.hint} onChange={(hint) => set({ hint })} />
      {type === fieldTypes.choice && (
        <TextField
          label={t("Choices, one per line")}
          required
          rows={4}
          value={form.choices}
          onChange={(choices) => set({ choices })}
        />
      )}
      {isCustom && (
        <TextField
          label={t("URL, with %(username)s for the name")}
          required
          placeholder="https://example.com/%(username)s"
          value={form.pattern}
          onChange={(pattern) => set({ pattern })}
        />
      )}
      <CheckBox
        label={t("People can edit it themselves")}
        checked={form.editable}
        onChange={(editable) => set({ editable })}
      />
    </Form>
  );
}
