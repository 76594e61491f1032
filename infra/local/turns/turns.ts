/** Lets at most a number of works run at a time, and the others wait in the order in which they came. */
export class Turns {
  readonly #max: number;
  readonly #waiting: (() => void)[] = [];
  #runningCount = 0;

  constructor(max: number) {
    this.#max = max;
  }

  /** Runs work in its turn. The turn ends with the work, or after `maxMs`, from which on the work goes on besides. */
  async run<T>(work: () => Promise<T>, maxMs?: number): Promise<T> {
    if (this.#runningCount < this.#max) this.#runningCount++;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    let hasTurn = true;
    const end = () => {
      if (!hasTurn) return;
      hasTurn = false;
      const next = this.#waiting.shift();
      if (next) next();
      else this.#runningCount--;
    };
    const timer = maxMs === undefined ? undefined : setTimeout(end, maxMs);
    try {
      return await work();
    } finally {
      clearTimeout(timer);
      end();
    }
  }
}
