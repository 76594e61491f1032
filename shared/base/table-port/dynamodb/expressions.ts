import type { Condition, KeyRange, Update } from "../port.ts";

/** Conditions, updates and ranges in the language of DynamoDB's expressions. */

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

/** The range, its order and its projection as DynamoDB's API takes them. */
export function rangeInput({ pk, index, prefix, from, to, fields }: KeyRange) {
  const range =
    prefix !== undefined
      ? "begins_with(#sk, :prefix)"
      : from !== undefined && to !== undefined
        ? "#sk BETWEEN :from AND :to"
        : from !== undefined
          ? "#sk >= :from"
          : to !== undefined
            ? "#sk <= :to"
            : undefined;
  // Always includes the keys, by which callers merge recently written items into the result.
  const projectedFields = fields && [
    ...new Set([...fields, "pk", "sk", ...(index ? [`${index}pk`, `${index}sk`] : [])]),
  ];
  return {
    KeyConditionExpression: `#pk = :pk${range ? ` AND ${range}` : ""}`,
    ...(projectedFields && { ProjectionExpression: projectedFields.map((_, index) => `#f${index}`).join(", ") }),
    ExpressionAttributeNames: {
      "#pk": `${index ?? ""}pk`,
      ...(range && { "#sk": `${index ?? ""}sk` }),
      ...Object.fromEntries((projectedFields ?? []).map((field, index) => [`#f${index}`, field])),
    },
    ExpressionAttributeValues: {
      ":pk": pk,
      ...(prefix !== undefined && { ":prefix": prefix }),
      ...(prefix === undefined && from !== undefined && { ":from": from }),
      ...(prefix === undefined && to !== undefined && { ":to": to }),
    },
  };
}
