import { linkUrl } from "../../shared/base/environment.ts";
import { objectIn, scimReply, scimSpec } from "../../shared/features/scim/protocol.ts";
import { createPerson, toScimUser, userFieldsIn } from "../../shared/features/scim/users.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";
import { loadActiveRealm } from "../../shared/services/organization/access.ts";

export const handler = endpoint(
  {
    ...scimSpec,
    method: "POST",
    path: "/scim/v2/Users",
    summary: "Creates a member for the SCIM client, with the default channels and no password.",
    note: "`userName` is the email address. A person whom the client has deleted gets their account back.",
    params: {},
    raw: { ...scimSpec.raw, statuses: [201] },
    creates: ["user", "subscription", "groupMember", "presence"],
    uses: { table: "readWrite", secret: true, sends: ["background-jobs", "mail"], mailFrom: true },
  },
  async ({ request }) => {
    const realm = await loadActiveRealm();
    const user = toScimUser(await createPerson(userFieldsIn(objectIn(request)), realm), linkUrl(request.baseUrl));
    return scimReply(201, user, { location: user.meta.location });
  },
);
