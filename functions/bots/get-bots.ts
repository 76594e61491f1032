import { bool, list, nullable, strictObject, string } from "../../shared/base/schema/params.ts";
import { pictureUrl } from "../../shared/core/users/avatars.ts";
import { loadBotDetails } from "../../shared/features/bots/state.ts";
import { toDefaultsWire } from "../../shared/features/bots/wire.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";
import { trailingItems } from "../../shared/services/http/reply-size.ts";
import { listBots } from "../../shared/store/users/bots.ts";

const ownBot = strictObject({
  username: string(),
  full_name: string(),
  api_key: string(),
  default_sending_stream: nullable(string()),
  default_events_register_stream: nullable(string()),
  default_all_public_streams: bool(),
  avatar_url: string(),
});

export const handler = endpoint(
  {
    method: "GET",
    path: "/bots",
    summary: "Lists the caller's own active bots.",
    caller: "human",
    params: {},
    returns: { bots: list(ownBot) },
    uses: { table: "read", secret: true },
  },
  async ({ caller }) => {
    const ownBots = await loadBotDetails(
      (await listBots()).filter(({ ownerId }) => ownerId === caller.id),
      caller,
    );
    const bots = ownBots
      .filter(({ user }) => user.active)
      .map(({ bot, user, apiKey, names }) => ({
        username: user.email,
        full_name: user.fullName,
        api_key: apiKey,
        ...toDefaultsWire(bot, names),
        avatar_url: pictureUrl(user),
      }));
    return { bots: trailingItems(bots) };
  },
);
