import { once } from "node:events";
import { Agent, type IncomingMessage, request } from "node:http";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test } from "vitest";
import { limits } from "../../shared/base/limits.ts";
import { roles } from "../../shared/base/schema/roles.ts";
import { cpuMsOf } from "../support/cpu-time.ts";
import { aPrivateHost, type PrivateHost } from "../support/hosts/private-host.ts";
import { endpoints, endsCaller, nameOf, pathWith } from "./acts.ts";

/**
 * Headers, queries, paths and bodies that no client sends, as long as the gateway takes them: each is refused or answered in little
 * processor time, which grows no faster than the length, and what is answered is a reply as others are.
 */

const [owner, guest] = ["owner@globe.test", "guest@globe.test"];
const scimToken = "a".repeat(40);
const maxCpuMs = 1000;
/** What the host does besides, and what a first request of a kind loads. */
const slackMs = 100;
/** Of headers and paths, of which the gateway takes 10 KB. */
const headerLength = 9_000;
/** Of bodies, below the limit of endpoints. */
const bodyLength = 3_000_000;

interface Sent {
  method: string;
  path: string;
  headers?: Record<string, string | string[]>;
  body?: string | Buffer;
}

let host: PrivateHost;
let [key, webhookKey] = ["", ""];
beforeAll(async () => {
  host = await aPrivateHost({ SKEIN_RATE_LIMITS: "off", SKEIN_SCIM_TOKEN: scimToken });
  const { user_id } = await host.do(owner, "POST", "/users", {
    ...{ email: guest, full_name: "Guest", password: "rosencrantz and guildenstern" },
  });
  await host.do(owner, "PATCH", `/users/${user_id}`, { role: roles.guest });
  key = await host.credentialsOf(guest);
  const bot = { full_name: "Bot", short_name: "bot", bot_type: 2 };
  webhookKey = (await host.do("viola@globe.test", "POST", "/bots", bot)).api_key as string;
});
afterAll(() => host?.stop());

const agent = new Agent({ keepAlive: true });
afterAll(() => agent.destroy());

interface Answer {
  status: number;
  cpuMs: number;
  /** What is wrong with the reply. */
  problem: string | undefined;
}

async function send({ method, path, headers = {}, body }: Sent): Promise<Answer> {
  const before = cpuMsOf(host.pid);
  const outgoing = request({
    ...{ host: "127.0.0.1", port: new URL(host.url).port, method, path, agent },
    headers: {
      ...(body !== undefined && !headers["transfer-encoding"] && { "content-length": Buffer.byteLength(body) }),
      ...headers,
    },
  });
  // A refusal comes while the body is sent, and may end the connection.
  outgoing.on("error", () => {});
  outgoing.end(body);
  const [response] = (await once(outgoing, "response")) as [IncomingMessage];
  const reply = await text(response);
  const status = response.statusCode ?? 0;
  return { status, cpuMs: cpuMsOf(host.pid) - before, problem: problemOf(status, response, reply) };
}

function problemOf(status: number, { headers }: IncomingMessage, reply: string): string | undefined {
  if (status >= 500) return `${status} ${reply.slice(0, 200)}`;
  const type = headers["content-type"] ?? "";
  if (headers["x-content-type-options"] !== "nosniff") return "without x-content-type-options";
  if (/^application\/scim\+json/.test(type)) return "schemas" in JSON.parse(reply) ? undefined : reply;
  if (!/^application\/json/.test(type))
    return status >= 400 && !/^text\/html/.test(type) ? `${status} ${type}` : undefined;
  if (headers["content-encoding"]) return undefined;
  const { result, msg, code, message, openapi, jsonrpc } = JSON.parse(reply);
  if (jsonrpc === "2.0") return undefined;
  // The gateway refuses what is no request that it can read.
  if (typeof message === "string" && [400, 404, 417, 421, 429, 431].includes(status)) return undefined;
  if (openapi !== undefined) return undefined;
  const expected = status < 400 ? result === "success" && msg === "" : result === "error" && msg !== "" && code !== "";
  return expected && typeof msg === "string" ? undefined : `${status} ${reply.slice(0, 200)}`;
}

/** Repeats a piece to a length. */
const filled = (piece: string, length: number) => piece.repeat(Math.ceil(length / piece.length)).slice(0, length);

type Shape = (length: number) => Partial<Sent>;

const userAgents = [
  "a/",
  "/",
  "(",
  "((;",
  "Mozilla/5.0 (X11; ",
  " ",
  "\t",
  "ZulipMobile/1.2.3 ",
  "a1.",
  "1.",
  "-",
  "é",
];
const credentials = [
  ...["Basic", "Basic a", "Bearer", "Digest", "basic basic", "Basic a a", ":", "=", "Basic\t"].map(
    (piece) => `${piece} `,
  ),
  ...["A", "=", "Og==", "Ojo6", "a:"].map((piece) => [`Basic ${piece}`, piece] as const),
];
const listed: [name: string, pieces: readonly string[]][] = [
  ["accept-language", ["de,", "de;q=0.1,", "a-", "*;q=", ",", "en-US-x-"]],
  ["accept-encoding", ["gzip,", "gzip;q=0;", ";", ",", "x;q=1,", " ,"]],
  ["accept", ["text/html,", "a/b;q=0.1,", "*/*;", ";"]],
  ["x-forwarded-for", ["1.2.3.4,", "::1, ", "::", "1.", "for=", ",", "[::]:1,"]],
  ["forwarded", ["for=1.2.3.4;", 'for="', ","]],
  ["x-forwarded-proto", ["https,", "javascript:"]],
  ["x-forwarded-host", ["evil.test,"]],
  ["range", ["bytes=0-", "0-1,", "-", "9", "bytes="]],
  ["if-none-match", ['"a",', 'W/"', "*,", ",", '"']],
  ["if-range", ['"a"', "W/"]],
  ["if-modified-since", ["Sun, ", "9"]],
  ["origin", ["http://a.test", "null,", "[", "a."]],
  ["referer", ["http://a.test/", "/"]],
  [
    "content-type",
    [
      ...["multipart/form-data; boundary=", "multipart/form-data; ", "a/b;", "application/json; charset=utf-8;"],
      ...["application/x-www-form-urlencoded;", 'boundary="', "text/", ";", " ", "charset="],
    ],
  ],
  ["sec-fetch-mode", ["navigate,"]],
  ["expect", ["100-continu"]],
  ["x-github-event", ["push", "pull_request."]],
  ["x-hub-signature-256", ["sha256=", "0"]],
  ["stripe-signature", ["t=1,", "v1=a,", "="]],
  ["x-pagerduty-signature", ["v1=a,", ","]],
  ["circleci-signature", ["v1=a,", ","]],
];
const cookies = ["a=b;", "a=b; ", ";", "; ", "skein_files=a.1.b; ", "skein_sign_in=a.b; ", "=", ".", "skein_files="];

const headerShapes: Record<string, Shape> = {
  ...Object.fromEntries(
    [...listed, ["user-agent", userAgents] as const, ["cookie", cookies] as const].flatMap(([name, pieces]) =>
      pieces.map((piece): [string, Shape] => [
        `${name} of ${JSON.stringify(piece)}`,
        (length) => ({ headers: { [name]: Buffer.from(`${filled(piece, length)}!`).toString("latin1") } }),
      ]),
    ),
  ),
  ...Object.fromEntries(
    credentials.map((each): [string, Shape] => {
      const [start, piece] = typeof each === "string" ? ["", each] : each;
      return [
        `authorization of ${start} ${piece}`,
        (length) => ({ headers: { authorization: `${start}${filled(piece, length)}!` } }),
      ];
    }),
  ),
  "credentials of many colons": (length) => ({
    headers: { authorization: `Basic ${Buffer.from(filled(":", length * 0.7)).toString("base64")}` },
  }),
  "many headers": (length) => ({
    headers: Object.fromEntries(Array.from({ length: Math.floor(length / 10) }, (_, index) => [`x${index}`, "y"])),
  }),
  "one header many times": (length) => ({
    headers: { "x-a": Array.from({ length: Math.floor(length / 8) }, () => "y") },
  }),
  "names of objects": () => ({
    headers: { ["__proto__"]: "x", constructor: "x", "to-string": "x", hasownproperty: "x" },
  }),
  "a long name": (length) => ({ headers: { [filled("a-", length)]: "x" } }),
  ...Object.fromEntries(
    ["a&", "&", "=", "a=b&", "%", "%00&", "%f0&", "+", "api_key=&", "__proto__=1&", "[", "a[a]=&", "anchor=1&"].map(
      (piece): [string, Shape] => [`a query of ${piece}`, (length) => ({ path: `?${filled(piece, length)}` })],
    ),
  ),
};

const paths = [
  "/",
  "/a",
  "/..",
  "/.",
  "/%2e%2e",
  "%2f",
  "/%",
  "//",
  "/a;a",
  "/%00",
  "/\u00e9".normalize("NFC"),
  ":",
  "*",
  "/{a}",
];
const prefixes = [
  "",
  "/api/v1",
  "/api/v1/users",
  "/user_uploads/2",
  "/static",
  "/client",
  "/scim/v2",
  "/join",
  "/api/v1/user_uploads",
];

const pathOf = (prefix: string, piece: string, length: number) =>
  `${prefix}/${Buffer.from(filled(piece, length)).toString("latin1")}`;

/** Sends a long request and, if that takes time, one of a third of its length; describes what is wrong. */
async function problemsOf(name: string, make: (share: number) => Sent): Promise<string[]> {
  let [short, long] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let attempt = 0; attempt < 5; attempt++) {
    const answer = await send(make(1));
    if (answer.problem !== undefined) return [`${name}: ${answer.problem}`];
    long = Math.min(long, answer.cpuMs);
    if (long <= slackMs) return [];
    short = Math.min(short, (await send(make(1 / 3))).cpuMs);
    if (long <= maxCpuMs && long <= 4 * short + slackMs) return [];
  }
  return [`${name}: ${Math.round(long)} ms, and ${Math.round(short)} ms for a third`];
}

/** One endpoint for each way in which a request is read. */
const readers: [method: string, path: () => string, headers?: () => Record<string, string>][] = [
  ["GET", () => "/"],
  ["GET", () => "/api"],
  ["GET", () => "/join"],
  ["GET", () => "/sign-in/oidc/callback"],
  ["GET", () => "/nothing"],
  ["GET", () => "/api/v1/server_settings"],
  ["GET", () => "/api/v1/users/me", () => ({ authorization: key })],
  ["GET", () => "/user_uploads/2/ab/c/d.png"],
  ["POST", () => "/api/v1/fetch_api_key"],
  ["POST", () => "/api/v1/messages", () => ({ authorization: key })],
  ["POST", () => "/api/v1/user_uploads", () => ({ authorization: key })],
  ["POST", () => `/api/v1/external/github?api_key=${webhookKey}`],
  ["POST", () => "/scim/v2/Users", () => ({ authorization: `Bearer ${scimToken}` })],
];

test("no header or query takes the host long", async () => {
  const problems: string[] = [];
  for (const [method, pathOfReader, headersOfReader] of readers)
    for (const [name, shape] of Object.entries(headerShapes))
      problems.push(
        ...(await problemsOf(`${method} ${pathOfReader()} with ${name}`, (share) => {
          const { path = "", headers } = shape(headerLength * share);
          return { method, path: pathOfReader() + path, headers: { ...headersOfReader?.(), ...headers } };
        })),
      );

  expect(problems).toEqual([]);
});

test("no path takes the host long", async () => {
  const problems: string[] = [];
  for (const prefix of prefixes)
    for (const piece of paths)
      for (const method of ["GET", "POST", "DELETE"])
        problems.push(
          ...(await problemsOf(`${method} ${prefix} and ${piece}`, (share) => ({
            ...{ method, path: pathOf(prefix, piece, headerLength * share), headers: { authorization: key } },
          }))),
        );

  expect(problems).toEqual([]);
});

test("every endpoint answers hostile headers and queries as it answers others", async () => {
  const problems: string[] = [];
  const shapes = Object.entries(headerShapes);
  let turn = 0;
  for (const endpoint of endpoints) {
    if (nameOf(endpoint) in endsCaller) continue;
    for (let count = 0; count < 4; count++) {
      const [name, shape] = shapes[turn++ % shapes.length] as [string, Shape];
      const { path = "", headers } = shape(headerLength);
      const isScim = endpoint.spec.caller === "scim";
      const sent: Sent = {
        method: endpoint.spec.method,
        path: pathWith(endpoint, () => "1") + path,
        headers: { authorization: isScim ? `Bearer ${scimToken}` : key, ...headers },
      };
      let { problem, cpuMs } = await send(sent);
      for (let again = 0; again < 3 && problem === undefined && cpuMs > slackMs; again++)
        ({ problem, cpuMs } = await send(sent));
      if (problem !== undefined || cpuMs > slackMs)
        problems.push(`${nameOf(endpoint)} with ${name}: ${problem ?? `${Math.round(cpuMs)} ms`}`);
    }
  }

  expect(problems).toEqual([]);
});

const form = "application/x-www-form-urlencoded";
const multipart = (boundary: string) => `multipart/form-data; boundary=${boundary}`;
const field = '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\nv\r\n';
const file = '--x\r\nContent-Disposition: form-data; name="a"; filename="b"\r\n\r\nv\r\n';
const end = "--x--\r\n";
const aField = (name: string) => `--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\nv\r\n${end}`;

/** The bodies, by what they are. */
const bodies: Record<string, (length: number) => [contentType: string, body: string]> = {
  "a form of &": (length) => [form, filled("&", length)],
  "a form of =": (length) => [form, filled("=", length)],
  "a form of %": (length) => [form, filled("%", length)],
  "a form of %25": (length) => [form, `a=${filled("%25", length)}`],
  "a form of a=b&": (length) => [form, filled("a=b&", length)],
  "a form of content=": (length) => [form, `content=${filled("+", length)}`],
  "a form with a long name": (length) => [form, filled("a", length)],
  "a form of JSON with equal keys": (length) => [form, `to=%7B${filled('"a":1,', length)}"a":1%7D`],
  "a form of deep JSON": (length) => [form, `to=${filled("[", length / 2)}${filled("]", length / 2)}`],
  "JSON with equal keys": (length) => ["application/json", `{${filled('"a":1,', length - (length % 6))}"a":1}`],
  "JSON with __proto__": (length) => [
    "application/json",
    `{${filled('"__proto__":{},', length - (length % 15))}"a":1}`,
  ],
  "JSON with many keys": (length) => [
    "application/json",
    JSON.stringify(Object.fromEntries(Array.from({ length: length / 24 }, (_, index) => [`k${index}`, 1]))),
  ],
  "deep JSON": (length) => ["application/json", filled("[", length / 2) + filled("]", length / 2)],
  "deep objects": (length) => ["application/json", `${'{"a":'.repeat(length / 6)}1${"}".repeat(length / 6)}`],
  "a long string": (length) => ["application/json", JSON.stringify({ a: filled("a\\ud800", length) })],
  "JSON of spaces": (length) => ["application/json", filled(" ", length)],
  "an array": (length) => ["application/json", `[${filled("1,", length - (length % 2))}1]`],
  "many parts": (length) => [multipart("x"), filled(field, length - (length % field.length)) + end],
  "many files": (length) => [multipart("x"), filled(file, length - (length % file.length)) + end],
  "many files between which is another boundary": (length) => [
    "multipart/form-data; xboundary=y; boundary=x",
    filled(file, length - (length % file.length)) + end,
  ],
  "many files behind an escaped boundary": (length) => [
    'multipart/form-data; boundary="\\x"',
    filled(file, length - (length % file.length)) + end,
  ],
  "many files with a charset": (length) => [
    'multipart/form-data; charset=utf-8; a="boundary=y"; boundary=x',
    filled(file, length - (length % file.length)) + end,
  ],
  "many files without an end": (length) => [multipart("x"), filled(file, length - (length % file.length))],
  "parts without names": (length) => {
    const part = field.replace('"a"', '""');
    return [multipart("x"), filled(part, length - (length % part.length)) + end];
  },
  "a long name": (length) => [multipart("x"), aField(filled("a", length))],
  "a long name of escapes": (length) => [multipart("x"), aField(filled("%22", length))],
  "a long name of quotes": (length) => [multipart("x"), aField(filled('"', length))],
  "a long file name": (length) => [multipart("x"), aField(`a"; filename="${filled("\u00e9./", length / 2)}`)],
  "many parameters of a part": (length) => [multipart("x"), aField(`a${filled('"; a="b', length)}`)],
  "many headers of a part": (length) => [multipart("x"), aField(`a"\r\n${filled("X: y\r\n", length)}Y: "`)],
  "a long header of a part": (length) => [multipart("x"), aField(`a"\r\nX: ${filled(" ", length)}"`)],
  "a long type of a file": (length) => [
    multipart("x"),
    aField(`a"; filename="b"\r\nContent-Type: text/plain${filled(";a=b", length)}; c="d`),
  ],
  "a nested form": (length) => [
    multipart("x"),
    `--x\r\nContent-Disposition: form-data; name="a"\r\nContent-Type: multipart/mixed; boundary=y\r\n\r\n${filled("--y\r\n\r\n", length)}\r\n${end}`,
  ],
  "almost boundaries": (length) => [multipart("-".repeat(60)), `${filled("\r\n--", length)}${filled("-", 59)}\r\n`],
  "nothing but boundaries": (length) => [multipart("x"), filled("--x\r\n", length)],
  "a boundary of nothing": (length) => ["multipart/form-data", filled("\r\n--", length)],
  "an empty boundary": (length) => ['multipart/form-data; boundary=""', filled("--\r\n", length)],
  "a long preamble": (length) => [multipart("x"), filled("\r\n", length) + field + end],
  "a long epilogue": (length) => [multipart("x"), field + end + filled("\r\n--x", length)],
  "another charset": (length) => ["application/json; charset=utf-16", filled("\0[", length)],
  "no type that is known": (length) => ["a/b", filled("a", length)],
  "XML entities": (length) => ["application/xml", filled("<!ENTITY a '&a;&a;'>", length)],
};

/** One endpoint for each way in which a body is read, and whether it reads forms. */
const bodyReaders: [path: () => string, reads: RegExp, headers?: () => Record<string, string>][] = [
  [() => "/api/v1/messages", /./, () => ({ authorization: key })],
  [() => "/api/v1/users/me/avatar", /^multipart/, () => ({ authorization: key })],
  [() => "/api/v1/user_uploads", /^multipart/, () => ({ authorization: key })],
  [() => `/api/v1/external/github?api_key=${webhookKey}`, /json|form-url/],
  [() => `/api/v1/external/generic?api_key=${webhookKey}`, /json|xml/],
  [() => "/scim/v2/Users", /json/, () => ({ authorization: `Bearer ${scimToken}` })],
];

test("no body takes the host long", async () => {
  const problems: string[] = [];
  for (const [path, reads, headers] of bodyReaders)
    for (const [name, make] of Object.entries(bodies))
      if (reads.test(make(1000)[0]))
        problems.push(
          ...(await problemsOf(`${path()} with ${name}`, (share) => {
            const [type, body] = make(Math.floor(bodyLength * share));
            return { method: "POST", path: path(), headers: { ...headers?.(), "content-type": type }, body };
          })),
        );

  expect(problems).toEqual([]);
});

/** Nobody is who has these. */
const madeUp = () => `Basic ${Buffer.from(`a${Math.random()}@globe.test:${"A".repeat(32)}`).toString("base64")}`;
const strangers: [name: string, authorization: () => string | undefined][] = [
  ["nothing", () => undefined],
  ["malformed credentials", () => `Basic ${Buffer.from("a@globe.test:key").toString("base64")}`],
  ["made-up credentials", madeUp],
];

test("no body of a stranger is read that is longer than they may send, whatever the endpoint", async () => {
  const problems: string[] = [];
  const shapes = Object.entries(bodies);
  let turn = 0;
  for (const endpoint of endpoints)
    for (const [stranger, credentials] of strangers) {
      const [name, make] = shapes[turn++ % shapes.length] as [string, (length: number) => [string, string]];
      const [type, body] = make(limits.anonymousBodyBytes * 10);
      const authorization = credentials();
      const answer = await send({
        method: endpoint.spec.method,
        path: pathWith(endpoint, () => "1"),
        headers: { "content-type": type, ...(authorization && { authorization }) },
        body,
      });
      const { caller } = endpoint.spec;
      const isOpen = caller === "anyone" || (caller === "visitor" && !authorization);
      const expected = isOpen ? 413 : 401;
      if (answer.status !== expected || answer.problem)
        problems.push(`${nameOf(endpoint)} for ${stranger} with ${name}: ${answer.problem ?? answer.status}`);
    }

  expect(problems).toEqual([]);
});

test("no body that a stranger may send takes the host long, whatever the endpoint does with it", async () => {
  const problems: string[] = [];
  const pieces = ["[],", "{},", '"a",', "1,", '[{"operator":"sender","operand":"a"}],'];
  let turn = 0;
  for (const endpoint of endpoints)
    for (const [stranger, credentials] of strangers) {
      const names = Object.entries(endpoint.spec.params).filter(([, { encoding }]) => encoding !== "text");
      const name = names[turn % names.length]?.[0] ?? "a";
      const piece = pieces[turn++ % pieces.length] as string;
      const list = `[${piece.repeat((limits.anonymousBodyBytes - 200) / piece.length)}0]`;
      const authorization = credentials();
      const sent: Sent = {
        method: endpoint.spec.method,
        path: pathWith(endpoint, () => "1"),
        headers: { "content-type": form, ...(authorization && { authorization }) },
        body: `${name}=${list}`,
      };
      let { problem, cpuMs } = await send(sent);
      for (let again = 0; again < 3 && problem === undefined && cpuMs > slackMs; again++)
        ({ problem, cpuMs } = await send(sent));
      if (problem !== undefined || cpuMs > slackMs)
        problems.push(
          `${nameOf(endpoint)} for ${stranger} with ${name} of ${piece} ${problem ?? `${Math.round(cpuMs)} ms`}`,
        );
    }

  expect(problems).toEqual([]);
});

test("what an endpoint takes from anybody is refused above its limit also if its length is not told", async () => {
  const chunked = (length: number) =>
    send({
      method: "POST",
      path: "/api/v1/fetch_api_key",
      headers: { "transfer-encoding": "chunked" },
      body: "a".repeat(length),
    });

  expect((await chunked(limits.anonymousBodyBytes)).status).toBe(400);
  expect((await chunked(limits.anonymousBodyBytes + 1)).status).toBe(413);
});
