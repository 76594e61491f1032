import type { Loaded, Need, Needs, Sent } from "../../base/needs.ts";
import type { Param, Shape, Values } from "../../base/schema/params.ts";
import { prefetch } from "../../store/table/shared-reads.ts";
import type { HttpRequest } from "./event.ts";
import { validValue } from "./read-params.ts";

/** Starts what the needs read early. */
export function readEarly(needs: Needs, shape: Shape, { rawParameter }: Pick<HttpRequest, "rawParameter">): void {
  const sent = (name: string) => {
    const param: Param | undefined = shape[name];
    return param && validValue(name, param, rawParameter(name));
  };
  for (const { early } of Object.values(needs)) if (early) prefetch(async () => early(sent as Sent<object>));
}

/** Loads the needs at the same time. Of several refusals, that of the need that is declared first counts. */
export async function loadNeeds<N extends Needs>(
  needs: N,
  context: { params: Values<Shape>; request: HttpRequest },
): Promise<Loaded<N>> {
  const pending = new Map<string, Promise<unknown>>();
  const all = { ...context };
  const start = (name: string, { load }: Need) => {
    const loading = pending.get(name) ?? (async () => load(all))();
    pending.set(name, loading);
    // It is awaited below, unless an earlier need is refused.
    loading.catch(() => {});
    return loading;
  };
  for (const [name, one] of Object.entries(needs)) Object.defineProperty(all, name, { get: () => start(name, one) });
  const started = Object.entries(needs).map(([name, one]) => [name, start(name, one)] as const);
  const loaded: Record<string, unknown> = {};
  for (const [name, loading] of started) loaded[name] = await loading;
  return loaded as Loaded<N>;
}
