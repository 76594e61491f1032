import { list, literal, strictObject, text } from "../../base/schema/params.ts";

/** Sent to their owner after a change: the complete list of alert words. */
export const alertWordsEvent = strictObject({ type: literal("alert_words"), alert_words: list(text()) });
