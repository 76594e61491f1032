import { AsyncLocalStorage } from "node:async_hooks";

/** The values of the running invocation of a function, or of the part of it that runs. */
const storage = new AsyncLocalStorage<Readonly<Record<symbol, unknown>>>();

/** A value that code finds without a parameter, as long as it runs in the same invocation: a deadline, a trace, a cache. */
export class InvocationValue<T> {
  readonly #name: symbol;

  constructor(name: string) {
    this.#name = Symbol(name);
  }

  get(): T | undefined {
    return storage.getStore()?.[this.#name] as T | undefined;
  }

  /** Runs `work` with this value. The other values stay. */
  run<R>(value: T, work: () => R): R {
    return storage.run({ ...storage.getStore(), [this.#name]: value }, work);
  }
}
