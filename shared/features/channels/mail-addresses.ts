import { mailDomain } from "../../base/environment.ts";
import { badRequest } from "../../base/errors.ts";
import { accessChannelToSend } from "../../core/channels/access.ts";
import { accessChannel } from "../../core/channels/channel-access.ts";
import type { Caller } from "../../services/identity/caller.ts";
import { channelAddress } from "../../services/mail/addresses.ts";
import type { Realm } from "../../services/organization/access.ts";
import { emailGatewayId } from "../../services/organization/system-bots.ts";
import { countReplacement, findReplacements } from "../../store/channels/mail-addresses.ts";
import { findBot } from "../../store/users/bots.ts";
import { findUser } from "../../store/users/users.ts";

/** The caller's address of a channel to which they may post, after replacing the former one if they want that. */
export async function channelMailAddress(
  caller: Caller,
  { stream_id: channelId, sender_id }: { stream_id: number; sender_id?: number | undefined },
  realm: Realm,
  { replace }: { replace: boolean },
): Promise<string> {
  // Its error does not tell a hidden channel from an absent one.
  const { channel } = await accessChannel(caller, channelId, realm);
  if (!mailDomain()) return "";
  await accessChannelToSend(caller, channelId, realm);
  const gatewayId = emailGatewayId(realm);
  const senderId = sender_id ?? gatewayId;
  if (senderId !== gatewayId && senderId !== caller.id) await checkOwnBot(caller, senderId);
  const address = { channelId, creatorId: caller.id, senderId };
  const replacements = await (replace ? countReplacement : findReplacements)(address);
  return channelAddress(address, replacements, channel.name, senderId === gatewayId ? ["show-sender"] : []);
}

async function checkOwnBot(caller: Caller, id: number): Promise<void> {
  const [bot, user] = await Promise.all([findBot(id), findUser(id)]);
  if (bot?.ownerId !== caller.id || !user?.active) throw badRequest("No such bot");
}
