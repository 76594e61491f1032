import { list, literal, strictObject, text, type Value } from "../schema/params.ts";

/** Sent to their owner after a change: the complete list of alert words. */
export const alertWordsEvent = strictObject({ type: literal("alert_words"), alert_words: list(text()) });
export type AlertWordsEvent = Value<typeof alertWordsEvent>;

declare module "../schema/event-types.ts" {
  interface LogEvents {
    alertWords: AlertWordsEvent;
  }
  interface ClientEvents {
    alertWords: AlertWordsEvent;
  }
}
