import type { Example } from "../../example.ts";

export const examples: Example[] = [
  [
    {},
    { topic: "New email from zulip@zulip.com", content: "Your email **content**" },
    "New email from zulip@zulip.com",
    "Your email **content**",
  ],
  [{ "content-type": "application/x-www-form-urlencoded" }, "subject=Deals&content=Won", "Deals", "Won"],
];
