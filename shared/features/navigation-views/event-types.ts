import { bool, literal, nullable, partial, strictObject, text, type Value } from "../../base/schema/params.ts";
import { navigationViewObject } from "./navigation-views.ts";

const type = literal("navigation_view");

/** Events about navigation views, for their owner. */
export const navigationViewEvents = [
  strictObject({ type, op: literal("add"), navigation_view: navigationViewObject }),
  strictObject({
    type,
    op: literal("update"),
    fragment: text(),
    data: strictObject(partial({ is_pinned: bool(), name: nullable(text()) })),
  }),
  strictObject({ type, op: literal("remove"), fragment: text() }),
];

declare module "../../base/schema/event-types.ts" {
  interface EventsSentAsLogged {
    navigation_view: Value<(typeof navigationViewEvents)[number]>;
  }
}
