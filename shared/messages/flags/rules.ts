import { badRequest } from "../../errors.ts";
import { type EditableFlag, editableFlags, knownFlags } from "./flags.ts";

/** Checks that clients may change a flag; the error distinguishes unknown flags from those that only the server sets. */
export function checkEditableFlag(flag: string): EditableFlag {
  const editable = editableFlags.find((known) => known === flag);
  if (editable) return editable;
  throw badRequest(
    knownFlags.some((known) => known === flag) ? `Flag not editable: '${flag}'` : `Invalid flag: '${flag}'`,
  );
}
