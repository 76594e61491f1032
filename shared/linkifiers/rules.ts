import { ApiError, badRequest } from "../errors.ts";
import { checkLinkifier } from "../markdown/linkifiers.ts";
import type { Linkifier } from "../store/organization/linkifiers.ts";

/** Every linkifier slows down the rendering of every message. */
const maxLinkifiers = 200;

/**
 * Refuses a duplicate linkifier, an invalid pattern or template, and a template whose variables differ from the pattern's
 * groups.
 */
export function checkAcceptable(linkifier: Omit<Linkifier, "id">, others: readonly Linkifier[]): void {
  const errors = checkLinkifier(linkifier.pattern, linkifier.urlTemplate);
  if (errors) refuse(errors);
  if (others.some(({ pattern }) => pattern === linkifier.pattern))
    refuse({ pattern: ["Linkifier with this pattern already exists."] });
  if (others.length >= maxLinkifiers) throw badRequest(`An organization can have at most ${maxLinkifiers} linkifiers.`);
}

function refuse(errors: { pattern?: string[]; url_template?: string[] }): never {
  const [msg = "Invalid linkifier."] = Object.values(errors).flat();
  throw new ApiError("BAD_REQUEST", msg, { errors });
}

/** Returns a linkifier by ID; throws if it does not exist. */
export function accessLinkifier(linkifiers: readonly Linkifier[], id: number): Linkifier {
  const found = linkifiers.find((linkifier) => linkifier.id === id);
  if (!found) throw badRequest("Linkifier not found.");
  return found;
}

/** The list in the order of `ids`, which must name each linkifier once. */
export function reorder(linkifiers: readonly Linkifier[], ids: readonly number[]): Linkifier[] {
  const byId = new Map(linkifiers.map((linkifier) => [linkifier.id, linkifier]));
  const ordered = ids.flatMap((id) => byId.get(id) ?? []);
  if (new Set(ids).size !== ids.length || ids.length !== linkifiers.length || ordered.length !== ids.length)
    throw badRequest("The ordered list must enumerate all existing linkifiers exactly once");
  return ordered;
}
