import fc from "fast-check";
import { everyone, type ModelText } from "./message-model.ts";

/** Generators of random actions and queries of the model's users. */

export const names = ["Viola", "Olivia", "Feste"] as const;
export const places = ["coast", "palace", "cellar"] as const;
const topics = ["wind", "rain"] as const;
const words = ["cloister", "lute", "storm"] as const;

const who = fc.constantFrom(...names);
const where = fc.constantFrom(...places);
const topic = fc.constantFrom(...topics);
const one = fc.nat({ max: 999 });
const some = fc.array(one, { minLength: 1, maxLength: 6 });
const text: fc.Arbitrary<ModelText> = fc.record({
  words: fc.subarray([...words], { minLength: 1 }),
  calls: fc.option(fc.constantFrom(...names, everyone), { nil: undefined, freq: 2 }),
});
const mode = fc.constantFrom("change_one", "change_later", "change_all");

export const act = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant("send" as const), who, where, topic, text }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("direct" as const), who, to: fc.subarray([...names]), text }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("edit" as const), who, one, text }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("move" as const), who, one, where, topic, mode }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("delete" as const), who, one }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("join" as const), who, where }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("leave" as const), who, where }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("read" as const), who, some }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("unread" as const), who, some }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("star" as const), who, some, on: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("readChannel" as const), who, where }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("readAll" as const), who }) },
);
export type Act = typeof act extends fc.Arbitrary<infer T> ? T : never;

export const look = fc.record({
  who,
  narrow: fc.record(
    {
      channel: where,
      topic,
      sender: who,
      starred: fc.boolean(),
      unread: fc.boolean(),
      mentioned: fc.boolean(),
      search: fc.constantFrom(...words, ...topics),
    },
    { requiredKeys: [] },
  ),
  direct: fc.integer({ min: 0, max: 4 }),
  anchor: fc.oneof(
    fc.constantFrom("newest" as const, "oldest" as const, "first_unread" as const),
    fc.nat({ max: 999 }),
  ),
  before: fc.nat({ max: 6 }),
  after: fc.nat({ max: 6 }),
});
export type Look = typeof look extends fc.Arbitrary<infer T> ? T : never;
