import { bool, int, nameText, nullable, optional, text } from "../../shared/base/schema/params.ts";
import { permissionUpdateParams, retentionParam, topicsPolicyParam } from "../../shared/core/channels/params.ts";
import { channelChangedMeanwhile, editChannel } from "../../shared/features/channels/edit.ts";
import { changeEndpoint } from "../../shared/services/http/change-endpoint.ts";
import { realm } from "../../shared/services/organization/access.ts";

export const handler = changeEndpoint(
  {
    method: "PATCH",
    path: "/streams/{stream_id}",
    summary: "Changes a channel's name, description, privacy, policies or permissions, or unarchives it.",
    note: [
      "Making a channel private protects its history unless the request shares it. Notification Bot reports several changes in one message. `is_archived=true` does nothing: use `DELETE`.",
      "A message that is sent to a named topic while the policy changes to `empty_topic_only` may still arrive. If a job finds one 40 s later, it sets the policy back to `inherit`.",
    ],
    caller: "user",
    params: {
      stream_id: int(),
      new_name: optional(nameText()),
      description: optional(text()),
      is_private: optional(bool()),
      is_web_public: optional(bool()),
      history_public_to_subscribers: optional(bool()),
      is_default_stream: optional(bool()),
      message_retention_days: optional(retentionParam()),
      is_archived: optional(bool()),
      folder_id: optional(nullable(int())),
      topics_policy: optional(topicsPolicyParam()),
      ...permissionUpdateParams,
    },
    returns: {},
    needs: { realm },
    errors: ["CHANNEL_ALREADY_EXISTS", "EXPECTATION_MISMATCH", "REQUEST_VARIABLE_INVALID", "UNAUTHORIZED_PRINCIPAL"],
    creates: ["message", "permissionMember", "permissionGroup"],
    uses: { table: "readWrite", sends: ["background-jobs"] },
  },
  async ({ caller, params: { stream_id, ...edit }, realm }) => ({
    change: await editChannel(caller, stream_id, edit, realm),
  }),
  { exhausted: channelChangedMeanwhile },
);
