import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { open, pathOf, signedInCredentials, submit } from "../support/accounts.ts";
import { aPrivateHost, type PrivateHost } from "../support/hosts/private-host.ts";
import { anAddress } from "../support/people.ts";
import { isLocal } from "../support/world.ts";

const password = "some-are-born-great-some-achieve";

describe.skipIf(!isLocal())("a server that sends no email (on a private host: email is an operator setting)", () => {
  let host: PrivateHost;
  const owner = "owner@globe.test";
  beforeAll(async () => {
    host = await aPrivateHost({ SKEIN_MAIL_FROM: "" });
  }, 60_000);
  afterAll(() => host?.stop());
  const onHost = () => ({ url: host.url });
  const mailDisabled = "This server does not send email";

  test("lets people join through an invitation link without confirming their address, once per address", async () => {
    const path = pathOf((await host.as(owner, "POST", "/invites/multiuse")).invite_link);
    const email = anAddress("feste");

    expect((await open(path, onHost())).bytes.toString()).toContain('name="email"');
    const [feste, repeated] = [
      await submit(path, { email, full_name: "Feste", password }, onHost()),
      await submit(path, { email, full_name: "Feste", password }, onHost()),
    ];

    expect(signedInCredentials(feste).email).toBe(email);
    expect([repeated.status, repeated.bytes.toString()]).toEqual([400, expect.stringContaining("already in use")]);
  });

  test("shows administrators the link for a password reset", async () => {
    const { members } = await host.as(owner, "GET", "/users");
    const { user_id } = members.find(({ email }: any) => email === "viola@globe.test");

    const path = pathOf((await host.as(owner, "POST", `/users/${user_id}/password_reset`)).reset_link);

    expect(signedInCredentials(await submit(path, { password }, onHost())).email).toBe("viola@globe.test");
    expect(
      await host.as(undefined, "POST", "/fetch_api_key", { username: "viola@globe.test", password }),
    ).toMatchObject({
      status: 200,
    });
  });

  test("changes an address at once, and refuses requests that need email", async () => {
    const email = anAddress("cesario");
    expect(await host.as("viola@globe.test", "PATCH", "/settings", { email })).toMatchObject({ status: 200 });
    expect(await host.as(email, "GET", "/users/me")).toMatchObject({ delivery_email: email });
    expect(await host.as(owner, "POST", "/invites", { invitee_emails: anAddress(), stream_ids: [] })).toMatchObject({
      status: 400,
      msg: expect.stringContaining(mailDisabled),
    });
    await host.do(owner, "PATCH", "/realm", { invite_required: false });
    for (const path of ["/join", "/password-reset"])
      for (const reply of [await open(path, onHost()), await submit(path, { email }, onHost())])
        expect([path, reply.status, reply.bytes.toString()]).toEqual([
          path,
          400,
          expect.stringContaining(mailDisabled),
        ]);
  });
});
