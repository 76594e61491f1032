import { Validator } from "@seriousme/openapi-schema-validator";
import { beforeAll, expect, test } from "vitest";
import { isEndpoint, loadFleet, pathOf } from "../../infra/fleet.ts";
import { describedEvents } from "../../infra/reference/events.ts";
import { call, type Reply } from "../support/http.ts";

/** Compares the document that clients get with the declarations from which it is generated. */

let reply: Reply;
let document: any;

beforeAll(async () => {
  reply = await call("GET", "/openapi.json");
  document = reply.body;
});

const operation = (method: string, path: string) => document.paths[path]?.[method.toLowerCase()];
const formOf = (found: any) => Object.values<any>(found.requestBody?.content ?? {})[0];
const codesIn = (found: any, status: number) => {
  const { schema } = found.responses[status].content["application/json"];
  return (schema.anyOf ?? [schema]).map(({ $ref }: any) => $ref.split("/").at(-1));
};

test("the document is valid OpenAPI 3.1", async () => {
  const { valid, errors } = await new Validator().validate(structuredClone(document));

  expect(errors).toBeUndefined();
  expect(valid).toBe(true);
  expect(document.openapi).toBe("3.1.1");
});

test("the document describes every endpoint with all of its parameters, and nothing else", async () => {
  // Of the endpoints for specific waiting strategies, the document has those of this host's strategy.
  const endpoints = (await loadFleet())
    .filter(isEndpoint)
    .filter(({ spec }) => !spec.waiting || operation(spec.method, pathOf(spec)));

  for (const { spec, file } of endpoints) {
    const found = operation(spec.method, pathOf(spec).replaceAll("+}", "}"));
    expect(found, file).toMatchObject({ summary: spec.summary });
    for (const note of [spec.note ?? []].flat()) expect(found.description, file).toContain(note);
    const form = formOf(found)?.schema;
    const names = [
      ...found.parameters.map(({ name }: any) => name),
      ...Object.keys(form?.properties ?? {}).filter((name) => !(spec.takesFile && name === "file")),
    ];
    expect(names.sort(), file).toEqual(Object.keys(spec.params).sort());
    const required = [
      ...found.parameters.filter((parameter: any) => parameter.required).map(({ name }: any) => name),
      ...(form?.required ?? []).filter((name: string) => name !== "file"),
    ];
    const declaredRequired = Object.entries(spec.params).filter(([, param]) => param.required);
    expect(required.sort(), file).toEqual(declaredRequired.map(([name]) => name).sort());
  }
  const operations = Object.values<object>(document.paths).flatMap((path) => Object.values(path));
  expect(operations).toHaveLength(endpoints.length);
  expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length);
});

test("the document says which parameters are JSON text", () => {
  const narrow = operation("GET", "/api/v1/messages").parameters.find(({ name }: any) => name === "narrow");
  const send = formOf(operation("POST", "/api/v1/messages"));
  const unsubscribe = formOf(operation("DELETE", "/api/v1/users/me/subscriptions"));

  expect(narrow.schema).toBeUndefined();
  expect(narrow.content["application/json"].schema).toMatchObject({ type: "array" });
  expect(send.encoding).toEqual({ to: { contentType: "application/json" } });
  expect(send.schema.properties.content).toEqual({ type: "string" });
  expect(unsubscribe.encoding).toMatchObject({ subscriptions: { contentType: "application/json" } });
});

test("the document describes values: lengths, types, defaults, enumerated numbers", () => {
  const presence = formOf(operation("POST", "/api/v1/users/me/presence")).schema.properties;
  const messages = operation("GET", "/api/v1/messages").parameters;
  const visibility = formOf(operation("POST", "/api/v1/user_topics")).schema.properties.visibility_policy;

  expect(presence.status).toMatchObject({ type: "string" });
  expect(messages.find(({ name }: any) => name === "apply_markdown").schema).toEqual({
    type: "boolean",
    default: true,
  });
  expect(messages.find(({ name }: any) => name === "num_before").schema).toEqual({ type: "integer", minimum: 0 });
  expect(visibility).toEqual({ type: "integer", enum: [0, 1, 2, 3] });
});

test("the document describes a file as part of a multipart form", () => {
  const { content } = operation("POST", "/api/v1/user_uploads").requestBody;

  expect(content["multipart/form-data"].schema).toMatchObject({
    properties: { file: { type: "string", format: "binary" } },
    required: ["file"],
  });
});

test("the document describes the replies exactly", () => {
  const { schema } = operation("POST", "/api/v1/messages").responses[200].content["application/json"];

  expect(schema).toMatchObject({
    additionalProperties: false,
    required: ["result", "msg", "id"],
    properties: { result: { const: "success" }, id: { type: "integer" } },
  });
  expect(schema.properties.ignored_parameters_unsupported).toMatchObject({ type: "array" });
});

test("the document sets no limit to the lists of replies and events", () => {
  const replies = Object.values<any>(document.paths).flatMap((methods) =>
    Object.values<any>(methods).map(({ responses }) => responses),
  );

  expect(JSON.stringify([replies, document.components.schemas])).not.toContain("maxItems");
});

test("the document lists under each endpoint the errors that it declares and those that follow from its declaration", () => {
  const send = operation("POST", "/api/v1/messages");
  const poll = operation("GET", "/api/v1/events");
  const login = operation("POST", "/api/v1/fetch_api_key");
  const create = operation("POST", "/api/v1/channels/create");

  expect(codesIn(send, 400)).toEqual(expect.arrayContaining(["BAD_REQUEST", "STREAM_DOES_NOT_EXIST"]));
  expect(codesIn(send, 400)).not.toContain("BAD_EVENT_QUEUE_ID");
  expect(codesIn(send, 401)).toEqual(["REALM_DEACTIVATED", "UNAUTHORIZED"]);
  expect(codesIn(poll, 400)).toContain("BAD_EVENT_QUEUE_ID");
  expect(codesIn(login, 401)).toEqual([
    "AUTHENTICATION_FAILED",
    "PASSWORD_AUTH_DISABLED",
    "REALM_DEACTIVATED",
    "SECOND_FACTOR_NOT_SET_UP",
    "SECOND_FACTOR_REQUIRED",
    "USER_DEACTIVATED",
  ]);
  expect(login.responses[429].headers).toHaveProperty("Retry-After");
  expect(codesIn(create, 409)).toEqual(["CHANNEL_ALREADY_EXISTS"]);
  expect(Object.keys(send.responses)).toEqual(expect.arrayContaining(["200", "413", "500"]));
});

test("the document describes the fields of errors, and the answer of unknown paths", () => {
  const { schemas, responses } = document.components;

  expect(schemas.BAD_EVENT_QUEUE_ID).toMatchObject({
    additionalProperties: false,
    required: ["result", "msg", "code", "queue_id"],
    properties: { code: { const: "BAD_EVENT_QUEUE_ID" } },
  });
  expect(schemas.METHOD_NOT_ALLOWED.required).toContain("allowed_methods");
  expect(responses.METHOD_NOT_ALLOWED.headers).toHaveProperty("Allow");
  expect(responses.NOT_FOUND.content["application/json"].schema.$ref).toBe("#/components/schemas/NOT_FOUND");
});

test("the document describes the errors of the gateway, alone and together with the function's", () => {
  const poll = operation("GET", "/api/v1/events");
  const send = operation("POST", "/api/v1/messages");
  const { schemas, responses } = document.components;

  expect(codesIn(poll, 503)).toEqual(["REQUEST_TIMED_OUT", "SERVICE_UNAVAILABLE", "GatewayMessage"]);
  expect(poll.responses[503].headers).toHaveProperty("Retry-After");
  expect(codesIn(poll, 429)).toEqual(["RATE_LIMIT_HIT", "GatewayMessage"]);
  expect(codesIn(send, 413)).toEqual(["BAD_REQUEST", "GatewayMessage"]);
  expect(codesIn(send, 500)).toEqual(["INTERNAL_SERVER_ERROR", "GatewayMessage"]);
  for (const status of ["413", "429", "431", "500", "503"]) {
    const { schema } = responses[`Gateway${status}`].content["application/json"];
    expect(schema.$ref).toBe("#/components/schemas/GatewayMessage");
    for (const [path, methods] of Object.entries<any>(document.paths))
      for (const [method, found] of Object.entries<any>(methods))
        expect(Object.keys(found.responses), `${method} ${path}`).toContain(status);
  }
  expect(schemas.GatewayMessage.required).toEqual(["message"]);
});

test("the document says who may call", () => {
  expect(operation("GET", "/api/v1/server_settings").security).toEqual([]);
  expect(operation("GET", "/api/v1/messages").security).toEqual([{ apiKey: [] }, {}]);
  expect(operation("PATCH", "/api/v1/realm").security).toEqual([{ apiKey: [] }]);
  expect(document.components.securitySchemes.apiKey).toMatchObject({ type: "http", scheme: "basic" });
});

test("the document is compressed for clients that accept it, and returns 304 if it is unchanged", async () => {
  const compressed = await call("GET", "/openapi.json", {}, { headers: { "accept-encoding": "gzip" } });
  const revalidated = await call(
    "GET",
    "/openapi.json",
    {},
    { headers: { "if-none-match": String(reply.headers.etag) } },
  );

  expect(compressed.headers).toMatchObject({ "content-encoding": "gzip", "content-type": "application/json" });
  expect(compressed.bytes.length).toBeLessThan(reply.bytes.length / 5);
  expect(revalidated.status).toBe(304);
  expect(revalidated.bytes.length).toBe(0);
});

test("the document describes every event that clients receive, with all of its fields", () => {
  const { schemas } = document.components;
  const { events } = operation("GET", "/api/v1/events").responses[200].content["application/json"].schema.properties;
  const named = schemas.Event.oneOf.map(({ $ref }: { $ref: string }) => $ref.split("/").at(-1));

  expect(events.items).toEqual({ $ref: "#/components/schemas/Event" });
  expect(named.sort()).toEqual([...new Set(describedEvents.map(({ name }) => name))].sort());
  for (const name of named)
    for (const event of schemas[name].oneOf ?? [schemas[name]]) {
      expect(event, name).toMatchObject({ type: "object", additionalProperties: false });
      expect(event.required, name).toEqual(expect.arrayContaining(["type", "id"]));
      // Unknown fields are not allowed.
      expect(JSON.stringify(event), name).not.toContain("{}");
    }
  expect(schemas.DraftsAddEvent.properties).toMatchObject({
    type: { const: "drafts" },
    op: { const: "add" },
    drafts: { type: "array", items: { properties: { topic: { type: "string" } } } },
  });
});

test("the document describes the permission settings of a registration completely", () => {
  const { schema } = operation("POST", "/api/v1/register").responses[200].content["application/json"];
  const { realm, stream, group } = schema.properties.server_supported_permission_settings.properties;

  expect(realm.properties.can_create_groups.required).toContain("allowed_system_groups");
  expect(Object.keys(stream.properties)).toContain("can_send_message_group");
  expect(Object.keys(group.properties)).toContain("can_mention_group");
  expect(JSON.stringify(schema)).not.toContain("{}");
});
