import {
  CopyObjectCommand,
  type DeleteMarkerEntry,
  ListObjectVersionsCommand,
  type ListObjectVersionsCommandOutput,
  type ObjectVersion,
  type S3Client,
} from "@aws-sdk/client-s3";
import type { ReportProgress } from "../../shared/base/progress.ts";

/** A version of a file, or the marker of its deletion. */
type Entry = (ObjectVersion | DeleteMarkerEntry) & { isDeletion: boolean };

/**
 * Makes current again, in a bucket with versions, each file that was deleted or replaced since `at`; returns how many. Files that
 * are newer than `at` stay: nothing in a restored table refers to them.
 */
export async function restoreFiles(
  client: S3Client,
  Bucket: string,
  at: Date,
  report: ReportProgress = () => {},
): Promise<number> {
  let restored = 0;
  for await (const [current, former] of changedSince(client, Bucket, at)) {
    if (former.isDeletion || current.VersionId === former.VersionId) continue;
    const source = former.Key?.split("/").map(encodeURIComponent).join("/");
    const CopySource = `${Bucket}/${source}?versionId=${former.VersionId}`;
    await client.send(new CopyObjectCommand({ Bucket, Key: former.Key, CopySource }));
    restored++;
    report(restored);
  }
  return restored;
}

/** For each file that existed at `at`: its newest entry, and the one that was the newest at that time. */
async function* changedSince(client: S3Client, Bucket: string, at: Date): AsyncGenerator<[Entry, Entry]> {
  let file: Entry[] = [];
  for await (const entry of entriesIn(client, Bucket)) {
    if (file[0] && file[0].Key !== entry.Key) {
      yield* pairOf(file, at);
      file = [];
    }
    file.push(entry);
  }
  yield* pairOf(file, at);
}

/** All entries of a bucket. Those of one file follow one another, also across the pages of S3's reply. */
async function* entriesIn(client: S3Client, Bucket: string): AsyncGenerator<Entry> {
  let position: { KeyMarker?: string | undefined; VersionIdMarker?: string | undefined } | undefined = {};
  while (position) {
    const page: ListObjectVersionsCommandOutput = await client.send(
      new ListObjectVersionsCommand({ Bucket, ...position }),
    );
    const entries: Entry[] = [
      ...(page.Versions ?? []).map((version) => ({ ...version, isDeletion: false })),
      ...(page.DeleteMarkers ?? []).map((marker) => ({ ...marker, isDeletion: true })),
    ];
    // S3 lists versions and markers apart, each in the order of names.
    yield* entries.sort(({ Key: a = "" }, { Key: b = "" }) => (a < b ? -1 : a > b ? 1 : 0));
    position = page.IsTruncated
      ? { KeyMarker: page.NextKeyMarker, VersionIdMarker: page.NextVersionIdMarker }
      : undefined;
  }
}

function* pairOf(file: readonly Entry[], at: Date): Generator<[Entry, Entry]> {
  const current = file.find(({ IsLatest }) => IsLatest);
  const former = file
    .filter(({ LastModified }) => LastModified !== undefined && LastModified <= at)
    .sort((a, b) => Number(b.LastModified) - Number(a.LastModified))[0];
  if (current && former) yield [current, former];
}
