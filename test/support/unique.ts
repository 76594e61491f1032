import { randomBytes } from "node:crypto";

/** Letters and digits that nobody else has, in an earlier run on the same organization neither. */
export const token = () => randomBytes(5).toString("hex");

/** A name that nobody else has. */
export const unique = (name: string) => `${name} ${token()}`;
