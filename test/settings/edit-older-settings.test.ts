import { expect, test } from "vitest";
import { listen } from "../support/listener.ts";
import { aBot } from "../support/people.ts";
import { aPerson } from "../support/world.ts";

test.each([
  ["/settings/display", "color_scheme", 2, 9],
  ["/settings/notifications", "enable_sounds", false, "maybe"],
])(
  "PATCH %s, which older clients use, changes its settings and refuses invalid values, other settings and bots",
  async (path, name, value, invalidValue) => {
    const ann = await aPerson("Ann");
    const listener = await listen(ann, { event_types: ["user_settings"] });

    expect(await ann.call("PATCH", path, { [name]: invalidValue })).toMatchObject({
      status: 400,
      body: { code: "BAD_REQUEST" },
    });
    expect(await ann.call("PATCH", path, { enable_digest_emails: true, [name]: value })).toMatchObject({ status: 400 });
    expect((await ann.call("PATCH", path, { [name]: value })).body).toEqual({ result: "success", msg: "" });

    expect(await listener.poll()).toMatchObject([{ type: "user_settings", op: "update", property: name, value }]);
    expect(await (await aBot(ann)).call("PATCH", path, { [name]: value })).toMatchObject({ status: 400 });
  },
);
