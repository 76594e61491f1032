import middy from "@middy/core";
import type { APIGatewayProxyStructuredResultV2, Context } from "aws-lambda";
import type { ApiError, ErrorName } from "../errors.ts";
import type { Caller } from "../identity/caller.ts";
import { traced } from "../observability/trace.ts";
import type { Shape, Values } from "../schema/params.ts";
import { withRequestScope } from "../store/table/recent-changes.ts";
import { withTimeLimit } from "../store/table/time-limit.ts";
import type { Uses } from "../uses.ts";
import { authenticate, type CallerKind } from "./authenticate.ts";
import type { KeepLongReply } from "./compress.ts";
import { envelope, enveloped, type Internal } from "./envelope.ts";
import { type HttpEvent, type HttpRequest, httpRequest } from "./event.ts";
import type { RateBucket } from "./rate-limit.ts";
import type { RawReply } from "./raw-reply.ts";
import { readParams } from "./read-params.ts";

/** What a raw reply carries, for the reference documentation: kinds of content, and statuses beside 200. */
export interface RawContent {
  types: readonly string[];
  statuses?: readonly (206 | 302 | 304 | 416)[];
}

/** The fields of a reply, or "raw": a reply outside the envelope, such as a file. */
export type Returns = Shape | "raw";

export interface EndpointSpec<
  S extends Shape = Shape,
  R extends Returns = Returns,
  C extends CallerKind = CallerKind,
  B = unknown,
> {
  method: "GET" | "POST" | "PATCH" | "PUT" | "DELETE";
  /** Below the prefix, in API Gateway's notation: "/messages/{message_id}/reactions". */
  path: string;
  /** Where the path stands when it is not below /api/v1. */
  prefix?: "";
  /** One sentence for the reference documentation. */
  summary: string;
  caller: C;
  params: S;
  /** Exactly the fields of a reply beside `result` and `msg`. */
  returns: R;
  /** Reads what is needed whoever calls, such as the organization, while the caller's account is read. */
  prefetch?: (request: HttpRequest) => Promise<B>;
  /** The header Cache-Control of a success; without it nobody keeps the reply. */
  cacheControl?: string;
  /** Whether a redirect (307) may stand instead of the fields. */
  redirects?: true;
  /** Keeps a reply that no function can hand back, so that the client gets it by a link (303); without it there is an error. */
  keepLongReply?: KeepLongReply;
  /** Of a raw reply: what it carries. */
  raw?: RawContent;
  /** Of a file's content: whether a browser that has no key may come with its cookie for files. */
  takesFileCookie?: true;
  /** Of a page that people open in a browser: shows them an error, instead of the envelope. Such a page is counted as a request. */
  errorPage?: (error: ApiError) => Promise<RawReply>;
  /** Whether a file comes with the parameters, as a part of multipart/form-data. */
  takesFile?: true;
  /** The errors that it may answer beside those that follow from `caller`, `params` and `returns`, for the reference documentation. */
  errors?: readonly ErrorName[];
  /** What the function may touch. IAM is derived from this and nothing else. */
  uses: Uses;
  /** Whether a request may wait on purpose, so that how long it took says nothing about how fast the fleet is. */
  longPoll?: true;
  /** What the fleet must wait by for the endpoint to be there. */
  waiting?: "wake-up-queue";
  /** Incoming-webhook bots may only send messages; the endpoints that they may call say so. */
  incomingWebhooks?: true;
}

/** What is left of API Gateway's 30 s and the function's 29 s when a reply must still be sent. */
export const requestLimitMs = 28_000;

type CallerOf<C> = C extends "anyone" ? undefined : C extends "visitor" ? Caller | undefined : Caller;
type Run<S extends Shape, R extends Returns, C, B> = (request: {
  params: Values<S>;
  caller: CallerOf<C>;
  request: HttpRequest;
  /** What the declaration's `beside` has read. */
  beside: B;
}) => R extends "raw"
  ? Promise<RawReply>
  : keyof R extends never
    ? Promise<void> | Promise<RawReply>
    : Promise<Values<R> | RawReply>;

/** A Lambda handler for one HTTP endpoint that carries its own declaration as `.spec`. */
export function endpoint<const S extends Shape, const R extends Returns, const C extends CallerKind, B = undefined>(
  spec: EndpointSpec<S, R, C, B>,
  run: Run<S, R, C, B>,
) {
  const stack = middy<HttpEvent, unknown, Error, Context, Internal>()
    .use(envelope(`${spec.method} ${spec.path}`, spec))
    .before(({ event }) => {
      // Who brings no credentials is refused without a read.
      if (!spec.prefetch || !event.headers?.authorization) return;
      event.beside = spec.prefetch(httpRequest(event));
      // Whoever is refused first does not hear of it.
      event.beside.catch(() => {});
    })
    .use(
      authenticate(spec.caller, {
        bucket: bucketOf(spec),
        incomingWebhooks: spec.incomingWebhooks,
        fileCookie: spec.takesFileCookie,
      }),
    )
    .before(async ({ event }) => {
      Object.assign(event, await readParams(event, spec.params));
    })
    .handler(async (event) => {
      const { params, caller } = event;
      const request = httpRequest(event);
      const beside = await (event.beside ?? spec.prefetch?.(request));
      // The middleware above has made them of the kinds that the declaration names.
      const checked = { params, caller, request, beside } as Parameters<typeof run>[0];
      return (await run(checked)) ?? {};
    });
  const handler = async (event: HttpEvent, context: Context): Promise<APIGatewayProxyStructuredResultV2> =>
    (await traced(() => withTimeLimit(requestLimitMs, () => withRequestScope(() => enveloped(stack, event, context)))))
      .result;
  // Requests are counted in the table, also by functions that otherwise only read it.
  const uses = spec.uses.table ? { ...spec.uses, countsRequests: true as const } : spec.uses;
  return Object.assign(handler, { kind: "endpoint" as const, spec: { ...spec, uses } as unknown as EndpointSpec });
}

const bucketOf = ({
  longPoll: holds,
  returns,
  errorPage,
}: Pick<EndpointSpec, "longPoll" | "returns" | "errorPage">): RateBucket =>
  holds ? "events" : returns === "raw" && !errorPage ? "files" : "requests";
