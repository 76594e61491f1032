import { notFound } from "../../base/errors.ts";
import { maxResults, scimPath } from "./protocol.ts";

/** What the SCIM endpoints say of themselves (RFC 7643, 5 to 7). */

const serviceProviderConfig = {
  schemas: ["urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig"],
  patch: { supported: true },
  bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
  filter: { supported: true, maxResults },
  changePassword: { supported: false },
  sort: { supported: false },
  etag: { supported: false },
  authenticationSchemes: [
    {
      type: "oauthbearertoken",
      name: "Bearer token",
      description: "The token that the operator has set.",
      primary: true,
    },
  ],
};

type AttributeType = "string" | "boolean" | "complex" | "reference";

const attribute = (name: string, description: string, fields: object = {}, type: AttributeType = "string") => ({
  name,
  type,
  description,
  multiValued: false,
  required: false,
  ...(type === "string" || type === "reference" ? { caseExact: false, uniqueness: "none" } : {}),
  mutability: "readWrite",
  returned: "default",
  ...fields,
});

const readOnly = { mutability: "readOnly" };
const immutable = { mutability: "immutable" };

const userSchema = {
  id: "urn:ietf:params:scim:schemas:core:2.0:User",
  name: "User",
  description: "A person",
  attributes: [
    attribute("userName", "The email address", { required: true, uniqueness: "server" }),
    attribute("displayName", "The full name", { required: true }),
    attribute("active", "Whether the person may use the chat", { required: true }, "boolean"),
    attribute(
      "name",
      "The full name in parts; without displayName, the full name is made of it",
      {
        ...readOnly,
        subAttributes: [
          attribute("formatted", "The full name", readOnly),
          attribute("givenName", "All words of the full name but the last", readOnly),
          attribute("familyName", "The last word of the full name", readOnly),
        ],
      },
      "complex",
    ),
    attribute(
      "emails",
      "The email address",
      {
        ...readOnly,
        multiValued: true,
        subAttributes: [
          attribute("value", "The same as userName", readOnly),
          attribute("type", "Always work", readOnly),
          attribute("primary", "Always true", readOnly, "boolean"),
        ],
      },
      "complex",
    ),
  ],
};

const groupSchema = {
  id: "urn:ietf:params:scim:schemas:core:2.0:Group",
  name: "Group",
  description: "A user group",
  attributes: [
    attribute("displayName", "The name", { required: true, uniqueness: "server" }),
    attribute(
      "members",
      "The people in it",
      {
        multiValued: true,
        subAttributes: [
          attribute("value", "The user's ID", immutable),
          attribute("$ref", "The user's address", { ...immutable, referenceTypes: ["User"] }, "reference"),
        ],
      },
      "complex",
    ),
  ],
};

const resourceTypes = [
  { id: "User", name: "User", endpoint: "/Users", description: "A person", schema: userSchema.id },
  { id: "Group", name: "Group", endpoint: "/Groups", description: "A user group", schema: groupSchema.id },
].map((type) => ({ schemas: ["urn:ietf:params:scim:schemas:core:2.0:ResourceType"], ...type }));

const schemas = [userSchema, groupSchema].map((schema) => ({
  schemas: ["urn:ietf:params:scim:schemas:core:2.0:Schema"],
  ...schema,
}));

const withMeta = <T extends object>(document: T, resourceType: string, path: string, baseUrl: string) => ({
  ...document,
  meta: { resourceType, location: `${baseUrl}${scimPath}/${path}` },
});

/** A document, or a list of documents, by its path below that of SCIM; throws a 404 if there is none. */
export function accessDocument(path: string, baseUrl: string): object | readonly object[] {
  const found = findDocument(path, baseUrl);
  if (!found) throw notFound("There is no such resource");
  return found;
}

function findDocument(path: string, baseUrl: string): object | readonly object[] | undefined {
  const [kind, id, ...rest] = path.split("/");
  if (rest.length > 0) return undefined;
  if (path === "ServiceProviderConfig") return withMeta(serviceProviderConfig, path, path, baseUrl);
  const lists: Record<string, [string, readonly { id: string }[]]> = {
    ResourceTypes: ["ResourceType", resourceTypes],
    Schemas: ["Schema", schemas],
  };
  const [resourceType, list] = (Object.hasOwn(lists, kind ?? "") ? lists[kind ?? ""] : undefined) ?? [];
  if (resourceType === undefined || !list) return undefined;
  const documents = list.map((each) => withMeta(each, resourceType, `${kind}/${each.id}`, baseUrl));
  return id === undefined ? documents : documents.find((each) => each.id === id);
}
