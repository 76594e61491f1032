import { networkOf } from "../../../shared/base/network.ts";

/** Counts what clients have open, by their network, so that one network cannot take all that there is for all. */
export class NetworkCounts {
  readonly #max: number;
  readonly #counts = new Map<string, number>();

  constructor(max: number) {
    this.#max = max;
  }

  /** Counts one more of an address's network; returns what gives it back, or undefined if the network has as many as it may. */
  take(address: string): (() => void) | undefined {
    const network = networkOf(address);
    const count = this.#counts.get(network) ?? 0;
    if (count >= this.#max) return undefined;
    this.#counts.set(network, count + 1);
    return () => {
      const left = (this.#counts.get(network) ?? 1) - 1;
      if (left > 0) this.#counts.set(network, left);
      else this.#counts.delete(network);
    };
  }
}
