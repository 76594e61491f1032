import middy from "@middy/core";
import type { APIGatewayProxyStructuredResultV2, Context } from "aws-lambda";
import { type Actor, actor } from "../../base/actor.ts";
import type { CreationKind } from "../../base/creation-limits.ts";
import { type ApiError, type ErrorName, requestTimedOut } from "../../base/errors.ts";
import type { Loaded, Needs, Satisfied } from "../../base/needs.ts";
import type { Shape, Values } from "../../base/schema/params.ts";
import type { Uses } from "../../base/uses.ts";
import type { Caller } from "../identity/caller.ts";
import { counted, countedKinds } from "../identity/creation-counts.ts";
import { nameOfProgram, programOf } from "../identity/device-names.ts";
import { sessionIdOf } from "../identity/sessions.ts";
import { authenticate, type CallerKind, type CallerOf, isWellFormed, maxBodyBytes } from "./authenticate.ts";
import type { StoreLongReply } from "./compress.ts";
import { envelope, runEnveloped } from "./envelope.ts";
import { type HttpEvent, type HttpRequest, httpRequest } from "./event.ts";
import { loadNeeds, readEarly } from "./load-needs.ts";
import type { RateBucket } from "./rate-limit.ts";
import type { RawReply } from "./raw-reply.ts";
import { readParams } from "./read-params.ts";

/** The media types of a raw reply, and its statuses other than 200, for the reference documentation. */
interface RawContent {
  types: readonly string[];
  statuses?: readonly (201 | 202 | 204 | 206 | 302 | 304 | 403 | 416)[];
}

/** The fields of a reply, or "raw": a reply outside the envelope, such as a file. */
export type Returns = Shape | "raw";

export interface EndpointSpec<
  S extends Shape = Shape,
  R extends Returns = Returns,
  C extends CallerKind = CallerKind,
  N extends Needs = Needs,
> {
  method: "GET" | "POST" | "PATCH" | "PUT" | "DELETE";
  /** Below the prefix, in API Gateway's notation: "/messages/{message_id}/reactions". */
  path: string;
  /** Absent: `path` is below /api/v1. */
  prefix?: "";
  /** One sentence for the reference documentation. */
  summary: string;
  /**
   * What clients must know besides, in Markdown, for the reference documentation: where the API's specification is silent, and
   * this server's limits. Several notes become a list.
   */
  note?: string | readonly string[];
  caller: C;
  params: S;
  /** Exactly the fields of a reply other than `result` and `msg`. */
  returns: R;
  /** What the handler gets besides its parameters: what is read, and authorized, before it decides. */
  needs?: N;
  /** The Cache-Control header of a successful reply. Default: not cached. */
  cacheControl?: string;
  /** Whether the endpoint may reply with a redirect (307) instead of the fields. */
  redirects?: true;
  /**
   * Stores a reply that exceeds Lambda's limit, so that the client is redirected to it (303). Absent: such a reply is an error.
   */
  storeLongReply?: StoreLongReply;
  /** Only for a raw reply. */
  raw?: RawContent;
  /** Whether the endpoint accepts a browser's cookie for files (`shared/services/identity/file-sessions.ts`) in place of an API key. */
  takesFileCookie?: true;
  /**
   * Only for a raw reply: renders an error in the reply's own form, such as a page; undefined: in the envelope after all. The
   * request counts against the rate limit of requests.
   */
  renderError?: (error: ApiError) => Promise<RawReply | undefined>;
  /** Whether the request contains a file, as a part of multipart/form-data. */
  takesFile?: true;
  /**
   * Whether a host that runs the endpoint itself reads the form while it arrives, so that its files may be larger than a function's
   * request (`currentHost().maxUploadBytes`).
   */
  streamsFile?: true;
  /** The errors other than those that follow from `caller`, `params` and `returns`, for the reference documentation. */
  errors?: readonly ErrorName[];
  /**
   * The kinds of things that the endpoint may store. A request counts towards the day's limit of each that is counted by
   * requests; the endpoint checks the totals, and counts what it creates several of.
   */
  creates?: CreationKind | readonly CreationKind[];
  /** The resources that the function uses. Its IAM permissions are derived from this alone. */
  uses: Uses;
  /** Whether a request may wait on purpose. Its duration is then left out of the latency metric. */
  longPoll?: true;
  /** Deploys the endpoint only in fleets with this waiting strategy. */
  waiting?: "wake-up-queue";
  /**
   * Whether services call the endpoint that are configured with nothing but its URL. The parameters, and a bot's API key in
   * `api_key` in place of Basic credentials, are then in the query; the body is the service's own (`request.body()`).
   */
  webhook?: true;
  /** Authenticates Bearer credentials, which are refused without it, in a module that no other function loads. */
  byBearer?: (event: HttpEvent) => Promise<Caller>;
  /** Whether the body is JSON that the endpoint reads itself (`request.body()`). */
  takesJson?: true;
  /** Only with the caller "scim": checks the token, in a module that no other function loads. */
  authenticate?: (event: HttpEvent) => Promise<void>;
  /** Whether incoming-webhook bots, which may only send messages, may call the endpoint. */
  incomingWebhooks?: true;
}

/** The part of the function's time limit that is reserved, so that an error reply can still be sent. */
const replyTimeMs = 1000;
/** The time limit if the host does not set one: below the 30 s after which API Gateway replies with an error itself. */
const defaultTimeMs = 29_000;

/** What the middleware learns of a request. Each step finds what the steps before it have set. */
class Exchange<S extends Shape, C> {
  readonly request: HttpRequest;
  caller!: CallerOf<C>;
  params!: Values<S>;

  constructor(event: HttpEvent) {
    this.request = httpRequest(event);
  }
}

interface ExchangeContext<S extends Shape, C> extends Context {
  exchange: Exchange<S, C>;
}

/** What needs are loaded from, and what the handler gets. */
export interface Request<S extends Shape, C> {
  params: Values<S>;
  caller: CallerOf<C>;
  request: HttpRequest;
}
/** `reload` loads the needs again, after a conflict. */
export type Run<S extends Shape, R extends Returns, C, N> = (
  given: Request<S, C> & Loaded<N>,
  reload: () => Promise<Request<S, C> & Loaded<N>>,
) => R extends "raw"
  ? Promise<RawReply>
  : keyof R extends never
    ? Promise<void> | Promise<RawReply>
    : Promise<Values<R> | RawReply>;

/** The fields of a reply. An endpoint that is raw, redirects or stores long replies may return a `RawReply` in place of them. */
type Answered<R extends Returns> = R extends Shape ? Values<R> : RawReply;

/** What an endpoint declares, with needs that find what they are loaded from. */
export type Declaration<S extends Shape, R extends Returns, C extends CallerKind, N extends Needs> = EndpointSpec<
  S,
  R,
  C,
  N
> & { needs?: Satisfied<N, Request<S, C>> };

/** A Lambda handler for one HTTP endpoint that carries its own declaration as `.spec`. */
export function endpoint<
  const S extends Shape,
  const R extends Returns,
  const C extends CallerKind,
  // biome-ignore lint/complexity/noBannedTypes: the handler of an endpoint without needs gets nothing more.
  const N extends Needs = {},
>(spec: Declaration<S, R, C, N>, run: Run<S, R, C, N>) {
  const name = `${spec.method} ${spec.path}`;
  const needs: N = spec.needs ?? ({} as N);
  const dailyKinds = countedKinds(spec.creates);
  const authentication = authenticate(spec.caller, {
    bucket: bucketOf(spec),
    incomingWebhooks: spec.incomingWebhooks,
    fileCookie: spec.takesFileCookie,
    keyInQuery: spec.webhook,
    byToken: spec.authenticate,
    byBearer: spec.byBearer,
    // Every client calls some endpoint that writes; the others may not.
    notesUse: spec.uses.table === "readWrite",
  });
  const answer = async (given: Request<S, C>): Promise<Answered<R>> => {
    const load = async () => ({ ...given, ...(await loadNeeds(needs, given)) });
    const work = async () => (await run(await load(), load)) as Answered<R>;
    const { caller, request } = given;
    const counting = () => (caller && dailyKinds.length > 0 ? counted(caller, dailyKinds, work) : work());
    const acting: Actor | undefined = caller
      ? {
          ...{ kind: "user", userId: caller.id },
          client: nameOfProgram(programOf(request.headers["user-agent"])),
          device: caller.session && sessionIdOf(caller.session),
        }
      : spec.caller === "scim"
        ? { kind: "scim" }
        : undefined;
    return acting ? actor.run(acting, counting) : counting();
  };
  const stack = middy<HttpEvent, unknown, Error, ExchangeContext<S, C>>({
    timeoutEarlyInMillis: replyTimeMs,
    timeoutEarlyResponse: () => {
      throw requestTimedOut();
    },
  })
    .use(envelope(name, spec))
    .before(({ event, context: { exchange } }) => {
      // Without credentials, or with malformed ones, the request may be refused before anything is read.
      const mayBeAuthenticated =
        isWellFormed(event.headers?.authorization) || (spec.webhook && /\bapi_key=/.test(event.rawQueryString));
      if (mayBeAuthenticated) readEarly(needs, spec.params, exchange.request);
    })
    .before(async ({ event, context: { exchange } }) => {
      exchange.caller = await authentication(event);
    })
    .before(async ({ event, context: { exchange } }) => {
      const { params, ignored } = await readParams(event, spec.params, {
        inQueryOnly: hasOwnBody(spec),
        maxBodyBytes: maxBodyBytes(spec.caller, event),
      });
      exchange.params = params;
      event.ignored = ignored;
    })
    .handler(async (_, { exchange: { params, caller, request } }) => (await answer({ params, caller, request })) ?? {});
  const handler = (event: HttpEvent, lambda: Context): Promise<APIGatewayProxyStructuredResultV2> => {
    // One clock decides when the stack ends the handler, and when a change makes no more calls.
    const endsAt = Date.now() + (lambda.getRemainingTimeInMillis?.() ?? defaultTimeMs);
    const getRemainingTimeInMillis = () => endsAt - Date.now();
    const context = { ...lambda, getRemainingTimeInMillis, exchange: new Exchange<S, C>(event) };
    return runEnveloped(name, stack, event, context, { longPoll: spec.longPoll, deadline: endsAt - replyTimeMs });
  };
  const uses: Uses = {
    ...spec.uses,
    // Rate limits count requests in the table, so functions that otherwise only read it need permission to do so.
    ...(spec.uses.table && { countsRequests: true }),
    ...(spec.caller === "scim" && { scimToken: true }),
  };
  return Object.assign(handler, {
    kind: "endpoint" as const,
    spec: { ...spec, uses },
    /** Throws unless the event's caller may call the endpoint: for a host that asks before it reads a long body. The event counts as one request. */
    admit: async (event: HttpEvent): Promise<void> => void (await authentication(event)),
    /**
     * Answers a caller whom another function has authenticated, and may call both: for functions that do what endpoints do. That
     * function's `uses` and `creates` must include the endpoint's.
     */
    answer,
  });
}

/** Whether the body is not a form with parameters, but has a form of its own, which the endpoint reads itself. */
const hasOwnBody = ({ webhook, takesJson, caller }: Pick<EndpointSpec, "webhook" | "takesJson" | "caller">): boolean =>
  webhook === true || takesJson === true || caller === "scim";

const bucketOf = ({
  longPoll,
  returns,
  renderError,
}: Pick<EndpointSpec, "longPoll" | "returns" | "renderError">): RateBucket =>
  longPoll ? "events" : returns === "raw" && !renderError ? "files" : "requests";
