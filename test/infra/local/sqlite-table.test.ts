import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { SqliteTable } from "../../../infra/local/table/sqlite-table.ts";
import type { Item, TableWrite } from "../../../shared/table/port.ts";

/** What the comparison with DynamoDB's emulation cannot show: units, pages, repeated transactions, and what outlasts a process. */

let folder: string;
let file: string;
let table: SqliteTable;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "skein-table-"));
  file = join(folder, "table.db");
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
  const module = new URL("../../../infra/local/table/sqlite-table.ts", import.meta.url).href;
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
