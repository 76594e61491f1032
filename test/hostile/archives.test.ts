import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, expect, test } from "vitest";
import { ArchiveError, openArchive } from "../../shared/features/import/archive.ts";
import { Allowance } from "../../shared/features/import/archive-allowance.ts";
import { aZip } from "../infra/import/zip.ts";
import { withCpuTime } from "../support/cpu-time.ts";

/** Archives with more entries than any export are refused before they are unpacked; others take time that is linear in them. */

const made: string[] = [];
afterAll(() => {
  for (const path of made) rmSync(dirname(path), { recursive: true });
});
const kept = (path: string) => {
  made.push(path);
  return path;
};

const named = (count: number, name: (nth: number) => string, content = "") =>
  Array.from({ length: count }, (_, nth) => ({ name: name(nth), content: Buffer.from(content) }));

/** A zip whose directory names its one file `count` times, which is a 64-bit one beyond 65,535 entries. */
function manyEntries(count: number): string {
  const name = "a";
  const entry = Buffer.alloc(46 + name.length);
  entry.write("PK\x01\x02", "latin1");
  entry.writeUInt16LE(20, 4);
  entry.writeUInt16LE(name.length, 28);
  entry.write(name, 46);
  const directory = Buffer.alloc(entry.length * count, entry);
  const end64 = Buffer.alloc(56);
  end64.write("PK\x06\x06", "latin1");
  end64.writeBigUInt64LE(44n, 4);
  for (const at of [24, 32]) end64.writeBigUInt64LE(BigInt(count), at);
  end64.writeBigUInt64LE(BigInt(directory.length), 40);
  const locator = Buffer.alloc(20);
  locator.write("PK\x06\x07", "latin1");
  locator.writeBigUInt64LE(BigInt(directory.length), 8);
  locator.writeUInt32LE(1, 16);
  const end = Buffer.alloc(22, 0xff);
  end.write("PK\x05\x06", "latin1");
  end.fill(0, 4, 8);
  end.fill(0, 20);
  const path = join(mkdtempSync(join(tmpdir(), "skein-zip-")), "archive.zip");
  writeFileSync(path, Buffer.concat([directory, end64, locator, end]));
  return path;
}

/** A tar.gz of files by hand (POSIX.1-1988). */
function aTarOf(entries: { name: string; content: Buffer }[]): string {
  const blocks = entries.flatMap(({ name, content }) => {
    const header = Buffer.alloc(512);
    header.write(name);
    header.write("0000644\0", 100);
    header.write(`${content.length.toString(8).padStart(11, "0")}\0`, 124);
    header.write("00000000000\0", 136);
    header.write("        0", 148);
    header.write("ustar\x0000", 257, "latin1");
    const sum = header.reduce((total, byte) => total + byte, 0);
    header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
    return [header, content, Buffer.alloc((512 - (content.length % 512)) % 512)];
  });
  const path = join(mkdtempSync(join(tmpdir(), "skein-tar-")), "archive.tar.gz");
  writeFileSync(path, gzipSync(Buffer.concat([...blocks, Buffer.alloc(1024)])));
  return path;
}

test.each([
  ["a zip of 30,000 empty files", () => aZip(named(30_000, (nth) => `general/${nth}.json`)), "1,000 empty files"],
  ["a zip of 30,000 empty files in folders", () => aZip(named(30_000, (nth) => `${nth}/a.json`)), "1,000 empty files"],
  ["a tar.gz of 30,000 empty files", () => aTarOf(named(30_000, (nth) => `general/${nth}.json`)), "1,000 empty files"],
  ["a zip of a million entries of one name", () => manyEntries(1_000_000), "exists twice"],
  ["a zip of more entries", () => manyEntries(1_000_001), "more than 1,000,000 entries"],
  [
    "a zip of deep folders",
    () => aZip(named(100, (nth) => `${nth}/${"b/".repeat(400)}c`, "[]")),
    "more than 16 folders",
  ],
  ["a zip of a long name", () => aZip(named(1, () => "n".repeat(65_000), "[]")), "more than 1,024 bytes"],
])("%s is refused at once", async (_, make, problem) => {
  const path = kept(make());

  const { result, cpuMs } = await withCpuTime(() => openArchive(path).catch((error: unknown) => error));

  expect(result).toBeInstanceOf(ArchiveError);
  expect((result as ArchiveError).message).toContain(problem);
  expect(cpuMs).toBeLessThan(2000);
});

test("the names of an archive's files have a limit together", () => {
  const allowance = new Allowance(1);
  const name = `${"n".repeat(900)}/a`;

  expect(() => {
    for (let nth = 0; nth < 1_000_000; nth++) allowance.take(name, 1);
  }).toThrow("The names of the archive's files have more than 128 MB");
});

test.each([
  ["a zip", aZip],
  ["a tar.gz", aTarOf],
])("%s of small files is unpacked in linear time", async (_, make) => {
  const cpuMsOf = async (count: number) => {
    const path = kept(make(named(count, (nth) => `channel ${nth % 50}/${nth}.json`, "[]")));
    const { result, cpuMs } = await withCpuTime(() => openArchive(path));
    result.close();
    return cpuMs;
  };
  await cpuMsOf(500);

  const [few, many] = [await cpuMsOf(1000), await cpuMsOf(4000)];

  expect(many).toBeLessThan(8 * Math.max(few, 100));
});
