import { jobKind } from "../jobs/queues.ts";
import { oneOf, text } from "../schema/params.ts";
import { pictureKinds } from "./kinds.ts";

/** Makes a picture smaller that is a person's or the organization's. */
export const makeSizes = jobKind("previews", "picture-sizes", { picture: text(), kind: oneOf(pictureKinds) });
