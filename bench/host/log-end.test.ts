import { expect, test } from "vitest";
import { shiftLogEnd } from "./log-end.ts";

test("a replayed read of the log's end begins as many entries later as the log has grown", () => {
  const read = (partition: number, from: string) =>
    JSON.stringify({ ExpressionAttributeValues: { ":pk": { S: `LOG#${partition}` }, ":from": { S: from } } });

  expect(shiftLogEnd(40)(read(0, "0000000000000970"))).toBe(read(1, "0000000000001010"));
});

test("other replayed calls stay as they are", () => {
  const head = JSON.stringify({ Key: { pk: { S: "LOG" }, sk: { S: "HEAD" } } });
  const message = JSON.stringify({ Key: { pk: { S: "MESSAGE#0000000000000970" }, sk: { S: "MESSAGE" } } });

  expect([head, message].map(shiftLogEnd(40))).toEqual([head, message]);
});
