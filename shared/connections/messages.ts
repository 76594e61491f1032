import { badRequest } from "../errors.ts";
import { int, literal, object, string, type Value } from "../schema/params.ts";

/** What a client may send by its connection: up to which event of its queue it has received everything. */
const acknowledgement = object({
  type: literal("acknowledge"),
  queue_id: string({ max: 100 }),
  last_event_id: int(),
});

export type Acknowledgement = Value<typeof acknowledgement>;

/** Throws BAD_REQUEST for anything but a message that clients may send. */
export function readMessage(text: string): Acknowledgement {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw badRequest("The message is not JSON");
  }
  const { success, data } = acknowledgement.schema.safeParse(value);
  if (!success)
    throw badRequest('The message is not {"type": "acknowledge", "queue_id": string, "last_event_id": integer}');
  return data;
}
