import type { AttributeValue } from "@aws-sdk/client-dynamodb";
import { assign, plainValue } from "./attributes.ts";

/**
 * What the table answers to reads. A table may give each item's attributes in another order, and for each order that
 * JSON.parse meets it makes a hidden class of its own, which costs several times what the reading costs. Therefore the
 * replies' objects are read as lists of names and values, and become items whose names stand in alphabetical order.
 */

/** An object as a list: a name, its value, a name, its value. */
type Pairs = readonly unknown[];

declare const wire: unique symbol;
/** An item as it came; `itemOf` makes of it as many plain ones as are needed. */
export type WireItem = Pairs & { [wire]: true };

/** Reads an operation's reply: of reads, `Item`, `Items` and `Responses` hold wire items, in whatever type the SDK says. */
export function readReply(operation: string, body: Buffer): object {
  const members = body.length > 0 ? reading[operation] : undefined;
  if (!members) return JSON.parse(body.toString() || "{}");
  const reply: Record<string, unknown> = {};
  const pairs: Pairs = JSON.parse(asLists(body).toString());
  for (let at = 0; at < pairs.length; at += 2) {
    const name = pairs[at] as string;
    reply[name] = (members[name] ?? asItIs)(pairs[at + 1]);
  }
  return reply;
}

/** The plain item; the caller's own. */
export function itemOf<T extends object>(pairs: WireItem): T {
  return mapOf(pairs) as T;
}

/** One text attribute of a wire item, such as its key's. */
export function textIn(pairs: WireItem, name: string): string | undefined {
  const place = pairs.indexOf(name);
  return place < 0 ? undefined : (pairs[place + 1] as [type: "S", text: string])[1];
}

const asItIs = (value: any): unknown => value;
const record = (pairs: any, of: (value: any) => unknown = asItIs): Record<string, unknown> =>
  Object.fromEntries(Array.from({ length: pairs.length / 2 }, (_, n) => [pairs[2 * n], of(pairs[2 * n + 1])]));
/** Keys, which go back as they came; all of theirs are texts. */
const key = (pairs: any) => record(pairs, ([, text]: [type: "S", text: string]): AttributeValue => ({ S: text }));
const capacity = (pairs: any) => record(pairs);
const unread = (pairs: any) =>
  record(pairs, (request) => {
    const { Keys, ...rest } = record(request);
    return { ...rest, Keys: (Keys as unknown[]).map(key) };
  });

/** What is an object in the replies of reads, beside the items. */
const reading: Record<string, Record<string, (value: any) => unknown>> = {
  GetItem: { ConsumedCapacity: capacity },
  Query: { ConsumedCapacity: capacity, LastEvaluatedKey: key },
  BatchGetItem: {
    ConsumedCapacity: (list) => list.map(capacity),
    Responses: (pairs) => record(pairs),
    UnprocessedKeys: unread,
  },
};

const [quote, backslash, colon, comma] = [0x22, 0x5c, 0x3a, 0x2c];
const [open, close, openList, closeList] = [0x7b, 0x7d, 0x5b, 0x5d];

/** Turns the objects of a JSON text into lists, in place. */
function asLists(json: Buffer): Buffer {
  let inText = false;
  for (let at = 0; at < json.length; at++) {
    const byte = json[at];
    if (inText) {
      if (byte === backslash) at++;
      else if (byte === quote) inText = false;
    } else if (byte === quote) inText = true;
    else if (byte === open) json[at] = openList;
    else if (byte === close) json[at] = closeList;
    else if (byte === colon) json[at] = comma;
  }
  return json;
}

function mapOf(pairs: Pairs): Record<string, unknown> {
  const places = Array.from({ length: pairs.length / 2 }, (_, n) => 2 * n);
  places.sort((a, b) => ((pairs[a] as string) < (pairs[b] as string) ? -1 : 1));
  const item: Record<string, unknown> = {};
  for (const place of places) assign(item, pairs[place] as string, plainOf(pairs[place + 1]));
  return item;
}

const plainOf = (pair: any): unknown => plainValue(pair[0], pair[1], plainOf, mapOf);
