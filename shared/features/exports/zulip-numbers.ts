/** The numbers by which Zulip's tables store what the API names by words. */

export const topicsPolicyNumbers = {
  inherit: 1,
  allow_empty_topic: 2,
  disable_empty_topic: 3,
  empty_topic_only: 4,
} as const;
export const editHistoryPolicyNumbers = { all: 1, moves: 2, none: 3 } as const;
export const autoReadPolicyNumbers = { always: 1, except_followed: 2, never: 3 } as const;

/** Of the events of its log that are about subscriptions. */
export const subscriptionEventNumbers = { created: 301, activated: 302, deactivated: 303 } as const;

/** The word of a number; undefined for any other value. */
export const wordOf = <Word extends string>(
  numbers: Readonly<Record<Word, number>>,
  value: unknown,
): Word | undefined => (Object.keys(numbers) as Word[]).find((word) => numbers[word] === value);
