import type { MiddlewareObj } from "@middy/core";
import { badRequest, unauthorized, unauthorizedPrincipal } from "../errors.ts";
import { accountOfCredentials } from "../identity/access.ts";
import { type Caller, isAdministrator, isBot, isGuest, isOwner } from "../identity/caller.ts";
import { accountOfFileSession } from "../identity/file-sessions.ts";
import type { HttpEvent } from "./event.ts";
import { limitAccount, limitAddress, type RateBucket } from "./rate-limit.ts";

/**
 * Who may call: "anyone" without credentials; "visitor" with credentials or, as a spectator, without; "user" any account;
 * "human" no bots; "member" no guests; "admin" administrators and owners; "owner" owners.
 */
export type CallerKind = "anyone" | "visitor" | "user" | "human" | "member" | "admin" | "owner";

/** API Gateway hands cookies over by themselves; gateways that stand in for it leave them in their header. */
const cookiesIn = ({ cookies, headers }: HttpEvent): string[] => cookies ?? headers?.cookie?.split(";") ?? [];

/**
 * Puts the authenticated account into `event.caller`, or throws UNAUTHORIZED (specification, part 5). It costs one
 * strongly consistent read of the account, so that a deactivation or a new key holds from the next request on. The request is
 * counted for its account; without credentials that hold, for its address.
 */
export const authenticate = (
  kind: CallerKind,
  {
    bucket,
    incomingWebhooks,
    fileCookie,
  }: { bucket: RateBucket; incomingWebhooks?: true | undefined; fileCookie?: true | undefined },
): MiddlewareObj<HttpEvent> => ({
  before: async ({ event }) => {
    const header = event.headers?.authorization;
    const known = !header && fileCookie ? await accountOfFileSession(cookiesIn(event)) : undefined;
    if (kind === "anyone" || (!header && !known && kind === "visitor")) {
      // What browsers load with a page is kept by them, and anybody may have it.
      if (bucket !== "files") await limitAddress(event);
      return;
    }
    const caller =
      known ??
      (await accountBehind(header).catch(async (error: unknown) => {
        await limitAddress(event);
        throw error;
      }));
    await limitAccount(event, caller.id, bucket);
    // Set before the role is looked at, so that the log names who was refused.
    event.caller = caller;
    if (caller.botType === 2 && !incomingWebhooks)
      throw badRequest("This API is not available to incoming webhook bots.");
    checkKind(caller, kind);
  },
});

/** Credentials that cannot be read are refused without a read of the table. */
const accountBehind = async (header: string | undefined) => accountOfCredentials(credentialsOf(header));

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
