import { oneOf, text } from "../../base/schema/params.ts";
import { jobKind } from "../jobs/queues.ts";
import { pictureKinds } from "./kinds.ts";

/** Makes the sizes of a user's or the organization's picture. */
export const resizePictureJob = jobKind("previews", "resize-picture", { picture: text(), kind: oneOf(pictureKinds) });
