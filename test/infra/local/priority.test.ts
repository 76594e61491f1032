import { BatchWriteCommand, GetCommand } from "@aws-sdk/lib-dynamodb";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { prioritizeRequests, runInBackground } from "../../../infra/local/priority.ts";
import { type AwsResult, observeAwsCalls } from "../../../shared/aws/observe.ts";
import { connect } from "../../../shared/table/dynamodb/table.ts";

/** A call that has reached the table and waits for a reply. */
interface ArrivedCall {
  name: string;
  reply(): void;
  fail(): void;
}

let arrived: ArrivedCall[];
let removals: (() => void)[];

beforeEach(() => {
  arrived = [];
  removals = [
    observeAwsCalls(
      ({ input }) =>
        new Promise<AwsResult>((resolve, reject) => {
          arrived.push({
            name: String(input.TableName ?? Object.keys(input.RequestItems as object)),
            reply: () => resolve({ output: { $metadata: {} } }),
            fail: () => reject(new Error("refused")),
          });
        }),
    ),
    prioritizeRequests(),
  ];
});

afterEach(() => {
  for (const remove of removals) remove();
});

const client = connect({ region: "eu-north-1", credentials: { accessKeyId: "AKID", secretAccessKey: "secret" } });
/** The table's name tells the calls apart. */
const call = (name: string) => client.send(new GetCommand({ TableName: name, Key: { pk: "a", sk: "1" } }));
const bulkWrite = (name: string) => {
  const put = { PutRequest: { Item: { pk: "a", sk: "1" } } };
  return runInBackground(() => client.send(new BatchWriteCommand({ RequestItems: { [name]: [put] } })));
};
const names = () => arrived.map(({ name }) => name);
const untilArrived = (expected: string[]) => vi.waitFor(() => expect(names()).toEqual(expected), { timeout: 10_000 });

test("a request's call passes the background's bulk writes, of which two run at a time", async () => {
  const background = ["b1", "b2", "b3", "b4"].map(bulkWrite);
  await untilArrived(["b1", "b2"]);

  const request = call("request");

  await untilArrived(["b1", "b2", "request"]);
  arrived[2]?.reply();
  await request;
  arrived[0]?.reply();
  await untilArrived(["b1", "b2", "request", "b3"]);
  arrived[1]?.reply();
  await untilArrived(["b1", "b2", "request", "b3", "b4"]);
  for (const { reply } of arrived) reply();
  await Promise.all(background);
});

test("bulk writes go on while requests always call the table", async () => {
  const request = call("request");
  await untilArrived(["request"]);

  const background = ["b1", "b2", "b3"].map(bulkWrite);

  await untilArrived(["request", "b1", "b2"]);
  arrived[1]?.reply();
  await untilArrived(["request", "b1", "b2", "b3"]);
  for (const { reply } of arrived) reply();
  await Promise.all([request, ...background]);
});

test("other calls of the background do not wait for bulk writes", async () => {
  const background = ["b1", "b2", "b3"].map(bulkWrite);
  await untilArrived(["b1", "b2"]);

  const other = runInBackground(() => call("other"));

  await untilArrived(["b1", "b2", "other"]);
  for (const { reply } of arrived) reply();
  await untilArrived(["b1", "b2", "other", "b3"]);
  for (const { reply } of arrived) reply();
  await Promise.all([...background, other]);
});

test("a bulk write that fails makes room for the next", async () => {
  const failing = ["b1", "b2"].map(bulkWrite);
  await untilArrived(["b1", "b2"]);
  const next = bulkWrite("b3");

  for (const { fail } of arrived) fail();

  await Promise.all(failing.map((failed) => expect(failed).rejects.toThrow("refused")));
  await untilArrived(["b1", "b2", "b3"]);
  arrived[2]?.reply();
  await next;
});
