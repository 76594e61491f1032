/**
 * How many characters may still be scanned for further matches, in one message or topic. Each search for the next match may
 * scan all that is left of the text, so that many matches in a long text take quadratic time.
 */
export interface ScanBudget {
  left: number;
}

/** A hundred matches in the longest message, and all that there are in one of a third of that. Some tenths of a second. */
export const newScanBudget = (): ScanBudget => ({ left: 1_000_000 });
