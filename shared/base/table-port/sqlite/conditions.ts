import { isDeepStrictEqual, types } from "node:util";
import { compareBytes } from "../../compare-bytes.ts";
import type { Condition, Item } from "../port.ts";

/** Whether a condition holds for the stored item, or for none, by the rules of DynamoDB's comparisons. */
export function holds(when: Condition | undefined, item: Item | undefined): boolean {
  if (!when) return true;
  const { exists, equals = {}, contains = {}, lacks = {}, below = {}, absentOr = {} } = when;
  const attribute = (name: string) => (item && Object.hasOwn(item, name) ? item[name] : undefined);
  return (
    (exists === undefined || exists === (item !== undefined)) &&
    Object.entries(equals).every(([name, value]) => isEqual(attribute(name), value)) &&
    Object.entries(contains).every(([name, value]) => hasMember(attribute(name), value)) &&
    Object.entries(lacks).every(([name, value]) => !hasMember(attribute(name), value)) &&
    Object.entries(below).every(([name, value]) => {
      const known = attribute(name);
      return known === undefined || isBelow(known, value);
    }) &&
    Object.entries(absentOr).every(([name, fields]) => {
      const known = attribute(name);
      return known === undefined || hasFields(known, fields);
    })
  );
}

const isMap = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" &&
  value !== null &&
  !Array.isArray(value) &&
  !types.isSet(value) &&
  !(value instanceof Uint8Array);

function isEqual(known: unknown, wanted: unknown): boolean {
  if (known === wanted) return true;
  if (typeof known !== "object" || typeof wanted !== "object" || known === null || wanted === null) return false;
  if (known instanceof Uint8Array || wanted instanceof Uint8Array)
    return known instanceof Uint8Array && wanted instanceof Uint8Array && Buffer.compare(known, wanted) === 0;
  if (types.isSet(known)) return types.isSet(wanted) && isDeepStrictEqual(membersOf(known), membersOf(wanted));
  if (Array.isArray(known))
    return (
      Array.isArray(wanted) && known.length === wanted.length && known.every((one, at) => isEqual(one, wanted[at]))
    );
  if (!isMap(known) || !isMap(wanted)) return false;
  const names = Object.keys(known);
  const others = Object.keys(wanted).filter((name) => wanted[name] !== undefined);
  return (
    names.length === others.length &&
    names.every((name) => Object.hasOwn(wanted, name) && isEqual(known[name], wanted[name]))
  );
}

/** A set's members for comparison, bytes as text. */
const membersOf = (set: Set<unknown>): Set<unknown> =>
  new Set([...set].map((member) => (member instanceof Uint8Array ? Buffer.from(member).toString("hex") : member)));

/** Whether a set or list has a member, or a text contains another. */
function hasMember(known: unknown, member: unknown): boolean {
  if (typeof known === "string") return typeof member === "string" && known.includes(member);
  if (types.isSet(known) || Array.isArray(known)) return [...known].some((one) => isEqual(one, member));
  return false;
}

const isBelow = (known: unknown, limit: number | string): boolean =>
  typeof known === "number" && typeof limit === "number"
    ? known < limit
    : typeof known === "string" && typeof limit === "string" && compareBytes(known, limit) < 0;

const hasFields = (known: unknown, fields: Record<string, string | number>): boolean =>
  Object.entries(fields).every(
    ([field, value]) => isMap(known) && Object.hasOwn(known, field) && known[field] === value,
  );
