import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { closeMailDomain, openMailDomain } from "../../../infra/stack/mail-domain.ts";

/** A part of SES: one account's active rule set and verified domains. */
let active: string | undefined;
let rules: string[] = [];
let identities: string[] = [];
let server: Server;

beforeAll(async () => {
  server = createServer(async (request, response) => {
    const body = (await buffer(request)).toString();
    if (request.url?.startsWith("/v2/")) {
      const created = request.method === "POST" && JSON.parse(body).EmailIdentity;
      if (created) identities.push(created);
      const isKnown = created || identities.includes(decodeURIComponent(request.url.split("/").at(-1) ?? ""));
      response.writeHead(isKnown ? 200 : 404, {
        "content-type": "application/json",
        ...(!isKnown && { "x-amzn-errortype": "NotFoundException" }),
      });
      return response.end(JSON.stringify(isKnown ? { DkimAttributes: { Tokens: ["one", "two"] } } : {}));
    }
    const parameters = new URLSearchParams(body);
    const action = parameters.get("Action");
    if (action === "SetActiveReceiptRuleSet") active = parameters.get("RuleSetName") ?? undefined;
    const metadata = active && `<Metadata><Name>${active}</Name></Metadata>`;
    const members = rules.map((name) => `<member><Name>${name}</Name></member>`).join("");
    response.writeHead(200, { "content-type": "text/xml" });
    const result = `${metadata ?? ""}<Rules>${members}</Rules>`;
    return response.end(`<${action}Response><${action}Result>${result}</${action}Result></${action}Response>`);
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  vi.stubEnv("AWS_ENDPOINT_URL", `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  vi.stubEnv("AWS_REGION", "eu-west-1");
  vi.stubEnv("AWS_ACCESS_KEY_ID", "test");
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", "test");
});
afterAll(() => {
  server.close();
  vi.unstubAllEnvs();
});
beforeEach(() => {
  active = undefined;
  rules = ["Skein-mail"];
  identities = [];
});

const settings = { mailDomain: "chat.globe.test" };
const outputs = { MailRuleSet: "Skein-mail" };

test("a deployment activates the rule set, has SES verify the domain, and says which DNS records are needed", async () => {
  const [records, ...others] = await openMailDomain(settings, outputs);

  expect(active).toBe("Skein-mail");
  expect(identities).toEqual(["chat.globe.test"]);
  expect(others).toEqual([]);
  for (const record of [
    "chat.globe.test MX 10 inbound-smtp.eu-west-1.amazonaws.com",
    "one._domainkey.chat.globe.test CNAME one.dkim.amazonses.com",
    'chat.globe.test TXT "v=spf1 include:amazonses.com ~all" (a domain has one SPF record: merge with an existing one)',
    "_dmarc.chat.globe.test TXT",
  ])
    expect(records).toContain(record);

  await openMailDomain(settings, outputs);
  expect({ active, identities }).toEqual({ active: "Skein-mail", identities: ["chat.globe.test"] });
});

test("another active rule set is left alone", async () => {
  active = "company";

  const [advice] = await openMailDomain(settings, outputs);

  expect(active).toBe("company");
  expect(advice).toContain("Set mailRuleSet to company and deploy again");
  await closeMailDomain("Skein", outputs);
  expect(active).toBe("company");
});

test("the fleet's own rule set is deactivated before it is removed, and one that it was added to is not", async () => {
  active = "Skein-mail";
  await closeMailDomain("Skein", outputs);
  expect(active).toBeUndefined();

  active = "company";
  await closeMailDomain("Skein", { MailRuleSet: "company" });
  await closeMailDomain("Skein", {});
  expect(active).toBe("company");
});

test("a rule set to which others have added rules stays active", async () => {
  [active, rules] = ["Skein-mail", ["Skein-mail", "Guild-mail"]];

  await expect(closeMailDomain("Skein", outputs)).rejects.toThrow("other rules than the fleet's: Guild-mail");
  expect(active).toBe("Skein-mail");
});

test("a fleet that receives no mail changes nothing in SES", async () => {
  expect(await openMailDomain({ mailDomain: "" }, {})).toEqual([]);
  expect({ active, identities }).toEqual({ active: undefined, identities: [] });
});
