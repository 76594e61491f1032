import { currentHost } from "../../base/host.ts";
import {
  batchGetItems,
  batchWriteItems,
  connectTable,
  deleteItem,
  getItem,
  queryItems,
  type TableConnection,
  transactItems,
  updateItem,
} from "../../base/table-port/dynamodb/table.ts";
import { sendObserved } from "../../base/table-port/observe.ts";
import type { CallOptions, TableCallName, TableRequests, TableResults } from "../../base/table-port/port.ts";
import { checkTimeLeft } from "./time-limit.ts";

/**
 * The calls of the host's table, or of DynamoDB's. Each throws when the running request's time limit has passed. A bundle contains the
 * calls that its function makes, and no others.
 */

let deployed: TableConnection | undefined;

type Call<Name extends TableCallName> = (
  request: TableRequests[Name],
  options?: CallOptions,
) => Promise<TableResults[Name]>;

const callOf =
  <Name extends TableCallName>(
    name: Name,
    inDynamoDb: (connection: TableConnection, ...call: Parameters<Call<Name>>) => ReturnType<Call<Name>>,
  ): Call<Name> =>
  async (request, options) => {
    checkTimeLeft();
    return sendObserved(name, request, options, () => {
      const own = currentHost().table();
      if (own) return own[name](request, options);
      deployed ??= connectTable();
      return inDynamoDb(deployed, request, options);
    });
  };

export const get = /* @__PURE__ */ callOf("get", getItem);
export const batchGet = /* @__PURE__ */ callOf("batchGet", batchGetItems);
export const query = /* @__PURE__ */ callOf("query", queryItems);
export const updateOne = /* @__PURE__ */ callOf("update", updateItem);
export const deleteOne = /* @__PURE__ */ callOf("delete", deleteItem);
export const batchWrite = /* @__PURE__ */ callOf("batchWrite", batchWriteItems);
export const transactWrites = /* @__PURE__ */ callOf("transact", transactItems);
