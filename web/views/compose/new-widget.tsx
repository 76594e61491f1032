import { useState } from "preact/hooks";
import { t } from "../../base/languages/language.ts";
import { asList, asMap, asText } from "../../base/lib/json.ts";
import { isTooLong } from "../../base/lib/length.ts";
import { Form, TextField } from "../../parts/fields/form.tsx";
import { Limit } from "../../parts/fields/limit.tsx";
import { Dialog } from "../../parts/parts.tsx";
import { currentState } from "../../session/store.ts";
import type { WidgetRecord } from "../../session/unsent/kept-texts.ts";
import { readRecord, writeRecord } from "../../session/unsent/storage.ts";
import { account } from "../../session/unsent/unsent-messages.ts";
import { maxMessageLength } from "../../state/recipient.ts";

/**
 * The dialogs that write a poll or a to-do list, which the server makes of a message with `/poll` or `/todo`, and that change its
 * heading. What is written is kept in this browser until it is sent or cancelled: a dialog also closes by Escape, and when its
 * conversation is gone.
 */

interface Props {
  /** Sends the text of the message; returns whether it could. */
  onWritten: (text: string) => boolean;
  onClose: () => void;
}

const maxItems = 200;
const maxTextLength = 1000;

/** The items with one empty field after them, as long as there may be more. */
const withRoom = <Item,>(items: readonly Item[], isEmpty: (item: Item) => boolean, empty: Item): readonly Item[] => {
  const last = items.at(-1);
  return (last === undefined || !isEmpty(last)) && items.length < maxItems ? [...items, empty] : items;
};

/** The text of a message with a command. The sign of a list keeps another one that an item begins with. */
function commandText(command: string, heading: string, items: readonly string[]): string {
  const text = [`/${command} ${heading.trim()}`, ...items.map((item) => `- ${item}`)].join("\n");
  if (isTooLong(text, maxMessageLength(currentState()))) throw new Error(t("The message would be too long."));
  return text;
}

const isBlank = (text: string) => text.trim() === "";

/**
 * What is written in a dialog, with what changes it and what forgets it. `read` takes a record of any version of the page; `textsOf`
 * returns all that was typed.
 */
function useKept<T extends object>(
  id: WidgetRecord,
  read: (record: ReadonlyMap<string, unknown>) => T,
  textsOf: (kept: T) => readonly string[],
) {
  const of = account.peek() ?? "";
  const [kept, setKept] = useState(() => read(asMap(readRecord(of, id))));
  const change = (changes: Partial<T>) => {
    const changed = { ...kept, ...changes };
    setKept(changed);
    const text = textsOf(changed)
      .filter((typed) => !isBlank(typed))
      .join("\n");
    writeRecord(of, id, text === "" ? undefined : { ...changed, text });
  };
  return [kept, change, () => writeRecord(of, id, undefined)] as const;
}

/** The items of a record, or so many empty ones. */
const itemsIn = <Item,>(list: unknown, read: (item: unknown) => Item, empty: readonly Item[]): readonly Item[] => {
  const items = asList(list).slice(0, maxItems).map(read);
  return items.length > 0 ? items : empty;
};

export function NewPoll({ onWritten, onClose }: Props) {
  const [{ question, options }, change, forget] = useKept(
    "poll",
    (record) => ({
      question: asText(record.get("question")),
      options: itemsIn(record.get("options"), asText, ["", "", ""]),
    }),
    (poll) => [poll.question, ...poll.options],
  );
  return (
    <Dialog title={t("New poll")} onClose={onClose}>
      <Form
        submit={t("Send the poll")}
        disabled={isBlank(question)}
        save={async () => {
          const texts = options.map((option) => option.trim()).filter((option) => option !== "");
          if (onWritten(commandText("poll", question, texts))) forget();
        }}
        onCancel={() => {
          forget();
          onClose();
        }}
      >
        <TextField
          label={t("Question")}
          required
          max={maxTextLength}
          value={question}
          onChange={(text) => change({ question: text })}
        />
        {options.map((option, index) => (
          <TextField
            key={index}
            label={t("Option {number}", { number: index + 1 })}
            max={maxTextLength}
            value={option}
            onChange={(text) => change({ options: withRoom(options.with(index, text), isBlank, "") })}
          />
        ))}
        <p class="quiet small">{t("Anyone who can read the poll can vote and add options.")}</p>
      </Form>
    </Dialog>
  );
}

interface Task {
  name: string;
  description: string;
}
const emptyTask: Task = { name: "", description: "" };
const taskIn = (record: unknown): Task => {
  const task = asMap(record);
  return { name: asText(task.get("name")), description: asText(task.get("description")) };
};

export function NewTodoList({ onWritten, onClose }: Props) {
  const [{ title, tasks }, change, forget] = useKept(
    "todo",
    (record) => ({
      title: asText(record.get("title")),
      tasks: itemsIn(record.get("tasks"), taskIn, [emptyTask, emptyTask]),
    }),
    (list) => [list.title, ...list.tasks.flatMap(({ name, description }) => [name, description])],
  );
  const changeTask = (index: number, task: Task) =>
    change({ tasks: withRoom(tasks.with(index, task), ({ name }) => isBlank(name), emptyTask) });
  const written = tasks.filter(({ name }) => !isBlank(name));
  return (
    <Dialog title={t("New to-do list")} onClose={onClose}>
      <Form
        submit={t("Send the to-do list")}
        disabled={isBlank(title) && written.length === 0}
        save={async () => {
          const texts = written.map(({ name, description }) =>
            isBlank(description) ? name.trim() : `${name.trim()}: ${description.trim()}`,
          );
          if (onWritten(commandText("todo", title, texts))) forget();
        }}
        onCancel={() => {
          forget();
          onClose();
        }}
      >
        <TextField label={t("Title")} max={maxTextLength} value={title} onChange={(text) => change({ title: text })} />
        {tasks.map((task, index) => (
          <div key={index} class="task-fields">
            <TextField
              label={t("Task {number}", { number: index + 1 })}
              max={maxTextLength}
              value={task.name}
              onChange={(name) => changeTask(index, { ...task, name })}
            />
            <input
              aria-label={t("Description of task {number}", { number: index + 1 })}
              placeholder={t("Description (optional)")}
              value={task.description}
              onInput={(event) => changeTask(index, { ...task, description: event.currentTarget.value })}
            />
            <Limit text={task.description} max={maxTextLength} />
          </div>
        ))}
        <p class="quiet small">{t("Anyone who can read the list can check off tasks and add new ones.")}</p>
      </Form>
    </Dialog>
  );
}

export function EditHeading({
  title,
  label,
  text: known,
  save,
  onClose,
}: {
  title: string;
  label: string;
  text: string;
  /** Throws if it fails. */
  save: (text: string) => Promise<unknown>;
  onClose: () => void;
}) {
  const [text, setText] = useState(known);
  return (
    <Dialog title={title} onClose={onClose}>
      <Form
        submit={t("Save")}
        disabled={isBlank(text) || text.trim() === known}
        save={async () => {
          await save(text.trim());
          onClose();
        }}
        onCancel={onClose}
      >
        <TextField label={label} required max={maxTextLength} value={text} onChange={setText} />
      </Form>
    </Dialog>
  );
}
