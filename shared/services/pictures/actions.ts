import { randomBytes } from "node:crypto";
import { secondsPerDay } from "../../base/time.ts";
import { cancelRemoval, createRemoval } from "../../store/organization/file-removals.ts";
import type { FollowUp } from "../../store/table/follow-ups.ts";
import { transact } from "../../store/table/transactions.ts";
import { type Write, withRefusal } from "../../store/table/writes.ts";
import { putFile } from "../blobs/bucket.ts";
import { outboxJob } from "../jobs/outbox.ts";
import { resizePictureJob } from "./jobs.ts";
import type { PictureKind } from "./kinds.ts";
import { pictureFileKey, pictureSizeKeys } from "./urls.ts";

/** How long after it was stored a picture is removed if nothing uses it. */
const unusedPictureMs = 3_600_000;
/** How long a replaced picture is kept for clients that still have its URL. */
const retiredPictureMs = secondsPerDay * 1000;

export interface StoredPicture {
  name: string;
  /** Must be part of the change that starts using the picture, and makes the picture's sizes. */
  claim: { writes: Write[]; followUps: FollowUp[] };
}

/** Stores a picture, and schedules its removal in case it is not used. */
export async function storePicture(
  kind: PictureKind,
  content: Uint8Array,
  contentType: string,
): Promise<StoredPicture> {
  const name = randomBytes(20).toString("hex");
  const removal = { file: pictureFileKey(name), dueAt: Date.now() + unusedPictureMs };
  await transact([createRemoval(removal)]);
  await putFile(removal.file, content, contentType);
  const writes = [withRefusal(cancelRemoval(removal), removedMeanwhile)];
  return { name, claim: { writes, followUps: [outboxJob(resizePictureJob, { picture: name, kind })] } };
}

const removedMeanwhile = () => new Error("The stored picture was removed before it was used");

/** Schedules the removal of a picture. Must be part of the transaction that stops using it. */
export const scheduleRemoval = (name: string | undefined): Write[] =>
  name === undefined
    ? []
    : [
        createRemoval({
          file: pictureFileKey(name),
          others: pictureSizeKeys(name),
          dueAt: Date.now() + retiredPictureMs,
        }),
      ];
