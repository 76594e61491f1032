import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { BatchGetCommand, DynamoDBDocumentClient, QueryCommand } from "@aws-sdk/lib-dynamodb";
import { tableShape } from "../../../infra/table/table-shape.ts";
import { type AwsCall, type AwsResult, observeAwsCalls } from "../../../shared/aws/observe.ts";
import { clearLogCache } from "../../../shared/store/log/entry-cache.ts";
import { clearRecentWrites } from "../../../shared/store/table/recent-writes.ts";

/**
 * Simulates DynamoDB's eventual consistency on the embedded engine, which is always consistent. It keeps what each write
 * replaced for a while, and answers index queries and eventually consistent reads with a former state. Conditional writes
 * and consistent reads see the current state. Reads of this module itself are not counted as cost.
 */

interface Key {
  pk: string;
  sk: string;
}
type Item = Key & Record<string, unknown>;

export interface Lag {
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

  async function write({ input }: AwsCall, proceed: () => Promise<AwsResult>) {
    const written = writtenKeys(input);
    return locks.hold(written.map(nameOf), async () => {
      const formers = await itemsBefore(String(tableOf(input)), written);
      for (const [index, key] of written.entries()) past.add(key, formers[index] as Former);
      try {
        const output = await proceed();
        for (const former of formers) former.until = now();
        return output;
      } catch (error) {
        // A failed condition changes nothing. After any other failure the outcome is unknown.
        for (const [index, key] of written.entries()) past.drop(key, formers[index] as Former);
        throw error;
      }
    });
  }

  const read: Record<string, (call: AwsCall, proceed: () => Promise<AwsResult>) => Promise<AwsResult>> = {
    async GetItem({ input }, proceed) {
      const time = now() - baseMs();
      const answer = await proceed();
      if (input.ConsistentRead) return answer;
      const former = past.since(time, now()).get(nameOf(input.Key as Key));
      return former ? withOutput(answer, { Item: copyOf(former.item) }) : answer;
    },

    async BatchGetItem({ input }, proceed) {
      const time = now() - baseMs();
      const answer = await proceed();
      const changed = past.since(time, now());
      const requests = input.RequestItems as Record<string, { Keys: Key[]; ConsistentRead?: boolean }>;
      const Responses = Object.fromEntries(
        Object.entries(answer.output.Responses as Record<string, Item[]>).map(([table, items]) => {
          const { Keys = [], ConsistentRead } = requests[table] ?? {};
          if (ConsistentRead) return [table, items];
          const unprocessed = new Set((answer.output.UnprocessedKeys?.[table]?.Keys ?? []).map(nameOf));
          const former = Keys.filter((key) => !unprocessed.has(nameOf(key))).flatMap(
            (key) => copyOf(changed.get(nameOf(key))?.item) ?? [],
          );
          return [table, [...items.filter((item) => !changed.has(nameOf(item))), ...former]];
        }),
      );
      return withOutput(answer, { Responses });
    },

    async Query({ input }, proceed) {
      const time = now() - (input.IndexName ? indexMs() : baseMs());
      const answer = await proceed();
      if (input.ConsistentRead) return answer;
      const query = queryOf(input);
      const changed = past.since(time, now());
      if (changed.size === 0) return answer;
      const former = [...changed.values()].flatMap(({ item }) => (item && query.matches(item) ? item : []));
      const isConcerned = former.length > 0 || answer.output.Items.some((item: Item) => changed.has(nameOf(item)));
      if (!isConcerned && !query.isProjected) return answer;
      const Limit = input.Limit === undefined ? undefined : (input.Limit as number) + changed.size;
      const { ProjectionExpression, ExpressionAttributeNames = {}, ...unprojected } = input;
      const names = Object.entries(ExpressionAttributeNames as Record<string, string>);
      const current = await unobservedClient().send(
        new QueryCommand({
          ...(unprojected as any),
          ExpressionAttributeNames: Object.fromEntries(names.filter(([alias]) => /^#(pk|sk)$/.test(alias))),
          Limit,
        }),
      );
      const unchanged = ((current.Items ?? []) as Item[]).filter((item) => !changed.has(nameOf(item)));
      const lastRead = current.LastEvaluatedKey ? (current.Items?.at(-1) as Item) : undefined;
      // Former states after the last item that was read belong to a later page.
      const covered = lastRead ? former.filter((item) => query.compare(item, lastRead) <= 0) : former;
      const items = [...unchanged, ...covered].sort(query.compare);
      const maxItems = (input.Limit as number | undefined) ?? Number.POSITIVE_INFINITY;
      const page = items.slice(0, maxItems);
      const end = page.length === maxItems ? (page.at(-1) as Item) : lastRead;
      return withOutput(answer, {
        Items: page.map((item) => query.projected(copyOf(item) as Item)),
        Count: page.length,
        ScannedCount: page.length,
        LastEvaluatedKey: end && query.keyOf(end),
      });
    },
  };

  const documents: Record<string, string> = { Get: "GetItem", BatchGet: "BatchGetItem" };
  return observeAwsCalls((call, proceed) => {
    if (call.client !== "DynamoDBClient") return proceed();
    const action = call.command.replace(/Command$/, "");
    const reading = read[documents[action] ?? action];
    if (reading) return reading(call, proceed);
    return /^(Put|Update|Delete|TransactWrite|BatchWrite)(Items?)?$/.test(action) ? write(call, proceed) : proceed();
  });
}

/**
 * Clears this process's caches every few requests: here all functions share them, while on AWS most requests run in a process
 * that has not seen recent writes.
 */
export function clearCachesRepeatedly(): void {
  const clear = () => {
    clearRecentWrites();
    clearLogCache();
    setTimeout(clear, 20 + Math.random() * 200).unref();
  };
  clear();
}

const clients = new Map<string | undefined, DynamoDBDocumentClient>();
/** A client whose calls are not observed. */
function unobservedClient(): DynamoDBDocumentClient {
  const endpoint = process.env.AWS_ENDPOINT_URL_DYNAMODB;
  const client = clients.get(endpoint) ?? DynamoDBDocumentClient.from(new DynamoDBClient({}));
  clients.set(endpoint, client);
  return client;
}

async function itemsBefore(table: string, keys: readonly Key[]): Promise<Former[]> {
  const found = new Map<string, Item>();
  for (let start = 0; start < keys.length; start += 100) {
    let unread = keys.slice(start, start + 100).map(keyOf);
    while (unread.length > 0) {
      const { Responses, UnprocessedKeys } = await unobservedClient().send(
        new BatchGetCommand({ RequestItems: { [table]: { Keys: unread, ConsistentRead: true } } }),
      );
      for (const item of (Responses?.[table] ?? []) as Item[]) found.set(nameOf(item), item);
      unread = (UnprocessedKeys?.[table]?.Keys ?? []) as Key[];
    }
  }
  return keys.map((key) => ({ until: Number.POSITIVE_INFINITY, item: found.get(nameOf(key)) }));
}

type Part = { Key?: Key; Item?: Item; TableName?: string };

const partsOf = (input: any): Part[] => [
  ...(input.TransactItems ?? []).flatMap(({ ConditionCheck: _, ...part }: Record<string, Part>) => Object.values(part)),
  ...Object.values(input.RequestItems ?? {}).flatMap((requests) =>
    (requests as Record<string, Part>[]).flatMap((request) => Object.values(request)),
  ),
  ...(input.Key || input.Item ? [input] : []),
];

function writtenKeys(input: object): Key[] {
  const keys = partsOf(input).map(({ Key, Item }) => keyOf((Key ?? Item) as Key));
  return [...new Map(keys.map((key) => [nameOf(key), key])).values()];
}

const tableOf = (input: any) =>
  input.TableName ?? partsOf(input)[0]?.TableName ?? Object.keys(input.RequestItems ?? {})[0];

const copyOf = (item: Item | undefined): Item | undefined => structuredClone(item);

const withOutput = (answer: AwsResult, output: object): AwsResult => ({
  ...answer,
  output: { ...answer.output, ...output },
});

const byBytes = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));

/** Evaluates a query's condition, order and projection on items. */
function queryOf(input: any) {
  const {
    IndexName,
    KeyConditionExpression,
    ExpressionAttributeNames: names,
    ExpressionAttributeValues: values,
  } = input;
  if (input.FilterExpression) throw new Error("The lagging table knows no filters");
  const index = tableShape.indexes.find(({ name }) => name === IndexName);
  const { partitionKey, sortKey } = index ?? tableShape;
  const ranges: Record<string, (sk: string) => boolean> = {
    "#pk = :pk": () => true,
    "#pk = :pk AND begins_with(#sk, :prefix)": (sk) => sk.startsWith(values[":prefix"]),
    "#pk = :pk AND #sk BETWEEN :from AND :to": (sk) =>
      byBytes(sk, values[":from"]) >= 0 && byBytes(sk, values[":to"]) <= 0,
    "#pk = :pk AND #sk >= :from": (sk) => byBytes(sk, values[":from"]) >= 0,
    "#pk = :pk AND #sk <= :to": (sk) => byBytes(sk, values[":to"]) <= 0,
  };
  const inRange = ranges[KeyConditionExpression];
  if (!inRange) throw new Error(`The lagging table does not know the condition ${KeyConditionExpression}`);
  const keys = [...new Set(["pk", "sk", partitionKey, sortKey])];
  const pick = (item: Item, fields: readonly string[]) =>
    Object.fromEntries(fields.flatMap((field) => (field in item ? [[field, item[field]]] : []))) as Item;
  const fields: string[] | undefined = input.ProjectionExpression?.split(", ").map((alias: string) => names[alias]);
  const projectedFields = fields ?? (index?.projection === "KEYS_ONLY" ? keys : undefined);
  const direction = input.ScanIndexForward === false ? -1 : 1;
  const compare = (a: Item, b: Item): number =>
    direction *
    (byBytes(String(a[sortKey]), String(b[sortKey])) || (index ? byBytes(a.pk, b.pk) || byBytes(a.sk, b.sk) : 0));
  const start = input.ExclusiveStartKey as Item | undefined;
  return {
    /** Whether the result lacks the keys that identify an item. */
    isProjected: fields !== undefined,
    matches: (item: Item) =>
      item[partitionKey] === values[":pk"] &&
      typeof item[sortKey] === "string" &&
      inRange(item[sortKey]) &&
      (!start || compare(item, start) > 0),
    compare,
    projected: (item: Item) => (projectedFields ? pick(item, projectedFields) : item),
    keyOf: (item: Item) => pick(item, keys),
  };
}
