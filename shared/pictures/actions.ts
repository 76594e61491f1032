import { randomBytes } from "node:crypto";
import { putFile } from "../blobs/bucket.ts";
import { outboxJob } from "../jobs/outbox.ts";
import { cancelRemoval, createRemoval } from "../store/organization/file-removals.ts";
import { transact } from "../store/table/transactions.ts";
import type { Write } from "../store/table/writes.ts";
import { makeSizes } from "./jobs.ts";
import type { PictureKind } from "./kinds.ts";
import { pictureFileKey, pictureSizeKeys } from "./urls.ts";

/** Milliseconds after which a picture that was stored and not taken into use is removed. */
const unusedPictureMs = 3_600_000;
/** Milliseconds for which a former picture stays, for those who have its address. */
const retiredPictureMs = 86_400_000;

export interface StoredPicture {
  name: string;
  /** Belong into the transaction that takes the picture into use. */
  keepWrites: Write[];
  /** Has its sizes made, once that transaction holds. Never throws. */
  scale(): Promise<void>;
}

/** Stores a picture, with a note to remove it unless it is taken into use. */
export async function storePicture(
  kind: PictureKind,
  content: Uint8Array,
  contentType: string,
): Promise<StoredPicture> {
  const name = randomBytes(20).toString("hex");
  const removal = { file: pictureFileKey(name), dueAt: Date.now() + unusedPictureMs };
  await transact([createRemoval(removal)]);
  await putFile(removal.file, content, contentType);
  const job = outboxJob(makeSizes, { picture: name, kind });
  return { name, keepWrites: [cancelRemoval(removal), job.write], scale: job.send };
}

/** Has a picture that is out of use removed a day later; belongs into the transaction that takes it out of use. */
export const retirePicture = (name: string | undefined): Write[] =>
  name === undefined
    ? []
    : [
        createRemoval({
          file: pictureFileKey(name),
          others: pictureSizeKeys(name),
          dueAt: Date.now() + retiredPictureMs,
        }),
      ];
