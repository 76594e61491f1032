import { createServer, type RequestListener } from "node:http";
import { afterEach, expect, test } from "vitest";
import { type OutgoingRequest, type Resolver, sendOutgoing } from "../../shared/messaging/outgoing-webhooks/request.ts";

/** Outgoing requests to servers of this process on 127.0.0.1, and to names that a stub resolver resolves. */

const servers: { close(): void }[] = [];
const originalAllowList = process.env.SKEIN_OUTGOING_ALLOW;
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
  if (originalAllowList === undefined) delete process.env.SKEIN_OUTGOING_ALLOW;
  else process.env.SKEIN_OUTGOING_ALLOW = originalAllowList;
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

const setAllowList = (list: string) => {
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
const post = (url: string, overrides: Partial<OutgoingRequest> = {}, resolver?: Resolver) =>
  sendOutgoing({ url, method: "POST", body: "{}", deadlineMs: 5000, maxBytes: 1000, ...overrides }, resolver);

test("a request is sent with its body and headers, and the response is returned", async () => {
  setAllowList("127.0.0.1");
  const received: string[] = [];
  const port = await aServer(async (request, response) => {
    for await (const chunk of request) received.push(String(chunk));
    received.push(request.headers["x-mark"] as string, request.headers["content-length"] as string);
    response.writeHead(201).end("thanks ✓");
  });

  const answer = await post(`http://127.0.0.1:${port}/hook?a=1`, { body: '{"é":1}', headers: { "x-mark": "here" } });

  expect(answer).toEqual({ status: 201, body: "thanks ✓" });
  expect(received).toEqual(['{"é":1}', "here", "8"]);
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
  setAllowList("");
  await expect(post(url)).rejects.toMatchObject({ name: "OutgoingError", problem: "refused" });
});

test.each(["ftp://example.com/", "file:///etc/passwd", "no address", ""])(
  "a URL that is not http or https is refused: %j",
  async (url) => {
    await expect(post(url)).rejects.toMatchObject({ problem: "refused" });
  },
);

test("a name that resolves to a private address is refused, even if it also resolves to a public one", async () => {
  setAllowList("");
  await expect(post("http://inside.test/", {}, resolvingTo(["10.0.0.7"]))).rejects.toMatchObject({
    problem: "refused",
  });
  const mixed = resolvingTo(["93.184.215.14", "127.0.0.1"]);
  await expect(post("http://mixed.test/", {}, mixed)).rejects.toMatchObject({ problem: "refused" });
});

test("a request connects to the address that was checked, even if the name resolves to another one afterwards", async () => {
  setAllowList("127.0.0.1");
  const port = await aServer((_, response) => response.end("the checked one"));
  const rebinding = resolvingTo(["127.0.0.1"], ["10.0.0.1"]);

  expect((await post(`http://rebinding.test:${port}/`, {}, rebinding)).body).toBe("the checked one");
  await expect(post(`http://rebinding.test:${port}/`, {}, rebinding)).rejects.toMatchObject({ problem: "refused" });
});

test.each<[type: string, encoding: BufferEncoding, prefix?: string]>([
  ["application/json", "utf8"],
  ["application/json", "utf8", "\u{feff}"],
  ["application/json; charset=UTF-8", "utf8"],
  ["application/json; charset=latin1", "latin1"],
  ["application/json; charset=latin1", "utf8", "\u{feff}"],
  ["application/json; charset=latin-1", "latin1"],
  ['text/plain; charset="ISO-8859-1"', "latin1"],
  ["text/plain; charset = iso_8859-1", "latin1"],
  ["text/plain; charset=windows-1252", "latin1"],
  ["application/json", "latin1"],
  ["application/json; charset=unknown", "latin1"],
  ["application/json; charset=unknown", "utf8"],
  ["application/json; charset=utf-16le", "utf16le"],
  ["application/json; charset=utf-16", "utf16le", "\u{feff}"],
  ["application/json", "utf16le", "\u{feff}"],
])("a reply with the type %s in %s is read", async (type, encoding, mark = "") => {
  const port = await aServer((_, response) => {
    response.writeHead(200, { "content-type": type }).end(Buffer.from(`${mark}{"content":"Grüße"}`, encoding));
  });
  setAllowList("127.0.0.1");
  expect(await post(`http://127.0.0.1:${port}/`)).toEqual({ status: 200, body: '{"content":"Grüße"}' });
});

test("a redirect is returned and not followed", async () => {
  setAllowList("127.0.0.1");
  let requestCount = 0;
  const port = await aServer((_, response) => {
    requestCount++;
    response.writeHead(302, { location: "/elsewhere" }).end();
  });

  expect((await post(`http://127.0.0.1:${port}/`)).status).toBe(302);
  expect(requestCount).toBe(1);
});

test("a reply over the size limit is aborted", async () => {
  setAllowList("127.0.0.1");
  const port = await aServer((_, response) => response.end("x".repeat(1001)));

  await expect(post(`http://127.0.0.1:${port}/`)).rejects.toMatchObject({ problem: "tooLarge" });
});

test("a reply that is not complete at the deadline fails with a timeout", async () => {
  setAllowList("127.0.0.1");
  const silent = await aServer(() => {});
  const trickling = await aServer((_, response) => {
    response.write("a");
  });

  await expect(post(`http://127.0.0.1:${silent}/`, { deadlineMs: 100 })).rejects.toMatchObject({ problem: "timeout" });
  await expect(post(`http://127.0.0.1:${trickling}/`, { deadlineMs: 100 })).rejects.toMatchObject({
    problem: "timeout",
  });
});

test("a DNS lookup that is not complete at the deadline fails with a timeout", async () => {
  await expect(post("http://slow.test/", { deadlineMs: 100 }, () => {})).rejects.toMatchObject({ problem: "timeout" });
});

test("an unreachable server is reported without path or credentials", async () => {
  setAllowList("127.0.0.1");
  const error = await post("http://user:secret@127.0.0.1:1/private?token=1").catch((caught: Error) => caught);

  expect(error).toMatchObject({ problem: "unreachable", message: "127.0.0.1 could not be reached (ECONNREFUSED)" });
  expect(JSON.stringify(error)).not.toContain("secret");
});
