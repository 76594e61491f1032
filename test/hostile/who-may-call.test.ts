import { beforeAll, describe, expect, test } from "vitest";
import type { EndpointMember } from "../../infra/fleet.ts";
import { type CallOptions, type Reply, send } from "../support/http.ts";
import { aBot } from "../support/people.ts";
import { aPerson, type Person } from "../support/world.ts";
import { endpoints, endsCaller, nameOf, pathWith } from "./acts.ts";

/**
 * Nine identities call every endpoint of the fleet without parameters. The expected access follows from the declaration, so
 * new endpoints are covered too.
 */

const identities = [
  "nobody",
  "owner",
  "administrator",
  "moderator",
  "member",
  "guest",
  "bot",
  "incoming webhook",
  "deactivated",
] as const;
type Identity = (typeof identities)[number];

const refusals = {
  notLoggedIn: { status: 401, code: "UNAUTHORIZED" },
  deactivated: { status: 401, code: "UNAUTHORIZED", msg: "Account is deactivated" },
  webhook: { status: 400, code: "BAD_REQUEST", msg: "This API is not available to incoming webhook bots." },
  bot: { status: 400, code: "BAD_REQUEST", msg: "This endpoint does not accept bot requests." },
  guest: { status: 400, code: "BAD_REQUEST", msg: "Not allowed for guest users" },
  administrators: { status: 400, code: "UNAUTHORIZED_PRINCIPAL", msg: "Must be an organization administrator" },
  owners: { status: 400, code: "UNAUTHORIZED_PRINCIPAL", msg: "Must be an organization owner" },
  // In SCIM's form.
  withoutToken: { status: 401, detail: "The SCIM client's token is missing or wrong" },
} as const;
type Refusal = (typeof refusals)[keyof typeof refusals];

/** Exceptions: identities that are refused although the declaration admits them, each with the reason. */
const exceptions: Record<
  string,
  { refusedIdentities: readonly Identity[]; refusal: Partial<Refusal>; reason: string }
> = Object.fromEntries(
  [
    "POST /user_groups/{user_group_id}/deactivate",
    "POST /user_groups/{user_group_id}/members",
    "POST /user_groups/{user_group_id}/subgroups",
    "PATCH /user_groups/{user_group_id}",
    "GET /invites",
    "POST /invites/multiuse",
    "DELETE /invites/{invite_id}",
    "DELETE /invites/multiuse/{invite_id}",
    "POST /invites/{invite_id}/resend",
    "POST /realm/emoji/{emoji_name}",
  ].map((name) => [
    name,
    {
      refusedIdentities: ["guest"],
      refusal: refusals.guest,
      reason: "the rules of groups, of invitations and of custom emoji refuse guests",
    },
  ]),
);

/** The expected error for a caller according to the declaration; undefined if they are admitted. */
function expectedRefusal({ spec }: EndpointMember, identity: Identity): Refusal | undefined {
  const { caller, incomingWebhooks } = spec;
  if (caller === "anyone") return undefined;
  if (caller === "scim") return refusals.withoutToken;
  if (identity === "nobody") return caller === "visitor" ? undefined : refusals.notLoggedIn;
  if (identity === "deactivated") return refusals.deactivated;
  if (identity === "incoming webhook" && !incomingWebhooks) return refusals.webhook;
  const isBot = identity === "bot" || identity === "incoming webhook";
  if (caller === "human" && isBot) return refusals.bot;
  if (caller === "member" && identity === "guest") return refusals.guest;
  if (caller === "admin" && identity !== "owner" && identity !== "administrator") return refusals.administrators;
  if (caller === "owner" && identity !== "owner") return refusals.owners;
  return undefined;
}

async function createCallers(): Promise<Record<Identity, Person | undefined>> {
  // The bots belong to somebody who calls nothing: whoever leaves takes their bots with them.
  const [owner, administrator, moderator, member, guest, deactivated, botOwner] = await Promise.all([
    aPerson("Owner", { role: "owner" }),
    aPerson("Administrator", { role: "administrator" }),
    aPerson("Moderator", { role: "moderator" }),
    aPerson("Member"),
    aPerson("Guest", { role: "guest" }),
    aPerson("Deactivated"),
    aPerson("Owner of bots"),
  ]);
  const [bot, webhook] = await Promise.all([aBot(botOwner), aBot(botOwner, 2)]);
  expect((await owner.call("DELETE", `/users/${deactivated.id}`)).status).toBe(200);
  return {
    nobody: undefined,
    owner,
    administrator,
    moderator,
    member,
    guest,
    bot,
    "incoming webhook": webhook,
    deactivated,
  };
}

let people: Record<Identity, Person | undefined>;
beforeAll(async () => {
  people = await createCallers();
});

/** Path parameters name nonexistent objects, so that admitted callers change nothing. */
async function callWithoutParams(member: EndpointMember, person: Person | undefined): Promise<Reply> {
  const path = pathWith(member, (name) => (/id$|^user/.test(name) ? "999999999" : "not-there"));
  const options: CallOptions = person ? { credentials: person } : {};
  return send(member.spec.method, path, member.spec.method === "GET" ? undefined : "", options);
}

const isRefusal = ({ status, body }: Reply) =>
  Object.values(refusals).some(
    (refusal) =>
      status === refusal.status &&
      "code" in refusal &&
      body.code === refusal.code &&
      (!("msg" in refusal) || body.msg === refusal.msg),
  );

describe.each(endpoints.map((member) => [nameOf(member), member] as const))("%s", (name, member) => {
  test("allows exactly the callers that its declaration allows", async () => {
    const callers = name in endsCaller ? await createCallers() : people;
    await Promise.all(
      identities.map(async (identity) => {
        const { refusedIdentities, refusal } = exceptions[name] ?? {};
        const expected = refusedIdentities?.includes(identity) ? refusal : expectedRefusal(member, identity);
        const reply = await callWithoutParams(member, callers[identity]);

        const result = { identity, status: reply.status, ...(reply.status >= 400 && { body: reply.body }) };
        if (expected) {
          const { status, ...body } = expected;
          expect(result).toMatchObject({
            identity,
            status,
            body: { ...("code" in body && { result: "error" }), ...body },
          });
        } else if (member.spec.caller === "visitor" && identity === "nobody") {
          // Without spectator access, or for an object that spectators may not see, a visitor is asked to log in.
          expect(result.status).toBeLessThan(500);
        } else {
          expect([result, isRefusal(reply)]).toEqual([result, false]);
          expect(result.status).toBeLessThan(500);
        }
      }),
    );
  });
});

test("each exception names an existing endpoint", () => {
  const known = new Set(endpoints.map(nameOf));
  expect([exceptions, endsCaller].flatMap((each) => Object.keys(each)).filter((name) => !known.has(name))).toEqual([]);
});
