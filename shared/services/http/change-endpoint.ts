import type { Loaded, Needs } from "../../base/needs.ts";
import type { Shape, Values } from "../../base/schema/params.ts";
import { type Change, commit, type NumberedChange } from "../../store/log/log.ts";
import { retryOnConflict } from "../../store/table/conflicts.ts";
import type { CallerKind } from "./authenticate.ts";
import { type Declaration, endpoint, type Request, type Run } from "./endpoint.ts";

/** What a handler decides: the change that the request makes, absent if there is nothing to change, and the fields of the reply. */
type Decision<R> = { change?: Change | NumberedChange | undefined } & (keyof R extends never
  ? { reply?: never }
  : { reply: Values<R> });

/**
 * An endpoint that makes one change: its handler decides, and what it returns is committed, which starts what follows it. When
 * another request has changed first what the change depends on, the needs are loaded again, and the handler decides anew; it must
 * have no side effects. `exhausted`: the error when that goes on. What needs several transactions is an `endpoint` that commits
 * itself.
 */
export const changeEndpoint = <
  const S extends Shape,
  const R extends Shape,
  const C extends CallerKind,
  // biome-ignore lint/complexity/noBannedTypes: the handler of an endpoint without needs gets nothing more.
  const N extends Needs = {},
>(
  spec: Declaration<S, R, C, N>,
  decide: (given: Request<S, C> & Loaded<N>) => Promise<Decision<R>> | Decision<R>,
  { exhausted }: { exhausted?: () => Error } = {},
) => {
  const run = async (first: Request<S, C> & Loaded<N>, reload: () => Promise<Request<S, C> & Loaded<N>>) => {
    let given: typeof first | undefined = first;
    return retryOnConflict(
      async () => {
        const current = given ?? (await reload());
        given = undefined;
        const { change, reply } = await decide(current);
        if (change) await commit(change);
        return reply;
      },
      { ...(exhausted && { exhausted }) },
    );
  };
  return endpoint(spec, run as Run<S, R, C, N>);
};
