import { updateItem } from "./single-writes.ts";
import { put, type Write } from "./writes.ts";

type CounterName =
  | "user"
  | "channel"
  | "channel-folder"
  | "group"
  | "recipient"
  | "snippet"
  | "linkifier"
  | "attachment"
  | "emoji"
  | "draft"
  | "invitation"
  | "agent-key";

const key = (name: CounterName) => ({ pk: "COUNTER", sk: name });

/** Allocates `count` consecutive IDs and returns the first; 1 write unit. A caller that dies leaves IDs unused. */
export async function takeIds(name: CounterName, count = 1): Promise<number> {
  const { value } = await updateItem<{ value: number }>(key(name), { add: { value: count } });
  return value - count + 1;
}

/** Sets the last allocated ID. */
export const setCounter = (name: CounterName, value: number): Write => put({ ...key(name), value });
