import type {
  Condition,
  IndexName,
  Item,
  Key,
  TableCallName,
  TableRequests,
  TableWrite,
  Update,
} from "../../../shared/base/table-port/port.ts";
import type { Random } from "../random.ts";

/** A random call to the table: mostly a valid one, on few items, so that calls meet. */
export type RandomCall = { [Name in TableCallName]: { name: Name; request: TableRequests[Name] } }[TableCallName];

export class CallGenerator {
  readonly #random: Random;
  readonly #name: string;
  #tokens = 0;

  /** `name` is part of the tokens of transactions, which are those of all tables. */
  constructor(random: Random, name: string) {
    this.#random = random;
    this.#name = name;
  }

  call(): RandomCall {
    switch (this.#below(10)) {
      case 0:
        return { name: "get", request: { key: this.#key(), consistent: true } };
      case 1:
        return {
          name: "batchGet",
          request: { keys: this.#list(this.#oneOf([1, 3, 8]), () => this.#key()), consistent: true },
        };
      case 2:
      case 3:
        return { name: "query", request: this.#query() };
      case 4:
      case 5:
        return {
          name: "update",
          request: {
            key: this.#key(),
            update: this.#update(),
            when: this.#condition(),
            returns: this.#oneOf(["new", "old"]),
          },
        };
      case 6:
        return { name: "delete", request: { key: this.#key(), when: this.#condition() } };
      case 7:
        return {
          name: "batchWrite",
          request: {
            puts: this.#list(this.#below(4), () => this.#item()),
            deletes: this.#list(this.#below(3), () => this.#key()),
          },
        };
      default:
        return {
          name: "transact",
          request: {
            writes: this.#list(1 + this.#below(4), () => this.#write()),
            token: `${this.#name}-${this.#tokens++}`,
          },
        };
    }
  }

  #below = (end: number): number => Math.floor(this.#random() * end);
  #oneOf = <T>(values: readonly T[]): T => values[this.#below(values.length)] as T;
  #list = <T>(count: number, make: () => T): T[] => Array.from({ length: count }, make);
  #rarely = (): boolean => this.#below(40) === 0;
  #half = (): boolean => this.#random() < 0.5;

  #key(): Key {
    if (this.#rarely())
      return this.#oneOf([
        { pk: "", sk: "a" },
        { pk: "a", sk: "" },
        { pk: "a", sk: "é".repeat(513) },
      ]);
    return { pk: this.#oneOf(["P1", "P2", "é"]), sk: this.#oneOf(sortKeys) };
  }

  #value(depth = 0): unknown {
    switch (this.#below(depth > 2 ? 6 : 11)) {
      case 0:
        return this.#below(5);
      case 1:
        return this.#oneOf([-1, 0.5, 1e15, -12.25, 1e-7, 0]);
      case 2:
        return this.#oneOf(["", "a", "b", "ab", "\u0000s", "…\u{1f389}", '{"S":"x"}', "\\ud800"]);
      case 3:
        return this.#half();
      case 4:
        return null;
      case 5:
        return this.#oneOf(["x", "y"]).repeat(this.#rarely() ? 30_000 : 3);
      case 6:
        return this.#set();
      case 7:
        return new Uint8Array(this.#list(this.#below(4), () => this.#below(256)));
      case 8:
        return this.#list(this.#below(3), () => this.#value(depth + 1));
      case 9:
        return Object.fromEntries(
          this.#list(this.#below(3), () => [this.#oneOf(["a", "b", "S", "\u0000b", "a.b"]), this.#value(depth + 1)]),
        );
      default:
        return this.#rarely() ? this.#oneOf([2 ** 60, Number.NaN, new Set(), new Date()]) : 1;
    }
  }

  #set(): Set<unknown> {
    const members = this.#oneOf<readonly unknown[]>([
      ["a", "b", "c", "é"],
      [1, 2, 3, 10],
    ]);
    return new Set(this.#list(1 + this.#below(3), () => this.#oneOf(members)));
  }

  #item(): Item {
    const key = this.#key();
    const item: Item = { ...key };
    for (const name of ["a", "b", "c"]) if (this.#half()) item[name] = this.#value();
    if (this.#half()) item.n = this.#below(4);
    if (this.#half()) item.tags = new Set(this.#list(1 + this.#below(2), () => this.#oneOf(["x", "y", "z"])));
    if (this.#rarely()) item.large = "x".repeat(this.#oneOf([200_000, 390_000, 409_700]));
    for (const index of ["gsi1", "gsi2", "gsi3"]) {
      if (this.#half()) continue;
      item[`${index}pk`] = this.#oneOf(["I1", "I2"]);
      // Items with the same keys in an index are in no certain order.
      if (!this.#rarely()) item[`${index}sk`] = `${this.#oneOf(["1", "2", "é"])}#${key.pk}${key.sk}`;
    }
    if (this.#rarely()) item[this.#oneOf(["gsi1pk", "gsi3sk"])] = this.#oneOf(["", 7, "é".repeat(1200)]);
    return item;
  }

  #condition(): Condition | undefined {
    switch (this.#below(9)) {
      case 0:
        return { exists: this.#half() };
      case 1:
        return { equals: { [this.#oneOf(["a", "n"])]: this.#half() ? undefined : this.#oneOf([0, 1, "a", true]) } };
      case 2:
        return { contains: { [this.#oneOf(["tags", "a"])]: this.#oneOf(["x", "y", 1]) } };
      case 3:
        return { lacks: { tags: this.#oneOf(["x", "y"]) } };
      case 4:
        return { below: { [this.#oneOf(["n", "a"])]: this.#oneOf([2, "b", "é"]) } };
      case 5:
        return { absentOr: { [this.#oneOf(["m", "a"])]: { a: this.#oneOf([1, "a"]) } } };
      case 6:
        return { exists: true, lacks: { tags: "x" }, below: { n: 3 } };
      default:
        return undefined;
    }
  }

  #update(): Update {
    const update: Update = {};
    if (this.#half()) update.set = { [this.#oneOf(["a", "b"])]: this.#value() };
    if (this.#half()) update.setIfAbsent = { [this.#oneOf(["c", "m"])]: this.#oneOf([{ a: 1 }, 1, "a"]) };
    const tags = () => ({ tags: new Set([this.#oneOf(["x", "y"])]) });
    const change = this.#below(4);
    if (change === 0) update.add = { [this.#oneOf(["n", "a"])]: this.#below(3) };
    if (change === 1) update.add = tags();
    if (change === 2) update.subtract = tags();
    if (this.#below(4) === 0) update.remove = [this.#oneOf(["c", "gsi1pk", "gsi2sk", "b"])];
    return update;
  }

  #write(): TableWrite {
    const when = this.#condition();
    switch (this.#below(4)) {
      case 0:
        return { kind: "put", item: this.#item(), when };
      case 1:
        return { kind: "update", key: this.#key(), update: this.#update(), when };
      case 2:
        return { kind: "delete", key: this.#key(), when };
      default:
        return { kind: "check", key: this.#key(), when: when ?? { exists: this.#half() } };
    }
  }

  #query(): TableRequests["query"] {
    const index = this.#oneOf<IndexName | undefined>([undefined, "gsi1", "gsi2", "gsi3"]);
    const part = () => this.#oneOf(index ? ["1", "2", "é", "1#P1"] : ["a", "b", "ab", "é", "\u{ffff}", "\u{1f389}"]);
    const range = this.#oneOf([{}, { prefix: part() }, { from: part() }, { to: part() }, { from: part(), to: part() }]);
    return {
      pk: this.#oneOf(index ? ["I1", "I2"] : ["P1", "P2", "é"]),
      ...range,
      ...(index && { index }),
      ...(this.#half() && { descending: true }),
      ...(this.#half() && { limit: 1 + this.#below(6) }),
      ...(this.#below(4) === 0 && !index && { fields: ["a", "n", "absent"] }),
      consistent: !index,
    };
  }
}

const sortKeys = ["a", "ab", "b", "b\u{10ffff}", "é", "\u{ffff}", "\u{1f389}", "z", "c", "d", "e"];
