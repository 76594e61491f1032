import { computed } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { Count, Icon, type Weight } from "../../parts/parts.tsx";
import { sessionSignal } from "../../session/session.ts";
import { readRecord, writeRecord } from "../../session/unsent/storage.ts";
import { account } from "../../session/unsent/unsent-messages.ts";

/** The sections of the sidebar, which fold. Which of them are folded is kept in this browser. */

const recordId = "folded";
const chosen = sessionSignal<readonly string[] | undefined>(undefined);

/** The names of the folded sections. */
const folded = computed((): readonly string[] => {
  if (chosen.value) return chosen.value;
  const stored = account.value === undefined ? undefined : readRecord(account.value, recordId);
  return Array.isArray(stored) ? stored : [];
});

/** Whether a section shows only what is open. */
export const isFolded = (id: string): boolean => folded.value.includes(id);

function toggle(id: string): void {
  const rest = folded.peek().filter((other) => other !== id);
  chosen.value = rest.length < folded.peek().length ? rest : [...rest, id];
  if (account.peek() !== undefined) writeRecord(account.peek() as string, recordId, chosen.value);
}

export function Section({
  id,
  name,
  title = name,
  unread,
  weight = "plain",
  tools,
  children,
}: {
  id: string;
  name: string;
  /** The name as a link, if it is one. */
  title?: ComponentChildren;
  /** How many messages are unread in it, shown while it is folded. */
  unread: number;
  weight?: Weight;
  tools?: ComponentChildren;
  children: ComponentChildren;
}) {
  return (
    <section>
      <header class="nav-head">
        <button
          type="button"
          class="icon-button toggle"
          aria-expanded={!isFolded(id)}
          aria-label={name}
          onClick={() => toggle(id)}
        >
          <Icon name="down" size={13} />
        </button>
        <h2 class="grow">{title}</h2>
        {isFolded(id) && <Count value={unread} weight={weight} />}
        {tools}
      </header>
      <ul>{children}</ul>
    </section>
  );
}
