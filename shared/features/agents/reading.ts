import type { Value } from "../../base/schema/params.ts";
import type { narrowParam } from "../../messaging/messages/fetch/narrow.ts";
import { requestedRange } from "../../messaging/messages/fetch/requested-range.ts";
import { selectMessages } from "../../messaging/messages/fetch/selection.ts";
import { messageHash } from "../../messaging/messages/links.ts";
import type { MessageObject } from "../../messaging/messages/wire.ts";
import type { AgentRequest } from "./tool.ts";

/** Messages for assistants: as `GET /messages` returns them to the owner of a key, within what the key may read. */

type Narrow = Value<ReturnType<typeof narrowParam>>;

export const requestedChannels = {
  include_public: true,
  include_web_public: true,
  include_subscribed: true,
  exclude_archived: true,
  include_all: false,
  include_all_active: false,
  include_owner_subscribed: false,
  include_can_access_content: true,
};

export const term = (operator: string, operand: unknown) => ({ operator, operand, negated: false });

/** The bytes of a reply: assistants take in little at once, and ask for more. */
const maxReplyBytes = 200_000;

interface Range {
  anchor: string;
  num_before: number;
  num_after: number;
  include_anchor?: boolean;
}

/** The messages of a narrow around an anchor, in Markdown with their authors, times and links, and how to go on. */
export async function readMessages(request: AgentRequest, narrow: Narrow, sent: Range) {
  const { caller, realm } = request;
  const {
    reader,
    narrow: prepared,
    selection,
  } = await requestedRange.load({
    caller,
    params: { narrow, ...sent },
    realm: Promise.resolve(realm),
  });
  const found = await selectMessages(reader, prepared, selection, {
    applyMarkdown: false,
    clientGravatar: true,
    allowEmptyTopicName: false,
  });
  const fitting = nearestThatFit(
    found.messages.map((message) => ({ id: message.id, text: toMarkdown(message, request.baseUrl) })),
    found.anchor ?? 0,
  );
  const [first, last] = [fitting[0], fitting.at(-1)];
  return {
    data: fitting.map(({ text }) => text).join("\n\n---\n\n"),
    count: fitting.length,
    older: found.foundOldest && first?.id === found.messages[0]?.id ? undefined : first?.id,
    newer: found.foundNewest && last?.id === found.messages.at(-1)?.id ? undefined : last?.id,
  };
}

/** The messages nearest to the anchor that a reply has room for, at least one. */
function nearestThatFit(messages: readonly { id: number; text: string }[], anchor: number) {
  const byDistance = messages.toSorted((a, b) => Math.abs(a.id - anchor) - Math.abs(b.id - anchor));
  let bytes = 0;
  const fitting = byDistance.filter(({ text }, index) => {
    bytes += Buffer.byteLength(text);
    return index === 0 || bytes <= maxReplyBytes;
  });
  return fitting.sort((a, b) => a.id - b.id);
}

function toMarkdown(message: MessageObject, baseUrl: string): string {
  const { id, sender_full_name: author, sender_id: senderId, timestamp, content, subject } = message;
  const people = typeof message.display_recipient === "string" ? undefined : message.display_recipient;
  const place = people
    ? `direct messages of ${people.map((person) => person.full_name).join(", ")}`
    : `#${message.display_recipient} > ${subject}`;
  const link = `${baseUrl}/${messageHash({
    id,
    ...("stream_id" in message ? { channelId: message.stream_id, topic: subject } : {}),
    ...(people && { userIds: people.map((person) => person.id) }),
  })}`;
  const time = new Date(timestamp * 1000).toISOString();
  return `**${author}** (user ${senderId}), ${time}, in ${place}, message ${id}: ${link}\n\n${content}`;
}
