import { createECDH, randomBytes } from "node:crypto";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { decrypt } from "http_ece";
import { importJWK, jwtVerify } from "jose";
import { afterAll } from "vitest";
import { eventually } from "../waiting.ts";
import type { Person } from "../world.ts";

/** A browser with its vendor's push service, which checks requests as the RFCs demand. */

interface PushedRequest {
  headers: IncomingHttpHeaders;
  payload: any;
}

export interface TestBrowser {
  /** The parameters of its subscription. */
  subscription: { endpoint: string; p256dh: string; auth: string };
  /** The notifications that it received, oldest first. */
  received: PushedRequest[];
  /** The statuses with which its push service replies next, before it replies 201 again. */
  replies: number[];
  /** How many requests its push service got. */
  requests: number;
  shown(type?: "message" | "remove"): any[];
}

/** The claims and the key of a VAPID header (RFC 8292); throws unless the key has signed the claims. */
export async function openVapid(authorization: string | undefined, currentDate = new Date()) {
  const [, token = "", key = ""] = /^vapid t=([\w.-]+), ?k=([\w-]+)$/.exec(authorization ?? "") ?? [];
  const point = Buffer.from(key, "base64url");
  const [x, y] = [point.subarray(1, 33).toString("base64url"), point.subarray(33).toString("base64url")];
  const publicKey = await importJWK({ kty: "EC", crv: "P-256", x, y }, "ES256");
  const { payload } = await jwtVerify(token, publicKey, { currentDate, algorithms: ["ES256"] });
  return { claims: payload, key };
}

/** A browser that subscribes with the server's key, and lives until the test file has finished. */
export async function aBrowser(serverKey: string): Promise<TestBrowser> {
  const keys = createECDH("prime256v1");
  keys.generateKeys();
  const auth = randomBytes(16).toString("base64url");
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    browser.requests++;
    const reply = browser.replies.shift();
    response.writeHead(reply ?? (await take(request.headers, Buffer.concat(chunks)))).end();
  });
  /** The status of the reply to a notification. */
  async function take(headers: IncomingHttpHeaders, body: Buffer): Promise<number> {
    try {
      const { claims, key } = await openVapid(headers.authorization);
      const lifetime = (claims.exp ?? 0) - Date.now() / 1000;
      if (key !== serverKey || claims.aud !== origin || lifetime > 86_400) return 403;
      if (headers["content-encoding"] !== "aes128gcm" || !/^\d+$/.test(String(headers.ttl))) return 400;
      const content = decrypt(body, { version: "aes128gcm", privateKey: keys, authSecret: auth });
      browser.received.push({ headers, payload: JSON.parse(content.toString("utf8")) });
      return 201;
    } catch {
      return 400;
    }
  }
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  afterAll(() => {
    server.close();
    server.closeAllConnections();
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const browser: TestBrowser = {
    subscription: {
      endpoint: `${origin}/push/${randomBytes(16).toString("hex")}`,
      p256dh: keys.getPublicKey("base64url"),
      auth,
    },
    received: [],
    replies: [],
    requests: 0,
    shown: (type = "message") => browser.received.flatMap(({ payload }) => (payload.type === type ? [payload] : [])),
  };
  return browser;
}

/** A browser in which a person is notified. */
export async function aSubscribedBrowser(person: Person): Promise<TestBrowser> {
  const { application_server_key } = await person.do("GET", "/web_push/key");
  const browser = await aBrowser(application_server_key);
  await person.do("POST", "/web_push/subscriptions", browser.subscription);
  return browser;
}

/** Waits until a browser has received some notifications of a type, and returns them. */
export const waitForShown = (browser: TestBrowser, count = 1, type: "message" | "remove" = "message") =>
  eventually(async () => {
    const shown = browser.shown(type);
    return shown.length >= count && shown;
  });
