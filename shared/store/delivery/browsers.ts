import { corrected } from "../table/consistency.ts";
import { hashOf } from "../table/keys.ts";
import { queryItems } from "../table/reads.ts";
import { deleteIf, updateIf } from "../table/single-writes.ts";
import { put, remove, type Write } from "../table/writes.ts";
import { ownerIndexKeys } from "./push-devices.ts";

/** A browser that receives notifications by Web Push: its subscription at its vendor's push service. */
export interface Browser {
  userId: number;
  /** The URL of the push service to which notifications are sent. Whoever knows it may send, too, but nothing readable. */
  endpoint: string;
  /** The browser's P-256 key, a point in uncompressed form, and its authentication secret: base64url. */
  p256dh: string;
  auth: string;
  /** The hash of the API key, or of the session's key, with which the browser has subscribed: it ends with it. */
  keyHash: string;
  /** UNIX seconds. */
  createdAt: number;
  /** How many notifications in a row its push service has not taken; absent: none. */
  failures?: number;
}

type Id = Pick<Browser, "userId" | "endpoint">;

const key = ({ userId, endpoint }: Id) => ({
  pk: `USER#${userId}`,
  sk: `BROWSER#${hashOf(endpoint)}`,
});

/** 0.5 read units for each 4 KB, about 4 browsers. */
export const listBrowsers = (userId: number) =>
  queryItems<Browser>({ pk: `USER#${userId}`, prefix: "BROWSER#", ...corrected });

/** Adds its owner to the index of device owners. */
export const putBrowser = (browser: Browser): Write =>
  put({ ...key(browser), ...browser, ...ownerIndexKeys(browser.userId, key(browser).sk) });

/** Idempotent. */
export const deleteBrowser = (id: Id): Write => remove(key(id));

/** Sets the failures of a browser, unless it was removed or has subscribed again since it was read. 1 write unit. */
export const setFailures = (browser: Browser, failures: number): Promise<boolean> =>
  updateIf(key(browser), { set: { failures } }, sameAs(browser));

const sameAs = ({ p256dh, keyHash }: Browser) => ({ equals: { p256dh, keyHash } });

/** Deletes a browser, unless it has subscribed again since it was read. 1 write unit. */
export const deleteBrowserIfUnchanged = (browser: Browser): Promise<boolean> => deleteIf(key(browser), sameAs(browser));
