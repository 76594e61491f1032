/**
 * How the store's entities write. They describe their writes as plain data (`create`, `put`, `update`, `remove`, `check`), and the
 * caller chooses who makes them:
 * - `commit` (`../log/log.ts`): one transaction with the events that report the change. For all that clients see, and for all that
 *   is read from indexes or `corrected`, because such reads learn from the log what was written recently.
 * - `transact` (`transactions.ts`): one transaction without the log, for what is read by key, or may be read a second late.
 * - `updateIf`, `deleteItem` and the like (`single-writes.ts`): one item, for half the units of a transaction.
 * - `batchWrite` (`bulk.ts`): any number of items, without conditions.
 *
 * This file translates them to DynamoDB's expressions.
 */

export interface Key {
  pk: string;
  sk: string;
}

export type Item = Key & Record<string, unknown>;

/** A condition on the stored item. A write is made only if all parts of its condition hold. */
export interface Condition {
  exists?: boolean;
  /** Attributes that must have these values; undefined: the attribute must be absent. */
  equals?: Record<string, unknown>;
  /** Sets that must contain a value. */
  contains?: Record<string, unknown>;
  /** Sets that must not contain a value. */
  lacks?: Record<string, unknown>;
  /** Numbers or strings that must be absent or smaller than these. */
  below?: Record<string, number | string>;
  /** Maps that must be absent or have these fields. */
  absentOr?: Record<string, Record<string, string | number>>;
}

/** A change to an item's attributes. DynamoDB rejects an update that names an attribute twice. */
export interface Update {
  set?: Record<string, unknown>;
  /** Sets attributes that are absent: the first writer's value stays, and later writers do not fail. */
  setIfAbsent?: Record<string, unknown>;
  /** Adds numbers to numbers and members to sets. An absent attribute counts as 0 or as an empty set. */
  add?: Record<string, number | Set<unknown>>;
  /** Removes members from sets. */
  subtract?: Record<string, Set<unknown>>;
  remove?: readonly string[];
}

/** The error that a failed condition means, given the stored item, if any. */
export type Refusal = (existing: Item | undefined) => Error;

export type Write = { orElse?: Refusal } & (
  | { kind: "put"; item: Item; when?: Condition | undefined }
  | { kind: "update"; key: Key; update: Update; when?: Condition | undefined }
  | { kind: "delete"; key: Key; when?: Condition | undefined }
  | { kind: "check"; key: Key; when: Condition }
);

export const put = (item: Item, when?: Condition): Write => ({ kind: "put", item, when });
/** Puts an item that must not exist yet. Uniqueness constraints are such items. */
export const create = (item: Item): Write => put(item, { exists: false });
export const update = (key: Key, change: Update, when?: Condition): Write => ({
  kind: "update",
  key,
  update: change,
  when,
});
export const remove = ({ pk, sk }: Key, when?: Condition): Write => ({ kind: "delete", key: { pk, sk }, when });
export const check = (key: Key, when: Condition): Write => ({ kind: "check", key, when });

/** The same write, whose transaction throws `refusal` instead of ConditionFailed when its condition does not hold. */
export const orElse = (write: Write, refusal: Refusal): Write => ({ ...write, orElse: refusal });

/** Collects names and values under short aliases, since any attribute name may be a reserved word. */
class Aliases {
  readonly names: Record<string, string> = {};
  readonly values: Record<string, unknown> = {};
  name(attribute: string) {
    const known = Object.entries(this.names).find(([, name]) => name === attribute)?.[0];
    const alias = known ?? `#n${Object.keys(this.names).length}`;
    this.names[alias] = attribute;
    return alias;
  }
  value(value: unknown) {
    const alias = `:v${Object.keys(this.values).length}`;
    this.values[alias] = value;
    return alias;
  }
  get input() {
    return {
      ...(Object.keys(this.names).length > 0 && { ExpressionAttributeNames: this.names }),
      ...(Object.keys(this.values).length > 0 && { ExpressionAttributeValues: this.values }),
    };
  }
}

function conditionText(when: Condition | undefined, aliases: Aliases): string | undefined {
  if (!when) return undefined;
  const parts = [
    when.exists === undefined
      ? []
      : [`${when.exists ? "attribute_exists" : "attribute_not_exists"}(${aliases.name("pk")})`],
    Object.entries(when.equals ?? {}).map(([name, value]) =>
      value === undefined
        ? `attribute_not_exists(${aliases.name(name)})`
        : `${aliases.name(name)} = ${aliases.value(value)}`,
    ),
    Object.entries(when.contains ?? {}).map(
      ([name, value]) => `contains(${aliases.name(name)}, ${aliases.value(value)})`,
    ),
    Object.entries(when.lacks ?? {}).map(
      ([name, value]) => `NOT contains(${aliases.name(name)}, ${aliases.value(value)})`,
    ),
    Object.entries(when.below ?? {}).map(
      ([name, value]) =>
        `(attribute_not_exists(${aliases.name(name)}) OR ${aliases.name(name)} < ${aliases.value(value)})`,
    ),
    Object.entries(when.absentOr ?? {}).flatMap(([name, fields]) =>
      Object.entries(fields).map(
        ([field, value]) =>
          `(attribute_not_exists(${aliases.name(name)}) OR ${aliases.name(name)}.${aliases.name(field)} = ${aliases.value(value)})`,
      ),
    ),
  ].flat();
  return parts.length > 0 ? parts.join(" AND ") : undefined;
}

/** The condition as DynamoDB's API takes it. */
export function conditionInput(when: Condition | undefined) {
  const aliases = new Aliases();
  const ConditionExpression = conditionText(when, aliases);
  return ConditionExpression === undefined ? {} : { ConditionExpression, ...aliases.input };
}

/** The update and its condition as DynamoDB's API takes them. */
export function updateInput(change: Update, when: Condition | undefined) {
  const aliases = new Aliases();
  const clause = (word: string, parts: string[]) => (parts.length > 0 ? [`${word} ${parts.join(", ")}`] : []);
  const pairs = (values: Record<string, unknown> = {}, join = " ") =>
    Object.entries(values)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => `${aliases.name(name)}${join}${aliases.value(value)}`);
  const UpdateExpression = [
    ...clause("SET", [
      ...pairs(change.set, " = "),
      ...Object.entries(change.setIfAbsent ?? {}).map(
        ([name, value]) => `${aliases.name(name)} = if_not_exists(${aliases.name(name)}, ${aliases.value(value)})`,
      ),
    ]),
    ...clause("ADD", pairs(change.add)),
    ...clause("DELETE", pairs(change.subtract)),
    ...clause(
      "REMOVE",
      (change.remove ?? []).map((name) => aliases.name(name)),
    ),
  ].join(" ");
  const ConditionExpression = conditionText(when, aliases);
  return { UpdateExpression, ...(ConditionExpression && { ConditionExpression }), ...aliases.input };
}

/** New values of attributes; undefined removes an attribute. */
export type Changes<T> = { [K in keyof T]?: T[K] | undefined };
