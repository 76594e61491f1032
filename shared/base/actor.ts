import { InvocationValue } from "./invocation.ts";

/** Who makes the changes of an invocation. */
export type Actor =
  | {
      kind: "user";
      userId: number;
      /** The program that they use, such as "Firefox (Linux)". */
      client: string;
      /** The ID of the device on which they have signed in; absent: an API key was used. */
      device?: string | undefined;
    }
  | { kind: "scim" }
  | { kind: "operator" };

/** Absent in what the server does by itself, such as a job or what somebody without an account does. */
export const actor = new InvocationValue<Actor>("actor");
