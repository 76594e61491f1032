import { jobKind } from "../jobs/queues.ts";
import { list, text } from "../schema/params.ts";

/** Shrinks the images of an emoji, by their file names. */
export const shrinkEmojiJob = jobKind("previews", "shrink-emoji", { files: list(text()) });
