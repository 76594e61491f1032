import { createServer, type IncomingMessage } from "node:http";
import { blake2b } from "blakejs";
import nacl from "tweetnacl";

/** A stand-in that implements the push bouncer's protocol and records requests. */

export const bouncerKeys = nacl.box.keyPair.fromSecretKey(new Uint8Array(32).fill(7));
/** The credentials of the fleet under test. */
const bouncerCredentials = { id: "fleet-under-test", key: "its key" };

/** Decrypts a sealed box (libsodium's `crypto_box_seal`); undefined if it was not sealed for this key pair. */
export function unseal(sealed: string, { publicKey, secretKey }: nacl.BoxKeyPair): string | undefined {
  const bytes = new Uint8Array(Buffer.from(sealed, "base64"));
  if (bytes.length < 48) return undefined;
  const ephemeral = bytes.subarray(0, 32);
  const nonce = blake2b(Buffer.concat([ephemeral, publicKey]), undefined, 24);
  const opened = nacl.box.open(bytes.subarray(32), nonce, ephemeral, secretKey);
  return opened ? Buffer.from(opened).toString("utf8") : undefined;
}

export interface BouncerRequest {
  path: string;
  body: Record<string, any>;
}
/** Answers the next `times` requests whose body contains `containing` with `status`; 0 closes the connection instead. */
export interface Behaviour {
  containing: string;
  times: number;
  status: number;
  body?: unknown;
}

interface Answer {
  status: number;
  body: unknown;
}
const refused = (code: string, msg: string, status = 400): Answer => ({
  status,
  body: { result: "error", code, msg },
});
const ok = (fields: Record<string, unknown> = {}): Answer => ({
  status: 200,
  body: { result: "success", msg: "", ...fields },
});

/** Starts a stand-in on a free port. Tests control it over HTTP: `/seen?containing=…&after=…` and POST `/behave`. */
export async function startBouncer(): Promise<{ url: string; stop(): Promise<void> }> {
  const received: (BouncerRequest & { text: string })[] = [];
  const behaviours: Behaviour[] = [];
  const devices = new Map<string, number>();
  const tokens = new Set<string>();

  function register(form: Record<string, any>): Answer {
    const ownKey = Buffer.from(bouncerKeys.publicKey).toString("base64");
    if (form.bouncer_public_key !== ownKey) return refused("INVALID_BOUNCER_PUBLIC_KEY", "Invalid bouncer_public_key");
    const text = unseal(form.encrypted_push_registration, bouncerKeys);
    if (!text) return refused("BAD_REQUEST", "Invalid encrypted_push_registration");
    const { token, timestamp } = JSON.parse(text);
    if (timestamp < Date.now() / 1000 - 86_400) return refused("REQUEST_EXPIRED", "The request has expired");
    const name = `${token} ${form.push_account_id}`;
    if (!devices.has(name)) devices.set(name, devices.size + 1);
    return ok({ device_id: devices.get(name) });
  }

  const endpoints: Record<string, (body: Record<string, any>) => Answer> = {
    "push/e2ee/register": register,
    "push/e2ee/notify": ({ push_requests }) =>
      ok({
        apple_successfully_sent_count: push_requests.filter((each: any) => each.http_headers).length,
        android_successfully_sent_count: push_requests.filter((each: any) => each.fcm_priority).length,
        delete_device_ids: [],
      }),
    "push/register": ({ token }) => {
      tokens.add(token);
      return ok();
    },
    "push/unregister": ({ token }) => (tokens.delete(token) ? ok() : refused("BAD_REQUEST", "Token does not exist")),
    "push/notify": ({ android_devices, apple_devices }) => {
      const unknown = (devices: string[]) => devices.filter((token) => !tokens.has(token));
      const deleted_devices = { android_devices: unknown(android_devices), apple_devices: unknown(apple_devices) };
      const counts = { total_android_devices: android_devices.length, total_apple_devices: apple_devices.length };
      return ok({ ...counts, deleted_devices, realm: null });
    },
    "push/test_notification": ({ token }) =>
      tokens.has(token)
        ? ok()
        : refused("INVALID_REMOTE_PUSH_DEVICE_TOKEN", "Device not recognized by the push bouncer"),
  };

  const server = createServer(async (incoming, response) => {
    const text = await bodyOf(incoming);
    const { pathname, searchParams } = new URL(incoming.url ?? "", "http://bouncer.test");
    const answer = (status: number, body: unknown) =>
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    if (pathname === "/seen") {
      const found = received.filter((each) => each.text.includes(searchParams.get("containing") ?? ""));
      return answer(200, found.slice(Number(searchParams.get("after") ?? 0)));
    }
    if (pathname === "/behave") return answer(200, behaviours.push(JSON.parse(text)));
    const path = pathname.replace("/api/v1/remotes/", "");
    const isForm = incoming.headers["content-type"] === "application/x-www-form-urlencoded";
    const body = isForm ? Object.fromEntries(new URLSearchParams(text)) : JSON.parse(text);
    received.push({ path, body, text: JSON.stringify(body) });
    const { id, key } = bouncerCredentials;
    if (incoming.headers.authorization !== `Basic ${Buffer.from(`${id}:${key}`).toString("base64")}`)
      return answer(401, refused("INVALID_ZULIP_SERVER", "Who are you?").body);
    const behaviour = behaviours.find(
      ({ containing, times }) => times > 0 && JSON.stringify(body).includes(containing),
    );
    if (behaviour) {
      behaviour.times--;
      if (behaviour.status === 0) return incoming.socket.destroy();
      return answer(behaviour.status, behaviour.body ?? { result: "error", msg: "as told", code: "AS_TOLD" });
    }
    const { status, body: replyBody } = endpoints[path]?.(body) ?? refused("NOT_FOUND", "No such endpoint", 404);
    return answer(status, replyBody);
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as { port: number };
  return {
    url: `http://${bouncerCredentials.id}:${encodeURIComponent(bouncerCredentials.key)}@127.0.0.1:${port}`,
    stop: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}

async function bodyOf(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}
