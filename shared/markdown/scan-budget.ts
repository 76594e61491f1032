/**
 * How many more characters may be scanned for linkifier matches in a message or topic. Each search for the next match may scan
 * the rest of the text, so many matches in a long text take quadratic time.
 */
export interface ScanBudget {
  remainingCharacters: number;
}

/** Allows a hundred matches in the longest message. They take a few tenths of a second. */
export const newScanBudget = (): ScanBudget => ({ remainingCharacters: 1_000_000 });
