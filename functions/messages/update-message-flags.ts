import { endpoint } from "../../shared/http/endpoint.ts";
import { int, list, oneOf, optional, string } from "../../shared/http/params.ts";
import { changeFlag } from "../../shared/messages/flag-changes.ts";
import { checkEditableFlag } from "../../shared/messages/flag-rules.ts";
import { Reader } from "../../shared/messages/reader.ts";
import { accessRealm } from "../../shared/organization/access.ts";
import { wakeForReader } from "../../shared/push/wake.ts";
import { limits } from "../../shared/settings.ts";

export const handler = endpoint(
  {
    method: "POST",
    path: "/messages/flags",
    summary: "Adds a flag to messages, or removes it, for the caller alone.",
    caller: "user",
    params: {
      messages: list(int({ min: 0 }), { max: limits.messagesPerFetch }),
      op: oneOf(["add", "remove"]),
      flag: string(),
    },
    returns: { messages: list(int()), ignored_because_not_subscribed_channels: optional(list(int())) },
    beside: accessRealm,
    uses: { table: "readWrite", sends: ["push-wakes"], pushBouncer: true },
  },
  async ({ caller, params, beside: realm }) => {
    const flag = checkEditableFlag(params.flag);
    const reader = new Reader(caller, realm);
    const { changed, ignoredChannels } = await changeFlag(reader, params.messages, params.op, flag);
    if (flag === "read" && params.op === "add") await wakeForReader(realm, caller.id);
    return {
      messages: changed,
      ...(ignoredChannels && { ignored_because_not_subscribed_channels: ignoredChannels }),
    };
  },
);
