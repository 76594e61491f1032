import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { serverUrlIn } from "../../../infra/local/host-names.ts";
import { aPrivateHost, type PrivateHost } from "../../support/hosts/private-host.ts";
import { send } from "../../support/http.ts";
import { mailsIn } from "../../support/mails.ts";
import { anAddress } from "../../support/people.ts";
import { eventually } from "../../support/waiting.ts";
import { isLocal } from "../../support/world.ts";

test("SKEIN_URL is a URL without a path", () => {
  expect(serverUrlIn("")).toBeUndefined();
  for (const url of ["https://chat.example", "https://chat.example/", "HTTPS://Chat.Example"])
    expect(serverUrlIn(url)).toBe("https://chat.example");
  expect(serverUrlIn("http://[::1]:8080")).toBe("http://[::1]:8080");
  for (const url of [
    "chat.example",
    "chat.example:80",
    "https://chat.example/team",
    "https://ann@chat.example",
    "ftp://x.test",
  ])
    expect(() => serverUrlIn(url), url).toThrow("SKEIN_URL");
});

const owner = "owner@globe.test";
/** Names by which a client may address the host, of which one is a web page's own choice. */
const hostNames = ["localhost", "evil.localhost", "127.66.6.6"];

describe.skipIf(!isLocal()).each([
  ["the configured address", { SKEIN_URL: "https://chat.example/" }, () => "https://chat.example"],
  ["the loopback address by default", {}, (host: PrivateHost) => host.url],
] as const)("links name %s, whatever Host a request has", (_, settings, expected) => {
  let host: PrivateHost;
  let port: string;
  beforeAll(async () => {
    host = await aPrivateHost(settings);
    port = new URL(host.url).port;
  }, 60_000);
  afterAll(() => host?.stop());

  /** Sends a form to the host under another name. */
  const submitTo = async (name: string, path: string, form: Record<string, string>, authorization = "") => {
    const headers = { host: `${name}:${port}`, ...(authorization !== "" && { authorization }) };
    return send("POST", path, new URLSearchParams(form).toString(), { url: host.url, headers });
  };
  const linksMailedTo = (address: string, count: number) =>
    eventually(async () => {
      const mails = await mailsIn(join(host.dataFolder, "aws", "mail"), address);
      return (
        mails.length >= count && mails.flatMap(({ text, html }) => `${text} ${html}`.match(/https?:\/\/[^\s"<]+/g))
      );
    });

  test("in mails that anybody can request", async () => {
    await host.do(owner, "PATCH", "/realm", { invite_required: false });
    const newcomer = anAddress("newcomer");

    for (const name of hostNames) {
      expect((await submitTo(name, "/password-reset", { email: "viola@globe.test" })).status).toBe(200);
      expect((await submitTo(name, "/join", { email: newcomer })).status).toBe(200);
    }

    for (const address of ["viola@globe.test", newcomer]) {
      const links = await linksMailedTo(address, hostNames.length);
      expect(links.length).toBeGreaterThanOrEqual(hostNames.length);
      for (const link of links) expect(String(link)).toSatisfy((text: string) => text.startsWith(`${expected(host)}/`));
    }
  });

  test("in invitations, changes of address, and replies with links", async () => {
    const { api_key } = await host.do(undefined, "POST", "/dev_fetch_api_key", { username: owner });
    const authorization = `Basic ${Buffer.from(`${owner}:${api_key}`).toString("base64")}`;
    const call = (path: string, form: Record<string, string>) =>
      submitTo("evil.localhost", `/api/v1${path}`, form, authorization);
    const invited = anAddress("invited");

    expect((await call("/invites", { invitee_emails: invited, stream_ids: "[]" })).status).toBe(200);
    const { invite_link } = (await call("/invites/multiuse", {})).body;

    for (const link of [...(await linksMailedTo(invited, 1)), invite_link])
      expect(String(link)).toSatisfy((text: string) => text.startsWith(`${expected(host)}/join/`));
  });

  test("and the configured host is served", async () => {
    const { status } = await send("GET", "/api/v1/server_settings", undefined, {
      url: host.url,
      headers: { host: new URL(expected(host)).host },
    });
    expect(status).toBe(200);
  });
});
