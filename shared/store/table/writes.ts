/** Writes as plain data, which a transaction is made of. */

export interface Key {
  pk: string;
  sk: string;
}

export type Item = Key & Record<string, unknown>;

/** What must hold of the stored item for a write to be made. All parts must hold together. */
export interface Condition {
  exists?: boolean;
  /** Attributes with the values that they must have; undefined: the attribute must be absent. */
  equals?: Record<string, unknown>;
  /** Sets that must contain a value, or must not. */
  contains?: Record<string, unknown>;
  lacks?: Record<string, unknown>;
  /** Numbers or texts that must be smaller than the given ones; an absent one is. */
  below?: Record<string, number | string>;
  /** Maps that must be absent or have these fields. */
  absentOr?: Record<string, Record<string, string | number>>;
}

/** A change of an item's attributes, each named once. */
export interface Update {
  set?: Record<string, unknown>;
  /** Values of attributes that are not there yet: whoever comes first decides, and nobody is refused. */
  setIfAbsent?: Record<string, unknown>;
  /** Adds numbers to numbers and sets to sets; what is absent begins as nothing. */
  add?: Record<string, number | Set<unknown>>;
  /** Takes values out of sets. */
  subtract?: Record<string, Set<unknown>>;
  remove?: readonly string[];
}

export type Write =
  | { kind: "put"; item: Item; when?: Condition | undefined }
  | { kind: "update"; key: Key; update: Update; when?: Condition | undefined }
  | { kind: "delete"; key: Key; when?: Condition | undefined }
  | { kind: "check"; key: Key; when: Condition };

export const put = (item: Item, when?: Condition): Write => ({ kind: "put", item, when });
/** Puts an item that must not be there yet: the form of every claim of uniqueness. */
export const create = (item: Item): Write => put(item, { exists: false });
export const update = (key: Key, change: Update, when?: Condition): Write => ({
  kind: "update",
  key,
  update: change,
  when,
});
export const remove = ({ pk, sk }: Key, when?: Condition): Write => ({ kind: "delete", key: { pk, sk }, when });
export const check = (key: Key, when: Condition): Write => ({ kind: "check", key, when });

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

/** The condition in the API's form. */
export function conditionInput(when: Condition | undefined) {
  const aliases = new Aliases();
  const ConditionExpression = conditionText(when, aliases);
  return ConditionExpression === undefined ? {} : { ConditionExpression, ...aliases.input };
}

/** The update with its condition in the API's form. */
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

/** Some attributes with their new values; undefined removes one. */
export type Changes<T> = { [K in keyof T]?: T[K] | undefined };
