import { badRequest } from "../../errors.ts";
import { type EditableFlag, editableFlags, knownFlags } from "./flags.ts";

/** Returns a flag that clients may change; throws a 400 for an unknown flag, and another for one that only the server sets. */
export function checkEditableFlag(flag: string): EditableFlag {
  const editable = editableFlags.find((known) => known === flag);
  if (editable) return editable;
  throw badRequest(
    knownFlags.some((known) => known === flag) ? `Flag not editable: '${flag}'` : `Invalid flag: '${flag}'`,
  );
}
