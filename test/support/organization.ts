import { expect } from "vitest";
import { accessRealm } from "../../shared/organization/access.ts";
import { permissionSettings, type RealmSettings } from "../../shared/schema/organization-settings.ts";
import { aPerson } from "./world.ts";

/**
 * Changes settings of the organization for as long as `act` takes. Files of one host run one after the other, so that
 * nobody else is concerned; cases of one file are, and should be told to run one after the other.
 */
export async function withSettings(settings: Partial<RealmSettings>, act: () => Promise<unknown>): Promise<void> {
  const owner = await aPerson("Owner of settings", { role: "owner" });
  const before = (await accessRealm()).settings;
  const set = async (values: Partial<RealmSettings>) => {
    const sent = Object.entries(values).map(([name, value]) => [
      name,
      name in permissionSettings ? { new: value } : value,
    ]);
    const { body } = await owner.call("PATCH", "/realm", Object.fromEntries(sent));
    expect(body).toMatchObject({ result: "success" });
  };
  await set(settings);
  try {
    await act();
  } finally {
    const names = Object.keys(settings) as (keyof RealmSettings)[];
    // What is told as null or, of days, as -1 is asked for by a word.
    const back = (name: keyof RealmSettings) =>
      (name === "message_retention_days" && before[name] === -1 ? null : before[name]) ?? "unlimited";
    await set(Object.fromEntries(names.map((name) => [name, back(name)])));
  }
}
