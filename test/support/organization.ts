import { expect } from "vitest";
import { permissionSettings, type RealmSettings } from "../../shared/base/schema/organization-settings.ts";
import { loadRealm } from "../../shared/services/organization/access.ts";
import { aPerson } from "./world.ts";

/**
 * Changes settings of the organization while `act` runs; returns its result. Files of one host run sequentially, so other files are not affected;
 * cases of the same file are, and must run sequentially.
 */
export async function withSettings<T>(settings: Partial<RealmSettings>, act: () => Promise<T>): Promise<T> {
  const owner = await aPerson("Owner of settings", { role: "owner" });
  const before = (await loadRealm()).settings;
  const set = async (values: Partial<RealmSettings>) => {
    const params = Object.entries(values).map(([name, value]) => [
      name,
      name in permissionSettings ? { new: value } : value,
    ]);
    const { body } = await owner.call("PATCH", "/realm", Object.fromEntries(params));
    expect(body).toMatchObject({ result: "success" });
  };
  await set(settings);
  try {
    return await act();
  } finally {
    const names = Object.keys(settings) as (keyof RealmSettings)[];
    // The API returns unlimited values as null or -1, but sets them by the word "unlimited".
    const restoredValue = (name: keyof RealmSettings) =>
      (name === "message_retention_days" && before[name] === -1 ? null : before[name]) ?? "unlimited";
    await set(Object.fromEntries(names.map((name) => [name, restoredValue(name)])));
  }
}
