import { randomBytes } from "node:crypto";

/** Random letters and digits, unique also across runs on the same organization. */
export const token = () => randomBytes(5).toString("hex");

/** A unique name. */
export const unique = (name: string) => `${name} ${token()}`;
