import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { marshall } from "@aws-sdk/util-dynamodb";
import type { Item } from "../../../shared/store/table/writes.ts";
import type { PrivateHost } from "../hosts/private-host.ts";

/**
 * Writes items directly into the database file of a local host's engine. Through the engine, which syncs each batch to disk,
 * a hundred thousand messages take six minutes. The engine's version is pinned, and the layout is compared with rows that
 * the engine has written.
 */
export class EngineFile {
  private readonly file: DatabaseSync;
  private readonly table: string;

  constructor(dataFolder: string, table: string) {
    this.file = new DatabaseSync(join(dataFolder, "table.db"), { timeout: 10_000 });
    this.table = table;
    this.checkLayout();
  }

  put(items: readonly Item[]): void {
    const base = this.file.prepare(`INSERT INTO "${this.table}" (pk, sk, item_json, item_size) VALUES (?, ?, ?, ?)`);
    const indexes = (["gsi1", "gsi2", "gsi3"] as const).map((index) => ({ index, insert: this.insertInto(index) }));
    this.file.exec("BEGIN IMMEDIATE");
    for (const item of items) {
      const { pk, sk } = item;
      const json = JSON.stringify(marshall(item, { removeUndefinedValues: true }), bytesAsBase64);
      const wire = JSON.parse(json);
      base.run(key(pk), key(sk), json, sizeOf(wire));
      for (const { index, insert } of indexes) {
        const [indexPk, indexSk] = [item[`${index}pk`], item[`${index}sk`]];
        if (typeof indexPk !== "string" || typeof indexSk !== "string") continue;
        const keys = { pk, sk, [`${index}pk`]: indexPk, [`${index}sk`]: indexSk };
        const projected = index === "gsi3" ? JSON.stringify(marshall(keys)) : json;
        insert.run(key(indexPk), key(indexSk), key(pk), key(sk), projected);
      }
    }
    this.file.exec("COMMIT");
  }

  close(): void {
    this.file.close();
  }

  private insertInto = (index: string) =>
    this.file.prepare(
      `INSERT INTO "${this.table}::gsi::${index}" (gsi_pk, gsi_sk, table_pk, table_sk, item_json) VALUES (?, ?, ?, ?, ?)`,
    );

  /** Throws unless rows of the engine have the layout that `put` writes. */
  private checkLayout(): void {
    const rows = this.file.prepare(`SELECT pk, sk, item_json, item_size FROM "${this.table}" LIMIT 50`).all();
    for (const { pk, sk, item_json, item_size } of rows) {
      const wire = JSON.parse(String(item_json));
      if (pk !== key(wire.pk.S) || sk !== key(wire.sk.S) || item_size !== sizeOf(wire))
        throw new Error(`The engine keeps ${pk} in another form: ${item_size}, ${sizeOf(wire)} B: ${item_json}`);
    }
  }
}

/** Writes items into the table of a private host. */
export function seedTable({ dataFolder, environment }: PrivateHost, items: readonly Item[]): void {
  const file = new EngineFile(dataFolder, environment.TABLE_NAME ?? "");
  file.put(items);
  file.close();
}

const key = (value: string) => `S:${value}`;

/** A JSON replacer for bytes. It reads the original from `this`, since `value` is already the result of Buffer.toJSON. */
function bytesAsBase64(this: any, name: string, value: unknown): unknown {
  const original = this[name];
  return original instanceof Uint8Array ? Buffer.from(original).toString("base64") : value;
}

/** An item or a value in DynamoDB's JSON, where each value has a type: `{ "N": "1" }`. */
type Wire = Record<string, any>;

/** An item's size as DynamoDB counts it. */
const sizeOf = (item: Wire): number =>
  Object.entries(item).reduce((sum, [name, value]) => sum + Buffer.byteLength(name) + valueSize(value), 0);

const numberSize = (digits: string) => Math.ceil(digits.replace(/[-.]|0+$/g, "").length / 2) + 1;

function valueSize(value: Wire): number {
  const [[type, content]] = Object.entries(value) as [[string, any]];
  switch (type) {
    case "S":
      return Buffer.byteLength(content);
    case "N":
      return numberSize(content);
    case "B":
      return Buffer.from(content, "base64").length;
    case "SS":
      return content.reduce((sum: number, one: string) => sum + Buffer.byteLength(one), 0);
    case "NS":
      return content.reduce((sum: number, one: string) => sum + numberSize(one), 0);
    case "L":
      return 3 + content.reduce((sum: number, one: Wire) => sum + 1 + valueSize(one), 0);
    case "M":
      return (
        3 + Object.entries(content).reduce((sum, [name, one]) => sum + 1 + name.length + valueSize(one as Wire), 0)
      );
    default:
      return 1;
  }
}
