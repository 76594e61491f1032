import { InvocationValue } from "./invocation.ts";

/** Who makes the changes of an invocation. */
export type Actor = { kind: "user"; userId: number; client: string } | { kind: "scim" } | { kind: "operator" };

/** Absent in what the server does by itself, such as a job or what somebody without an account does. */
export const actor = new InvocationValue<Actor>("actor");
