import type { MiddlewareObj, Request } from "@middy/core";
import type { APIGatewayProxyStructuredResultV2 } from "aws-lambda";
import { describeError } from "../describe-error.ts";
import { ApiError } from "../errors.ts";
import { currentTrace, logRequest } from "../trace.ts";
import { compressed } from "./compress.ts";
import type { HttpEvent } from "./event.ts";
import { RawReply } from "./raw-reply.ts";

interface Internal extends Record<string, unknown> {
  startedAt?: number;
}

const reply = (
  statusCode: number,
  body: Record<string, unknown>,
  headers: Record<string, string> = {},
): APIGatewayProxyStructuredResultV2 => ({
  statusCode,
  headers: { "content-type": "application/json", "cache-control": "private, no-store", ...headers },
  body: JSON.stringify(body),
});

/** Wraps what a handler returns or throws into `{result, msg, ...}`, and logs the request; one that `holds` waits on purpose. */
export const envelope = (endpoint: string, holds = false): MiddlewareObj<HttpEvent, any, Error, any, Internal> => ({
  before: (request) => {
    request.internal.startedAt = performance.now();
  },
  after: (request) => {
    const ignored = request.event.ignored ?? [];
    request.response =
      request.response instanceof RawReply
        ? request.response.structured()
        : compressed(
            reply(200, {
              result: "success",
              msg: "",
              ...request.response,
              ...(ignored.length > 0 && { ignored_parameters_unsupported: ignored }),
            }),
            request.event,
          );
    log(endpoint, holds, request);
  },
  onError: (request) => {
    const error: unknown = request.error;
    if (error instanceof ApiError) {
      const { code, status, message, extra, headers } = error;
      request.response = reply(status, { result: "error", msg: message, code, ...extra }, headers);
    } else {
      console.error(
        JSON.stringify({ requestId: request.event.requestContext?.requestId, endpoint, error: describeError(error) }),
      );
      request.response = reply(500, { result: "error", msg: "Internal server error", code: "INTERNAL_SERVER_ERROR" });
    }
    log(endpoint, holds, request);
  },
});

function log(endpoint: string, holds: boolean, request: Request<HttpEvent, any, Error, any, Internal>) {
  const { readUnits = 0, writeUnits = 0, tableCalls = 0, otherCalls = 0 } = currentTrace() ?? {};
  const record = {
    requestId: request.event.requestContext?.requestId ?? "",
    endpoint,
    status: request.response.statusCode,
    userId: request.event.caller?.id,
    durationMs: Math.round(performance.now() - (request.internal.startedAt ?? 0)),
    readUnits,
    writeUnits,
    tableCalls,
    otherCalls,
  };
  logRequest(record, { holds });
}
