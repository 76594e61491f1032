import { int, oneOf, optional, text } from "../../../base/schema/params.ts";
import type { ImportRequest } from "../../../store/organization/import-request.ts";

/** An import as clients see it. */
export const importFields = {
  state: oneOf(["uploading", "checking", "checked", "importing", "failed", "done"]),
  filename: text(),
  size: int(),
  report: optional(text({ anyCharacters: true })),
  name: optional(text()),
  problem: optional(text({ anyCharacters: true })),
  done: optional(int()),
  total: optional(int()),
};

export const toImportWire = ({ state, fileName, size, report, name, problem, done, total }: ImportRequest) => ({
  ...{ state, filename: fileName, size },
  ...(report !== undefined && { report }),
  ...(name !== undefined && { name }),
  ...(problem !== undefined && { problem }),
  ...(done !== undefined && { done }),
  ...(total !== undefined && { total }),
});
