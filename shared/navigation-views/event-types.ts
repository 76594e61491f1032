import { bool, exactly, literal, nullable, partial, text, type Value } from "../schema/params.ts";
import { navigationViewObject } from "./wire.ts";

const type = literal("navigation_view");

/** Events about navigation views, for their owner. */
export const navigationViewEvents = [
  exactly({ type, op: literal("add"), navigation_view: navigationViewObject }),
  exactly({
    type,
    op: literal("update"),
    fragment: text(),
    data: exactly(partial({ is_pinned: bool(), name: nullable(text()) })),
  }),
  exactly({ type, op: literal("remove"), fragment: text() }),
];
export type NavigationViewEvent = Value<(typeof navigationViewEvents)[number]>;

declare module "../schema/event-types.ts" {
  interface LogEvents {
    navigationView: NavigationViewEvent;
  }
  interface ClientEvents {
    navigationView: NavigationViewEvent;
  }
}
