import type { MiddlewareObj } from "@middy/core";
import { badRequest, unauthorized, unauthorizedPrincipal } from "../errors.ts";
import { accountOfCredentials } from "../users/access.ts";
import { type Caller, isAdministrator, isBot, isGuest, isOwner } from "../users/caller.ts";
import type { CallerKind } from "./endpoint.ts";
import type { HttpEvent } from "./event.ts";

/**
 * Puts the authenticated account into `event.caller`, or throws UNAUTHORIZED (specification, part 5). It costs one
 * strongly consistent read of the account, so that a deactivation or a new key holds from the next request on.
 */
export const authenticate = (kind: CallerKind, incomingWebhooks: boolean): MiddlewareObj<HttpEvent> => ({
  before: async ({ event }) => {
    if (kind === "anyone") return;
    const header = event.headers?.authorization;
    if (!header && kind === "visitor") return;
    const caller = await accountOfCredentials(credentialsOf(header));
    // Set before the role is looked at, so that the log names who was refused.
    event.caller = caller;
    if (caller.botType === 2 && !incomingWebhooks)
      throw badRequest("This API is not available to incoming webhook bots.");
    checkKind(caller, kind);
  },
});

function checkKind(caller: Caller, kind: CallerKind) {
  if (kind === "human" && isBot(caller)) throw badRequest("This endpoint does not accept bot requests.");
  if (kind === "member" && isGuest(caller)) throw badRequest("Not allowed for guest users");
  if (kind === "admin" && !isAdministrator(caller)) throw unauthorizedPrincipal("administrator");
  if (kind === "owner" && !isOwner(caller)) throw unauthorizedPrincipal("owner");
}

function credentialsOf(header: string | undefined): { email: string; apiKey: string } {
  const [, encoded] = /^Basic\s+(\S+)\s*$/i.exec(header ?? "") ?? [];
  if (!encoded) throw unauthorized();
  const decoded = Buffer.from(encoded, "base64").toString("utf8");
  const colon = decoded.lastIndexOf(":");
  if (colon < 1) throw unauthorized("Invalid API key");
  const apiKey = decoded.slice(colon + 1);
  if (!/^[A-Za-z0-9]{32}$/.test(apiKey)) throw unauthorized("Malformed API key");
  return { email: decoded.slice(0, colon), apiKey };
}
