import { expect, test } from "vitest";
import { fetchFile, upload } from "../../support/files.ts";
import { send } from "../../support/http.ts";
import { aPerson, type Person } from "../../support/world.ts";

/** The session cookie in the form in which a browser sends it back. */
async function cookieOf(person: Person): Promise<string> {
  const { headers } = await person.call("POST", "/users/me/file_session");
  return String([headers["set-cookie"]].flat()[0]).split(";")[0] ?? "";
}

const withCookie = (path: string, cookie: string, method = "GET") =>
  send(method, path, undefined, { headers: { cookie } });

test("starting a file session sets a cookie that is HttpOnly and SameSite=Strict", async () => {
  const miranda = await aPerson("Miranda");

  const { status, body, headers } = await miranda.call("POST", "/users/me/file_session");

  const key = expect.stringMatching(/^[A-Za-z0-9]{32}$/);
  expect([status, body]).toEqual([200, { result: "success", msg: "", session_key: key }]);
  const [cookie = ""] = [headers["set-cookie"]].flat();
  expect(cookie).toMatch(/^skein_files=[\w.-]+; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Strict/);
});

test("the cookie gives access to the files that its owner may see, and to no others", async () => {
  const [miranda, ferdinand] = [await aPerson("Miranda"), await aPerson("Ferdinand")];
  const path = await upload(miranda, "log.txt", "a thousand logs");

  const own = await withCookie(path, await cookieOf(miranda));
  const ofAnotherUser = await withCookie(path, await cookieOf(ferdinand));
  const invalid = await withCookie(path, "skein_files=nonsense");

  expect([own.status, own.bytes.toString()]).toEqual([200, "a thousand logs"]);
  expect(ofAnotherUser.status).toBe(404);
  expect(invalid.status).toBe(401);
});

test("the cookie is accepted only for files", async () => {
  const miranda = await aPerson("Miranda");
  const cookie = await cookieOf(miranda);

  for (const path of [
    "/api/v1/users/me",
    "/api/v1/messages?anchor=newest&num_before=1&num_after=0",
    "/api/v1/register",
  ])
    expect((await withCookie(path, cookie, path.endsWith("register") ? "POST" : "GET")).status).toBe(401);
});

test("a modified or expired cookie is refused", async () => {
  const miranda = await aPerson("Miranda");
  const path = await upload(miranda);
  const cookie = await cookieOf(miranda);
  const [name = "", expires = "", mac = ""] = cookie.split(".");

  const prolonged = await withCookie(path, `${name}.${Number(expires) + 1}.${mac}`);
  const expired = await withCookie(path, `${name}.1000.${mac}`);
  const forged = await withCookie(
    path,
    `${name}.${expires}.${mac.replace(/^./, (sign) => (sign === "A" ? "B" : "A"))}`,
  );

  expect([prolonged.status, expired.status, forged.status]).toEqual([401, 401, 401]);
});

test("a new API key invalidates the cookie", async () => {
  const miranda = await aPerson("Miranda");
  const path = await upload(miranda);
  const cookie = await cookieOf(miranda);

  await miranda.do("POST", "/users/me/api_key/regenerate");

  expect((await withCookie(path, cookie)).status).toBe(401);
});

test("a deactivated user's cookie is refused", async () => {
  const [miranda, prospero] = [await aPerson("Miranda"), await aPerson("Prospero", { role: "administrator" })];
  const path = await upload(miranda);
  const cookie = await cookieOf(miranda);

  await prospero.do("DELETE", `/users/${miranda.id}`);

  expect((await withCookie(path, cookie)).status).toBe(401);
});

test("credentials in the header take precedence over the cookie", async () => {
  const [miranda, ferdinand] = [await aPerson("Miranda"), await aPerson("Ferdinand")];
  const path = await upload(miranda);

  const served = await fetchFile(ferdinand, path, { cookie: await cookieOf(miranda) });

  expect(served.status).toBe(404);
});
