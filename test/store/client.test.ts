import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import {
  BatchGetItemCommand,
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  TransactWriteItemsCommand,
} from "@aws-sdk/client-dynamodb";
import { QueueDoesNotExist, SendMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import { SignatureV4 } from "@smithy/signature-v4";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { observeAwsCalls } from "../../shared/aws.ts";
import { straight } from "../../shared/aws-json.ts";
import { signatureOf } from "../../shared/signing.ts";
import { fromAttributes, toAttributes } from "../../shared/store/attributes.ts";
import { connect } from "../../shared/store/client.ts";
import { itemOf, textIn, type WireItem } from "../../shared/store/replies.ts";
import { transact } from "../../shared/store/transactions.ts";
import { put } from "../../shared/store/writes.ts";
import "../support/world.ts";

/** The way through the SDK that the store's calls take, against a table that answers as each case says. */

interface Call {
  headers: IncomingMessage["headers"];
  body: any;
}

const credentials = { accessKeyId: "AKID", secretAccessKey: "secret", sessionToken: "token" };
let client: DynamoDBClient;
const calls: Call[] = [];
let answer: (call: Call, response: ServerResponse) => void;
const server = createServer(async (request, response) => {
  const call = { headers: request.headers, body: JSON.parse(String(await buffer(request))) };
  calls.push(call);
  answer(call, response);
});

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  client = connect({ region: "eu-north-1", credentials, endpoint });
});
afterEach(() => {
  calls.length = 0;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const says = (response: ServerResponse, status: number, body: object) => {
  response.writeHead(status, { "content-type": "application/x-amz-json-1.0", "x-amzn-requestid": "r" });
  response.end(JSON.stringify(body));
};
const read = new GetItemCommand({ TableName: "t", Key: { pk: { S: "a" }, sk: { S: "b" } } });

test("a call carries what the SDK's own would, signed for the region with the session's token", async () => {
  answer = (_, response) => says(response, 200, { Item: { n: { N: "1" } } });

  const { Item, $metadata } = await client.send(read);

  expect(itemOf(Item as unknown as WireItem)).toEqual({ n: 1 });
  expect($metadata).toMatchObject({ httpStatusCode: 200, requestId: "r", attempts: 1 });
  const [{ headers, body }] = calls as [Call];
  expect(body).toEqual({ TableName: "t", Key: { pk: { S: "a" }, sk: { S: "b" } } });
  expect(headers).toMatchObject({
    "content-type": "application/x-amz-json-1.0",
    "x-amz-target": "DynamoDB_20120810.GetItem",
    "x-amz-security-token": "token",
    authorization: expect.stringMatching(
      /^AWS4-HMAC-SHA256 Credential=AKID\/\d{8}\/eu-north-1\/dynamodb\/aws4_request, /,
    ),
  });
});

test("a signature is the SDK's, of today's key and of another day's, for each service", async () => {
  const { sha256 } = new DynamoDBClient({}).config;
  const region = "eu-north-1";
  const headers = { "content-type": "application/x-amz-json-1.0", host: "h", "x-amz-target": "Service.Operation" };
  const body = '{"TableName":"tæble"}';

  for (const signingDate of [
    new Date("2026-11-21T10:00:00Z"),
    new Date("2026-11-21T11:00:01Z"),
    new Date("2027-01-01"),
  ])
    for (const service of ["dynamodb", "sqs"]) {
      const signer = new SignatureV4({ service, region, credentials, sha256 });
      const request = { method: "POST", protocol: "https:", hostname: "h", path: "/", query: {}, headers, body };
      const theirs = await signer.sign(request, { signingDate, unsignableHeaders: new Set(["x-amz-content-sha256"]) });

      const ours = signatureOf({ headers, body }, credentials, { service, region }, signingDate);

      expect(theirs.headers).toMatchObject(ours);
    }
});

test("what is throttled, fails or breaks off is tried again, each time with a signature of its own", async () => {
  const failures = [
    (response: ServerResponse) =>
      says(response, 400, { __type: "com.amazonaws.dynamodb.v20120810#ThrottlingException" }),
    (response: ServerResponse) =>
      says(response, 500, { __type: "com.amazonaws.dynamodb.v20120810#InternalServerError" }),
    (response: ServerResponse) => void response.socket?.destroy(),
    (response: ServerResponse) => {
      response.writeHead(200, { "content-length": "100" });
      response.write("{", () => response.socket?.destroy());
    },
  ];
  for (const fail of failures) {
    calls.length = 0;
    answer = (_, response) => (calls.length === 1 ? fail(response) : says(response, 200, {}));

    const { $metadata } = await client.send(read);

    expect(calls).toHaveLength(2);
    expect($metadata.attempts).toBe(2);
  }
});

test("a transaction is sent again as it was, and names itself, so that it is not done twice", async () => {
  answer = (_, response) => (calls.length === 1 ? void response.socket?.destroy() : says(response, 200, {}));
  const tokens: unknown[] = [];
  observeAwsCalls(async ({ command, input }, proceed) => {
    if (command === "TransactWriteItemsCommand") tokens.push(input.ClientRequestToken);
    return proceed();
  });

  await client.send(new TransactWriteItemsCommand({ TransactItems: [], ClientRequestToken: "one" }));
  for (const _ of [1, 2]) await transact([put({ pk: "CLIENT", sk: "TEST" })]);

  expect(calls.map(({ body }) => body.ClientRequestToken)).toEqual(["one", "one"]);
  expect(new Set(tokens.slice(-2)).size).toBe(2);
  expect(tokens.at(-1)).toMatch(/^[0-9a-f-]{36}$/);
});

test("an error has its type and what it carries", async () => {
  answer = (_, response) =>
    says(response, 400, {
      __type: "com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException",
      message: "The conditional request failed",
      Item: { b: { B: "AQI=" } },
    });

  const error: any = await client.send(new PutItemCommand({ TableName: "t", Item: {} })).catch((thrown) => thrown);

  expect(error).toMatchObject({ name: "ConditionalCheckFailedException", message: "The conditional request failed" });
  expect(fromAttributes(error.Item)).toEqual({ b: new Uint8Array([1, 2]) });
  expect(calls).toHaveLength(1);
});

test("different calls at once do not meet", async () => {
  answer = ({ headers, body }, response) =>
    setTimeout(
      () => says(response, 200, { Item: { of: { S: `${headers["x-amz-target"]} ${JSON.stringify(body)}` } } }),
      5,
    );

  const found = await Promise.all(
    Array.from({ length: 20 }, (_, n) => client.send(new GetItemCommand({ TableName: `t${n}`, Key: {} }))),
  );
  await client.send(new BatchGetItemCommand({ RequestItems: {} }));

  expect(found.map(({ Item }) => textIn(Item as unknown as WireItem, "of"))).toEqual(
    found.map((_, n) => `DynamoDB_20120810.GetItem {"TableName":"t${n}","Key":{}}`),
  );
});

test("queues are called the same way, and their errors have the names that the SDK knows", async () => {
  const { port } = server.address() as AddressInfo;
  const endpoint = `http://127.0.0.1:${port}`;
  const sqs = straight(new SQSClient({ region: "eu-north-1", credentials, endpoint, md5: false }), "sqs");
  const QueueUrl = `${endpoint}/1/q`;
  const command = new SendMessageCommand({ QueueUrl, MessageBody: "tæxt" });
  answer = (_, response) => says(response, 200, { MessageId: "m" });
  const { MessageId } = await sqs.send(command);
  answer = (_, response) => {
    response.setHeader("x-amzn-query-error", "AWS.SimpleQueueService.NonExistentQueue;Sender");
    says(response, 400, { __type: "com.amazonaws.sqs#QueueDoesNotExist", message: "gone" });
  };

  const error = await sqs.send(command).catch((thrown) => thrown);

  expect(MessageId).toBe("m");
  expect(error).toBeInstanceOf(QueueDoesNotExist);
  expect(error.$metadata.httpStatusCode).toBe(400);
  const [{ headers, body }] = calls as [Call];
  expect(body).toEqual({ QueueUrl, MessageBody: "tæxt" });
  expect(headers).toMatchObject({
    "x-amz-target": "AmazonSQS.SendMessage",
    "x-amzn-query-mode": "true",
    authorization: expect.stringContaining("/eu-north-1/sqs/aws4_request, "),
  });
});

test("without an endpoint of its own a client goes to the region's, over TLS", async () => {
  const asked: unknown[] = [];
  const handle = async ({ protocol, hostname, port, path }: Record<string, unknown>) => {
    asked.push({ protocol, hostname, port, path });
    throw Object.assign(new Error("Nobody is there"), { name: "NobodyError" });
  };
  const { AWS_ENDPOINT_URL_DYNAMODB: kept } = process.env;
  delete process.env.AWS_ENDPOINT_URL_DYNAMODB;
  const far = connect({ region: "eu-north-1", credentials, requestHandler: { handle } as never });

  await expect(far.send(read)).rejects.toThrow("Nobody is there");
  process.env.AWS_ENDPOINT_URL_DYNAMODB = kept;

  expect(asked).toEqual([
    { protocol: "https:", hostname: "dynamodb.eu-north-1.amazonaws.com", port: undefined, path: "/" },
  ]);
});

test("values come back as they went", () => {
  const item = {
    text: "tæxt",
    empty: "",
    number: -1.5,
    large: Number.MAX_SAFE_INTEGER,
    yes: true,
    nothing: null,
    bytes: new Uint8Array([0, 255]),
    list: [1, "a", [], {}],
    map: { deep: { deeper: false } },
    texts: new Set(["a", "b"]),
    numbers: new Set([1, 2]),
    blobs: new Set([new Uint8Array([3])]),
    ["__proto__"]: "mine",
  };

  const wire = JSON.parse(JSON.stringify(toAttributes({ ...item, gone: undefined, list: [...item.list, undefined] })));

  expect(fromAttributes(wire)).toEqual(item);
  expect(Object.keys(wire)).not.toContain("gone");
});

test("what no item can hold is refused", () => {
  for (const value of [Number.NaN, 2 ** 60, new Set(), new Set([{}]), new Date(), new Map(), () => {}, 1n])
    expect(() => toAttributes({ value })).toThrow();
});
