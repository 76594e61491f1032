import { linkUrl } from "../../shared/environment.ts";
import { endpoint } from "../../shared/http/endpoint.ts";
import { string } from "../../shared/schema/params.ts";
import { accessDocument } from "../../shared/scim/documents.ts";
import { listReply, maxResults, scimReply, scimSpec } from "../../shared/scim/protocol.ts";

export const handler = endpoint(
  {
    ...scimSpec,
    method: "GET",
    path: "/scim/v2/{document+}",
    summary:
      "Describes the SCIM endpoints: ServiceProviderConfig, ResourceTypes, Schemas, and one of either by its ID.",
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
