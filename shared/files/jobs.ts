import { oneOf, text } from "../http/params.ts";
import { jobKind } from "../jobs/queues.ts";
import { pictureKinds } from "../pictures/kinds.ts";

/** Makes a picture smaller that was uploaded for messages. */
export const makePreviews = jobKind("previews", "previews", { path_id: text() });

/** Makes a picture smaller that is a person's or the organization's. */
export const makeSizes = jobKind("previews", "picture-sizes", { picture: text(), kind: oneOf(pictureKinds) });
