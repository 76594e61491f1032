import { blake2b } from "blakejs";
import nacl from "tweetnacl";
import { target } from "../target.ts";
import { eventually } from "../waiting.ts";
import type { Person } from "../world.ts";
import { type Behaviour, type BouncerRequest, bouncerKeys, unseal } from "./bouncer-stand-in.ts";

/** Controls the bouncer stand-in, and acts as a mobile app. */

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64");
const address = () => {
  const { protocol, host } = new URL(target().bouncerUrl);
  return `${protocol}//${host}`;
};

/** The requests to the bouncer that contain a text, oldest first, without the first `after`. */
export async function bouncerRequests(containing: string, path?: string, after = 0): Promise<BouncerRequest[]> {
  const reply = await fetch(`${address()}/seen?containing=${encodeURIComponent(containing)}&after=${after}`);
  const seen = (await reply.json()) as BouncerRequest[];
  return path === undefined ? seen : seen.filter((each) => each.path === path);
}

/** Overrides the bouncer's answers to some requests. */
export async function scriptBouncer(behaviour: Behaviour): Promise<void> {
  await fetch(`${address()}/behave`, { method: "POST", body: JSON.stringify(behaviour) });
}

export interface Device {
  pushAccountId: number;
  keys: nacl.BoxKeyPair;
  /** The parameters of its registration. */
  registration: Record<string, unknown>;
  /** Decrypts what was sealed for the device. */
  open(encrypted: string): any;
}

/** A device with its keys and the registration that its app would send; `overrides` replaces fields of the sealed part. */
export function aDevice(kind: "fcm" | "apns", overrides: Record<string, unknown> = {}): Device {
  const keys = nacl.box.keyPair();
  const pushAccountId = Math.floor(Math.random() * 2 ** 48);
  const text = JSON.stringify({
    token: Buffer.from(nacl.randomBytes(16)).toString("hex"),
    token_kind: kind,
    timestamp: Math.floor(Date.now() / 1000),
    ios_app_id: kind === "apns" ? "test.app" : null,
    ...overrides,
  });
  return {
    pushAccountId,
    keys,
    registration: {
      token_kind: kind,
      push_account_id: pushAccountId,
      push_public_key: base64(keys.publicKey),
      bouncer_public_key: base64(bouncerKeys.publicKey),
      encrypted_push_registration: sealedFor(bouncerKeys.publicKey, text),
    },
    open: (encrypted) => JSON.parse(unseal(encrypted, keys) ?? "null"),
  };
}

function sealedFor(publicKey: Uint8Array, text: string): string {
  const ephemeral = nacl.box.keyPair();
  const nonce = blake2b(Buffer.concat([ephemeral.publicKey, publicKey]), undefined, 24);
  const box = nacl.box(new TextEncoder().encode(text), nonce, publicKey, ephemeral.secretKey);
  return base64(Buffer.concat([ephemeral.publicKey, box]));
}

/** The owner's devices by push account ID, as `POST /register` returns them. */
export async function devicesOf(owner: Person): Promise<Record<string, { status: string; error_code: string | null }>> {
  const { body } = await owner.call("POST", "/register", {
    event_types: ["push_device"],
    fetch_event_types: ["push_device"],
  });
  return body.push_devices;
}

/** Registers a device and waits until it has the given status; returns its state. Throws if the request is refused. */
export async function registerDevice(owner: Person, device: Device, status = "active") {
  const reply = await owner.call("POST", "/mobile_push/register", device.registration);
  if (reply.status !== 200) throw new Error(reply.body.msg);
  return eventually(async () => {
    const state = (await devicesOf(owner))[String(device.pushAccountId)];
    return state?.status === status && state;
  });
}
