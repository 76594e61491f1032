import { expect, test } from "vitest";
import {
  buildCaches,
  cacheNameOf,
  isCacheable,
  mayDeleteOthers,
  networkFirst,
  otherCaches,
  type Shell,
  strategyOf,
} from "../../web/service-worker/caching.ts";

/** The decisions of the service worker, without a browser. */

const origin = "https://chat.example.com";
const request = (path: string, { method = "GET", mode = "cors" } = {}) => ({
  url: new URL(path, origin).href,
  method,
  mode,
});
const shell: Shell = { build: "new", script: "/client/main-AAAAAAAA.js", files: ["/client/main-AAAAAAAA.js"] };

test.each(["/", "/?source=homescreen", "/#narrow/is/starred"])("a navigation to %s returns the page", (path) => {
  expect(strategyOf(request(path, { mode: "navigate" }), origin)).toBe("page");
});

test.each(["/client/main-ABCD1234.js", "/client/app-ABCD1234.css", "/client/KaTeX_Main-Bold-ABCD1234.woff2"])(
  "%s is served from the cache",
  (path) => {
    expect(strategyOf(request(path), origin)).toBe("file");
  },
);

test.each([
  "/api/v1/messages",
  "/api/v1/events",
  "/json/messages",
  "/user_uploads/1/ab/picture.png",
  "/user_avatars/1/2.png",
  "/exports/1/token/export.tar.gz",
  "/service-worker.js",
  "/client/manifest.webmanifest",
  "/client/icon.svg",
  "/static/images/loading/loader-black.svg",
  "/user_uploads/1/client/main-ABCD1234.js",
])("%s is left to the network", (path) => {
  expect(strategyOf(request(path), origin)).toBe("network");
});

test.each(["/join", "/join/token", "/accounts/login", "/password-reset", "/api", "/user_uploads/1/ab/notes.txt", "/x"])(
  "a navigation to %s is left to the network",
  (path) => {
    expect(strategyOf(request(path, { mode: "navigate" }), origin)).toBe("network");
  },
);

test("requests other than GET and requests to other hosts are left to the network", () => {
  const file = "/client/main-ABCD1234.js";

  expect(strategyOf(request("/", { method: "POST", mode: "navigate" }), origin)).toBe("network");
  expect(strategyOf(request(file, { method: "HEAD" }), origin)).toBe("network");
  expect(strategyOf(request(`https://elsewhere.example.com${file}`), origin)).toBe("network");
});

test("only complete replies of this origin are cacheable", () => {
  const reply = { status: 200, type: "basic", redirected: false };

  expect(isCacheable(reply)).toBe(true);
  for (const change of [{ status: 206 }, { status: 404 }, { type: "opaque" }, { type: "cors" }, { redirected: true }])
    expect([change, isCacheable({ ...reply, ...change })]).toEqual([change, false]);
});

const cached = { status: 200, from: "cache" };
const findCached = async () => cached;
const failedFetch = () => Promise.reject<typeof cached>(new TypeError("Failed to fetch"));
const networkReply = (status: number) => ({ status, from: "network" });

test.each([200, 304, 404, 429])("a page of status %i comes from the network", async (status) => {
  expect(await networkFirst(Promise.resolve(networkReply(status)), findCached, 1000)).toEqual(networkReply(status));
});

test("the cached page is used when the network fails, takes too long or replies with a server error", async () => {
  expect(await networkFirst(failedFetch(), findCached, 1000)).toBe(cached);
  expect(await networkFirst(new Promise<typeof cached>(() => {}), findCached, 10)).toBe(cached);
  expect(await networkFirst(Promise.resolve(networkReply(503)), findCached, 1000)).toBe(cached);
});

test("without a cached page, the reply or failure of the network is used, however late", async () => {
  const late = new Promise<ReturnType<typeof networkReply>>((resolve) =>
    setTimeout(() => resolve(networkReply(200)), 30),
  );
  const findNothing = async () => undefined;

  expect(await networkFirst(late, findNothing, 10)).toEqual(networkReply(200));
  expect(await networkFirst(Promise.resolve(networkReply(503)), findNothing, 1000)).toEqual(networkReply(503));
  await expect(networkFirst(failedFetch(), findNothing, 1000)).rejects.toThrow("fetch");
});

test("a service worker deletes the caches of its other builds, and leaves all other caches alone", () => {
  const oldCache = cacheNameOf({ ...shell, build: "old" });

  expect(otherCaches([oldCache, cacheNameOf(shell), "another-cache"], shell)).toEqual([oldCache]);
  expect(buildCaches([oldCache, "another-cache", cacheNameOf(shell)])).toEqual([oldCache, cacheNameOf(shell)]);
});

test("other builds' files are deleted once the only page is of the new build", () => {
  const script = origin + shell.script;
  const page = `${origin}/#inbox`;

  expect(mayDeleteOthers(script, [page], shell)).toBe(true);
  expect(mayDeleteOthers(script, [page, `${origin}/join`], shell)).toBe(true);
  expect(mayDeleteOthers(script, [page, `${origin}/`], shell)).toBe(false);
  expect(mayDeleteOthers(`${origin}/client/main-BBBBBBBB.js`, [page], shell)).toBe(false);
});
