import { object, type Shape, type Values } from "../../base/schema/params.ts";
import { attributePath, isObject, maxPathLength, scimError } from "./protocol.ts";

/**
 * What a request assigns to attributes: the values by the attributes' paths, such as "name.givenname"; null: none. Attributes of
 * extensions are left out, and so are later those that the resource does not have: what a directory sends by default is more than
 * a chat keeps.
 */
export type Assigned = Map<string, unknown>;

export function assignAll(assigned: Assigned, attributes: Record<string, unknown>): void {
  for (const [name, value] of Object.entries(attributes)) {
    const path = attributePath(name);
    if (path === undefined) continue;
    // The only attribute whose parts are read.
    if (path === "name" && isObject(value))
      for (const [inner, one] of Object.entries(value)) assigned.set(`${path}.${inner.toLowerCase()}`, one);
    else assigned.set(path, value);
  }
}

/** An operation of a PATCH (RFC 7644, 3.5.2). Entra writes operations with a capital letter. */
export interface Operation {
  op: "add" | "remove" | "replace";
  /** Absent: `value` contains the attributes. */
  path?: string;
  value: unknown;
}

const maxOperations = 1000;

export function operationsIn(body: Record<string, unknown>): Operation[] {
  const [, operations] = Object.entries(body).find(([name]) => name.toLowerCase() === "operations") ?? [];
  if (!Array.isArray(operations) || operations.length === 0 || operations.length > maxOperations)
    throw scimError("invalidSyntax", `Operations must be a list of 1 to ${maxOperations} operations`);
  return operations.map(checkedOperation);
}

function checkedOperation(operation: unknown): Operation {
  const { op, path, value }: Record<string, unknown> = isObject(operation) ? operation : {};
  const kind = typeof op === "string" ? op.toLowerCase() : undefined;
  if (kind !== "add" && kind !== "remove" && kind !== "replace")
    throw scimError("invalidSyntax", "An operation's op must be add, remove or replace");
  if (path === undefined || path === null || path === "") {
    if (kind === "remove") throw scimError("noTarget", "A removal needs a path");
    if (!isObject(value)) throw scimError("invalidSyntax", "Without a path, an operation's value must be an object");
    return { op: kind, value };
  }
  if (typeof path !== "string" || path.length > maxPathLength) throw scimError("invalidPath", "The path is not valid");
  return { op: kind, path, value };
}

/** Assigns what an operation sets; a removal assigns null. */
export function assignByOperation(assigned: Assigned, { op, path, value }: Operation): void {
  const attributes =
    path === undefined ? (value as Record<string, unknown>) : { [path]: op === "remove" ? null : value };
  assignAll(assigned, attributes);
}

/** The assigned values of a resource's attributes, checked against their declaration, whose names are paths. */
export function checkedValues<const S extends Shape>(assigned: Assigned, attributes: S): Values<S> {
  const parsed = object(attributes).schema.safeParse(Object.fromEntries(assigned));
  if (parsed.success) return parsed.data;
  const { message = "Invalid {}", path = [] } = parsed.error.issues[0] ?? {};
  throw scimError(
    "invalidValue",
    message.replace("{}", () => String(path[0])),
  );
}

/** A boolean that is sent as text, as Entra does. */
export const booleanIn = (value: unknown): unknown =>
  typeof value === "string" && /^(true|false)$/i.test(value) ? value.toLowerCase() === "true" : value;
