import type { Inputs, Values } from "../../../shared/base/schema/params.ts";
import type { Failure, Success } from "../../../shared/services/http/envelope.ts";
import type { Endpoints } from "./endpoints.ts";

/** The types of the API's calls, derived from the server's declarations. */

/** An endpoint by its method and path, such as "POST /messages". */
export type Endpoint = keyof Endpoints;

/** What a client may send to an endpoint. */
export type Input<E extends Endpoint> = Inputs<Endpoints[E]["params"]>;

/** The body of an endpoint's successful reply. */
export type Reply<E extends Endpoint> = Success & Values<Endpoints[E]["returns"]>;

export type ErrorBody = Failure;

export interface CallOptions {
  /** A file to send with the parameters. */
  file?: Blob;
  signal?: AbortSignal;
}

/** Calls an endpoint, and returns its reply; throws ApiFailure if the server refuses the call or cannot be reached. */
export type Call = <E extends Endpoint>(
  endpoint: E,
  // The parameters may be left out if the endpoint requires none.
  ...args: Partial<Input<E>> extends Input<E>
    ? [params?: Input<E>, options?: CallOptions]
    : [params: Input<E>, options?: CallOptions]
) => Promise<Reply<E>>;
