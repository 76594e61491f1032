import { AwsError } from "../error.ts";

/** The bytes that a Range header asks for; undefined for the whole file, as S3 ignores what is not one range of bytes. */
export function rangeOf(header: string | undefined, size: number): { start: number; end: number } | undefined {
  const [, first, last] = /^bytes=(\d*)-(\d*)$/.exec(header ?? "") ?? [];
  if (first === undefined || last === undefined || (first === "" && last === "")) return undefined;
  const start = first === "" ? Math.max(0, size - Number(last)) : Number(first);
  const end = first === "" || last === "" ? size - 1 : Math.min(Number(last), size - 1);
  if (first !== "" && last !== "" && Number(last) < Number(first)) return undefined;
  if (start > end) throw new AwsError("InvalidRange", "The requested range is not satisfiable", 416);
  return { start, end };
}
