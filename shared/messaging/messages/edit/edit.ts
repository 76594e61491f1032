import { badRequest } from "../../../base/errors.ts";
import { nowSeconds } from "../../../base/time.ts";
import { mayReadHistory } from "../../../core/channels/rules.ts";
import type { Caller } from "../../../services/identity/caller.ts";
import { nowOrLater } from "../../../services/jobs/outbox.ts";
import type { Realm } from "../../../services/organization/access.ts";
import { commitNumbered, type Numbers, readHead } from "../../../store/log/log.ts";
import { contentBytes, createPreviousContent, deletePreviousContent } from "../../../store/messages/edits.ts";
import { type Message, type RevisableFields, reviseMessage } from "../../../store/messages/messages.ts";
import { createMove, type MoveRecord } from "../../../store/messages/moves.ts";
import { retryOnConflict } from "../../../store/table/conflicts.ts";
import type { Changes, Write } from "../../../store/table/writes.ts";
import { type FileChange, planFiles } from "../../uploads/claims.ts";
import type { AccessedMessage } from "../access.ts";
import { messageAudience } from "../audience.ts";
import { type RenderedText, renderText, topicLinksOf } from "../render/render.ts";
import { checkMentions, checkWildcardMentions } from "../send/mentions.ts";
import { checkEdit, type Move } from "./access.ts";
import { afterEarlierMoves } from "./continue-move.ts";
import { droppedTexts, withEditEntry } from "./edit-history.ts";
import { messageUpdatedEvent } from "./events.ts";
import { continueMessageMoveJob } from "./jobs.ts";
import { mentionIndexChanges } from "./mention-changes.ts";
import type { MoveContext } from "./move-notices.ts";
import { continueMove, type MoveOrder, messageNumbersNeeded, nextBatch, planBatch, planMessageMove } from "./moves.ts";
import { type MessageEdit, resolution } from "./rules.ts";
import { policiesToCarry } from "./topic-policies.ts";

interface EditRequest extends MessageEdit {
  prevContentSha256?: string | undefined;
  noticeToOld: boolean;
  noticeToNew: boolean;
}

/** How long a request moves messages itself; a background job moves the rest. */
const timeLimitMs = 20_000;

/**
 * Edits a message, and moves it with others of its topic. Success means that everything has been moved: a move that
 * exceeds the request's time limit gives an error which says that it continues in the background. Returns the
 * attachments that no message links to any more.
 */
export async function editMessage(
  caller: Caller,
  accessMessage: () => Promise<AccessedMessage>,
  edit: EditRequest,
  realm: Realm,
): Promise<FileChange["detached"]> {
  const deadline = Date.now() + timeLimitMs;
  const endedMoves = new Set<number>();
  return retryOnConflict(async () => {
    const accessed = await accessMessage();
    const move = await checkEdit(caller, accessed, edit, realm);
    const { isComplete, detached } = await applyEdit(caller, accessed, edit, move, realm, { deadline, endedMoves });
    if (!isComplete)
      throw badRequest(
        "Moving this many messages exceeds the time limit of a request; the move continues in the background.",
      );
    return detached;
  });
}

/** Commits the edit with the first batch of a move, and a move record when more batches follow, which are moved until `deadline`. */
async function applyEdit(
  caller: Caller,
  accessed: AccessedMessage,
  edit: EditRequest,
  move: Move | undefined,
  realm: Realm,
  { deadline, endedMoves }: { deadline: number; endedMoves: Set<number> },
): Promise<{ isComplete: boolean; detached: FileChange["detached"] }> {
  const { message, channel } = accessed;
  const content = edit.content === undefined || edit.content === message.content ? undefined : edit.content;
  const text = content === undefined ? undefined : { content, rendered: await renderText(content, realm, caller) };
  if (text) await checkMentions(caller, text.rendered, realm);
  if (text && channel) await checkWildcardMentions(caller, text.rendered, channel, message.topic ?? "", realm);
  const files = await planFileChange(caller, message, text?.rendered, realm);
  const { detached } = files;
  const at = nowSeconds();
  if (!move || !channel) {
    if (!text) return { isComplete: true, detached };
    const parts = {
      actorId: caller.id,
      at,
      channel,
      messages: [message],
      text,
      audience: messageAudience(message, [caller.id]),
    };
    const filePlan = files.plan(message);
    await commitNumbered({}, (numbers) => ({
      writes: [...editWrites(message, text, files, numbers, caller.id, at), ...filePlan.writes],
      events: [messageUpdatedEvent(parts), ...filePlan.events],
    }));
    return { isComplete: true, detached };
  }
  const order = await toMoveOrder(caller, accessed, edit, move, at);
  const { messages: otherMessages, hasMore } =
    edit.propagateMode === "change_one" || files.changesLinks
      ? // File records take much of the transaction's 100 items, so the other messages follow in later batches.
        { messages: [], hasMore: edit.propagateMode !== "change_one" }
      : await nextBatch(order, order.firstId);
  const topicLinks = await topicLinksOf(move.topic, realm);
  const context: MoveContext = { from: channel, to: move.channel, topicLinks, realm };
  const batch = [message, ...otherMessages];
  const [planned, policies] = await Promise.all([planBatch(order, batch, context, text), policiesToCarry(order)]);
  await afterEarlierMoves(planned.earlierMoves, endedMoves, realm, deadline);
  const isUnfinished = hasMore || order.resolution !== undefined || edit.noticeToOld || edit.noticeToNew || policies;
  const filePlan = files.plan(message);
  const events = [...planned.events, ...filePlan.events];
  const { rest } = await commitNumbered({ messages: messageNumbersNeeded(context) }, (numbers) => {
    const writes = [
      ...editWrites(
        message,
        text,
        files,
        numbers,
        caller.id,
        at,
        planMessageMove(message, order, context, numbers.message),
      ),
      ...filePlan.writes,
      ...otherMessages.map((other) => {
        const { entry, change } = planMessageMove(other, order, context, numbers.message);
        return reviseMessage(other, { ...change, editHistory: withEditEntry(other, entry) });
      }),
      ...planned.writes(numbers.event),
    ];
    const { followUps } = planned;
    if (!isUnfinished) return { writes, events, followUps, rest: undefined };
    const { noticeToOld, noticeToNew } = edit;
    const record: MoveRecord = {
      ...{ ...order, id: numbers.event, step: 1, moved: batch.length, noticeToOld, noticeToNew },
      ...(policies && { policies: { merges: policies.merges || planned.merges } }),
    };
    // With `change_one`, no other message moves: the record makes sure that notices are sent and policies follow.
    if (edit.propagateMode === "change_one") record.lastId = record.firstId - 1;
    const rest = nowOrLater(continueMessageMoveJob, { move_id: record.id }, () =>
      continueMove(record.id, realm, topicLinks, deadline),
    );
    return { writes: [...writes, createMove(record)], events, followUps: [...followUps, rest], rest };
  });
  return { isComplete: rest?.isDone !== false, detached };
}

/** Plans which files the edited message claims and releases. A message whose content does not change keeps its files. */
const planFileChange = (caller: Caller, message: Message, rendered: RenderedText | undefined, realm: Realm) =>
  planFiles(
    {
      author: caller,
      uploadPaths: rendered ? rendered.uploadPaths : (message.uploads ?? []).map((path) => `/user_uploads/${path}`),
      before: message.uploads,
    },
    realm,
  );

async function toMoveOrder(
  caller: Caller,
  { message, channel, subscription, hasContentPermission }: AccessedMessage,
  edit: EditRequest,
  move: Move,
  at: number,
): Promise<MoveOrder> {
  const from = { channelId: channel?.id ?? 0, topic: message.topic ?? "" };
  const to = { channelId: move.channel.id, topic: move.topic };
  const topicResolution = from.channelId === to.channelId ? resolution(from.topic, to.topic) : undefined;
  const seesHistory = channel && mayReadHistory(caller, channel, subscription, hasContentPermission);
  return {
    actorId: caller.id,
    messageId: message.id,
    from,
    to,
    firstId: edit.propagateMode === "change_all" ? 1 : message.id,
    lastId: edit.propagateMode === "change_one" ? message.id : (await readHead()).message,
    ...(!seesHistory && { periods: subscription?.periods ?? [] }),
    at,
    propagateMode: edit.propagateMode,
    ...(topicResolution && { resolution: topicResolution }),
  };
}

/**
 * Writes the edited message's new content, and stores the previous one for the history; or its new channel and topic; or both.
 */
function editWrites(
  message: Message,
  text: { content: string; rendered: RenderedText } | undefined,
  files: FileChange,
  numbers: Numbers,
  actorId: number,
  at: number,
  move?: ReturnType<typeof planMessageMove>,
): Write[] {
  const entry = {
    ...{ userId: actorId, at, ...move?.entry },
    ...(text && { formerText: numbers.event, formerBytes: contentBytes(message) }),
  };
  const editHistory = withEditEntry(message, entry);
  const change: Changes<RevisableFields> = {
    ...move?.change,
    ...(text && {
      content: text.content,
      html: text.rendered.html,
      isMe: text.rendered.isMeMessage || undefined,
      uploads: files.uploads,
      lastEditAt: at,
    }),
    editHistory,
  };
  const { id: messageId, content, html } = message;
  return [
    reviseMessage(message, change),
    ...droppedTexts(message, editHistory).map((number) => deletePreviousContent(messageId, number)),
    ...(text
      ? [
          createPreviousContent({ messageId, number: numbers.event, content, html }),
          ...mentionIndexChanges(message, text.rendered),
        ]
      : []),
  ];
}
