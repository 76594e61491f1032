import { list, literal, strictObject, text, type Value } from "../../base/schema/params.ts";

/** Sent to their owner after a change: the complete list of alert words. */
export const alertWordsEvent = strictObject({ type: literal("alert_words"), alert_words: list(text()) });

declare module "../../base/schema/event-types.ts" {
  interface EventsSentAsLogged {
    alert_words: Value<typeof alertWordsEvent>;
  }
}
