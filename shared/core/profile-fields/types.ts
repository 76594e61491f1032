/** The types of custom profile fields, as the wire numbers them. */
export const fieldTypes = {
  shortText: 1,
  longText: 2,
  select: 3,
  date: 4,
  url: 5,
  users: 6,
  externalAccount: 7,
  pronouns: 8,
} as const;

export const fieldTypeNumbers = Object.values(fieldTypes);
