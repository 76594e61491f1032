import { useComputed } from "@preact/signals";
import { editMessage } from "../../actions.ts";
import { state } from "../../session.ts";
import { topicKey } from "../../state/model.ts";
import { tryTo } from "../../toasts.ts";
import { Icon } from "../parts/parts.tsx";
import { goToNarrow } from "./router.ts";

const resolvedMark = "✔ ";

/** Resolves a topic by adding the prefix ✔ to its name, or unresolves it by removing the prefix. */
export function ResolveButton({ channelId, topic }: { channelId: number; topic: string }) {
  const newestId = useComputed(() => state.value?.lists.get(`topic:${topicKey(channelId, topic)}`)?.ids.at(-1)).value;
  const isResolved = topic.startsWith(resolvedMark);
  if (newestId === undefined || topic === "") return null;
  const newName = isResolved ? topic.slice(resolvedMark.length) : `${resolvedMark}${topic}`;
  return (
    <button
      type="button"
      aria-pressed={isResolved}
      onClick={() =>
        void tryTo(async () => {
          await editMessage(newestId, { topic: newName, propagate_mode: "change_all" });
          goToNarrow({ kind: "topic", channelId, topic: newName });
        })
      }
    >
      <Icon name="check" size={15} /> {isResolved ? "Resolved" : "Resolve"}
    </button>
  );
}
