/**
 * What an endpoint reads before it decides. A declaration names its needs; each is loaded and authorized by its definition, and
 * handed to the handler. What a need reads for any caller is read early, in parallel with the caller's account.
 */

/** A parameter of a request that nobody has been authenticated for: its value, or undefined if it is absent or invalid. */
export type Sent<P> = <K extends keyof P>(name: K) => P[K] | undefined;

/** `C`: what the need is loaded from: `caller`, `params`, `request`, and the promises of other needs by their names. */
export interface Need<T = unknown, C = unknown> {
  /**
   * Starts reads by which `load` then takes no round trip. They are used by the next reads of the same items and pages
   * (`shared/store/table/shared-reads.ts`); what fails here is read again. Nobody is authenticated yet: it must read little,
   * whatever is sent.
   */
  early?(sent: Sent<C extends { params: infer P } ? P : object>): unknown;
  /** Returns the value, or throws the refusal. */
  load(context: C): Promise<T>;
}

/**
 * A need that the handler loads when it asks for it: for what is refused after checks of the handler, needed in some cases only, or
 * loaded again after a conflict.
 */
export const onDemand = <T, C>(inner: Need<T, C>): Need<() => Promise<T>, C> => ({
  ...inner,
  load: async (context) => () => inner.load(context),
});

// biome-ignore lint/suspicious/noExplicitAny: needs are loaded from different contexts, which have no other common type.
export type Needs = Readonly<Record<string, Need<any, any>>>;

export type Loaded<N> = { [K in keyof N]: N[K] extends Need<infer T, infer _> ? T : never };

/** The needs, if each finds what it is loaded from in `C` and among the other needs; otherwise types that say what is missing. */
export type Satisfied<N, C> = {
  [K in keyof N]: N[K] extends Need<infer T, infer D>
    ? C & Pending<Omit<N, K>> extends D
      ? N[K]
      : Need<T, C & Pending<Omit<N, K>>>
    : never;
};
type Pending<N> = { [K in keyof N]: Promise<Loaded<N>[K]> };
