import { expect } from "vitest";
import type { PrivateHost } from "../support/hosts/private-host.ts";

/** A function's response, as JSON text, has at most this many bytes on Lambda. */
const maxResponseBytes = 6 * 1024 * 1024;

/** The reply to a client that refuses gzip; checks its status and its size in a function's response. */
export async function fetchWhole(host: PrivateHost, email: string, path: string): Promise<any> {
  const { status, body } = await host.raw(email, path, "identity");
  expect([path, status]).toEqual([path, 200]);
  expect(Buffer.byteLength(JSON.stringify(body.toString()))).toBeLessThan(maxResponseBytes);
  return JSON.parse(body.toString());
}

/** The reply that a client gets that refuses gzip and follows a link; checks that there is a link. */
export async function fetchByLink(host: PrivateHost, email: string, path: string, method = "GET"): Promise<any> {
  const { status, location = "" } = await host.raw(email, path, "identity", method);
  expect([path, status]).toEqual([path, 303]);
  const stored = await fetch(location);
  expect(stored.status).toBe(200);
  return stored.json();
}
