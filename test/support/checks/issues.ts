import type { Param } from "../../../shared/base/schema/params.ts";

type ParseResult = ReturnType<Param["schema"]["safeParse"]>;

/** The mismatches with a schema of replies or events. Ignores the maximum length of lists, which only limits parameters. */
export const issuesOf = ({ error }: ParseResult) =>
  (error?.issues ?? []).filter((issue) => !(issue.code === "too_big" && issue.origin === "array"));
