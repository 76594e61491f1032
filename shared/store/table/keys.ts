/** IDs in sort keys: 16 digits hold every integer that JSON can carry exactly, and sort as numbers do. */
export const padded = (id: number) => String(id).padStart(16, "0");

/** The ID at the end of a key such as "CHANNEL#0000000000000012". */
export const idOf = (key: string) => Number(key.slice(key.lastIndexOf("#") + 1));
