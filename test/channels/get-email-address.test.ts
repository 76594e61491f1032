import { expect, test } from "vitest";
import { aChannel, aPerson } from "../support/world.ts";

test("a channel's e-mail address is empty, and refused to people who cannot see the channel", async () => {
  const [ann, ben] = [await aPerson("Ann"), await aPerson("Ben")];
  const closet = await aChannel("closet", [ann], { inviteOnly: true });

  expect((await ann.call("GET", `/streams/${closet.id}/email_address`)).body).toEqual({
    result: "success",
    msg: "",
    email: "",
  });
  expect(await ben.call("GET", `/streams/${closet.id}/email_address`)).toMatchObject({
    status: 400,
    body: { code: "BAD_REQUEST", msg: "Invalid channel ID" },
  });
});
