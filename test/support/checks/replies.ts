import { expect } from "vitest";
import { loadFleet } from "../../../infra/fleet.ts";
import { router } from "../../../infra/local/routes.ts";
import { featureLevel } from "../../../shared/base/limits.ts";
import { list, optional, type Shape, strictSchemaOf, string } from "../../../shared/base/schema/params.ts";
import { app } from "../contract/app.ts";
import { Decoder } from "../contract/decode.ts";
import { go } from "../contract/go.ts";
import { web } from "../contract/web.ts";
import { nameOfEvent } from "./events.ts";
import { issuesOf } from "./issues.ts";

const fleet = await loadFleet();
const find = router(fleet.flatMap((member) => (member.kind === "endpoint" ? [member] : [])));

const envelope = { result: string(), msg: string(), ignored_parameters_unsupported: optional(list(string())) };

const schemaOf = (returns: Shape) => strictSchemaOf({ ...returns, ...envelope });
/** By what endpoints return: to make a schema takes longer than to check a reply. */
const schemas = new Map<Shape, ReturnType<typeof schemaOf>>();

const decoders = [app, web, go].map((client) => new Decoder(client, featureLevel));
/** Their shape depends on the parameters: test/events/event-objects.test.ts sends those of the clients. */
const shapedByParameters = ["POST /register", "POST /users/me/presence"];

/**
 * Throws for a reply that does not match the endpoint's declaration: exactly its fields, or an error with a code; and for one that the
 * mobile app, the web app or go-zulip cannot decode.
 */
export function checkReply(method: string, path: string, { status, body }: { status: number; body: any }): void {
  const found = find(method, `/api/v1${path.split("?")[0]}`);
  if (!found || status === 204 || method === "HEAD") return;
  const { returns, raw, storeLongReply, path: pattern } = found.member.spec;
  if (storeLongReply && status === 303) return;
  if (raw?.statuses?.some((known) => known === status)) return;
  if (status !== 200) {
    expect(body).toMatchObject({ result: "error", msg: expect.any(String), code: expect.any(String) });
    return;
  }
  if (returns === "raw") return;
  const schema = schemas.get(returns) ?? schemaOf(returns);
  schemas.set(returns, schema);
  const checked = schema.safeParse(body);
  if (path.startsWith("/events")) for (const event of body.events ?? []) nameOfEvent(event);
  const [issue] = issuesOf(checked);
  if (issue)
    throw new Error(
      `The reply of ${method} ${path} is not as declared: ${issue.message.replace("{}", issue.path.join("."))}`,
    );
  const name = `${method} ${pattern}`;
  // With `message_ids`, which these clients do not send, there is no anchor.
  const isPartial = name === "GET /messages" && !("anchor" in body);
  const undecodable = shapedByParameters.includes(name)
    ? []
    : decoders.flatMap((decoder) => decoder.reply(name, body, { isPartial }));
  // Only Zulip's own clients get its name of this type (test/emoji/extra-type.test.ts).
  const problems = undecodable.filter((problem) => !problem.includes("service_extra_emoji"));
  if (problems.length > 0) throw new Error(`A client cannot decode ${name}: ${problems.slice(0, 5).join("; ")}`);
}
