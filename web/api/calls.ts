import type { Success } from "../../shared/http/envelope.ts";
import type { Inputs, Values } from "../../shared/schema/params.ts";
import type { Endpoints } from "./endpoints.ts";

/** The types of the API's calls, derived from the server's declarations. */

/** An endpoint by its method and path, such as "POST /messages". */
export type Endpoint = keyof Endpoints;

/** What a client may send to an endpoint. */
export type Input<E extends Endpoint> = Inputs<Endpoints[E]["params"]>;

/** The body of an endpoint's successful reply. */
export type Reply<E extends Endpoint> = Success & Values<Endpoints[E]["returns"]>;
