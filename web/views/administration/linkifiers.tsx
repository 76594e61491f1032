import { useState } from "preact/hooks";
import { t } from "../../base/languages/language.ts";
import { confirmAndTry } from "../../parts/confirm.tsx";
import { List } from "../../parts/fields/filtered-list.tsx";
import { Form, MoveButtons, TextField, unlessChanged } from "../../parts/fields/form.tsx";
import { focusPage, IconButton } from "../../parts/parts.tsx";
import { call } from "../../session/session.ts";
import { realm } from "../../session/store.ts";
import { tryTo } from "../../session/toasts.ts";
import type { Item } from "../../state/model.ts";
import { list } from "../../state/readers.ts";

type Linkifier = Item<"realm_linkifiers">;

const remove = ({ id, pattern }: Linkifier) =>
  confirmAndTry(
    {
      title: t("Remove the linkifier?"),
      text: t(
        "Text that matches “{pattern}” no longer becomes a link. Existing messages keep the links that it created.",
        { pattern },
      ),
      label: t("Remove"),
    },
    async () => {
      await call("DELETE /realm/filters/{filter_id}", { filter_id: id });
      focusPage();
    },
  );

/** Patterns that become links, in the order in which they apply. */
export function Linkifiers() {
  const linkifiers = list((item) => item as Linkifier)(realm.value?.realm_linkifiers);
  const [editing, setEditing] = useState<number>();
  const reorder = (order: readonly Linkifier[]) =>
    tryTo(() => call("PATCH /realm/linkifiers", { ordered_linkifier_ids: order.map(({ id }) => id) }));
  return (
    <>
      <p class="quiet">
        {t("Text that matches a pattern becomes a link. If several patterns match, the first one applies.")}
      </p>
      <List
        class="cards"
        label={t("Linkifiers")}
        items={linkifiers}
        empty={t("There are no linkifiers yet.")}
        row={(linkifier, index) => (
          <li key={linkifier.id}>
            {editing === linkifier.id ? (
              <LinkifierForm linkifier={linkifier} onDone={() => setEditing(undefined)} />
            ) : (
              <>
                <p>
                  <code class="key">{linkifier.pattern}</code>
                </p>
                <p class="quiet break">{linkifier.url_template}</p>
                <div class="dialog-actions">
                  <MoveButtons name={linkifier.pattern} index={index} items={linkifiers} onMove={reorder} />
                  <button
                    type="button"
                    aria-label={t("Edit {pattern}", { pattern: linkifier.pattern })}
                    onClick={() => setEditing(linkifier.id)}
                  >
                    {t("Edit")}
                  </button>
                  <IconButton
                    icon="trash"
                    label={t("Remove {pattern}", { pattern: linkifier.pattern })}
                    onClick={() => void remove(linkifier)}
                  />
                </div>
              </>
            )}
          </li>
        )}
      />
      <h2>{t("New linkifier")}</h2>
      <LinkifierForm />
    </>
  );
}

function LinkifierForm({ linkifier, onDone }: { linkifier?: Linkifier; onDone?: () => void }) {
  const [pattern, setPattern] = useState(linkifier?.pattern ?? "");
  const [template, setTemplate] = useState(linkifier?.url_template ?? "");
  const save = async () => {
    const body = { pattern: pattern.trim(), url_template: template.trim() };
    if (linkifier) {
      await call("PATCH /realm/filters/{filter_id}", { filter_id: linkifier.id, ...body });
    } else {
      await call("POST /realm/filters", body);
      setPattern(unlessChanged(pattern, ""));
      setTemplate(unlessChanged(template, ""));
    }
    onDone?.();
  };
  return (
    <Form
      label={linkifier ? t("Edit the linkifier") : t("New linkifier")}
      submit={linkifier ? t("Save") : t("Add")}
      disabled={pattern.trim() === "" || template.trim() === ""}
      save={save}
      onCancel={onDone}
    >
      <TextField
        label={t("Pattern, a regular expression")}
        required
        max={1000}
        placeholder="#(?P<id>[0-9]+)"
        value={pattern}
        onChange={setPattern}
      />
      <TextField
        label={t("URL template")}
        required
        max={1000}
        placeholder="https://example.com/tickets/{id}"
        value={template}
        onChange={setTemplate}
      />
    </Form>
  );
}
