import fc from "fast-check";
import { expect, test } from "vitest";
import { toAttributes } from "../../shared/store/attributes.ts";
import { itemOf, readReply, textIn, type WireItem } from "../../shared/store/replies.ts";

/** What a table answers to reads becomes the items that were written, whatever is in them and in whatever order it comes. */

const bodyOf = (reply: object) => Buffer.from(JSON.stringify(reply));
const text = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.constantFrom('{"S":"x"}', "}{][:,", "\\", "\\\\", '\\"', "__proto__", "constructor", "…\u{1f389}"),
);
const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { depthSize: "small" },
    text,
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.uint8Array().map((bytes) => new Uint8Array(bytes)),
    fc.uniqueArray(text, { minLength: 1 }).map((texts) => new Set(texts)),
    fc.uniqueArray(fc.integer(), { minLength: 1 }).map((numbers) => new Set(numbers)),
    fc.array(tie("any")),
    fc.dictionary(text, tie("any"), { noNullPrototype: true }),
  ),
})).any;
const item = fc.dictionary(text, value, { noNullPrototype: true });

test("items come back as they went", () => {
  fc.assert(
    fc.property(fc.array(item), (items) => {
      const body = bodyOf({ Count: items.length, Items: items.map(toAttributes) });

      const { Items, Count } = readReply("Query", body) as { Items: WireItem[]; Count: number };

      expect(Items.map((each) => itemOf(each))).toEqual(items);
      expect(Count).toBe(items.length);
    }),
  );
});

test("an item's names stand in one order, in whatever order they came", () => {
  fc.assert(
    fc.property(item, (given) => {
      const attributes = toAttributes(given);
      const turned = Object.fromEntries(Object.entries(attributes).reverse());

      const [one, other] = [attributes, turned].map((Item) => {
        const reply = readReply("GetItem", bodyOf({ Item })) as { Item: WireItem };
        return itemOf(reply.Item);
      });

      expect(one).toEqual(given);
      expect(Object.keys(one!)).toEqual(Object.keys(other!));
    }),
  );
});

test("each item that is made of a reply is its reader's own", () => {
  const { Item } = readReply("GetItem", bodyOf({ Item: toAttributes({ list: [{ a: 1 }] }) })) as { Item: WireItem };
  const [mine, yours] = [itemOf<any>(Item), itemOf<any>(Item)];

  mine.list[0].a = 2;

  expect(yours).toEqual({ list: [{ a: 1 }] });
});

test("what stands beside the items keeps the form that the SDK says", () => {
  const capacity = { TableName: "t", CapacityUnits: 1.5 };
  const key = { pk: { S: "a:{b" }, sk: { S: "c" } };
  const items = [toAttributes({ pk: "a", sk: "b" })];

  expect(readReply("GetItem", bodyOf({ ConsumedCapacity: capacity }))).toEqual({ ConsumedCapacity: capacity });
  expect(readReply("Query", bodyOf({ Items: [], LastEvaluatedKey: key, ConsumedCapacity: capacity }))).toEqual({
    ...{ Items: [], LastEvaluatedKey: key, ConsumedCapacity: capacity },
  });
  const unread = { t: { Keys: [key], ConsistentRead: true } };
  const reply: any = readReply(
    "BatchGetItem",
    bodyOf({ Responses: { t: items }, UnprocessedKeys: unread, ConsumedCapacity: [capacity] }),
  );
  expect(reply).toMatchObject({ UnprocessedKeys: unread, ConsumedCapacity: [capacity] });
  expect(reply.Responses.t.map((each: WireItem) => [textIn(each, "pk"), textIn(each, "gone")])).toEqual([
    ["a", undefined],
  ]);
});

test("other operations' replies, and empty ones, are what they say", () => {
  const reply = { Attributes: { HEAD: { M: { n: { N: "1" } } } } };

  expect(readReply("UpdateItem", bodyOf(reply))).toEqual(reply);
  for (const operation of ["UpdateItem", "GetItem"]) expect(readReply(operation, Buffer.alloc(0))).toEqual({});
});
