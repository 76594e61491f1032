import { sessionSignal } from "../session/session.ts";

/** What the open dialog moves: a message of a topic, alone or with all others of it. */
interface Moved {
  messageId: number;
  from: { channelId: number; topic: string };
  isWholeTopic: boolean;
}

/** Set while the dialog that moves messages is open. It is the page's, so that it outlives the row from which it was opened. */
export const openMove = sessionSignal<Moved | undefined>(undefined);
export const closeMove = () => {
  openMove.value = undefined;
};
