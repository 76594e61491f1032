import type { Credentials } from "../base/api/client.ts";

/**
 * Keeps the API key in local storage until the user signs out. A script injected into this page could read it, but could call
 * the API in the user's name anyway. The content security policy and the sanitizing of all HTML prevent such scripts.
 */

const storageKey = "skein-credentials";

export function rememberedCredentials(): Credentials | undefined {
  try {
    const stored = JSON.parse(localStorage.getItem(storageKey) ?? "null");
    return typeof stored?.email === "string" && typeof stored.apiKey === "string" ? stored : undefined;
  } catch {
    return undefined;
  }
}

export const rememberCredentials = (credentials: Credentials) =>
  localStorage.setItem(storageKey, JSON.stringify(credentials));
export const forgetCredentials = () => localStorage.removeItem(storageKey);
