import { setTimeout as pause } from "node:timers/promises";
import { mayReadHistory } from "../channels/rules.ts";
import { badRequest } from "../errors.ts";
import { type FileChange, planFiles } from "../files/claims.ts";
import { type OutboxJob, outboxJob } from "../jobs/outbox.ts";
import type { Realm } from "../organization/access.ts";
import { createFormerText } from "../store/edits.ts";
import { commit, type Numbers, readHead } from "../store/log.ts";
import { type Message, type Revised, reviseMessage } from "../store/messages.ts";
import { createMove, type MoveRecord } from "../store/moves.ts";
import { ConditionFailed } from "../store/transactions.ts";
import type { Write } from "../store/writes.ts";
import type { Caller } from "../users/caller.ts";
import { type AccessedMessage, accessMessageToChange } from "./access.ts";
import { audienceOf } from "./audience.ts";
import { checkEdit, type Move } from "./edit-access.ts";
import { updateMessageEvent } from "./edit-events.ts";
import { type MessageEdit, resolution } from "./edit-rules.ts";
import { changedMentions } from "./mention-changes.ts";
import { checkGroupMentions } from "./mentions.ts";
import { continueMessageMove } from "./move-jobs.ts";
import {
  continueMove,
  type MoveOrder,
  type MoveScene,
  movedMessage,
  nextBatch,
  numbersOf,
  planBatch,
  withEntry,
} from "./moves.ts";
import { type RenderedText, renderText, topicLinksOf } from "./render.ts";
import { checkWildcardMentions } from "./wildcards.ts";

export interface EditRequest extends MessageEdit {
  prevContentSha256?: string | undefined;
  noticeToOld: boolean;
  noticeToNew: boolean;
}

/** How often an edit that met another is planned anew, on what the message has become. */
const attempts = 40;
/** Milliseconds for which a request moves messages itself; the rest is a job's. */
const patience = 20_000;

/**
 * Edits a message, and moves it with others of its topic. Success says that all of it is done: a move that takes longer
 * than a request may is an error that says that it goes on. Returns the records of files that no message links any more.
 */
export async function editMessage(
  caller: Caller,
  messageId: number,
  edit: EditRequest,
  realm: Realm,
): Promise<FileChange["detached"]> {
  const deadline = Date.now() + patience;
  for (let attempt = 1; ; attempt++) {
    const accessed = await accessMessageToChange(caller, messageId, realm);
    const move = await checkEdit(caller, accessed, edit, realm);
    try {
      const { started, detached } = await applyEdit(caller, accessed, edit, move, realm);
      if (started) await completeMove(started, realm, deadline);
      return detached;
    } catch (error) {
      if (!(error instanceof ConditionFailed) || attempt === attempts) throw error;
      await pause(Math.random() * Math.min(20 * attempt, 400));
    }
  }
}

interface Started {
  moveId: number;
  topicLinks: MoveScene["topicLinks"];
  job: OutboxJob;
}

async function completeMove({ moveId, topicLinks, job }: Started, realm: Realm, deadline: number): Promise<void> {
  try {
    if (!(await continueMove(moveId, realm, topicLinks, deadline)))
      throw badRequest("Moving so many messages takes longer than a request may; it goes on in the background.");
  } finally {
    await job.send();
  }
}

/** Writes the edit, with the first batch of a move; what remains of a move is in its record. */
async function applyEdit(
  caller: Caller,
  accessed: AccessedMessage,
  edit: EditRequest,
  move: Move | undefined,
  realm: Realm,
): Promise<{ started?: Started | undefined; detached: FileChange["detached"] }> {
  const { message, channel } = accessed;
  const content = edit.content === undefined || edit.content === message.content ? undefined : edit.content;
  const text = content === undefined ? undefined : { content, rendered: await renderText(content, realm, caller) };
  if (text) await checkGroupMentions(caller, text.rendered, realm);
  if (text && channel) await checkWildcardMentions(caller, text.rendered, channel, message.topic ?? "", realm);
  const files = await filesOf(caller, message, text?.rendered, realm);
  const { detached } = files;
  const at = Math.floor(Date.now() / 1000);
  if (!move || !channel) {
    if (!text) return { detached };
    const parts = {
      actorId: caller.id,
      at,
      channel,
      messages: [message],
      text,
      audience: audienceOf(message, [caller.id]),
    };
    const filePlan = files.plan(message);
    await commit({ events: 1 + files.events }, (numbers) => ({
      writes: [...editWrites(message, text, files, numbers, caller.id, at), ...filePlan.writes],
      events: [updateMessageEvent(parts), ...filePlan.events],
      result: undefined,
    }));
    return { detached };
  }
  const order = await orderOf(caller, accessed, edit, move, at);
  const { messages: others, more } =
    edit.propagateMode === "change_one" || files.events > 0
      ? // With files the transaction is full enough; the others follow.
        { messages: [], more: edit.propagateMode !== "change_one" }
      : await nextBatch(order, order.firstId);
  const topicLinks = await topicLinksOf(move.topic, realm);
  const scene: MoveScene = { from: channel, to: move.channel, topicLinks, realm };
  const batch = [message, ...others];
  const { topics, events } = await planBatch(order, batch, scene, text);
  const hasSequel = more || order.resolution !== undefined || edit.noticeToOld || edit.noticeToNew;
  const filePlan = files.plan(message);
  events.push(...filePlan.events);
  const started = await commit({ events: events.length, messages: numbersOf(scene) }, (numbers) => {
    const writes = [
      ...editWrites(message, text, files, numbers, caller.id, at, movedMessage(message, order, scene, numbers.message)),
      ...filePlan.writes,
      ...others.map((other) => {
        const { entry, change } = movedMessage(other, order, scene, numbers.message);
        return reviseMessage(other, { ...change, editHistory: withEntry(other, entry) });
      }),
      ...topics,
    ];
    if (!hasSequel) return { writes, events, result: undefined };
    const job = outboxJob(continueMessageMove, { move_id: numbers.event });
    const { noticeToOld, noticeToNew } = edit;
    const record: MoveRecord = { ...order, id: numbers.event, step: 1, moved: batch.length, noticeToOld, noticeToNew };
    // Alone, a message has nothing behind it that could move.
    if (edit.propagateMode === "change_one") record.lastId = record.firstId - 1;
    return {
      writes: [...writes, createMove(record), job.write],
      events,
      result: { moveId: record.id, topicLinks, job } satisfies Started,
    };
  });
  return { started, detached };
}

/** What a new text means for files; a message that keeps its text keeps its files. */
const filesOf = (caller: Caller, message: Message, rendered: RenderedText | undefined, realm: Realm) =>
  planFiles(
    {
      author: caller,
      uploadPaths: rendered ? rendered.uploadPaths : (message.uploads ?? []).map((path) => `/user_uploads/${path}`),
      before: message.uploads,
    },
    realm,
  );

async function orderOf(
  caller: Caller,
  { message, channel, subscription, holds }: AccessedMessage,
  edit: EditRequest,
  move: Move,
  at: number,
): Promise<MoveOrder> {
  const from = { channelId: channel?.id ?? 0, topic: message.topic ?? "" };
  const to = { channelId: move.channel.id, topic: move.topic };
  const resolves = from.channelId === to.channelId ? resolution(from.topic, to.topic) : undefined;
  const seesAll = channel && mayReadHistory(caller, channel, subscription, holds);
  return {
    actorId: caller.id,
    messageId: message.id,
    from,
    to,
    firstId: edit.propagateMode === "change_all" ? 1 : message.id,
    lastId: edit.propagateMode === "change_one" ? message.id : (await readHead()).message,
    ...(!seesAll && { periods: subscription?.periods ?? [] }),
    at,
    propagateMode: edit.propagateMode,
    ...(resolves && { resolution: resolves }),
  };
}

/** A message's own part of an edit: its new text, with the former one kept beside it, its new place, or both. */
function editWrites(
  message: Message,
  text: { content: string; rendered: RenderedText } | undefined,
  files: FileChange,
  numbers: Numbers,
  actorId: number,
  at: number,
  moved?: ReturnType<typeof movedMessage>,
): Write[] {
  const entry = { userId: actorId, at, ...moved?.entry, ...(text && { formerText: numbers.event }) };
  const change: Partial<Revised> = {
    ...moved?.change,
    ...(text && {
      content: text.content,
      html: text.rendered.html,
      isMe: text.rendered.isMeMessage || undefined,
      uploads: files.uploads,
      lastEditAt: at,
    }),
    editHistory: withEntry(message, entry),
  };
  const { id: messageId, content, html } = message;
  return [
    reviseMessage(message, change),
    ...(text
      ? [
          createFormerText({ messageId, number: numbers.event, content, html }),
          ...changedMentions(message, text.rendered),
        ]
      : []),
  ];
}
