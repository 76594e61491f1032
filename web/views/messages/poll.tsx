import { useState } from "preact/hooks";
import { tryTo } from "../../actions.ts";
import { unwrap } from "../../api/client.ts";
import { api, self } from "../../session.ts";
import type { Message } from "../../state/model.ts";
import { nameOf } from "../parts/parts.tsx";
import { Content } from "./message.tsx";

interface PollState {
  question: string;
  options: Map<string, { text: string; voters: Set<number> }>;
}

/** A poll from its submessages: the first has the question, the others are added options and votes. */
export function pollOf(message: Message): PollState | undefined {
  const [first, ...others] = message.submessages;
  const widget = parsed(first?.content);
  if (widget?.widget_type !== "poll") return undefined;
  const options: PollState["options"] = new Map();
  for (const [index, text] of ((widget.extra_data?.options ?? []) as string[]).entries())
    options.set(`canned,${index}`, { text: String(text), voters: new Set() });
  let question = String(widget.extra_data?.question ?? "");
  for (const { content, sender_id } of others) {
    const event = parsed(content);
    if (event?.type === "new_option")
      options.set(`${sender_id},${event.idx}`, { text: String(event.option), voters: new Set() });
    else if (event?.type === "question" && sender_id === message.sender_id) question = String(event.question);
    else if (event?.type === "vote") {
      const voters = options.get(String(event.key))?.voters;
      if (event.vote === 1) voters?.add(sender_id);
      else voters?.delete(sender_id);
    }
  }
  return { question, options };
}

function parsed(content: string | undefined): Record<string, any> | undefined {
  try {
    return JSON.parse(content ?? "");
  } catch {
    return undefined;
  }
}

export function Poll({ message }: { message: Message }) {
  const [option, setOption] = useState("");
  const poll = pollOf(message);
  if (!poll) return <Content html={message.content} />;
  const reader = self.value ?? 0;
  const tell = (content: object) =>
    tryTo(() =>
      unwrap(
        api().POST("/api/v1/submessage", {
          body: { message_id: message.id, msg_type: "widget", content: JSON.stringify(content) } as never,
        }),
      ),
    );
  const add = async () => {
    const text = option.trim();
    if (!text || [...poll.options.values()].some((one) => one.text === text)) return;
    const mine = [...poll.options.keys()].filter((key) => key.startsWith(`${reader},`)).length;
    if (await tell({ type: "new_option", idx: mine + 1, option: text })) setOption("");
  };
  return (
    <div class="poll">
      <h4>{poll.question || "Poll"}</h4>
      <ul>
        {[...poll.options].map(([key, { text, voters }]) => (
          <li key={key}>
            <button
              type="button"
              class={`vote ${voters.has(reader) ? "mine" : ""}`}
              aria-pressed={voters.has(reader)}
              aria-label={`Vote for ${text}: ${voters.size} so far`}
              onClick={() => void tell({ type: "vote", key, vote: voters.has(reader) ? -1 : 1 })}
            >
              {voters.size}
            </button>
            <span>{text}</span>
            <span class="quiet small">{[...voters].map(nameOf).join(", ")}</span>
          </li>
        ))}
      </ul>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void add();
        }}
      >
        <input
          aria-label="New option"
          placeholder="New option"
          value={option}
          onInput={(event) => setOption(event.currentTarget.value)}
        />
        <button type="submit">Add</button>
      </form>
    </div>
  );
}
