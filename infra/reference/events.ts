import * as z from "zod/mini";
import { type JsonSchema, schemaOf, withoutMaxItems } from "../../shared/base/schema/json-schema.ts";
import { clientEvents } from "./event-schemas.ts";

/** The events that `GET /events` returns, each as a named component of the OpenAPI document. */

type EventSchema = z.ZodMiniObject<{ type: z.ZodMiniLiteral<string>; op?: z.ZodMiniType }>;

/** An event with its ID, which increases within a queue. */
interface DescribedEvent {
  /** The component's name: `DraftsAddEvent` for type `drafts` with `op` "add". */
  name: string;
  type: string;
  schema: z.ZodMiniType;
}

const capitalized = (text: string) => text.replaceAll(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());

/** All events; several with the same `type` and `op` share a name. */
export const describedEvents: readonly DescribedEvent[] = clientEvents.map((event) => {
  const schema = event.schema as EventSchema;
  const { type, op } = schema.shape;
  const [typeName] = type.def.values;
  const ops = op?.def.type === "literal" ? (op as z.ZodMiniLiteral<string>).def.values : [];
  const name = `${[typeName, ...ops].map((part) => capitalized(String(part))).join("")}Event`;
  return { name, type: String(typeName), schema: z.extend(schema, { id: z.int() }) };
});

/** The document's components for events; `Event` is the union of the others. */
export function eventComponents(): Record<string, JsonSchema> {
  const byName = [...Map.groupBy(describedEvents, ({ name }) => name)].sort(([a], [b]) => (a < b ? -1 : 1));
  const components = byName.map(([name, events]): [string, JsonSchema] => {
    const [first = {}, ...rest] = events.map(({ schema }) =>
      withoutMaxItems(schemaOf({ schema, encoding: "json", required: true })),
    );
    return [name, rest.length === 0 ? first : { oneOf: [first, ...rest] }];
  });
  const anyEvent = { oneOf: byName.map(([name]) => ({ $ref: `#/components/schemas/${name}` })) };
  return { Event: anyEvent, ...Object.fromEntries(components) };
}
