import { computed, useComputed, useSignal } from "@preact/signals";
import { useLayoutEffect, useMemo } from "preact/hooks";
import type { ApiFailure } from "../../base/api/client.ts";
import { formatList, t } from "../../base/languages/language.ts";
import { goBack, linkTo, linkToNarrow } from "../../navigation/router.ts";
import { Boundary } from "../../parts/boundary.tsx";
import {
  channelName,
  Icon,
  IconButton,
  nameOf,
  namesOf,
  PrivacyIcon,
  threadOf,
  topicName,
} from "../../parts/parts.tsx";
import { channels, registrations, settings, state } from "../../session/store.ts";
import { conversationKey } from "../../state/model.ts";
import { conversationIn, isKnown, marksAsRead, type Narrow, narrowKey } from "../../state/narrow.ts";
import { ComposeBox } from "../compose/compose.tsx";
import { ResolveButton, TopicMenu } from "../conversations/topic.tsx";
import { BadLink, explainRefusal } from "./bad-link.tsx";
import { MessageList } from "./message-list.tsx";

/** The messages of a narrow, with its head and the compose box; what is wrong with it if it cannot be shown. */
export function NarrowView({ narrow, near }: { narrow: Narrow; near: number | undefined }) {
  const hasRecipient = useMemo(
    () => computed(() => state.value !== undefined && isKnown(narrow, state.value)),
    [narrow],
  ).value;
  const refusal = useSignal<ApiFailure | undefined>(undefined);
  useLayoutEffect(() => {
    refusal.value = undefined;
  }, [narrow, registrations.value]);
  if (refusal.value) return <BadLink problem={explainRefusal(refusal.value)} />;
  return (
    <>
      <Boundary what="the head of the view" of={narrow}>
        <NarrowHead narrow={narrow} />
      </Boundary>
      <MessageList
        key={narrowKey(narrow)}
        narrow={narrow}
        near={near}
        onRefused={(failure) => {
          refusal.value = failure;
        }}
      />
      <Boundary what="who is typing" of={narrow} fallback={() => null}>
        <TypingLine narrow={narrow} />
      </Boundary>
      {hasRecipient && (
        <Boundary what="the compose box">
          <ComposeBox />
        </Boundary>
      )}
    </>
  );
}

export function titleOf(narrow: Narrow): string {
  switch (narrow.kind) {
    case "feed":
      return t("Combined feed");
    case "channel":
      return channelName(narrow.channelId);
    case "topic":
      return `${channelName(narrow.channelId)} › ${topicName(narrow.topic)}`;
    case "direct":
      return namesOf(narrow.userIds);
    case "directs":
      return t("Direct messages");
    case "mentions":
      return t("Mentions");
    case "starred":
      return t("Starred messages");
    case "sender":
      return t("Messages sent by {name}", { name: nameOf(narrow.userId) });
    case "search":
      return t("Search results");
  }
}

/** On a phone, which may show the page without the browser's buttons. */
const BackButton = () => <IconButton icon="back" label={t("Back")} class="phone-only" onClick={goBack} />;

function NarrowHead({ narrow }: { narrow: Narrow }) {
  const readingHint = !marksAsRead(narrow, settings.value?.web_mark_read_on_scroll_policy) && (
    <span class="quiet small">{t("Messages stay unread here.")}</span>
  );
  if (narrow.kind === "topic" || narrow.kind === "channel") {
    const { channelId } = narrow;
    const description = channels.value?.get(channelId)?.description ?? "";
    return (
      <header class="view-head" {...threadOf(conversationIn(narrow))}>
        <BackButton />
        <h1 class={narrow.kind === "topic" ? "of-topic" : ""}>
          <a href={linkToNarrow({ kind: "channel", channelId })}>
            <PrivacyIcon channelId={channelId} /> {channelName(channelId)}
          </a>
          {narrow.kind === "topic" && (
            <>
              <span> › </span>
              <span dir="auto">{topicName(narrow.topic)}</span>
            </>
          )}
        </h1>
        {narrow.kind === "channel" && <span class="quiet grow">{description}</span>}
        {readingHint}
        {narrow.kind === "topic" && (
          <>
            <span class="grow" />
            <ResolveButton channelId={channelId} topic={narrow.topic} />
            <TopicMenu channelId={channelId} topic={narrow.topic} />
          </>
        )}
        <a
          class="icon-button"
          href={linkTo({ kind: "channel-settings", channelId })}
          aria-label={t("Channel settings")}
          title={t("Channel settings")}
        >
          <Icon name="settings" />
        </a>
      </header>
    );
  }
  return (
    <header class="view-head">
      <BackButton />
      <h1>{titleOf(narrow)}</h1>
      {readingHint}
    </header>
  );
}

function TypingLine({ narrow }: { narrow: Narrow }) {
  const typing = useComputed(() => state.value?.typing).value;
  const conversation = conversationIn(narrow);
  const now = Date.now();
  const typists = conversation
    ? (typing?.get(conversationKey(conversation)) ?? []).filter(({ until }) => until > now)
    : [];
  const names = typists.map(({ userId }) => nameOf(userId));
  return (
    <p class="typing" aria-live="polite">
      {names.length === 1 && t("{name} is typing …", { name: names[0] ?? "" })}
      {names.length > 1 && names.length < 4 && t("{names} are typing …", { names: formatList(names) })}
      {names.length >= 4 && t("Several people are typing …")}
    </p>
  );
}
