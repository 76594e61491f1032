import { int } from "../../shared/base/schema/params.ts";
import { archiveChannel, channelChangedMeanwhile } from "../../shared/features/channels/edit.ts";
import { changeEndpoint } from "../../shared/services/http/change-endpoint.ts";
import { realm } from "../../shared/services/organization/access.ts";

export const handler = changeEndpoint(
  {
    method: "DELETE",
    path: "/streams/{stream_id}",
    summary: "Archives a channel.",
    note: "The channel keeps its name, its subscribers and its readers. It is removed from the default channels and their groups, and from the organization's settings that name it (announcements, moderation requests). A background job marks its messages as read for everybody.",
    caller: "user",
    params: { stream_id: int() },
    returns: {},
    needs: { realm },
    creates: "message",
    uses: { table: "readWrite", sends: ["background-jobs"] },
  },
  async ({ caller, params, realm }) => ({ change: await archiveChannel(caller, params.stream_id, realm) }),
  { exhausted: channelChangedMeanwhile },
);
