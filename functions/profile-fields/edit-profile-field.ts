import { bool, int, jsonValue, mapOf, optional, string } from "../../shared/base/schema/params.ts";
import { editField } from "../../shared/core/profile-fields/actions.ts";
import { checkField, checkFieldData } from "../../shared/core/profile-fields/rules.ts";
import { changeEndpoint } from "../../shared/services/http/change-endpoint.ts";

export const handler = changeEndpoint(
  {
    method: "PATCH",
    path: "/realm/profile_fields/{field_id}",
    summary: "Changes a custom profile field, except its type.",
    caller: "admin",
    params: {
      field_id: int(),
      name: optional(string({ max: 40 })),
      hint: optional(string({ max: 80 })),
      field_data: optional(mapOf(jsonValue())),
      display_in_profile_summary: optional(bool()),
      required: optional(bool()),
      editable_by_user: optional(bool()),
    },
    returns: {},
    uses: { table: "readWrite" },
  },
  async ({ params }) => ({
    change: await editField(params.field_id, (before) => ({
      id: before.id,
      ...checkField({
        type: before.type,
        name: params.name ?? before.name,
        hint: params.hint ?? before.hint,
        data: params.field_data === undefined ? before.data : checkFieldData(before.type, params.field_data),
        inSummary: params.display_in_profile_summary ?? before.inSummary,
        required: params.required ?? before.required,
        editableByUser: params.editable_by_user ?? before.editableByUser,
      }),
    })),
  }),
);
