import { useMemo } from "preact/hooks";
import { t } from "../../base/languages/language.ts";
import { asList, asMap, asText, parseJson } from "../../base/lib/json.ts";
import { Content } from "../../parts/content.tsx";
import { AnyText, GrowingRows, linesOf, listedNames } from "../../parts/growing.tsx";
import { addToWidget } from "../../session/actions/change-messages.ts";
import { ownUserId } from "../../session/store.ts";
import { toast, tryTo } from "../../session/toasts.ts";
import type { Message } from "../../state/model.ts";
import { NewItem } from "./new-item.tsx";
import { WidgetHeading } from "./widget-heading.tsx";

interface PollState {
  question: string;
  /** By key: `canned,<index>` for an option of the original poll, `<user ID>,<number>` for one that a user added. */
  options: Map<string, { text: string; voters: Set<number> }>;
}

/** A poll from its submessages: the first has the question and options, the others change these or are votes. */
function pollOf({ submessages, sender_id: author }: Message): PollState | undefined {
  const [first, ...others] = submessages;
  const widget = asMap(parseJson(first?.content));
  if (widget.get("widget_type") !== "poll") return undefined;
  const data = asMap(widget.get("extra_data"));
  const options: PollState["options"] = new Map();
  for (const [index, text] of asList(data.get("options")).entries())
    options.set(`canned,${index}`, { text: asText(text), voters: new Set() });
  let question = asText(data.get("question"));
  for (const { content, sender_id } of others) {
    const event = asMap(parseJson(content));
    const type = event.get("type");
    if (type === "new_option")
      options.set(`${sender_id},${asText(event.get("idx"))}`, {
        text: asText(event.get("option")),
        voters: new Set(),
      });
    else if (type === "question" && sender_id === author) question = asText(event.get("question"));
    else if (type === "vote") {
      const voters = options.get(asText(event.get("key")))?.voters;
      if (event.get("vote") === 1) voters?.add(sender_id);
      else voters?.delete(sender_id);
    }
  }
  return { question, options };
}

export function Poll({ message }: { message: Message }) {
  const poll = useMemo(() => pollOf(message), [message.submessages]);
  if (!poll) return <Content html={message.content} />;
  const reader = ownUserId.value ?? 0;
  const add = async (option: string) => {
    if ([...poll.options.values()].some(({ text }) => text === option)) {
      toast(t("That is already in the list."));
      return false;
    }
    const ownCount = [...poll.options.keys()].filter((key) => key.startsWith(`${reader},`)).length;
    return tryTo(() => addToWidget(message.id, { type: "new_option", idx: ownCount + 1, option }));
  };
  return (
    <div class="poll">
      <WidgetHeading
        text={poll.question}
        emptyText={t("Poll")}
        mayEdit={message.sender_id === reader}
        title={t("Edit the question")}
        label={t("Question")}
        save={(question) => addToWidget(message.id, { type: "question", question })}
      />
      <ul>
        <GrowingRows
          of={[...poll.options]}
          weightOf={([, { text, voters }]) => linesOf(text) + Math.ceil(Math.min(voters.size, 10) / 3)}
          row={([key, { text, voters }]) => (
            <li key={key}>
              <button
                type="button"
                class={`vote ${voters.has(reader) ? "mine" : ""}`}
                aria-pressed={voters.has(reader)}
                aria-label={t("Vote for {text}: {count} so far", { text, count: voters.size })}
                onClick={() =>
                  void tryTo(() => addToWidget(message.id, { type: "vote", key, vote: voters.has(reader) ? -1 : 1 }))
                }
              >
                {voters.size}
              </button>
              <span dir="auto">
                <AnyText text={text} />
              </span>
              <span class="quiet small">{listedNames([...voters])}</span>
            </li>
          )}
        />
      </ul>
      <NewItem messageId={message.id} label={t("New option")} onAdd={add} />
    </div>
  );
}
