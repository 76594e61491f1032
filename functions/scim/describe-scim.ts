import { linkUrl } from "../../shared/base/environment.ts";
import { string } from "../../shared/base/schema/params.ts";
import { accessDocument } from "../../shared/features/scim/documents.ts";
import { listReply, maxResults, scimReply, scimSpec } from "../../shared/features/scim/protocol.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";

export const handler = endpoint(
  {
    ...scimSpec,
    method: "GET",
    path: "/scim/v2/{document+}",
    summary:
      "Describes the SCIM endpoints: ServiceProviderConfig, ResourceTypes, Schemas, or one type or schema by its ID.",
    params: { document: string({ max: 200 }) },
    uses: {},
  },
  async ({ params, request }) => {
    const found = accessDocument(params.document, linkUrl(request.baseUrl));
    return Array.isArray(found)
      ? listReply(found, { startIndex: 1, count: maxResults }, (each) => each)
      : scimReply(200, found);
  },
);
