import { int, literal, strictObject, type Value } from "../../base/schema/params.ts";
import { savedSnippetObject } from "./saved-snippets.ts";

const type = literal("saved_snippets");

/** Events about saved snippets, for their owner. */
export const savedSnippetEvents = [
  strictObject({ type, op: literal("add"), saved_snippet: savedSnippetObject }),
  strictObject({ type, op: literal("update"), saved_snippet: savedSnippetObject }),
  strictObject({ type, op: literal("remove"), saved_snippet_id: int() }),
];

declare module "../../base/schema/event-types.ts" {
  interface EventsSentAsLogged {
    saved_snippets: Value<(typeof savedSnippetEvents)[number]>;
  }
}
