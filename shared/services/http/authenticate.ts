import { linkUrl } from "../../base/environment.ts";
import { badRequest, unauthorized, unauthorizedPrincipal } from "../../base/errors.ts";
import { limits } from "../../base/limits.ts";
import { botTypes } from "../../base/schema/roles.ts";
import { authenticateBotKey, authenticateCredentials } from "../identity/access.ts";
import { type Caller, isAdministrator, isBot, isGuest, isOwner } from "../identity/caller.ts";
import { authenticateFileSession } from "../identity/file-sessions.ts";
import { baseUrlOf, cookiesIn, type HttpEvent } from "./event.ts";
import { limitAccount, limitAddress, type RateBucket } from "./rate-limit.ts";

/**
 * Who may call: "anyone" without credentials; "visitor" with credentials or, as a spectator, without; "user" any account;
 * "human" no bots; "member" no guests; "admin" administrators and owners; "owner" owners; "scim" the organization's SCIM
 * client, which has a token and no account.
 */
export type CallerKind = "anyone" | "visitor" | "user" | "human" | "member" | "admin" | "owner" | "scim";

/** Who has been authenticated where callers of a kind may call. */
export type CallerOf<C> = C extends "anyone" | "scim" ? undefined : C extends "visitor" ? Caller | undefined : Caller;

/**
 * The maximum of a request's body in bytes. It is small where nobody needs credentials, because the body is then read for anybody,
 * as often as their address may call.
 */
export const maxBodyBytes = (kind: CallerKind, { headers }: Pick<HttpEvent, "headers">): number =>
  kind === "anyone" || (kind === "visitor" && !headers?.authorization)
    ? limits.anonymousBodyBytes
    : limits.requestBodyBytes;

/**
 * Returns the authenticated account, which the event then names too, or throws UNAUTHORIZED. Costs one strongly consistent read of the account,
 * so that a deactivation or a new key takes effect with the next request. Counts the request against the account's rate limit
 * or, without valid credentials, against that of the network address.
 */
export const authenticate = <C extends CallerKind>(
  kind: C,
  {
    bucket,
    incomingWebhooks,
    fileCookie,
    keyInQuery,
    byToken,
    byBearer,
    notesUse,
  }: {
    bucket: RateBucket;
    incomingWebhooks?: true | undefined;
    fileCookie?: true | undefined;
    keyInQuery?: true | undefined;
    byToken?: ((event: HttpEvent) => Promise<void>) | undefined;
    byBearer?: ((event: HttpEvent) => Promise<Caller>) | undefined;
    notesUse: boolean;
  },
): ((event: HttpEvent) => Promise<CallerOf<C>>) => {
  const callerFromCredentials = (event: HttpEvent): Promise<Caller> => {
    const header = event.headers?.authorization;
    if (byBearer && /^Bearer /i.test(header ?? "")) return byBearer(event);
    return header || !keyInQuery ? callerFromHeader(event, notesUse) : callerFromQuery(event.rawQueryString);
  };
  const identify = async (event: HttpEvent): Promise<Caller | undefined> => {
    const header = event.headers?.authorization;
    if (kind === "scim") {
      if (!byToken) throw unauthorized();
      await byToken(event);
      return undefined;
    }
    const sessionCaller = !header && fileCookie ? await authenticateFileSession(cookiesIn(event)) : undefined;
    if (kind === "anyone" || (!header && !sessionCaller && kind === "visitor")) {
      // Public files are not limited: browsers load many of them with a page, and cache them.
      if (bucket !== "files") await limitAddress(event);
      return undefined;
    }
    const caller =
      sessionCaller ??
      (await callerFromCredentials(event).catch(async (error: unknown) => {
        await limitAddress(event);
        throw error;
      }));
    await limitAccount(event, caller.id, bucket);
    // Set before the role is checked, so that the log names the caller of a refused request.
    event.caller = caller;
    if (caller.botType === botTypes.incomingWebhook && !incomingWebhooks)
      throw badRequest("This API is not available to incoming webhook bots.");
    checkKind(caller, kind);
    return caller;
  };
  // There is none only for the kinds that may have none.
  return async (event) => (await identify(event)) as CallerOf<C>;
};

/** Malformed credentials are refused without a read of the table. */
const callerFromHeader = async (event: HttpEvent, notesUse: boolean) =>
  authenticateCredentials(credentialsOf(event.headers?.authorization), linkUrl(baseUrlOf(event)), { notesUse });

async function callerFromQuery(rawQueryString: string): Promise<Caller> {
  const apiKey = new URLSearchParams(rawQueryString).get("api_key");
  if (apiKey === null) throw unauthorized();
  return authenticateBotKey(checkedKey(apiKey));
}

function checkKind(caller: Caller, kind: CallerKind) {
  if (kind === "human" && isBot(caller)) throw badRequest("This endpoint does not accept bot requests.");
  if (kind === "member" && isGuest(caller)) throw badRequest("Not allowed for guest users");
  if (kind === "admin" && !isAdministrator(caller)) throw unauthorizedPrincipal("administrator");
  if (kind === "owner" && !isOwner(caller)) throw unauthorizedPrincipal("owner");
}

/** The address and API key in a header of Basic credentials; throws UNAUTHORIZED for any other. */
export function credentialsOf(header: string | undefined): { email: string; apiKey: string } {
  const [, encoded] = /^Basic\s+(\S+)\s*$/i.exec(header ?? "") ?? [];
  if (!encoded) throw unauthorized();
  const decoded = Buffer.from(encoded, "base64").toString("utf8");
  const colon = decoded.lastIndexOf(":");
  if (colon < 1) throw unauthorized("Invalid API key");
  return { email: decoded.slice(0, colon), apiKey: checkedKey(decoded.slice(colon + 1)) };
}

/** Whether a header has credentials that may be valid. */
export function isWellFormed(header: string | undefined): boolean {
  if (header === undefined) return false;
  try {
    credentialsOf(header);
    return true;
  } catch {
    return false;
  }
}

function checkedKey(apiKey: string): string {
  if (!/^[A-Za-z0-9]{32}$/.test(apiKey)) throw unauthorized("Malformed API key");
  return apiKey;
}
