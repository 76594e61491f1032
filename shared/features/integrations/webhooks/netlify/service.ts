import { createHash, createHmac } from "node:crypto";
import * as z from "zod/mini";
import { parseJson } from "../../../../base/schema/text.ts";
import { number, object, type output, text } from "../../fields.ts";
import { handlerOf, integration } from "../../integration.ts";
import { isSame } from "../../signature.ts";
import { code, duration, factList, link, paragraphs, plain, withQuote } from "../../text.ts";

/** https://docs.netlify.com/site-deploys/notifications/#http-post-request */

const payload = object({
  ...{ id: z.string().check(z.minLength(1)), name: z.string().check(z.minLength(1)), site_id: text() },
  ...{ url: text(), ssl_url: text(), deploy_ssl_url: text(), admin_url: text(), branch: text(), state: text() },
  ...{ error_message: text(), commit_ref: text(), commit_url: text(), committer: text(), title: text() },
  ...{ context: text(), review_url: text(), deploy_time: number() },
});
type Payload = output<typeof payload>;

const deployment = (verb: string) => (it: Payload) => {
  const site = link(it.name, it.deploy_ssl_url || it.ssl_url || it.url);
  const branch = it.branch && ` of ${code(it.branch)}`;
  const context = /^(|production)$/.test(it.context) ? "" : ` (${plain(it.context.replaceAll("-", " "))})`;
  const facts = factList([
    ["Commit", [link(it.commit_ref.slice(0, 12), it.commit_url), plain(it.title)].filter(Boolean).join(" ")],
    ["By", plain(it.committer)],
    ["Took", it.deploy_time > 0 ? duration(it.deploy_time) : ""],
    ["Log", it.admin_url && it.id ? link("open", `${it.admin_url}/deploys/${it.id}`) : ""],
  ]);
  const text = it.state === "error" ? it.error_message : "";
  return {
    topic: it.branch ? `${it.name} / ${it.branch}` : it.name,
    content: paragraphs(withQuote(`The deployment${branch} to ${site}${context} ${verb}`, text), facts),
  };
};

const handlers = {
  deploy_building: deployment("has started"),
  deploy_created: deployment("has succeeded"),
  deploy_failed: deployment("has failed"),
  deploy_locked: deployment("is locked: no other is published"),
  deploy_unlocked: deployment("is unlocked"),
  deploy_request_pending: deployment("waits for an approval"),
  deploy_request_accepted: deployment("was approved"),
  deploy_request_rejected: deployment("was rejected"),
};

const leavesOut = {
  submission_created: "form submissions, which may be private",
  "split_test_*": "split tests",
};

/** Whether the token, a JWS, is signed with the secret and has the hash of the body. */
function isSigned(token: string | undefined, body: Buffer, secret: string): boolean {
  const [header = "", claims = "", signature] = (token ?? "").split(".");
  const expected = createHmac("sha256", secret).update(`${header}.${claims}`).digest("base64url");
  if (!isSame(signature, expected)) return false;
  const parsed = signedClaims.safeParse(parseJson(Buffer.from(claims, "base64url").toString()));
  return parsed.success && isSame(parsed.data.sha256, createHash("sha256").update(body).digest("hex"));
}

const signedClaims = object({ iss: z.literal("netlify"), sha256: z.string() });

export const service = integration({
  title: "Netlify",
  logo: "netlify",
  summary: "Deployments that start, succeed, fail, are locked or wait for an approval.",
  setUp: [
    "Open **Project configuration → Notifications → Emails and webhooks → Deploy notifications**, and press **Add notification → HTTP POST request**.",
    "Choose an event, and enter the URL. A **JWS secret token** is optional.",
    "Repeat this for each event.",
  ],
  events: Object.keys(handlers),
  leavesOut,
  payload,
  isSigned: ({ headers, body }, secret) => isSigned(headers["x-webhook-signature"], body, secret),
  toPost(payload, { headers }) {
    const event = headers["x-netlify-event"] ?? "";
    const post = handlerOf(event, "X-Netlify-Event", handlers, leavesOut)?.(payload);
    return post && { ...post, event };
  },
});
