import { types } from "node:util";
import type { Item, Key, Update } from "../port.ts";
import { invalid } from "./refusals.ts";

/** Refuses, as DynamoDB does, an update that says nothing, changes a key, or names an attribute twice. */
export function checkUpdate({ set = {}, setIfAbsent = {}, add = {}, subtract = {}, remove = [] }: Update): void {
  const named = (values: Record<string, unknown>) => Object.keys(values).filter((name) => values[name] !== undefined);
  const names = [...named(set), ...Object.keys(setIfAbsent), ...named(add), ...named(subtract), ...remove];
  if (names.length === 0) throw invalid("Invalid UpdateExpression: The expression can not be empty;");
  if (new Set(names).size < names.length)
    throw invalid("Invalid UpdateExpression: Two document paths overlap with each other;");
  if (names.some((name) => name === "pk" || name === "sk"))
    throw invalid(
      "One or more parameter values were invalid: Cannot update attribute. This attribute is part of the key",
    );
  if (Object.values(setIfAbsent).includes(undefined)) throw invalid("An attribute value is not defined");
}

/** The item after an update that `checkUpdate` accepts. */
export function updated({ pk, sk }: Key, before: Item | undefined, update: Update): Item {
  const { set = {}, setIfAbsent = {}, add = {}, subtract = {}, remove = [] } = update;
  const item: Item = before ? { ...before } : { pk, sk };
  for (const [name, value] of Object.entries(set)) if (value !== undefined) item[name] = value;
  for (const [name, value] of Object.entries(setIfAbsent)) if (!(name in item)) item[name] = value;
  for (const [name, value] of Object.entries(add)) if (value !== undefined) item[name] = sum(item[name], value);
  for (const [name, members] of Object.entries(subtract)) {
    if (members === undefined || item[name] === undefined) continue;
    const rest = difference(item[name], members);
    if (rest.size > 0) item[name] = rest;
    else delete item[name];
  }
  for (const name of remove) delete item[name];
  return item;
}

const wrongType = () => invalid("An operand in the update expression has an incorrect data type");

function sum(known: unknown, value: number | Set<unknown>): number | Set<unknown> {
  if (typeof value === "number") {
    if (known !== undefined && typeof known !== "number") throw wrongType();
    return (known ?? 0) + value;
  }
  if (known === undefined) return value;
  if (!areAlike(known, value)) throw wrongType();
  return withMembers(known, value);
}

function difference(known: unknown, members: Set<unknown>): Set<unknown> {
  if (!areAlike(known, members)) throw wrongType();
  const names = new Set([...members].map(nameOf));
  return new Set([...known].filter((member) => !names.has(nameOf(member))));
}

function withMembers(known: Set<unknown>, members: Set<unknown>): Set<unknown> {
  const names = new Set([...known].map(nameOf));
  return new Set([...known, ...[...members].filter((member) => member !== undefined && !names.has(nameOf(member)))]);
}

/** What is the same for the same member: bytes are not by themselves. */
const nameOf = (member: unknown): unknown =>
  member instanceof Uint8Array ? Buffer.from(member).toString("base64") : member;

const kindOf = ([member]: Iterable<unknown>) => (member instanceof Uint8Array ? "bytes" : typeof member);
const areAlike = (known: unknown, members: Set<unknown>): known is Set<unknown> =>
  types.isSet(known) && kindOf(known) === kindOf(members);
