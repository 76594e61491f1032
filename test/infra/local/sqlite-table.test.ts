import { spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, existsSync, mkdtempSync, rmSync, statSync, truncateSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { marshall } from "@aws-sdk/util-dynamodb";
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { toDynamoDbJson } from "../../../infra/backup/dynamodb-json.ts";
import { openTable } from "../../../infra/local/sqlite/open-table.ts";
import { isThrottled, isUnavailable } from "../../../shared/base/aws/unavailable.ts";
import type { Item, TableWrite } from "../../../shared/base/table-port/port.ts";
import { writeError } from "../../../shared/base/table-port/sqlite/refusals.ts";
import { SqliteTable } from "../../../shared/base/table-port/sqlite/sqlite-table.ts";

/** What the comparison with DynamoDB's emulation cannot show: units, pages, repeated transactions, and what outlasts a process. */

let folder: string;
let file: string;
let table: SqliteTable;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "skein-table-"));
  file = join(folder, "own.sqlite");
  table = new SqliteTable(file);
});
afterEach(async () => {
  await table.close();
  rmSync(folder, { recursive: true });
});

const put = (item: Item): TableWrite => ({ kind: "put", item });
const transact = (writes: readonly TableWrite[], token = String(Math.random())) => table.transact({ writes, token });
const write = (...puts: Item[]) => table.batchWrite({ puts, deletes: [] });
const kilobytes = (count: number) => "x".repeat(count * 1024 - 100);

test("lists that are read at once leave turns to others", async () => {
  const keys = Array.from({ length: 100 }, (_, n) => ({ pk: "a", sk: String(n) }));
  for (const key of keys) await write({ ...key, text: kilobytes(20) });
  let turns = 0;
  let isOver = false;
  const others = (async () => {
    for (; !isOver; turns++) await new Promise(setImmediate);
  })();

  const batches = Array.from({ length: 20 }, () => table.batchGet({ keys, consistent: true }));
  const pages = Array.from({ length: 20 }, () => table.query({ pk: "a", consistent: true }));
  const replies = await Promise.all([...batches, ...pages]);
  isOver = true;
  await others;

  for (const { items } of replies) expect(items.length).toBeGreaterThan(40);
  expect(turns).toBeGreaterThan(5);
});

describe("units", () => {
  test("of a write are one for each KB of the larger state, twice in a transaction", async () => {
    const item = { pk: "a", sk: "a", text: kilobytes(3) };

    expect((await write(item)).units).toBe(3);
    expect((await transact([put(item)])).units).toBe(6);
    const shrink = { key: item, update: { set: { text: "" } }, returns: "new" } as const;
    expect((await table.update(shrink)).units).toBe(3);
    expect((await table.update(shrink)).units).toBe(1);
    expect((await table.delete({ key: { pk: "a", sk: "absent" } })).units).toBe(1);
  });

  test("of indexes are counted when their entry changes, and twice when it moves", async () => {
    const item = { pk: "a", sk: "a", gsi1pk: "i", gsi1sk: "1", gsi3pk: "i", gsi3sk: "1", text: kilobytes(2) };

    expect((await write(item)).units).toBe(2 + 2 + 1);
    // The index of keys has nothing of the text.
    expect((await write({ ...item, text: kilobytes(1) })).units).toBe(2 + 2);
    expect((await write({ ...item, text: kilobytes(1) })).units).toBe(1);
    expect((await write({ ...item, text: kilobytes(1), gsi3sk: "2" })).units).toBe(1 + 1 + 2);
    expect((await table.delete({ key: item })).units).toBe(1 + 1 + 1);
  });

  test("of a read are one for each 4 KB, of single items or of a whole page, and half if it need not be consistent", async () => {
    const items = ["1", "2", "3"].map((sk) => ({ pk: "a", sk, text: kilobytes(3) }));
    await write(...items);

    expect((await table.get({ key: { pk: "a", sk: "1" }, consistent: true })).units).toBe(1);
    expect((await table.get({ key: { pk: "a", sk: "absent" }, consistent: false })).units).toBe(0.5);
    expect((await table.batchGet({ keys: items, consistent: false })).units).toBe(1.5);
    expect((await table.query({ pk: "a", consistent: true })).units).toBe(3);
    expect((await table.query({ pk: "a", consistent: false, limit: 1 })).units).toBe(0.5);
  });
});

test("a page ends before 1 MB, and the next one goes on", async () => {
  const items = Array.from({ length: 9 }, (_, sk) => ({ pk: "a", sk: String(sk), text: kilobytes(150) }));
  await write(...items);

  const first = await table.query({ pk: "a", consistent: true });
  const second = await table.query({ pk: "a", consistent: true, start: first.next });

  expect(first.items).toEqual(items.slice(0, 6));
  expect(first.next).toEqual({ pk: "a", sk: "5" });
  expect(second).toMatchObject({ items: items.slice(6), next: undefined });
});

test("a transaction that is repeated with its token is made once", async () => {
  const add = { kind: "update", key: { pk: "a", sk: "a" }, update: { add: { n: 1 } } } as const;

  for (const token of ["one", "one", "two"]) await transact([add], token);

  expect((await table.get({ key: add.key, consistent: true })).item).toEqual({ ...add.key, n: 2 });
});

test("transactions that wait at the same time share a sync of the disk and lose no update", async () => {
  const add = { kind: "update", key: { pk: "a", sk: "a" }, update: { add: { n: 1 } } } as const;

  await Promise.all(Array.from({ length: 300 }, () => transact([add])));

  expect((await table.get({ key: add.key, consistent: true })).item?.n).toBe(300);
});

test("transactions of two writes to one item, of more than 100, and of more than 4 MB are refused as a whole", async () => {
  const large = Array.from({ length: 11 }, (_, sk) => put({ pk: "a", sk: String(sk), text: kilobytes(390) }));
  const many = Array.from({ length: 101 }, (_, sk) => put({ pk: "a", sk: String(sk) }));

  for (const writes of [[put({ pk: "a", sk: "a" }), put({ pk: "a", sk: "a" })], large, many])
    await expect(transact(writes)).rejects.toMatchObject({ name: "ValidationException" });

  expect([...table.pages()]).toEqual([]);
});

test("items whose time to live has passed are deleted from the table and its indexes", async () => {
  const index = { gsi1pk: "i", gsi1sk: "1" };
  await write(
    { pk: "a", sk: "old", expiresAt: 10, ...index },
    { pk: "a", sk: "new", expiresAt: 20 },
    { pk: "a", sk: "kept" },
  );

  expect(await table.deleteExpired(100, 15)).toBe(1);

  expect([...table.pages()].flat().map(({ sk }) => sk)).toEqual(["kept", "new"]);
  expect((await table.query({ pk: "i", index: "gsi1", consistent: false })).items).toEqual([]);
});

test("a file of another layout is refused and stays as it is", () => {
  const other = join(folder, "other.db");
  const database = new DatabaseSync(other);
  database.exec("CREATE TABLE skein (pk TEXT)");
  database.close();

  expect(() => new SqliteTable(other)).toThrow("another version of Skein");

  const kept = new DatabaseSync(other);
  expect(kept.prepare("SELECT name FROM sqlite_schema").all()).toEqual([{ name: "skein" }]);
  kept.close();
});

const writer = `
const { SqliteTable } = await import(process.argv[1]);
const table = new SqliteTable(process.argv[2]);
for (let n = 1; ; n++) {
  const writes = ["a", "b"].map((sk) => ({ kind: "update", key: { pk: "P", sk }, update: { set: { n } } }));
  await table.transact({ writes, token: String(n) });
  process.stdout.write(n + "\\n");
}`;

test("another process sees every write at once, and a kill loses none that was acknowledged and leaves none half made", async () => {
  const module = new URL("../../../shared/base/table-port/sqlite/sqlite-table.ts", import.meta.url).href;
  for (let run = 0; run < 3; run++) {
    const args = ["--disable-warning=ExperimentalWarning", "--input-type=module", "-e", writer, module, file];
    const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
    onTestFinished(() => void child.kill("SIGKILL"));
    let output = "";
    child.stdout.setEncoding("utf8").on("data", (text) => {
      output += text;
    });
    const acknowledged = () => Number(output.slice(0, output.lastIndexOf("\n")).split("\n").at(-1));
    await expect.poll(acknowledged).toBeGreaterThan(20);
    const known = acknowledged();
    const { items } = await table.query({ pk: "P", consistent: true });
    expect(items[0]?.n).toBeGreaterThanOrEqual(known);

    child.kill("SIGKILL");
    await once(child, "close");

    const [a, b] = (await table.query({ pk: "P", consistent: true })).items;
    expect(a?.n).toBe(b?.n);
    expect(a?.n).toBeGreaterThanOrEqual(acknowledged());
  }
});

test("a log that has lost its end is refused, wherever it was cut, and one that is whole has every acknowledged write", async () => {
  const killed = join(folder, "killed.sqlite");
  const module = new URL("../../../shared/base/table-port/sqlite/sqlite-table.ts", import.meta.url).href;
  const args = ["--disable-warning=ExperimentalWarning", "--input-type=module", "-e", writer, module, killed];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text) => {
    output += text;
  });
  await expect.poll(() => output.split("\n").length).toBeGreaterThan(30);
  child.kill("SIGKILL");
  await once(child, "close");
  const acknowledged = Number(output.slice(0, output.lastIndexOf("\n")).split("\n").at(-1));
  const openedWith = async (logBytes: number) => {
    const copy = join(mkdtempSync(join(folder, "copy-")), "table.sqlite");
    for (const suffix of ["", "-wal", "-mark"]) copyFileSync(killed + suffix, copy + suffix);
    truncateSync(`${copy}-wal`, logBytes);
    const opened = new SqliteTable(copy);
    const { item } = await opened.get({ key: { pk: "P", sk: "b" }, consistent: true });
    await opened.close();
    return Number(item?.n);
  };

  const { size } = statSync(`${killed}-wal`);
  expect(await openedWith(size)).toBeGreaterThanOrEqual(acknowledged);
  for (const bytes of [0, 20, 32, 4000, Math.floor(size / 2), size - 4120 * 8])
    await expect(openedWith(bytes), `${bytes} of ${size} bytes`).rejects.toThrow("the end of ");
});

const filler = `
const { SqliteTable } = await import(process.argv[1]);
const table = new SqliteTable(process.argv[2]);
let count = 0;
try {
  for (; ; count++) await table.batchWrite({ puts: [{ pk: "P", sk: String(count), text: "x".repeat(10_000) }], deletes: [] });
} catch ({ name, message }) {
  const { items } = await table.query({ pk: "P", limit: 1, consistent: true });
  console.log(JSON.stringify({ count, name, message, readable: items.length }));
  process.exit(0);
}`;

test("when no more can be written, a write is refused as one that may be repeated, what was acknowledged stays, and reads go on", async () => {
  const module = new URL("../../../shared/base/table-port/sqlite/sqlite-table.ts", import.meta.url).href;
  const node = [process.execPath, "--disable-warning=ExperimentalWarning", "--input-type=module", "-e", filler];
  // The limit of a file's size, in blocks of 512 bytes, stands for the end of the disk.
  const child = spawn("sh", ["-c", 'ulimit -f 1000; exec "$@"', "sh", ...node, module, file], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [output] = (await once(child.stdout.setEncoding("utf8"), "data")) as [string];

  const { count, name, message, readable } = JSON.parse(output);
  expect([name, readable]).toEqual(["InternalServerError", 1]);
  expect(message).toContain("The table cannot be written");
  expect(isUnavailable({ name })).toBe(true);
  expect(count).toBeGreaterThan(0);
  const stored = [...table.pages()].flat().length;
  expect(stored).toBeGreaterThanOrEqual(count);
  expect(stored).toBeLessThanOrEqual(count + 1);
});

test("a write that meets another process's for too long is refused as throttled", () => {
  expect(isThrottled(writeError(Object.assign(new Error("database is locked"), { errcode: 5 })))).toBe(true);
});

test("the table of version 0.1.0 is copied, with sets, bytes and all kinds of values, and the former file stays", async () => {
  const items = [
    { pk: "a", sk: "1", text: "é…🎉", number: 1.5, set: new Set(["x"]), numbers: new Set([1, 2]), B: "no bytes" },
    { pk: "a", sk: "2", bytes: new Uint8Array([0, 255]), map: { B: { S: "x" }, list: [null, true] }, expiresAt: 10 },
    ...Array.from({ length: 60 }, (_, n) => ({ pk: "b", sk: String(100 + n), gsi1pk: "i", gsi1sk: String(n) })),
    // Names were compared by their lower case alone.
    { pk: "CHANNELNAME#cafe\u0301", sk: "CLAIM", channelId: 1 },
    { pk: "GROUPNAME#\ufb01", sk: "CLAIM", groupId: 2 },
    { pk: "GROUPNAME#fi", sk: "CLAIM", groupId: 3 },
    { pk: "USERS", sk: "000000000000007", id: 7, fullName: "Weiß", gsi1pk: "FULLNAME#weiß", gsi1sk: "000000000000007" },
  ];
  const formerFile = join(folder, "table.db");
  const former = new DatabaseSync(formerFile);
  former.exec("CREATE TABLE skein (pk TEXT, sk TEXT, item_json TEXT, item_size INTEGER, PRIMARY KEY (pk, sk))");
  for (const item of items)
    former
      .prepare("INSERT INTO skein VALUES (?, ?, ?, 0)")
      .run(`S:${item.pk}`, `S:${item.sk}`, toDynamoDbJson(marshall(item)));
  former.close();

  const { table: converted, close } = await openTable(folder);

  expect((await converted.query({ pk: "a", consistent: true })).items).toEqual(items.slice(0, 2));
  expect((await converted.query({ pk: "i", index: "gsi1", consistent: false })).items).toHaveLength(60);
  const claims = ["CHANNELNAME#caf\u00e9", "GROUPNAME#\ufb01", "GROUPNAME#fi"].map(async (pk) => {
    const { items: found } = await converted.query({ pk, consistent: true });
    return found[0]?.channelId ?? found[0]?.groupId;
  });
  expect(await Promise.all(claims)).toEqual([1, 2, 3]);
  expect((await converted.query({ pk: "FULLNAME#weiss", index: "gsi1", consistent: false })).items).toMatchObject([
    { id: 7 },
  ]);
  await close();
  expect(existsSync(formerFile)).toBe(true);
});
