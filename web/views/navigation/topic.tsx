import { useComputed } from "@preact/signals";
import { editMessage } from "../../actions.ts";
import { t } from "../../languages/language.ts";
import { state, topicPolicies } from "../../session.ts";
import { topicKey, type VisibilityPolicy, visibilityPolicies } from "../../state/model.ts";
import { narrowKey } from "../../state/narrow.ts";
import { toastWithUndo, tryTo } from "../../toasts.ts";
import { markAllRead } from "../messages/mark-as-read.ts";
import { Icon, type IconName, Menu, topicName } from "../parts/parts.tsx";
import { changeTopicPolicy } from "../undoable.ts";
import { goToNarrow, route } from "./router.ts";

function isTopicShown(channelId: number, topic: string): boolean {
  const view = route.value;
  return view.kind === "narrow" && narrowKey(view.narrow) === narrowKey({ kind: "topic", channelId, topic });
}

/** The beginning of a resolved topic's name. */
export const resolvedMark = "✔ ";

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
          // The event may have led there already, and the user elsewhere since.
          if (isTopicShown(channelId, topic)) goToNarrow({ kind: "topic", channelId, topic: newName });
          toastWithUndo(
            isResolved ? t("“{topic}” is unresolved.", { topic }) : t("“{topic}” is resolved.", { topic }),
            async () => {
              await rename(topic);
              if (isTopicShown(channelId, newName)) goToNarrow({ kind: "topic", channelId, topic });
            },
          );
        })
      }
    >
      <Icon name="check" size={15} /> <span class="label">{isResolved ? t("Resolved") : t("Resolve")}</span>
    </button>
  );
}

/** What the user can do with a topic without opening it. */
export function TopicMenu({ channelId, topic }: { channelId: number; topic: string }) {
  const policy = topicPolicies.value?.get(topicKey(channelId, topic)) ?? visibilityPolicies.inherited;
  const { followed, muted } = visibilityPolicies;
  /** An item that sets a policy, or that unsets it if it is the current one. */
  const policyItem = (label: string, value: VisibilityPolicy, icon: IconName) => ({
    label,
    icon,
    run: () => void changeTopicPolicy(channelId, topic, policy === value ? visibilityPolicies.inherited : value),
  });
  return (
    <Menu
      icon="more"
      label={t("Actions for {topic}", { topic: topicName(topic) })}
      items={[
        {
          label: t("Mark as read"),
          icon: "check",
          run: () => void markAllRead({ kind: "topic", channelId, topic }),
        },
        policyItem(policy === followed ? t("Unfollow") : t("Follow"), followed, "bell"),
        policyItem(policy === muted ? t("Unmute") : t("Mute"), muted, "mute"),
      ]}
    />
  );
}
