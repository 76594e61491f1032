import { gunzipSync } from "node:zlib";

/** The files of a .tar.gz by their paths, as any other program reads it. */
export function filesIn(archive: Buffer): Map<string, Buffer> {
  const tar = gunzipSync(archive);
  const files = new Map<string, Buffer>();
  let longPath: string | undefined;
  for (let at = 0; at < tar.length; ) {
    const text = (place: number, length: number) =>
      tar.toString("latin1", at + place, at + place + length).replace(/\0.*$/s, "");
    if (text(0, 100) === "") break;
    const head = Buffer.from(tar.subarray(at, at + 512));
    head.fill(" ", 148, 156);
    const sum = head.reduce((total, byte) => total + byte, 0);
    if (sum !== Number.parseInt(text(148, 8), 8)) throw new Error(`The header at ${at} is damaged`);
    const size = Number.parseInt(text(124, 12), 8);
    const content = tar.subarray(at + 512, at + 512 + size);
    if (content.length < size) throw new Error("The archive is cut off");
    if (text(156, 1) === "x") longPath = /^\d+ path=(.*)\n$/s.exec(content.toString())?.[1];
    else {
      files.set(longPath ?? text(0, 100), content);
      longPath = undefined;
    }
    at += 512 + Math.ceil(size / 512) * 512;
  }
  return files;
}
