import type { ComponentChildren } from "preact";
import { pieces } from "./language.ts";

/** A text in the current language with elements in it: the values of its arguments. */
export const Translated = ({ text, ...values }: { text: string } & Record<string, ComponentChildren>) => (
  <>{pieces<ComponentChildren>(text, values)}</>
);
