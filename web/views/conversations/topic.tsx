import { useComputed } from "@preact/signals";
import { t } from "../../base/languages/language.ts";
import { openDialog } from "../../navigation/page-dialog.ts";
import { linkToNarrow } from "../../navigation/router.ts";
import { confirmAndTry } from "../../parts/confirm.tsx";
import { lazyDialog } from "../../parts/lazy.tsx";
import { Count, Icon, type IconName, Menu, type MenuItem, topicName } from "../../parts/parts.tsx";
import { call } from "../../session/session.ts";
import { currentState, state, topicPolicies } from "../../session/store.ts";
import { toast, tryTo } from "../../session/toasts.ts";
import { resolvedMark, topicKey, type VisibilityPolicy, visibilityPolicies } from "../../state/model.ts";
import { narrowKey } from "../../state/narrow.ts";
import { isAdministrator } from "../../state/permissions.ts";
import type { TopicEntry } from "./channel-lists.ts";
import { markAllRead } from "./mark-as-read.ts";
import type { TopicRef } from "./moves.ts";
import { newestIn, setResolved } from "./resolving.ts";
import { changeTopicPolicy } from "./undoable.ts";

const MoveDialog = lazyDialog(async () => (await import("./move-dialog.tsx")).MoveDialog);

export function ResolveButton({ channelId, topic }: { channelId: number; topic: string }) {
  const lists = useComputed(() => state.value?.lists).value;
  const isEmpty = !lists?.get(narrowKey({ kind: "topic", channelId, topic }))?.ids.length;
  const isResolved = topic.startsWith(resolvedMark);
  if (isEmpty || topic === "") return null;
  return (
    <button type="button" aria-pressed={isResolved} onClick={() => void setResolved(channelId, topic, !isResolved)}>
      <Icon name="check" size={15} /> <span class="label">{isResolved ? t("Resolved") : t("Resolve")}</span>
    </button>
  );
}

const deleteTopic = (channelId: number, topic: string) =>
  confirmAndTry(
    {
      title: t("Delete the topic “{topic}”?", { topic: topicName(topic) }),
      text: t("All of its messages are deleted for everyone. This cannot be undone."),
      label: t("Delete"),
    },
    async () => {
      // The server deletes so many messages in one request as it can.
      const request = () => call("POST /streams/{stream_id}/delete_topic", { stream_id: channelId, topic_name: topic });
      while (!(await request()).complete);
    },
  );

/** Asks where a message of a topic is to be moved, alone or with all others of it. */
export const openMove = (messageId: number, from: TopicRef, isWholeTopic: boolean) =>
  openDialog((onClose) => <MoveDialog {...{ messageId, from, isWholeTopic, onClose }} />);

/** Asks where a topic is to be moved. */
async function moveTopic(channelId: number, topic: string): Promise<void> {
  const messageId = await newestIn(channelId, topic);
  if (messageId !== undefined) openMove(messageId, { channelId, topic }, true);
}

/** What the user can do with a topic, also without opening it. */
export function topicActions(channelId: number, topic: string): MenuItem[] {
  const policy = topicPolicies.peek()?.get(topicKey(channelId, topic)) ?? visibilityPolicies.inherited;
  const { followed, muted } = visibilityPolicies;
  const isResolved = topic.startsWith(resolvedMark);
  /** An item that sets a policy, or that unsets it if it is the current one. */
  const policyItem = (label: string, value: VisibilityPolicy, icon: IconName): MenuItem => ({
    label,
    icon,
    run: () => void changeTopicPolicy(channelId, topic, policy === value ? visibilityPolicies.inherited : value),
  });
  const copyLink = async () => {
    const address = new URL(linkToNarrow({ kind: "topic", channelId, topic }), location.href).href;
    await navigator.clipboard.writeText(address);
    toast(t("The link was copied."));
  };
  return [
    { label: t("Mark as read"), icon: "check", run: () => void markAllRead({ kind: "topic", channelId, topic }) },
    policyItem(policy === followed ? t("Unfollow") : t("Follow"), followed, "bell"),
    policyItem(policy === muted ? t("Unmute") : t("Mute"), muted, "mute"),
    { label: t("Copy link"), icon: "link", run: () => void tryTo(copyLink) },
    ...(topic === ""
      ? []
      : [
          {
            label: isResolved ? t("Reopen") : t("Resolve"),
            icon: "todo" as const,
            run: () => void setResolved(channelId, topic, !isResolved),
          },
        ]),
    { label: t("Rename or move"), icon: "move", run: () => void tryTo(() => moveTopic(channelId, topic)) },
    ...(isAdministrator(currentState())
      ? [
          {
            label: t("Delete the topic"),
            icon: "trash" as const,
            danger: true,
            run: () => void deleteTopic(channelId, topic),
          },
        ]
      : []),
  ];
}

/** How many messages of a topic are unread, and how much that matters. */
export const TopicCount = ({ of: { unread, mentions, muted, followed } }: { of: TopicEntry }) => (
  <Count value={unread} weight={muted ? "muted" : followed ? "followed" : "plain"} mentions={mentions} />
);

export const TopicMenu = ({ channelId, topic }: { channelId: number; topic: string }) => (
  <Menu
    icon="more"
    label={t("Actions for {topic}", { topic: topicName(topic) })}
    items={() => topicActions(channelId, topic)}
  />
);
