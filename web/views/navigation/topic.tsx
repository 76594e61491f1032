import { useComputed } from "@preact/signals";
import { editMessage } from "../../actions.ts";
import { state } from "../../session.ts";
import { narrowKey } from "../../state/narrow.ts";
import { toastWithUndo, tryTo } from "../../toasts.ts";
import { Icon } from "../parts/parts.tsx";
import { goToNarrow, route } from "./router.ts";

function isTopicShown(channelId: number, topic: string): boolean {
  const view = route.value;
  return view.kind === "narrow" && narrowKey(view.narrow) === narrowKey({ kind: "topic", channelId, topic });
}

const resolvedMark = "✔ ";

/** Resolves a topic by adding the prefix ✔ to its name, or unresolves it by removing the prefix. */
export function ResolveButton({ channelId, topic }: { channelId: number; topic: string }) {
  const lists = useComputed(() => state.value?.lists).value;
  const newestId = lists?.get(narrowKey({ kind: "topic", channelId, topic }))?.ids.at(-1);
  const isResolved = topic.startsWith(resolvedMark);
  if (newestId === undefined || topic === "") return null;
  const newName = isResolved ? topic.slice(resolvedMark.length) : `${resolvedMark}${topic}`;
  return (
    <button
      type="button"
      aria-pressed={isResolved}
      onClick={() =>
        void tryTo(async () => {
          const rename = (name: string) => editMessage(newestId, { topic: name, propagate_mode: "change_all" });
          await rename(newName);
          goToNarrow({ kind: "topic", channelId, topic: newName });
          toastWithUndo(`“${topic}” is ${isResolved ? "unresolved" : "resolved"}.`, async () => {
            await rename(topic);
            if (isTopicShown(channelId, newName)) goToNarrow({ kind: "topic", channelId, topic });
          });
        })
      }
    >
      <Icon name="check" size={15} /> {isResolved ? "Resolved" : "Resolve"}
    </button>
  );
}
