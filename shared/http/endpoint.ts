import middy from "@middy/core";
import type { APIGatewayProxyStructuredResultV2 } from "aws-lambda";
import { traced } from "../trace.ts";
import type { Caller } from "../users/caller.ts";
import type { Uses } from "../uses.ts";
import { authenticate } from "./authenticate.ts";
import { envelope } from "./envelope.ts";
import { type HttpEvent, type HttpRequest, httpRequest } from "./event.ts";
import type { Shape, Values } from "./params.ts";
import type { RawReply } from "./raw-reply.ts";
import { readParams } from "./read-params.ts";

/**
 * Who may call: "anyone" without credentials; "visitor" with credentials or, as a spectator, without; "user" any account;
 * "human" no bots; "member" no guests; "admin" administrators and owners; "owner" owners.
 */
export type CallerKind = "anyone" | "visitor" | "user" | "human" | "member" | "admin" | "owner";

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
  beside?: (request: HttpRequest) => Promise<B>;
  /** Whether a redirect (307) may stand instead of the fields. */
  redirects?: true;
  /** Of a raw reply: what it carries. */
  raw?: RawContent;
  /** Whether a file comes with the parameters, as a part of multipart/form-data. */
  takesFile?: true;
  /** What the function may touch. IAM is derived from this and nothing else. */
  uses: Uses;
  /** Whether a request may wait on purpose, so that how long it took says nothing about how fast the fleet is. */
  holds?: true;
  /** What the fleet must wait by for the endpoint to be there. */
  waiting?: "bell";
  /** Incoming-webhook bots may only send messages; the endpoints that they may call say so. */
  incomingWebhooks?: true;
}

type CallerOf<C> = C extends "anyone" ? undefined : C extends "visitor" ? Caller | undefined : Caller;
type Run<S extends Shape, R extends Returns, C, B> = (request: {
  params: Values<S>;
  caller: CallerOf<C>;
  request: HttpRequest;
  /** What the declaration's `beside` has read. */
  beside: B;
}) => Promise<R extends "raw" ? RawReply : keyof R extends never ? void : Values<R> | RawReply>;

/** A Lambda handler for one HTTP endpoint that carries its own declaration as `.spec`. */
export function endpoint<const S extends Shape, const R extends Returns, const C extends CallerKind, B = undefined>(
  spec: EndpointSpec<S, R, C, B>,
  run: Run<S, R, C, B>,
) {
  const stack = middy<HttpEvent, any>()
    .use(envelope(`${spec.method} ${spec.path}`, spec.holds))
    .before(({ event }) => {
      // Who brings no credentials is refused without a read.
      if (!spec.beside || !event.headers?.authorization) return;
      event.beside = spec.beside(httpRequest(event));
      // Whoever is refused first does not hear of it.
      event.beside.catch(() => {});
    })
    .use(authenticate(spec.caller, spec.incomingWebhooks === true))
    .before(async ({ event }) => {
      Object.assign(event, await readParams(event, spec.params));
    })
    .handler(async (event: any) => {
      const { params, caller } = event;
      const request = httpRequest(event);
      const beside = await (event.beside ?? spec.beside?.(request));
      return (await run({ params, caller, request, beside })) ?? {};
    });
  const handler = async (event: HttpEvent, context: any): Promise<APIGatewayProxyStructuredResultV2> =>
    (await traced(() => stack(event, context))).result;
  return Object.assign(handler, { kind: "endpoint" as const, spec: spec as unknown as EndpointSpec });
}
