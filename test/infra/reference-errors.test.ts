import { expect, test } from "vitest";
import { errorsIn } from "../../infra/reference/errors.ts";

/** How the reference documentation finds errors where they are made. */

test("an error is told by its code, its status and the names of what comes with it", () => {
  const source = `
    throw new ApiError("BAD_REQUEST", "Plain");
    const gone = (id) => new ApiError2("GONE", \`Thing '\${id ?? "(none)"}', or "{another}"\`, { status: 410, thing_id: id, rest });
    throw new ApiError("SLOW", "It's (too) fast", { status: 429, "retry-after": wait(1, [2, 3]), headers: { "retry-after": "1" } });`;

  expect(errorsIn(source)).toEqual([
    { code: "BAD_REQUEST", status: 400, fields: [] },
    { code: "GONE", status: 410, fields: ["thing_id", "rest"] },
    { code: "SLOW", status: 429, fields: ["retry-after"] },
  ]);
});

test("an error whose code is computed is refused, since nobody could document it", () => {
  expect(() => errorsIn('new ApiError(cold ? "COLD" : "HOT", "-")')).toThrow("must stand where it is made");
});
