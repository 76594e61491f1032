import { readFileSync } from "node:fs";
import { expect } from "vitest";
import { aSubject, beginSignIn, finishSignIn, signInAtAcme } from "../support/outside/identity-providers.ts";
import { aPerson, costTest } from "../support/world.ts";

costTest("a sign-in by a provider costs what docs/data-model.md says", async () => {
  const person = { sub: aSubject(), email: (await aPerson("Viola")).email, name: "Viola" };
  const signIn = async () => {
    const begun = await beginSignIn("acme", "");
    return (await finishSignIn(begun, await signInAtAcme(begun, person))).cost;
  };

  const [first, later] = [await signIn(), await signIn()];

  const document = readFileSync("docs/data-model.md", "utf8").replaceAll("\n", " ");
  expect(document).toContain(
    `this sign-in writes ${first.writeUnits} units, each later one by the same program writes ${later.writeUnits}, and both read up to 6,`,
  );
  expect(Math.max(first.readUnits, later.readUnits)).toBeLessThanOrEqual(6);
});
