import { list, text } from "../../base/schema/params.ts";
import { jobKind } from "../../services/jobs/queues.ts";

export const shrinkEmojiJob = jobKind("previews", "shrink-emoji", { files: list(text()) });
