import { useState } from "preact/hooks";
import { tryTo } from "../../actions.ts";
import { unwrap } from "../../api/client.ts";
import { api, realm } from "../../session.ts";
import { Confirm, IconButton } from "../parts/parts.tsx";

interface Linkifier {
  id: number;
  pattern: string;
  url_template: string;
}

/** Patterns that become links, in the order in which they apply. */
export function Linkifiers() {
  const linkifiers = (realm.value?.realm_linkifiers ?? []) as readonly Linkifier[];
  const [editing, setEditing] = useState<number>();
  const [removing, setRemoving] = useState<Linkifier>();
  const move = (from: number, to: number) => {
    const ids = linkifiers.map(({ id }) => id);
    ids.splice(to, 0, ...ids.splice(from, 1));
    return tryTo(() =>
      unwrap(api().PATCH("/api/v1/realm/linkifiers", { body: { ordered_linkifier_ids: ids } as never })),
    );
  };
  return (
    <>
      <p class="quiet">A text that matches a pattern becomes a link; where several match, the first does.</p>
      {linkifiers.length === 0 && <p class="notice">There are no linkifiers yet.</p>}
      <ul class="cards" aria-label="Linkifiers">
        {linkifiers.map((linkifier, at) => (
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
                  <button
                    type="button"
                    aria-label={`Move up ${linkifier.pattern}`}
                    disabled={at === 0}
                    onClick={() => void move(at, at - 1)}
                  >
                    Move up
                  </button>
                  <button
                    type="button"
                    aria-label={`Move down ${linkifier.pattern}`}
                    disabled={at === linkifiers.length - 1}
                    onClick={() => void move(at, at + 1)}
                  >
                    Move down
                  </button>
                  <button
                    type="button"
                    aria-label={`Edit ${linkifier.pattern}`}
                    onClick={() => setEditing(linkifier.id)}
                  >
                    Edit
                  </button>
                  <IconButton
                    icon="trash"
                    label={`Remove ${linkifier.pattern}`}
                    onClick={() => setRemoving(linkifier)}
                  />
                </div>
              </>
            )}
          </li>
        ))}
      </ul>
      <h2>New linkifier</h2>
      <LinkifierForm />
      {removing && (
        <Confirm
          title="Remove the linkifier?"
          text="Messages that have its links keep them."
          label="Remove"
          onClose={() => setRemoving(undefined)}
          onYes={() =>
            void tryTo(async () => {
              const params = { path: { filter_id: removing.id } };
              await unwrap(api().DELETE("/api/v1/realm/filters/{filter_id}", { params }));
              document.getElementById("messages")?.focus();
            })
          }
        />
      )}
    </>
  );
}

function LinkifierForm({ linkifier, onDone }: { linkifier?: Linkifier; onDone?: () => void }) {
  const [pattern, setPattern] = useState(linkifier?.pattern ?? "");
  const [template, setTemplate] = useState(linkifier?.url_template ?? "");
  const [problem, setProblem] = useState("");
  const save = async () => {
    const body = { pattern: pattern.trim(), url_template: template.trim() };
    setProblem("");
    try {
      if (linkifier)
        await unwrap(
          api().PATCH("/api/v1/realm/filters/{filter_id}", { params: { path: { filter_id: linkifier.id } }, body }),
        );
      else {
        await unwrap(api().POST("/api/v1/realm/filters", { body }));
        setPattern("");
        setTemplate("");
      }
      onDone?.();
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    }
  };
  return (
    <form
      class="form"
      aria-label={linkifier ? "Edit the linkifier" : "New linkifier"}
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <label>
        Pattern, a regular expression
        <input
          required
          maxLength={1000}
          placeholder="#(?P<id>[0-9]+)"
          value={pattern}
          onInput={(event) => setPattern(event.currentTarget.value)}
        />
      </label>
      <label>
        Template of the address
        <input
          required
          maxLength={1000}
          placeholder="https://example.com/tickets/{id}"
          value={template}
          onInput={(event) => setTemplate(event.currentTarget.value)}
        />
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
        <button type="submit" class="primary" disabled={pattern.trim() === "" || template.trim() === ""}>
          {linkifier ? "Save" : "Add"}
        </button>
      </div>
    </form>
  );
}
