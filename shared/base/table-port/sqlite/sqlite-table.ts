import { DatabaseSync, type StatementSync } from "node:sqlite";
import { setImmediate as nextTurn } from "node:timers/promises";
import type {
  CallOptions,
  CancellationReason,
  Item,
  Key,
  KeyRange,
  PageStart,
  Table,
  TableRequests,
  TableResults,
  TableWrite,
} from "../port.ts";
import { tableShape } from "../table-shape.ts";
import { DiskSync } from "./disk-sync.ts";
import { checkLog } from "./log-mark.ts";
import { canceled, conditionFailed, invalid, writeError } from "./refusals.ts";
import { decodeItem } from "./values.ts";
import {
  type Change,
  changeOf,
  checkKey,
  indexes,
  indexKeys,
  keysSize,
  type PreparedWrite,
  prepareDelete,
  preparePut,
  prepareUpdate,
  StoredItem,
  unitsOf,
} from "./writes.ts";

const maxBatchReads = 100;
const maxBatchWrites = 25;
const maxTransactionWrites = 100;
const maxTransactionBytes = 4 * 1024 * 1024;
const maxPageBytes = 1024 * 1024;
const maxBatchBytes = 16 * 1024 * 1024;
/** How long a token is remembered; longer than anybody repeats a transaction. */
const tokenMs = 60_000;
const busyTimeoutMs = 5_000;
/** How long lists are read in a turn of the event loop: a request may ask for thousands of items at once. */
const maxReadMs = 3;

/**
 * Rows have only what is asked for by SQL; the rest of an item is its text. Index tables have the keys alone, and the items of a full
 * index are read from the table: an item is stored once.
 */
const schema = [
  `CREATE TABLE IF NOT EXISTS items (
     pk TEXT NOT NULL, sk TEXT NOT NULL, item TEXT NOT NULL, size INTEGER NOT NULL, special INTEGER NOT NULL, expires REAL,
     PRIMARY KEY (pk, sk)
   ) WITHOUT ROWID`,
  "CREATE INDEX IF NOT EXISTS expiry ON items (expires) WHERE expires IS NOT NULL",
  ...indexes.map(
    ({ name }) => `CREATE TABLE IF NOT EXISTS ${name} (
      ipk TEXT NOT NULL, isk TEXT NOT NULL, pk TEXT NOT NULL, sk TEXT NOT NULL, PRIMARY KEY (ipk, isk, pk, sk)
    ) WITHOUT ROWID`,
  ),
];

/** Tells this layout from others, such as that of version 0.1.0. */
const schemaVersion = 1;

/**
 * Several processes may open a file: a call of one sees whatever was written before, and none keeps a lock between its calls. A call
 * reads and writes at once, except when lists were read for long, and is answered in a later turn of the event loop, so that other
 * requests have their turns between calls.
 */
export class SqliteTable implements Table {
  readonly #database: DatabaseSync;
  readonly #sync: DiskSync;
  readonly #statements = new Map<string, StatementSync>();
  /** Transactions that were made, by token, and until when they are remembered. */
  readonly #tokens = new Map<string, number>();
  /** How long lists have been read in this turn. */
  #readMs = 0;

  /** Opens a file, which is created if there is none; throws if it has another layout, or its log has lost its end. */
  constructor(file: string) {
    checkLog(file);
    this.#database = new DatabaseSync(file, { timeout: busyTimeoutMs });
    this.#database.exec("PRAGMA journal_mode = WAL");
    // `DiskSync` syncs each commit, off the event loop. SQLite itself then has to sync when it copies the log into the file.
    this.#database.exec("PRAGMA synchronous = NORMAL; PRAGMA cache_size = -16384; PRAGMA temp_store = MEMORY");
    this.#createSchema(file);
    this.#sync = new DiskSync(file);
  }

  #createSchema(file: string): void {
    const version = () => this.#database.prepare("PRAGMA user_version").get()?.user_version;
    if (version() === schemaVersion) return;
    this.#exclusively(() => {
      if (version() === schemaVersion) return;
      if (this.#database.prepare("SELECT 1 FROM sqlite_schema").get())
        throw new Error(`${file} was written by another version of Skein`);
      for (const statement of schema) this.#database.exec(statement);
      this.#database.exec(`PRAGMA user_version = ${schemaVersion}`);
    });
  }

  async close(): Promise<void> {
    await this.#sync.close();
    this.#database.close();
  }

  async get({ key, consistent }: TableRequests["get"], options?: CallOptions): Promise<TableResults["get"]> {
    options?.abortSignal?.throwIfAborted();
    checkKey(key);
    const row = this.#row(key);
    await nextTurn();
    return { item: row?.item, units: readUnits(row?.size ?? 0, consistent) };
  }

  async #untilOthersRan(): Promise<void> {
    while (this.#readMs > maxReadMs) await nextTurn();
  }

  #beginRead(): () => void {
    const startedAt = performance.now();
    return () => {
      if (this.#readMs === 0)
        setImmediate(() => {
          this.#readMs = 0;
        });
      this.#readMs += performance.now() - startedAt;
    };
  }

  async batchGet(request: TableRequests["batchGet"], options?: CallOptions): Promise<TableResults["batchGet"]> {
    options?.abortSignal?.throwIfAborted();
    const { keys, consistent } = request;
    if (keys.length === 0 || keys.length > maxBatchReads)
      throw invalid(`1 to ${maxBatchReads} items can be read in one call`);
    for (const key of keys) checkKey(key);
    checkDistinct(keys, "Provided list of item keys contains duplicates");
    if (this.#readMs > maxReadMs) await this.#untilOthersRan();
    const endRead = this.#beginRead();
    const items: Item[] = [];
    let [units, bytes, read] = [0, 0, 0];
    for (; read < keys.length && bytes <= maxBatchBytes; read++) {
      const row = this.#row(keys[read] as Key);
      bytes += row?.size ?? 0;
      if (bytes > maxBatchBytes) break;
      units += readUnits(row?.size ?? 0, consistent);
      if (row) items.push(row.item);
    }
    endRead();
    await nextTurn();
    return { items, unprocessed: keys.slice(read), units };
  }

  async query(request: TableRequests["query"], options?: CallOptions): Promise<TableResults["query"]> {
    options?.abortSignal?.throwIfAborted();
    const { consistent, limit, fields } = request;
    if (limit !== undefined && !(limit >= 1)) throw invalid("Limit must be at least 1");
    const index = indexes.find(({ name }) => name === request.index);
    const { sql, values } = selection(request);
    if (this.#readMs > maxReadMs) await this.#untilOthersRan();
    const endRead = this.#beginRead();
    const items: Item[] = [];
    let bytes = 0;
    let hasMore = false;
    for (const row of this.#statement(sql).iterate(...values) as Iterable<SelectedRow>) {
      const size = row.item === undefined ? keysSize(indexes[2], keysOf(row)) : (row.size as number);
      if (items.length > 0 && bytes + size > maxPageBytes) {
        hasMore = true;
        break;
      }
      bytes += size;
      items.push(row.item === undefined ? keysOf(row) : decodeItem(row.item, row.special === 1));
      if (items.length === limit) {
        hasMore = true;
        break;
      }
    }
    const last = items.at(-1);
    endRead();
    await nextTurn();
    return {
      next: hasMore && last ? startAfter(index, last) : undefined,
      items: fields ? items.map((item) => project(item, fields, index)) : items,
      units: readUnits(bytes, consistent && !index),
    };
  }

  async update(request: TableRequests["update"], options?: CallOptions): Promise<TableResults["update"]> {
    options?.abortSignal?.throwIfAborted();
    const prepared = prepareUpdate(request.key, request.update, request.when);
    const change = await this.#writeOne(prepared);
    const { table, indexes } = unitsOf(change);
    const shown = request.returns === "new" ? change.after : change.before;
    return { item: shown && decodeItem(shown.text, shown.special), units: table + indexes };
  }

  async delete({ key, when }: TableRequests["delete"], options?: CallOptions): Promise<TableResults["delete"]> {
    options?.abortSignal?.throwIfAborted();
    const { table, indexes } = unitsOf(await this.#writeOne(prepareDelete(key, when)));
    return { units: table + indexes };
  }

  async batchWrite(request: TableRequests["batchWrite"], options?: CallOptions): Promise<TableResults["batchWrite"]> {
    options?.abortSignal?.throwIfAborted();
    const { puts, deletes } = request;
    const count = puts.length + deletes.length;
    if (count === 0 || count > maxBatchWrites) throw invalid(`1 to ${maxBatchWrites} items can be written in one call`);
    const prepared = [...puts.map((item) => preparePut(item)), ...deletes.map((key) => prepareDelete(key))];
    checkDistinct(
      prepared.map(({ key }) => key),
      "Provided list of item keys contains duplicates",
    );
    const units = await this.#durably(() =>
      prepared
        .map((write) => this.#apply(changeOf(write, this.#row(write.key)) as Change))
        .reduce((sum, { table, indexes }) => sum + table + indexes, 0),
    );
    return { unprocessed: { puts: [], deletes: [] }, units };
  }

  async transact(
    { writes, token }: TableRequests["transact"],
    options?: CallOptions,
  ): Promise<TableResults["transact"]> {
    options?.abortSignal?.throwIfAborted();
    if (writes.length === 0 || writes.length > maxTransactionWrites)
      throw invalid(`Member must have length between 1 and ${maxTransactionWrites}`);
    const prepared = writes.map(prepare);
    checkDistinct(
      prepared.map(({ key }) => key),
      "Transaction request cannot include multiple operations on one item",
    );
    if (prepared.reduce((sum, { put }) => sum + (put?.size ?? 0), 0) > maxTransactionBytes)
      throw invalid("The transaction's size has exceeded 4 MB");
    if (this.#isMade(token)) {
      await this.#sync.done();
      return { units: 0 };
    }
    const units = await this.#durably(() => this.#transactNow(prepared));
    this.#tokens.set(token, Date.now() + tokenMs);
    return { units };
  }

  #transactNow(writes: readonly PreparedWrite[]): number {
    const reasons: CancellationReason[] = [];
    const changes: Change[] = [];
    let [isCanceled, bytes, units] = [false, 0, 0];
    for (const write of writes) {
      const before = this.#row(write.key);
      const reason: CancellationReason = { Code: "None" };
      reasons.push(reason);
      try {
        const change = changeOf(write, before);
        if (!change) {
          isCanceled = true;
          Object.assign(reason, { Code: "ConditionalCheckFailed", Message: "The conditional request failed" });
          if (before) reason.existing = before.item;
        } else if (write.isCheck) units += 2 * Math.max(1, Math.ceil((before?.size ?? 0) / 1024));
        else {
          bytes += change.after?.size ?? 0;
          changes.push(change);
        }
      } catch (error) {
        if ((error as Error).name !== "ValidationException") throw error;
        isCanceled = true;
        Object.assign(reason, { Code: "ValidationError", Message: (error as Error).message });
      }
    }
    if (isCanceled) throw canceled(reasons);
    if (bytes > maxTransactionBytes) throw invalid("The transaction's size has exceeded 4 MB");
    for (const change of changes) {
      const { table, indexes } = this.#apply(change);
      units += 2 * table + indexes;
    }
    return units;
  }

  /** Whether a transaction with this token was made. */
  #isMade(token: string): boolean {
    const now = Date.now();
    for (const [known, until] of this.#tokens) {
      if (until > now) break;
      this.#tokens.delete(known);
    }
    return this.#tokens.has(token);
  }

  /** Every item, page by page in no particular order, for commands of operators. */
  *pages(): Generator<Item[]> {
    const size = 500;
    let [pk, sk] = ["", ""];
    for (;;) {
      const rows = this.#statement(
        `SELECT pk, sk, item, special FROM items WHERE (pk, sk) > (?, ?) ORDER BY pk, sk LIMIT ${size}`,
      ).all(pk, sk) as unknown as { pk: string; sk: string; item: string; special: number }[];
      if (rows.length > 0) yield rows.map(({ item, special }) => decodeItem(item, special === 1));
      const last = rows.at(-1);
      if (!last || rows.length < size) return;
      [pk, sk] = [last.pk, last.sk];
    }
  }

  /** Deletes items whose time to live has passed, at most `limit`; returns how many it has deleted. */
  async deleteExpired(limit: number, nowSeconds = Date.now() / 1000): Promise<number> {
    const expired = this.#statement("SELECT pk, sk FROM items WHERE expires < ? LIMIT ?").all(
      nowSeconds,
      limit,
    ) as unknown as Key[];
    if (expired.length === 0) return 0;
    return this.#durably(() => {
      let count = 0;
      for (const key of expired) {
        const before = this.#row(key);
        const expires = before?.item[tableShape.timeToLiveAttribute];
        // Somebody may have written the item since.
        if (!before || typeof expires !== "number" || expires >= nowSeconds) continue;
        this.#apply({ key, before, after: undefined });
        count++;
      }
      return count;
    });
  }

  #writeOne(write: PreparedWrite): Promise<Change> {
    return this.#durably(() => {
      const change = changeOf(write, this.#row(write.key));
      if (!change) throw conditionFailed();
      this.#apply(change);
      return change;
    });
  }

  /** Makes what `work` writes all or none, and returns its result when that is on the disk. */
  async #durably<T>(work: () => T): Promise<T> {
    const result = this.#exclusively(work);
    await this.#sync.done();
    return result;
  }

  #exclusively<T>(work: () => T): T {
    try {
      this.#statement("BEGIN IMMEDIATE").run();
      const result = work();
      this.#statement("COMMIT").run();
      return result;
    } catch (error) {
      // A full disk has ended the transaction already.
      if (this.#database.isTransaction) this.#statement("ROLLBACK").run();
      throw writeError(error);
    }
  }

  /** Writes a change; returns the units that it consumes. */
  #apply(change: Change): { table: number; indexes: number } {
    const { key, before, after } = change;
    const [was, is] = [before?.item, after?.item];
    for (const index of indexes) {
      const old = was && indexKeys(index, was);
      const now = is && indexKeys(index, is);
      if (old && now && old[0] === now[0] && old[1] === now[1]) continue;
      if (old)
        this.#statement(`DELETE FROM ${index.name} WHERE ipk = ? AND isk = ? AND pk = ? AND sk = ?`).run(
          ...old,
          key.pk,
          key.sk,
        );
      if (now) this.#statement(`INSERT INTO ${index.name} VALUES (?, ?, ?, ?)`).run(...now, key.pk, key.sk);
    }
    if (!after) {
      if (before) this.#statement("DELETE FROM items WHERE pk = ? AND sk = ?").run(key.pk, key.sk);
      return unitsOf(change);
    }
    const { text, size, special } = after;
    const expires = is?.[tableShape.timeToLiveAttribute];
    this.#statement("INSERT OR REPLACE INTO items VALUES (?, ?, ?, ?, ?, ?)").run(
      key.pk,
      key.sk,
      text,
      size,
      special ? 1 : 0,
      typeof expires === "number" ? expires : null,
    );
    return unitsOf(change);
  }

  #row({ pk, sk }: Key): StoredItem | undefined {
    const row = this.#statement("SELECT item, size, special FROM items WHERE pk = ? AND sk = ?").get(pk, sk);
    return row && new StoredItem(row.item as string, row.size as number, row.special === 1);
  }

  #statement(sql: string): StatementSync {
    const known = this.#statements.get(sql);
    if (known) return known;
    const statement = this.#database.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }
}

function prepare(write: TableWrite): PreparedWrite {
  switch (write.kind) {
    case "put":
      return preparePut(write.item, write.when);
    case "update":
      return prepareUpdate(write.key, write.update, write.when);
    case "delete":
      return prepareDelete(write.key, write.when);
    case "check":
      return { ...prepareDelete(write.key, write.when), isCheck: true };
  }
}

interface SelectedRow extends Record<string, unknown> {
  item?: string;
  size?: number;
  special?: number;
}

const readUnits = (bytes: number, consistent: boolean) => Math.max(1, Math.ceil(bytes / 4096)) * (consistent ? 1 : 0.5);

function checkDistinct(keys: readonly Key[], message: string): void {
  if (new Set(keys.map(({ pk, sk }) => `${pk}\n${sk}`)).size < keys.length) throw invalid(message);
}

/** An entry of the index that has keys alone. */
const keysOf = ({ pk, sk, gsi3pk, gsi3sk }: SelectedRow): Item =>
  ({ pk, sk, gsi3pk, gsi3sk }) as Record<string, unknown> as Item;

type Index = (typeof indexes)[number];

const startAfter = (index: Index | undefined, item: Item): PageStart => ({
  pk: item.pk,
  sk: item.sk,
  ...(index && { [index.partitionKey]: item[index.partitionKey], [index.sortKey]: item[index.sortKey] }),
});

function project(item: Item, fields: readonly string[], index: Index | undefined): Item {
  const names = new Set([...fields, "pk", "sk", ...(index ? [index.partitionKey, index.sortKey] : [])]);
  return Object.fromEntries(
    [...names].flatMap((name) => (Object.hasOwn(item, name) ? [[name, item[name]]] : [])),
  ) as Item;
}

/** The rows of a range, in its order. */
function selection({ pk, index, prefix, from, to, descending, start }: TableRequests["query"] & KeyRange) {
  const [ipk, isk] = index ? ["i.ipk", "i.isk"] : ["i.pk", "i.sk"];
  const conditions = [`${ipk} = ?`];
  const values: string[] = [pk];
  const where = (condition: string, ...more: string[]) => {
    conditions.push(condition);
    values.push(...more);
  };
  const lower = prefix ?? from;
  if (Buffer.byteLength(pk) > 2048 || Buffer.byteLength(lower ?? "") > 1024 || pk === "")
    throw invalid("One or more parameter values were invalid: the size of a key has exceeded the limit");
  if (
    prefix === undefined &&
    from !== undefined &&
    to !== undefined &&
    Buffer.compare(Buffer.from(from), Buffer.from(to)) > 0
  )
    throw invalid("The BETWEEN operator requires upper bound to be greater than or equal to lower bound");
  if (lower !== undefined) where(`${isk} >= ?`, lower);
  const after = prefix === undefined ? undefined : endOfPrefix(prefix);
  if (after !== undefined) where(`${isk} < ?`, after);
  if (prefix === undefined && to !== undefined) where(`${isk} <= ?`, to);
  const beyond = descending ? "<" : ">";
  if (start && index)
    where(
      `(i.isk, i.pk, i.sk) ${beyond} (?, ?, ?)`,
      start[`${index}sk`] as string,
      start.pk as string,
      start.sk as string,
    );
  else if (start) where(`i.sk ${beyond} ?`, start.sk as string);
  const order = descending ? " DESC" : "";
  const columns =
    index === "gsi3"
      ? "i.pk, i.sk, i.ipk AS gsi3pk, i.isk AS gsi3sk"
      : "t.item AS item, t.size AS size, t.special AS special";
  const source = index
    ? index === "gsi3"
      ? "gsi3 i"
      : `${index} i JOIN items t ON t.pk = i.pk AND t.sk = i.sk`
    : "items i";
  return {
    sql: `SELECT ${index ? columns : columns.replaceAll("t.", "i.")} FROM ${source} WHERE ${conditions.join(" AND ")} ORDER BY ${isk}${order}${index ? `, i.pk${order}, i.sk${order}` : ""}`,
    values,
  };
}

/** The first text after all those with a prefix, by UTF-8 bytes; undefined when nothing follows them. */
function endOfPrefix(prefix: string): string | undefined {
  const points = [...prefix];
  for (let last = points.pop(); last !== undefined; last = points.pop()) {
    const point = last.codePointAt(0) as number;
    // Surrogates are no characters.
    if (point < 0x10ffff) return points.join("") + String.fromCodePoint(point === 0xd7ff ? 0xe000 : point + 1);
  }
  return undefined;
}
