import { shownSettings } from "../groups/settings.ts";
import type { Channel, ChannelPermissions } from "../store/channels.ts";

/**
 * Channels as they are shown: their permissions name no deactivated users (2.1). Reads the users that permissions name
 * and this process does not know yet, 1 read unit each.
 */
export async function shownChannels<C extends Channel>(channels: readonly C[], usersVersion: number): Promise<C[]> {
  const show = await shownSettings(
    channels.flatMap(({ permissions }) => Object.values(permissions)),
    usersVersion,
  );
  return channels.map((channel) => ({
    ...channel,
    permissions: Object.fromEntries(
      Object.entries(channel.permissions).map(([name, value]) => [name, show(value)]),
    ) as unknown as ChannelPermissions,
  }));
}
