import type { MiddlewareObj } from "@middy/core";
import type { APIGatewayProxyStructuredResultV2, Context } from "aws-lambda";
import { isUnavailable } from "../../base/aws/unavailable.ts";
import { ApiError, internalError, serviceUnavailable } from "../../base/errors.ts";
import { describeError } from "../../base/observability/describe-error.ts";
import { jsonWithLegacyExtraType, needsLegacyExtraType } from "../../base/schema/extra-emoji-type.ts";
import { invocation } from "../../store/table/invocation.ts";
import { compressReply, type StoreLongReply } from "./compress.ts";
import { type HttpEvent, httpRequest } from "./event.ts";
import { rateHeaders } from "./rate-limit.ts";
import { RawReply } from "./raw-reply.ts";

const reply = (
  statusCode: number,
  body: Record<string, unknown>,
  headers: Record<string, string> = {},
): APIGatewayProxyStructuredResultV2 => ({
  statusCode,
  headers: { "content-type": "application/json", "cache-control": "private, no-store", ...headers },
  body: JSON.stringify(body),
});

/** Adds the headers of every reply: the rate limit, no content sniffing, and HSTS for a request over TLS. */
export function withSecurityHeaders(
  response: APIGatewayProxyStructuredResultV2,
  event: HttpEvent,
): APIGatewayProxyStructuredResultV2 {
  const isSecure = httpRequest(event).baseUrl.startsWith("https:");
  return {
    ...response,
    headers: {
      ...(event.rate && rateHeaders(event.rate)),
      ...response.headers,
      "x-content-type-options": "nosniff",
      ...(isSecure && { "strict-transport-security": "max-age=31536000" }),
    },
  };
}

export interface Success {
  result: "success";
  msg: "";
  /** Parameters that were sent but not declared. */
  ignored_parameters_unsupported?: string[];
}

/** The fields of every error reply; some codes have more. */
export interface Failure {
  result: "error";
  msg: string;
  code: string;
  /** Only with the code RATE_LIMIT_HIT, in seconds. */
  "retry-after"?: number;
}

function success(fields: Record<string, unknown>, event: HttpEvent, cacheControl: string | undefined) {
  const ignored = event.ignored ?? [];
  const envelope: Success = { result: "success", msg: "" };
  const response = reply(
    200,
    { ...envelope, ...fields, ...(ignored.length > 0 && { ignored_parameters_unsupported: ignored }) },
    cacheControl === undefined ? {} : { "cache-control": cacheControl },
  );
  if (response.body && needsLegacyExtraType(event.headers?.["user-agent"]))
    response.body = jsonWithLegacyExtraType(response.body);
  return response;
}

function errorReply(error: ApiError, event: HttpEvent) {
  const { code, status, message, extra } = error;
  const envelope: Failure = { result: "error", msg: message, code };
  return reply(status, { ...envelope, ...extra }, headersFor(error, event));
}

interface EnvelopeOptions {
  cacheControl?: string | undefined;
  storeLongReply?: StoreLongReply | undefined;
  renderError?: RenderError | undefined;
}

type RenderError = (error: ApiError) => Promise<RawReply | undefined>;

async function renderedReply(renderError: RenderError, error: ApiError) {
  const retryAfter = error.headers["retry-after"];
  const response = (await renderError(error))?.toResponse();
  return (
    response && {
      ...response,
      headers: { ...response.headers, ...(retryAfter !== undefined && { "retry-after": retryAfter }) },
    }
  );
}

/**
 * Omits `www-authenticate` for a request by a page, such as for a picture that it shows, because the browser would open its own
 * password dialog.
 */
function headersFor({ headers }: ApiError, { headers: requestHeaders }: HttpEvent): Record<string, string> {
  const { "www-authenticate": challenge, ...otherHeaders } = headers;
  const isByPage = !["navigate", undefined].includes(requestHeaders?.["sec-fetch-mode"]);
  return challenge === undefined || isByPage ? otherHeaders : headers;
}

/** Wraps what a handler returns or throws into `{result, msg, ...}`. */
export const envelope = (
  endpoint: string,
  { cacheControl, storeLongReply, renderError }: EnvelopeOptions = {},
): MiddlewareObj<HttpEvent, unknown> => ({
  after: async (request) => {
    const { response: handlerResult, event } = request;
    const response =
      handlerResult instanceof RawReply
        ? handlerResult.toResponse()
        : await compressReply(
            success(handlerResult as Record<string, unknown>, event, cacheControl),
            event,
            storeLongReply,
          );
    request.response = withSecurityHeaders(response, event);
  },
  onError: async (request) => {
    const error: unknown = request.error;
    if (!(error instanceof ApiError))
      console.error(
        JSON.stringify({ requestId: request.event.requestContext?.requestId, endpoint, error: describeError(error) }),
      );
    const reportedError =
      error instanceof ApiError ? error : isUnavailable(error) ? serviceUnavailable() : internalError();
    const response =
      (renderError && (await renderedReply(renderError, reportedError))) ?? errorReply(reportedError, request.event);
    request.response = withSecurityHeaders(response, request.event);
  },
});

/**
 * Runs a request's middleware stack, whose outermost middleware is the envelope, which turns any result into an HTTP response.
 */
export const runEnveloped = <C extends Context>(
  endpoint: string,
  stack: (event: HttpEvent, context: C) => Promise<unknown>,
  event: HttpEvent,
  context: C,
  { longPoll, deadline }: { longPoll?: boolean | undefined; deadline?: number } = {},
) =>
  invocation(
    () => stack(event, context) as Promise<APIGatewayProxyStructuredResultV2>,
    ({ statusCode }) => ({
      requestId: event.requestContext?.requestId ?? "",
      endpoint,
      status: statusCode ?? 200,
      userId: event.caller?.id,
      longPoll,
    }),
    deadline === undefined ? {} : { deadline },
  );
