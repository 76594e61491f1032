import { oneOf, optional, text } from "../http/params.ts";
import { jobKind } from "../jobs/queues.ts";
import { pictureKinds } from "../pictures/kinds.ts";

/** Makes a picture smaller: one that was uploaded for messages, by its path, or one of a person's or the organization's. */
export const makePreviews = jobKind("previews", {
  path_id: optional(text()),
  picture: optional(text()),
  kind: optional(oneOf(pictureKinds)),
});
