import { expect, test } from "vitest";
import { aBot } from "../support/people.ts";
import { target } from "../support/target.ts";
import { aChannel, aPerson } from "../support/world.ts";

/** The domain of the host under test; empty if it receives no mail. */
const domain = () => target().environment.MAIL_DOMAIN ?? "";

test("a channel's address is one's own, and refused to people who cannot see the channel", async () => {
  const [ann, ben] = [await aPerson("Ann"), await aPerson("Ben")];
  const closet = await aChannel("closet", [ann], { inviteOnly: true });

  const { body } = await ann.call("GET", `/streams/${closet.id}/email_address`);
  expect(body).toEqual({ result: "success", msg: "", email: expect.any(String) });
  expect(body.email).toMatch(domain() ? /^closet[-a-z0-9]*\.c[-a-z0-9]+\.show-sender@[^@]+$/ : /^$/);
  expect((await ann.call("GET", `/streams/${closet.id}/email_address`)).body).toEqual(body);
  for (const method of ["GET", "POST"])
    expect(await ben.call(method, `/streams/${closet.id}/email_address`)).toMatchObject({
      status: 400,
      body: { code: "BAD_REQUEST", msg: "Invalid channel ID" },
    });
});

test("an address is refused to those who may not post, and for others' bots", async () => {
  const [ann, ben] = [await aPerson("Ann", { role: "owner" }), await aPerson("Ben")];
  const bot = await aBot(ben);
  const news = await aChannel("news", [ann, ben]);
  await ann.do("PATCH", `/streams/${news.id}`, {
    can_send_message_group: { new: { direct_members: [ann.id], direct_subgroups: [] } },
  });

  const replaced = await ann.call("POST", `/streams/${news.id}/email_address`, { sender_id: ann.id });
  expect(replaced).toMatchObject({ status: 200, body: { email: expect.any(String) } });
  const expectRefused = async (person: typeof ann, params: Record<string, unknown>) =>
    expect(await person.call("GET", `/streams/${news.id}/email_address`, params)).toMatchObject(
      domain() ? { status: 400, body: { code: "BAD_REQUEST" } } : { status: 200, body: { email: "" } },
    );
  await expectRefused(ben, {});
  await expectRefused(ann, { sender_id: bot.id });
  await expectRefused(ann, { sender_id: 999_999_999 });
});
