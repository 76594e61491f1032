import { currentHost } from "../../../shared/base/host.ts";
import { observeTableCalls, type TableCall, type TableResult } from "../../../shared/base/table-port/observe.ts";
import type { Item, Key, Table, TableRequests, TableResults } from "../../../shared/base/table-port/port.ts";
import { tableShape } from "../../../shared/base/table-port/table-shape.ts";
import { forgetCaches } from "../test-process.ts";

/**
 * Simulates DynamoDB's eventual consistency on one machine's table, which is always consistent. It keeps what each write
 * replaced for a while, and answers index queries and eventually consistent reads with a former state. Conditional writes
 * and consistent reads see the current state. Reads of this module itself are not counted as cost.
 */

interface Lag {
  /** The lag of an index query in milliseconds; called for each query. */
  indexMs(): number;
  /** The lag of an eventually consistent read of the table in milliseconds; called for each read. */
  baseMs(): number;
  /** The maximum of both lags. */
  longestMs: number;
  now?: () => number;
}

/** Lags from the environment: `LAG_INDEX_MS` and `LAG_BASE_MS`, each a number, or a range such as "0-2000" to draw from. */
export function lagOf(environment: NodeJS.ProcessEnv): (Lag & { text: string }) | undefined {
  const { LAG_INDEX_MS: index = "0", LAG_BASE_MS: base = "0" } = environment;
  const [indexRange, baseRange] = [rangeIn(index), rangeIn(base)];
  const longestMs = Math.max(indexRange.to, baseRange.to);
  if (longestMs === 0) return undefined;
  const text = `indexes by ${index} ms, plain reads by ${base} ms`;
  return { indexMs: () => draw(indexRange), baseMs: () => draw(baseRange), longestMs, text };
}

interface Range {
  from: number;
  to: number;
}

function rangeIn(text: string): Range {
  const [, from = "", to = from] = /^(\d+)(?:-(\d+))?$/.exec(text) ?? [];
  if (from === "") throw new Error(`A lag is a number of milliseconds or a range of them, not ${text}`);
  return { from: Number(from), to: Number(to) };
}

const draw = ({ from, to }: Range) => from + Math.floor(Math.random() * (to - from + 1));

/** A former state of one item, valid until `until`; Infinity while the write that replaces it is in progress. */
interface Former {
  until: number;
  item: Item | undefined;
}

const nameOf = ({ pk, sk }: Key) => `${pk}\n${sk}`;
const keyOf = ({ pk, sk }: Key): Key => ({ pk, sk });

class FormerStates {
  readonly #longestMs: number;
  readonly #formers = new Map<string, { key: Key; formers: Former[] }>();

  constructor(longestMs: number) {
    this.#longestMs = longestMs;
  }

  add(key: Key, former: Former): void {
    const known = this.#formers.get(nameOf(key)) ?? { key: keyOf(key), formers: [] };
    known.formers.push(former);
    this.#formers.set(nameOf(key), known);
  }

  drop(key: Key, former: Former): void {
    const known = this.#formers.get(nameOf(key));
    if (known) known.formers = known.formers.filter((one) => one !== former);
  }

  /** The states at `time` of all items that have changed since. */
  since(time: number, now: number): Map<string, { key: Key; item: Item | undefined }> {
    const found = new Map<string, { key: Key; item: Item | undefined }>();
    for (const [name, known] of this.#formers) {
      known.formers = known.formers.filter(({ until }) => until > now - this.#longestMs);
      if (known.formers.length === 0) this.#formers.delete(name);
      const former = known.formers.find(({ until }) => until > time);
      if (former) found.set(name, { key: known.key, item: former.item });
    }
    return found;
  }
}

/** Serializes writes of the same item, so that it is known what each of them replaces. */
class Locks {
  readonly #last = new Map<string, Promise<unknown>>();

  async hold<T>(names: readonly string[], work: () => Promise<T>): Promise<T> {
    const before = Promise.all(names.map((name) => this.#last.get(name)));
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    for (const name of names) this.#last.set(name, held);
    try {
      await before;
      return await work();
    } finally {
      release();
      for (const name of names) if (this.#last.get(name) === held) this.#last.delete(name);
    }
  }
}

/**
 * Makes reads of this process lag from now on; returns a function that ends it. Install it before other observers, so that it
 * is closest to the table.
 */
export function lagReads({ indexMs, baseMs, longestMs, now = Date.now }: Lag): () => void {
  const past = new FormerStates(longestMs);
  const locks = new Locks();

  async function write<T>(written: readonly Key[], proceed: () => Promise<T>): Promise<T> {
    return locks.hold(written.map(nameOf), async () => {
      const formers = await itemsBefore(written);
      for (const [index, key] of written.entries()) past.add(key, formers[index] as Former);
      try {
        const result = await proceed();
        for (const former of formers) former.until = now();
        return result;
      } catch (error) {
        // A failed condition changes nothing. After any other failure the outcome is unknown.
        for (const [index, key] of written.entries()) past.drop(key, formers[index] as Former);
        throw error;
      }
    });
  }

  async function get({ key, consistent }: TableRequests["get"], proceed: () => Promise<TableResults["get"]>) {
    const time = now() - baseMs();
    const result = await proceed();
    if (consistent) return result;
    const former = past.since(time, now()).get(nameOf(key));
    return former ? { ...result, item: copyOf(former.item) } : result;
  }

  async function batchGet(
    { keys, consistent }: TableRequests["batchGet"],
    proceed: () => Promise<TableResults["batchGet"]>,
  ) {
    const time = now() - baseMs();
    const result = await proceed();
    if (consistent) return result;
    const changed = past.since(time, now());
    const unprocessed = new Set(result.unprocessed.map(nameOf));
    const former = keys
      .filter((key) => !unprocessed.has(nameOf(key)))
      .flatMap((key) => copyOf(changed.get(nameOf(key))?.item) ?? []);
    return { ...result, items: [...result.items.filter((item) => !changed.has(nameOf(item))), ...former] };
  }

  async function queryRange(request: TableRequests["query"], proceed: () => Promise<TableResults["query"]>) {
    const { index, consistent, limit = Number.POSITIVE_INFINITY } = request;
    const time = now() - (index ? indexMs() : baseMs());
    const result = await proceed();
    if (consistent && !index) return result;
    const range = rangeOf(request);
    const changed = past.since(time, now());
    if (changed.size === 0) return result;
    const former = [...changed.values()].flatMap(({ item }) => (item && range.matches(item) ? item : []));
    const isConcerned = former.length > 0 || result.items.some((item) => changed.has(nameOf(item)));
    if (!isConcerned) return result;
    // Former states take the place of items: read as many more as there may be former states.
    const { fields: _, ...unprojected } = request;
    const more = Number.isFinite(limit) ? limit + changed.size : undefined;
    const current = await table().query({ ...unprojected, limit: more });
    const unchanged = current.items.filter((item) => !changed.has(nameOf(item)));
    const lastRead = current.next ? current.items.at(-1) : undefined;
    // Former states after the last item that was read belong to a later page.
    const covered = lastRead ? former.filter((item) => range.compare(item, lastRead) <= 0) : former;
    const items = [...unchanged, ...covered].sort(range.compare);
    const page = items.slice(0, limit);
    const end = page.length === limit ? page.at(-1) : lastRead;
    return {
      ...result,
      items: page.map((item) => range.projected(copyOf(item) as Item)),
      next: end && range.keysOf(end),
    };
  }

  return observeTableCalls((call, proceed): Promise<TableResult> => {
    switch (call.name) {
      case "get":
        return get(call.request, proceed);
      case "batchGet":
        return batchGet(call.request, proceed);
      case "query":
        return queryRange(call.request, proceed);
      default:
        return write(writtenKeys(call), proceed);
    }
  });
}

/**
 * Clears this process's caches every few requests: here all functions share them, while on AWS most requests run in a process
 * that has not seen recent writes.
 */
export function clearCachesRepeatedly(): void {
  const clear = () => {
    forgetCaches();
    setTimeout(clear, 20 + Math.random() * 200).unref();
  };
  clear();
}

/** The table itself: calls of this module are not observed. */
function table(): Table {
  const own = currentHost().table();
  if (!own) throw new Error("Only a host's own table can lag");
  return own;
}

async function itemsBefore(keys: readonly Key[]): Promise<Former[]> {
  const found = new Map<string, Item>();
  for (let start = 0; start < keys.length; start += 100) {
    let unread: readonly Key[] = keys.slice(start, start + 100);
    while (unread.length > 0) {
      const { items, unprocessed } = await table().batchGet({ keys: unread, consistent: true });
      for (const item of items) found.set(nameOf(item), item);
      unread = unprocessed;
    }
  }
  return keys.map((key) => ({ until: Number.POSITIVE_INFINITY, item: found.get(nameOf(key)) }));
}

function writtenKeys({ name, request }: TableCall): Key[] {
  const keys =
    name === "update" || name === "delete"
      ? [request.key]
      : name === "batchWrite"
        ? [...request.puts, ...request.deletes]
        : name === "transact"
          ? request.writes.flatMap((write) =>
              write.kind === "check" ? [] : [write.kind === "put" ? write.item : write.key],
            )
          : [];
  return [...new Map(keys.map((key) => [nameOf(key), keyOf(key)])).values()];
}

const copyOf = (item: Item | undefined): Item | undefined => structuredClone(item);

const byBytes = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));

/** Evaluates a query's range, order and projection on items. */
function rangeOf({ pk, index: name, prefix, from, to, descending, fields, start }: TableRequests["query"]) {
  const index = tableShape.indexes.find((one) => one.name === name);
  const { partitionKey, sortKey } = index ?? tableShape;
  const keys = [...new Set(["pk", "sk", partitionKey, sortKey])];
  const pick = (item: Item, names: readonly string[]) =>
    Object.fromEntries(names.flatMap((field) => (field in item ? [[field, item[field]]] : []))) as Item;
  const projectedFields = fields ? [...fields, ...keys] : index?.projection === "KEYS_ONLY" ? keys : undefined;
  const direction = descending ? -1 : 1;
  const compare = (a: Item, b: Item): number =>
    direction *
    (byBytes(String(a[sortKey]), String(b[sortKey])) || (index ? byBytes(a.pk, b.pk) || byBytes(a.sk, b.sk) : 0));
  const inRange = (sk: string) =>
    prefix !== undefined
      ? sk.startsWith(prefix)
      : (from === undefined || byBytes(sk, from) >= 0) && (to === undefined || byBytes(sk, to) <= 0);
  return {
    matches: (item: Item) =>
      item[partitionKey] === pk &&
      typeof item[sortKey] === "string" &&
      inRange(item[sortKey]) &&
      (!start || compare(item, start as Item) > 0),
    compare,
    projected: (item: Item) => (projectedFields ? pick(item, projectedFields) : item),
    keysOf: (item: Item) => pick(item, keys),
  };
}
