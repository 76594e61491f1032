import { createHash } from "node:crypto";
import type { Key } from "./writes.ts";

/** The key attributes alone: callers may pass a whole item. */
export const keyOf = ({ pk, sk }: Key): Key => ({ pk, sk });

/** Identifies an item in a map. */
export const nameOf = ({ pk, sk }: Key) => `${pk}\n${sk}`;

/** An ID in a sort key: 16 digits fit every safe integer, and padded strings sort in numeric order. */
export const padded = (id: number) => String(id).padStart(16, "0");

/** The ID at the end of a key such as "CHANNEL#0000000000000012". */
export const idOf = (key: string) => Number(key.slice(key.lastIndexOf("#") + 1));

/** Stands for a text in a key that may be too long for one, or that must not be stored as it is. */
export const hashOf = (text: string): string => createHash("sha256").update(text).digest("hex");
