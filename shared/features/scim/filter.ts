import { type Filter, parse, filter as testerOf } from "scim2-parse-filter";
import { attributePath, scimError } from "./protocol.ts";

/** Filters of SCIM's lists and paths (RFC 7644, 3.4.2.2). */
interface ScimFilter {
  matches: (resource: object) => boolean;
  /** The value that an attribute must have according to the filter, given its path in lower case, if there is one. */
  requiredValue: (path: string) => string | undefined;
}

/** External IDs are the only text that does not ignore case. */
const exactPath = "externalid";

export function readFilter(text: string): ScimFilter {
  let parsed: Filter;
  // The parser takes exponential time for line feeds in a text that does not end.
  if (/\p{Cc}/u.test(text)) throw scimError("invalidFilter", "A filter cannot contain control characters");
  try {
    parsed = parse(text);
  } catch {
    throw scimError("invalidFilter", "The filter cannot be understood");
  }
  const test = testerOf(lowerCased(parsed));
  return {
    matches: (resource) => test(lowerCasedResource(resource)),
    requiredValue: (path) => requiredValue(parsed, path),
  };
}

function requiredValue(filter: Filter, path: string): string | undefined {
  if (filter.op === "and" && "filters" in filter)
    return filter.filters.map((each) => requiredValue(each, path)).find((value) => value !== undefined);
  if (filter.op !== "eq" || !("compValue" in filter) || typeof filter.compValue !== "string") return undefined;
  return attributePath(filter.attrPath) === path ? filter.compValue : undefined;
}

function lowerCased(filter: Filter): Filter {
  if ("filters" in filter) return { ...filter, filters: filter.filters.map(lowerCased) };
  if ("filter" in filter) return { ...filter, filter: lowerCased(filter.filter) };
  // The path of an extension's attribute stays, and is found in no resource.
  const attrPath = attributePath(filter.attrPath) ?? filter.attrPath;
  if ("valFilter" in filter) return { ...filter, attrPath, valFilter: lowerCased(filter.valFilter) };
  if (!("compValue" in filter)) return { ...filter, attrPath };
  const { compValue } = filter;
  return {
    ...filter,
    attrPath,
    compValue: typeof compValue === "string" && attrPath !== exactPath ? compValue.toLowerCase() : compValue,
  };
}

const lowerCasedResource = (resource: object): object =>
  JSON.parse(JSON.stringify(resource), (name, value) =>
    typeof value === "string" && name.toLowerCase() !== exactPath ? value.toLowerCase() : value,
  );
