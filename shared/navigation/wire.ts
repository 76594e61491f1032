import { bool, exactly, nullable, text, type Value } from "../http/params.ts";
import type { NavigationView } from "../store/short-lists.ts";

/** The record of a navigation view (companion reference, D). */
export const navigationViewObject = exactly({ fragment: text(), is_pinned: bool(), name: nullable(text()) });

export const wireNavigationView = ({
  fragment,
  isPinned,
  name,
}: NavigationView): Value<typeof navigationViewObject> => ({ fragment, is_pinned: isPinned, name });
