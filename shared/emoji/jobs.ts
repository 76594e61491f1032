import { jobKind } from "../jobs/queues.ts";
import { list, text } from "../schema/params.ts";

export const shrinkEmojiJob = jobKind("previews", "shrink-emoji", { files: list(text()) });
