import { bool, list, withDefault } from "../../shared/base/schema/params.ts";
import { listRequestedChannels } from "../../shared/core/channels/listing.ts";
import { listedChannelObject, toChannelWire } from "../../shared/core/channels/wire.ts";
import { storeLongReply } from "../../shared/services/blobs/store-long-reply.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";
import { realm } from "../../shared/services/organization/access.ts";

export const handler = endpoint(
  {
    method: "GET",
    path: "/streams",
    summary: "Lists the channels that the caller may see.",
    note: "`first_message_id`, `stream_weekly_traffic` (null in a channel's first week) and `is_recently_active` are updated within seconds of a new message; `first_message_id` is also updated after a deletion or a move. If all descriptions take more than 2 MB, as text and HTML, they are truncated, the longest first; `GET /streams/{stream_id}` returns them in full.",
    caller: "user",
    params: {
      include_public: withDefault(bool(), true),
      include_web_public: withDefault(bool(), false),
      include_subscribed: withDefault(bool(), true),
      exclude_archived: withDefault(bool(), true),
      include_all: withDefault(bool(), false),
      include_all_active: withDefault(bool(), false),
      include_default: withDefault(bool(), false),
      include_owner_subscribed: withDefault(bool(), false),
      include_can_access_content: withDefault(bool(), false),
    },
    returns: { streams: list(listedChannelObject) },
    needs: { realm },
    storeLongReply,
    uses: { table: "readWrite", files: "readWrite" },
  },
  async ({ caller, params, realm }) => {
    const channels = await listRequestedChannels(caller, params, realm);
    return {
      streams: channels.map((channel) => ({
        ...toChannelWire(channel),
        ...(params.include_default && { is_default: channel.isDefault }),
      })),
    };
  },
);
