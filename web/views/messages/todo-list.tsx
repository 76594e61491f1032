import { useMemo } from "preact/hooks";
import { t } from "../../base/languages/language.ts";
import { asList, asMap, asText, parseJson } from "../../base/lib/json.ts";
import { Content } from "../../parts/content.tsx";
import { AnyText, GrowingRows, linesOf } from "../../parts/growing.tsx";
import { addToWidget } from "../../session/actions/change-messages.ts";
import { ownUserId } from "../../session/store.ts";
import { toast, tryTo } from "../../session/toasts.ts";
import type { Message } from "../../state/model.ts";
import { NewItem } from "./new-item.tsx";
import { WidgetHeading } from "./widget-heading.tsx";

interface Todo {
  title: string;
  /** By key: `<index>,canned` for a task of the original list, `<number>,<user ID>` for one that a user added. */
  tasks: Map<string, { task: string; description: string; isDone: boolean }>;
}

/** A to-do list from its submessages: the first has the title and tasks, the others change these or tick tasks off. */
function todoListOf({ submessages, sender_id: author }: Message): Todo | undefined {
  const [first, ...others] = submessages;
  const widget = asMap(parseJson(first?.content));
  if (widget.get("widget_type") !== "todo") return undefined;
  const data = asMap(widget.get("extra_data"));
  const tasks: Todo["tasks"] = new Map();
  const names = new Set<string>();
  const add = (key: string, raw: ReadonlyMap<string, unknown>) => {
    const task = asText(raw.get("task"));
    // As in Zulip, of two tasks with one name the later one does not count.
    if (names.has(task)) return;
    names.add(task);
    tasks.set(key, { task, description: asText(raw.get("desc")), isDone: raw.get("completed") === true });
  };
  for (const [index, task] of asList(data.get("tasks")).entries()) add(`${index},canned`, asMap(task));
  let title = asText(data.get("task_list_title"));
  for (const { content, sender_id } of others) {
    const event = asMap(parseJson(content));
    const type = event.get("type");
    if (type === "new_task") add(`${asText(event.get("key"))},${sender_id}`, event);
    else if (type === "new_task_list_title" && sender_id === author) title = asText(event.get("title"));
    else if (type === "strike") {
      const key = asText(event.get("key"));
      const task = tasks.get(key);
      if (task) tasks.set(key, { ...task, isDone: !task.isDone });
    }
  }
  return { title, tasks };
}

export function TodoList({ message }: { message: Message }) {
  const list = useMemo(() => todoListOf(message), [message.submessages]);
  if (!list) return <Content html={message.content} />;
  const reader = ownUserId.value ?? 0;
  const add = async (task: string) => {
    if ([...list.tasks.values()].some((known) => known.task === task)) {
      toast(t("That is already in the list."));
      return false;
    }
    const ownNumbers = [...list.tasks.keys()]
      .filter((key) => key.endsWith(`,${reader}`))
      .map((key) => Number.parseInt(key, 10));
    const key = Math.max(0, ...ownNumbers) + 1;
    return tryTo(() => addToWidget(message.id, { type: "new_task", key, task, desc: "", completed: false }));
  };
  return (
    <div class="poll">
      <WidgetHeading
        text={list.title}
        emptyText={t("To-do list")}
        mayEdit={message.sender_id === reader}
        title={t("Edit the title")}
        label={t("Title")}
        save={(title) => addToWidget(message.id, { type: "new_task_list_title", title })}
      />
      <ul>
        <GrowingRows
          of={[...list.tasks]}
          weightOf={([, { task, description }]) => linesOf(task + description)}
          row={([key, { task, description, isDone }]) => (
            <li key={key}>
              <label class="check">
                <input
                  type="checkbox"
                  checked={isDone}
                  onChange={(event) => {
                    // The event of the server ticks it off.
                    event.currentTarget.checked = isDone;
                    void tryTo(() => addToWidget(message.id, { type: "strike", key }));
                  }}
                />
                <span dir="auto">
                  {isDone ? (
                    <s>
                      <AnyText text={task} />
                    </s>
                  ) : (
                    <AnyText text={task} />
                  )}
                  {description && (
                    <span class="quiet">
                      {" "}
                      <AnyText text={description} />
                    </span>
                  )}
                </span>
              </label>
            </li>
          )}
        />
      </ul>
      <NewItem messageId={message.id} label={t("New task")} onAdd={add} />
    </div>
  );
}
