import { useState } from "preact/hooks";
import { t } from "../../base/languages/language.ts";
import { isTooLong } from "../../base/lib/length.ts";
import { Form, TextField } from "../../parts/fields/form.tsx";
import { Limit } from "../../parts/fields/limit.tsx";
import { Dialog } from "../../parts/parts.tsx";
import { currentState } from "../../session/store.ts";
import { maxMessageLength } from "../../state/recipient.ts";

/**
 * The dialogs that write a poll or a to-do list, which the server makes of a message with `/poll` or `/todo`, and that change its
 * heading.
 */

interface Props {
  /** Takes the text of the message. */
  onWritten: (text: string) => void;
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

export function NewPoll({ onWritten, onClose }: Props) {
  const [question, setQuestion] = useState("");
  const [options, setOptions] = useState<readonly string[]>(["", "", ""]);
  return (
    <Dialog title={t("New poll")} onClose={onClose}>
      <Form
        submit={t("Send the poll")}
        disabled={isBlank(question)}
        save={async () => {
          const texts = options.map((option) => option.trim()).filter((option) => option !== "");
          onWritten(commandText("poll", question, texts));
        }}
        onCancel={onClose}
      >
        <TextField label={t("Question")} required max={maxTextLength} value={question} onChange={setQuestion} />
        {options.map((option, index) => (
          <TextField
            key={index}
            label={t("Option {number}", { number: index + 1 })}
            max={maxTextLength}
            value={option}
            onChange={(text) => setOptions(withRoom(options.with(index, text), isBlank, ""))}
          />
        ))}
        <p class="quiet small">{t("Everybody who reads the poll can vote and add options.")}</p>
      </Form>
    </Dialog>
  );
}

interface Task {
  name: string;
  description: string;
}
const emptyTask: Task = { name: "", description: "" };

export function NewTodoList({ onWritten, onClose }: Props) {
  const [title, setTitle] = useState("");
  const [tasks, setTasks] = useState<readonly Task[]>([emptyTask, emptyTask]);
  const change = (index: number, task: Task) =>
    setTasks(withRoom(tasks.with(index, task), ({ name }) => isBlank(name), emptyTask));
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
          onWritten(commandText("todo", title, texts));
        }}
        onCancel={onClose}
      >
        <TextField label={t("Title")} max={maxTextLength} value={title} onChange={setTitle} />
        {tasks.map((task, index) => (
          <div key={index} class="task-fields">
            <TextField
              label={t("Task {number}", { number: index + 1 })}
              max={maxTextLength}
              value={task.name}
              onChange={(name) => change(index, { ...task, name })}
            />
            <input
              aria-label={t("Description of task {number}", { number: index + 1 })}
              placeholder={t("Description (optional)")}
              value={task.description}
              onInput={(event) => change(index, { ...task, description: event.currentTarget.value })}
            />
            <Limit text={task.description} max={maxTextLength} />
          </div>
        ))}
        <p class="quiet small">{t("Everybody who reads the list can tick tasks off and add some.")}</p>
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
