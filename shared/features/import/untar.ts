import { createReadStream } from "node:fs";
import { extract as extractTar, list } from "tar";
import { Allowance, ArchiveError, EntryPaths } from "./archive-allowance.ts";

const headerBytes = 512;

/**
 * Unpacks a `.tar.gz` of `archiveBytes` into an empty folder; reads all of it before it writes anything. Returns the paths of
 * links, which it leaves out, as it does with devices.
 */
export async function untar(path: string, folder: string, archiveBytes: number, maxBytes?: number): Promise<string[]> {
  const paths = new EntryPaths();
  const links: string[] = [];
  const allowance = new Allowance(archiveBytes, maxBytes);
  // The headers state the sizes.
  const file = createReadStream(path);
  const reader = list({
    strict: true,
    onReadEntry: (entry) => {
      try {
        if (entry.path.split("/").includes("..") || entry.path.startsWith("/"))
          throw new ArchiveError(`The path ${entry.path} leads out of the archive`);
        allowance.takeEntries(1);
        allowance.take(entry.path, files.has(entry.type) ? entry.size : headerBytes);
        if (kinds.has(entry.type)) paths.add(files.has(entry.type) ? entry.path : `${entry.path}/`);
        else links.push(entry.path);
      } catch (error) {
        file.destroy(error as Error);
      }
    },
  });
  await new Promise<void>((resolve, reject) => {
    file.on("error", reject);
    reader.on("error", reject);
    reader.on("end", resolve);
    file.pipe(reader);
  });
  paths.check();
  await extractTar({
    ...{ file: path, cwd: folder, strict: true },
    filter: (_, entry) => "type" in entry && kinds.has(entry.type),
  });
  return links;
}

const files = new Set(["File", "OldFile", "ContiguousFile"]);
const kinds = new Set([...files, "Directory", "GNUDumpDir"]);
