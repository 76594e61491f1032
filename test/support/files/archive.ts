import { gunzipSync } from "node:zlib";
import { Parser } from "tar/parse";

/** The files of a .tar.gz by their paths; fails for an archive that is damaged or cut off. */
export function filesIn(archive: Buffer): Map<string, Buffer> {
  const files = new Map<string, Buffer>();
  const parser = new Parser({
    strict: true,
    onReadEntry: (entry) => {
      const chunks: Buffer[] = [];
      entry.on("data", (chunk) => chunks.push(chunk));
      entry.on("end", () => files.set(entry.path, Buffer.concat(chunks)));
    },
  });
  let ended = false;
  parser.on("end", () => {
    ended = true;
  });
  parser.end(gunzipSync(archive));
  if (!ended) throw new Error("The archive is not parsed at once");
  return files;
}
