import type { Channel, ChannelPermissions } from "../../store/channels/channels.ts";
import { loadVisibleSettings } from "../user-groups/settings.ts";

/**
 * Removes deactivated users from channels' permissions, as replies and events show them. Reads users that this process has
 * not cached, 1 read unit each. See https://zulip.com/api/group-setting-values.
 */
export async function withVisiblePermissions<C extends Channel>(
  channels: readonly C[],
  usersVersion: number,
): Promise<C[]> {
  const visibleSetting = await loadVisibleSettings(
    channels.flatMap(({ permissions }) => Object.values(permissions)),
    usersVersion,
  );
  return channels.map((channel) => ({
    ...channel,
    permissions: Object.fromEntries(
      Object.entries(channel.permissions).map(([name, value]) => [name, visibleSetting(value)]),
    ) as unknown as ChannelPermissions,
  }));
}
