import { fc } from "../random.ts";
import { everyone, type ModelText } from "./message-model.ts";

/** Generators of random actions and queries of the model's users. */

export const names = ["Viola", "Olivia", "Feste"] as const;
export const places = ["coast", "palace", "cellar"] as const;
const topics = ["wind", "rain"] as const;
const words = ["cloister", "lute", "storm"] as const;

const actor = fc.constantFrom(...names);
const place = fc.constantFrom(...places);
const topic = fc.constantFrom(...topics);
/** A position in a list of messages, modulo the list's length. */
const position = fc.nat({ max: 999 });
const positions = fc.array(position, { minLength: 1, maxLength: 6 });
const text = fc.record<ModelText>({
  words: fc.subarray([...words], { minLength: 1 }),
  mentions: fc.option(fc.constantFrom(...names, everyone), { nil: undefined, freq: 2 }),
});
const mode = fc.constantFrom("change_one", "change_later", "change_all");

export const act = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant("send" as const), actor, place, topic, text }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant("direct" as const), actor, to: fc.subarray([...names]), text }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("edit" as const), actor, position, text }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("move" as const), actor, position, place, topic, mode }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("delete" as const), actor, position }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("join" as const), actor, place }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("leave" as const), actor, place }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("read" as const), actor, positions }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("unread" as const), actor, positions }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("star" as const), actor, positions, on: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("readChannel" as const), actor, place }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("readAll" as const), actor }) },
);
export type Act = typeof act extends fc.Arbitrary<infer T> ? T : never;

export const look = fc.record({
  reader: actor,
  narrow: fc.record(
    {
      channel: place,
      topic,
      sender: actor,
      starred: fc.boolean(),
      unread: fc.boolean(),
      mentioned: fc.boolean(),
      search: fc.constantFrom(...words, ...topics),
    },
    { requiredKeys: [] },
  ),
  /** 0 restricts the query to direct messages. */
  direct: fc.integer({ min: 0, max: 4 }),
  anchor: fc.oneof(
    fc.constantFrom("newest" as const, "oldest" as const, "first_unread" as const),
    fc.nat({ max: 999 }),
  ),
  before: fc.nat({ max: 6 }),
  after: fc.nat({ max: 6 }),
});
export type Look = typeof look extends fc.Arbitrary<infer T> ? T : never;
