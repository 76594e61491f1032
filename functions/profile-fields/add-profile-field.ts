import { bool, int, jsonValue, mapOf, oneOfInts, string, withDefault } from "../../shared/base/schema/params.ts";
import { addField } from "../../shared/core/profile-fields/actions.ts";
import { checkField, checkFieldData } from "../../shared/core/profile-fields/rules.ts";
import { fieldTypeNumbers } from "../../shared/core/profile-fields/types.ts";
import { changeEndpoint } from "../../shared/services/http/change-endpoint.ts";

export const handler = changeEndpoint(
  {
    method: "POST",
    path: "/realm/profile_fields",
    summary: "Adds a custom profile field.",
    note: "External accounts can be `github` or `custom`. Values of a removed field or choice are not shown, and IDs are not reused. `required` is reported to clients but not enforced. Bots have no profile data.",
    caller: "admin",
    params: {
      name: withDefault(string({ max: 40 }), ""),
      hint: withDefault(string({ max: 80 }), ""),
      field_type: oneOfInts(fieldTypeNumbers),
      field_data: withDefault(mapOf(jsonValue()), {}),
      display_in_profile_summary: withDefault(bool(), false),
      required: withDefault(bool(), false),
      editable_by_user: withDefault(bool(), true),
    },
    returns: { id: int() },
    creates: "profileField",
    uses: { table: "readWrite" },
  },
  async ({ params }) => {
    const { name, hint, field_type: type, required } = params;
    const data = checkFieldData(type, params.field_data);
    const flags = { inSummary: params.display_in_profile_summary, required, editableByUser: params.editable_by_user };
    const { change, id } = await addField(checkField({ name, hint, type, data, ...flags }));
    return { change, reply: { id } };
  },
);
