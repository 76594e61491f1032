import type { Param } from "../../../shared/schema/params.ts";

type Checked = ReturnType<Param["schema"]["safeParse"]>;

/** What does not match a schema of replies or events; the most that a list may have is a limit of parameters. */
export const issuesOf = ({ error }: Checked) =>
  (error?.issues ?? []).filter((issue) => !(issue.code === "too_big" && issue.origin === "array"));
