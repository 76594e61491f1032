import { expect, test } from "vitest";
import { aPerson, call } from "../../support/world.ts";

test("the reply deletes the browser's cookie", async () => {
  const miranda = await aPerson("Miranda");

  const { status, headers } = await miranda.call("DELETE", "/users/me/file_session");

  expect(status).toBe(200);
  expect([headers["set-cookie"]].flat()[0]).toMatch(/^skein_files=; Max-Age=0; Path=\/; HttpOnly; SameSite=Strict/);
});

test("the reply clears what the browser has cached, and nothing else that it stores", async () => {
  const miranda = await aPerson("Miranda");

  const { headers } = await miranda.call("DELETE", "/users/me/file_session");

  expect(headers["clear-site-data"]).toBe('"cache"');
});

test("a caller without credentials is refused", async () => {
  const { status } = await call("DELETE", "/users/me/file_session");

  expect(status).toBe(401);
});
