import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { isRunning } from "../../base/is-running.ts";

/** A temporary folder of this process for what an archive has, which are private messages in plain text. */
interface OwnFolder {
  path: string;
  remove(): void;
}

/** A folder's name tells which process has made it, on this machine or in this container. */
const ownPrefix = `skein-import-${createHash("sha256").update(hostname()).digest("hex").slice(0, 8)}-`;

/** Those of this process: one of a former process may have the same number, as in a container that is started again. */
const open = new Set<string>();

/** Makes a folder that is removed at the latest when this process exits; after a kill, when another process makes one. */
export function makeOwnFolder(): OwnFolder {
  removeLeftovers();
  const path = mkdtempSync(join(tmpdir(), `${ownPrefix}${process.pid}-`));
  open.add(path);
  const remove = () => {
    open.delete(path);
    rmSync(path, { recursive: true, force: true });
    process.off("exit", remove);
  };
  process.on("exit", remove);
  return { path, remove };
}

/** Removes what processes of this machine have left that were killed. */
export function removeLeftovers(): void {
  for (const name of readdirSync(tmpdir())) {
    const [pid] = name.startsWith(ownPrefix) ? name.slice(ownPrefix.length).split("-") : [];
    const path = join(tmpdir(), name);
    const isLeft = Number(pid) === process.pid ? !open.has(path) : pid !== undefined && !isRunning(Number(pid));
    if (isLeft) rmSync(path, { recursive: true, force: true });
  }
}
