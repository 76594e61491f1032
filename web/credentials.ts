import type { Credentials } from "./api/client.ts";

/**
 * The API key, kept in this browser until somebody signs out. A script that ran in this page could read it, as it could
 * call the API in the person's name: nothing that the page itself can use is out of such a script's reach. That none runs
 * is what the content security policy and the cleaning of all HTML are for.
 */

const name = "skein-credentials";

export function remembered(): Credentials | undefined {
  try {
    const stored = JSON.parse(localStorage.getItem(name) ?? "null");
    return typeof stored?.email === "string" && typeof stored.apiKey === "string" ? stored : undefined;
  } catch {
    return undefined;
  }
}

export const remember = (credentials: Credentials) => localStorage.setItem(name, JSON.stringify(credentials));
export const forget = () => localStorage.removeItem(name);
