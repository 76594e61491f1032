/** A name that nobody else has, in an earlier run on the same organization neither. */
export const unique = (name: string) => `${name} ${Math.random().toString(36).slice(2, 10)}`;
