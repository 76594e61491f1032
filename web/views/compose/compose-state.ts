import { batch, computed, untracked } from "@preact/signals";
import type { Route } from "../../navigation/address.ts";
import { followTo, go, goToNarrow, route } from "../../navigation/router.ts";
import { onSession, perSession, sessionSignal } from "../../session/session.ts";
import { currentState, firstOnScreen, onEvents, ownUserId } from "../../session/store.ts";
import { send } from "../../session/unsent/delivery.ts";
import { findWriting, readdressWriting } from "../../session/unsent/draft-sync.ts";
import {
  account,
  findUnsent,
  newId,
  putUnsent,
  type UnsentMessage,
  writing,
} from "../../session/unsent/unsent-messages.ts";
import { isKnown } from "../../state/narrow.ts";
import { conversationFor, isSameRecipient, type Recipient, recipientIn } from "../../state/recipient.ts";

/**
 * The compose box. Its recipient is that of the view: a change of the view changes the message in the box, synchronously. A
 * recipient that the user chooses applies until the view changes.
 */

/** What the user chooses in the box: nothing where the view is one conversation, and the topic in a channel's view. */
type Choice = "nothing" | "topic" | "recipient";

type Topic = Extract<Recipient, { kind: "topic" }>;

interface Box {
  /** The message in the box. It may not be among the unsent ones yet. */
  messageId: string;
  /** The recipient that the box was opened for. */
  recipient: Recipient;
  choice: Choice;
  /** Changes when the box shows a message to somebody else: then its fields are rendered anew. */
  version: number;
}

const box = sessionSignal<Box | undefined>(undefined);
/** Increases to make the compose field take the focus. */
const focusRequests = sessionSignal(0);
/** The ID of the message for which the user is to choose the recipient first. */
const forwarded = sessionSignal("");
/** The conversation to which the user has just sent a message; its list then goes to its end. */
const sentTo = sessionSignal<Recipient | undefined>(undefined);
const versions = perSession(() => ({ last: 0 }));

/** The message in the box. */
const message = computed((): UnsentMessage | undefined => {
  const current = box.value;
  if (!current) return undefined;
  const { messageId: id, recipient } = current;
  return writing.value.get(id) ?? { id, recipient, text: "", changedAt: 0, begunInChannel: channelOf(current) };
});

function show(written: UnsentMessage | undefined, recipient: Recipient, choice: Choice): void {
  const messageId = written?.id ?? newId();
  box.value = { messageId, recipient: written?.recipient ?? recipient, choice, version: ++versions().last };
}

const recipientOf = (view: Route, userId: number): Recipient | undefined =>
  view.kind === "narrow" ? recipientIn(view.narrow, userId) : undefined;

/** Opens the box for a view, with the message that the user has begun to write there. */
function follow(view: Route): void {
  const recipient = recipientOf(view, ownUserId.peek() ?? 0);
  if (!recipient) {
    box.value = undefined;
    return;
  }
  if (view.kind === "narrow" && view.narrow.kind === "channel") {
    const { channelId } = view.narrow;
    show(begunIn(channelId), recipient, "topic");
  } else if (!(box.peek()?.choice === "nothing" && isSameRecipient(box.peek()?.recipient ?? recipient, recipient)))
    show(findWriting(recipient), recipient, "nothing");
}

const newestFirst = () => [...writing.peek().values()].sort((a, b) => b.changedAt - a.changedAt);

const begunIn = (channelId: number): UnsentMessage | undefined =>
  newestFirst().find(({ begunInChannel, text }) => begunInChannel === channelId && text.trim() !== "");

/** A message that was begun and has no complete recipient yet. */
const withoutRecipient = (): UnsentMessage | undefined =>
  newestFirst().find(({ recipient, text }) => text.trim() !== "" && !conversationFor(recipient, currentState()));

onSession((session) => {
  session.effect(() => {
    const view = route.value;
    const isReady = account.value !== undefined && ownUserId.value !== undefined;
    untracked(() => {
      if (isReady) follow(view);
      else box.value = undefined;
    });
  });

  // Another window may send or discard the message that this one shows.
  let wasWriting: ReadonlyMap<string, UnsentMessage> = new Map();
  session.effect(() => {
    const before = wasWriting;
    wasWriting = writing.value;
    untracked(() => {
      const current = box.peek();
      const known = current && before.get(current.messageId);
      if (current && known && !wasWriting.has(current.messageId))
        box.value = { ...current, recipient: known.recipient, messageId: newId() };
    });
  });

  // A topic that moves takes along what is being written there, and the view that shows the moved messages.
  onEvents((events) => {
    for (const event of events)
      if (event.type === "update_message" && event.stream_id !== undefined && isMoveOfTopic(event.propagate_mode)) {
        const { stream_id: channelId } = event;
        const topic = String(event.orig_subject ?? "");
        const from = { kind: "topic" as const, channelId, topic };
        const to = { ...from, channelId: event.new_stream_id ?? channelId, topic: String(event.subject ?? topic) };
        batch(() => followMove(from, to, new Set(event.message_ids)));
      }
  });
});

const isMoveOfTopic = (mode: string | undefined) => mode === "change_later" || mode === "change_all";

function followMove(from: Topic, to: Topic, movedIds: ReadonlySet<number>): void {
  const view = route.peek();
  const isShown = view.kind === "narrow" && view.narrow.kind === "topic" && isSameRecipient(view.narrow, from);
  const firstId = firstOnScreen.peek();
  // Who reads messages that stay in the topic stays there, too, with the text in the box.
  const staysHere = isShown && firstId !== undefined && !movedIds.has(firstId);
  const current = box.peek();
  const isInChannel = current?.choice === "topic" && to.channelId !== from.channelId;
  readdressWriting(from, to, staysHere || isInChannel ? current?.messageId : undefined);
  if (staysHere) return;
  if (current && current.choice !== "topic" && isSameRecipient(current.recipient, from))
    box.value = { ...current, recipient: to };
  if (isShown) followTo({ kind: "narrow", narrow: to });
}

/** The channel whose view asks for the topic of the message in a box. */
const channelOf = ({ choice, recipient }: Box): number | undefined =>
  choice === "topic" && recipient.kind === "topic" ? recipient.channelId : undefined;

export const compose = {
  box,
  message,
  focusRequests,
  forwarded,
  sentTo,
  /** Opens the box for a recipient; without one, the user chooses it. In the recipient's own view that is the view's box. */
  open(recipient: Recipient = { kind: "unchosen" }): void {
    batch(() => {
      const viewRecipient = recipientOf(route.peek(), currentState().userId);
      const isOfView = viewRecipient && isSameRecipient(viewRecipient, recipient);
      if (isOfView) {
        if (!(box.peek() && box.peek()?.choice !== "recipient")) {
          box.value = undefined;
          follow(route.peek());
        }
      } else if (recipient.kind === "unchosen") show(withoutRecipient(), recipient, "recipient");
      else show(findWriting(recipient), recipient, "recipient");
      focusRequests.value++;
    });
  },
  /** Opens the box with a text for a conversation that the user chooses. */
  forward(text: string): void {
    const begun: UnsentMessage = { id: newId(), recipient: { kind: "unchosen" }, text, changedAt: Date.now() };
    batch(() => {
      putUnsent(begun);
      show(begun, begun.recipient, "recipient");
      forwarded.value = begun.id;
      focusRequests.value++;
    });
  },
  /** Goes on writing a message: in the view of its conversation, or here if it has none. */
  resume(resumed: UnsentMessage): void {
    const touched = { ...resumed, changedAt: Date.now() };
    putUnsent(touched);
    const conversation = conversationFor(touched.recipient, currentState());
    // Its channel may be gone, or its people: then the user chooses another recipient, in a view that has a box.
    if (conversation && isKnown(conversation, currentState())) goToNarrow(conversation);
    else go({ kind: "drafts" });
    const viewRecipient = recipientOf(route.peek(), currentState().userId);
    const isOfView = viewRecipient !== undefined && isSameRecipient(viewRecipient, touched.recipient);
    show(touched, touched.recipient, isOfView ? "nothing" : "recipient");
    focusRequests.value++;
  },
  /** Changes the text or the recipient of a message; each change is stored at once. */
  change(changed: UnsentMessage, changes: Partial<Pick<UnsentMessage, "text" | "recipient">>): void {
    const latest = findUnsent(changed.id) ?? changed;
    let { begunInChannel } = latest;
    const current = box.peek();
    // A file may be uploaded for a message that is no longer in the box. A text that was changed in its conversation's own view
    // belongs there, wherever it was begun.
    if (current?.messageId === changed.id)
      begunInChannel = current.choice === "nothing" ? undefined : (channelOf(current) ?? begunInChannel);
    putUnsent({ ...latest, begunInChannel, ...changes, changedAt: Date.now() });
  },
  /** Appends a text on a new line. */
  insert(text: string): void {
    const current = message.peek();
    if (!current) return;
    const separator = current.text === "" || current.text.endsWith("\n") ? "" : "\n";
    compose.change(current, { text: `${current.text}${separator}${text}` });
    focusRequests.value++;
  },
  /** Sends a message and shows its conversation; the box is empty then. Returns false if the recipient is still to be chosen. */
  send(written: UnsentMessage): boolean {
    const conversation = conversationFor(written.recipient, currentState());
    if (!conversation) return false;
    batch(() => {
      compose.empty(written);
      send({ ...written, recipient: conversation });
      sentTo.value = conversation;
      goToNarrow(conversation);
    });
    return true;
  },
  /** Replaces a message in the box by an empty one to the same recipient. */
  empty(written: UnsentMessage): void {
    const current = box.peek();
    if (current?.messageId !== written.id) return;
    const recipient: Recipient =
      current.choice === "topic" && written.recipient.kind === "topic"
        ? { ...written.recipient, topic: "" }
        : written.recipient;
    box.value = { ...current, recipient, messageId: newId() };
  },
  /** Closes the box; the message is kept. */
  close(): void {
    box.value = undefined;
  },
};
