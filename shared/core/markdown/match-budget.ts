/**
 * The steps that the linkifiers of a message or topic may still take. A step is one instruction of a pattern's program at one
 * character, whose engine takes at most one at each in a search; it takes 5 to 45 ns.
 */
export interface MatchBudget {
  remainingSteps: number;
}

/**
 * Enough for forty linkifiers that match here and there in a message of a thousand characters, or five in the longest one.
 * Those whose fixed parts, such as `#`, do not occur in the text take no steps.
 */
export const newMatchBudget = (): MatchBudget => ({ remainingSteps: 2_000_000 });
