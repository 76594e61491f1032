import { createServer, type RequestListener } from "node:http";
import { afterEach, expect, test } from "vitest";
import { type OutgoingRequest, type Resolver, sendOutgoing } from "../../shared/outgoing-webhooks/request.ts";

/** Sends requests to a server on 127.0.0.1; each case controls how names are resolved. */

const servers: { close(): void }[] = [];
const allowed = process.env.SKEIN_OUTGOING_ALLOW;
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
  if (allowed === undefined) delete process.env.SKEIN_OUTGOING_ALLOW;
  else process.env.SKEIN_OUTGOING_ALLOW = allowed;
});

async function aServer(listener: RequestListener): Promise<number> {
  const server = createServer(listener);
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  servers.push({
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  });
  return (server.address() as { port: number }).port;
}

const allow = (list: string) => {
  process.env.SKEIN_OUTGOING_ALLOW = list;
};
const resolvingTo =
  (...answers: string[][]): Resolver =>
  (_, done) => {
    const addresses = answers.length > 1 ? answers.shift() : answers[0];
    done(
      null,
      (addresses ?? []).map((address) => ({ address, family: address.includes(":") ? 6 : 4 })),
    );
  };
const post = (url: string, more: Partial<OutgoingRequest> = {}, resolver?: Resolver) =>
  sendOutgoing({ url, method: "POST", body: "{}", deadlineMs: 5000, maxBytes: 1000, ...more }, resolver);

test("a request is sent with its body and headers, and the response is returned", async () => {
  allow("127.0.0.1");
  const seen: string[] = [];
  const port = await aServer(async (request, response) => {
    for await (const chunk of request) seen.push(String(chunk));
    seen.push(request.headers["x-mark"] as string, request.headers["content-length"] as string);
    response.writeHead(201).end("thanks ✓");
  });

  const answer = await post(`http://127.0.0.1:${port}/hook?a=1`, { body: '{"é":1}', headers: { "x-mark": "here" } });

  expect(answer).toEqual({ status: 201, body: "thanks ✓" });
  expect(seen).toEqual(['{"é":1}', "here", "8"]);
});

test.each([
  "http://127.0.0.1:9/",
  "http://localhost:9/",
  "http://[::1]:9/",
  "http://[::ffff:127.0.0.1]:9/",
  "http://0x7f.1:9/",
  "http://2130706433:9/",
  "http://169.254.169.254/latest/meta-data/",
  "http://10.0.0.1/",
  "https://192.168.0.1/",
])("a private address is refused: %s", async (url) => {
  allow("");
  await expect(post(url)).rejects.toMatchObject({ name: "OutgoingError", problem: "refused" });
});

test.each(["ftp://example.com/", "file:///etc/passwd", "no address", ""])(
  "only http and https are allowed: %s",
  async (url) => {
    await expect(post(url)).rejects.toMatchObject({ problem: "refused" });
  },
);

test("a name that resolves to a private address is refused, also together with a public one", async () => {
  allow("");
  await expect(post("http://inside.test/", {}, resolvingTo(["10.0.0.7"]))).rejects.toMatchObject({
    problem: "refused",
  });
  const mixed = resolvingTo(["93.184.215.14", "127.0.0.1"]);
  await expect(post("http://mixed.test/", {}, mixed)).rejects.toMatchObject({ problem: "refused" });
});

test("a name that changes after the check has no effect: the checked address is used for the connection", async () => {
  allow("127.0.0.1");
  const port = await aServer((_, response) => response.end("the checked one"));
  const rebinding = resolvingTo(["127.0.0.1"], ["10.0.0.1"]);

  expect((await post(`http://rebinding.test:${port}/`, {}, rebinding)).body).toBe("the checked one");
  await expect(post(`http://rebinding.test:${port}/`, {}, rebinding)).rejects.toMatchObject({ problem: "refused" });
});

test("redirects are not followed", async () => {
  allow("127.0.0.1");
  let asked = 0;
  const port = await aServer((_, response) => {
    asked++;
    response.writeHead(302, { location: "/elsewhere" }).end();
  });

  expect((await post(`http://127.0.0.1:${port}/`)).status).toBe(302);
  expect(asked).toBe(1);
});

test("a reply over the size limit is aborted", async () => {
  allow("127.0.0.1");
  const port = await aServer((_, response) => response.end("x".repeat(1001)));

  await expect(post(`http://127.0.0.1:${port}/`)).rejects.toMatchObject({ problem: "tooLarge" });
});

test("the deadline covers the whole reply", async () => {
  allow("127.0.0.1");
  const silent = await aServer(() => {});
  const trickling = await aServer((_, response) => {
    response.write("a");
  });

  await expect(post(`http://127.0.0.1:${silent}/`, { deadlineMs: 100 })).rejects.toMatchObject({ problem: "timeout" });
  await expect(post(`http://127.0.0.1:${trickling}/`, { deadlineMs: 100 })).rejects.toMatchObject({
    problem: "timeout",
  });
});

test("the deadline also covers the DNS lookup", async () => {
  await expect(post("http://slow.test/", { deadlineMs: 100 }, () => {})).rejects.toMatchObject({ problem: "timeout" });
});

test("an unreachable server is reported without path or credentials", async () => {
  allow("127.0.0.1");
  const error = await post("http://user:secret@127.0.0.1:1/private?token=1").catch((caught: Error) => caught);

  expect(error).toMatchObject({ problem: "unreachable", message: "127.0.0.1 could not be reached (ECONNREFUSED)" });
  expect(JSON.stringify(error)).not.toContain("secret");
});
