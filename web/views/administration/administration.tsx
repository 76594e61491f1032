import { useComputed } from "@preact/signals";
import type { ComponentType } from "preact";
import { t } from "../../base/languages/language.ts";
import type { AdministrationSection } from "../../navigation/address.ts";
import { linkTo } from "../../navigation/router.ts";
import { Boundary } from "../../parts/boundary.tsx";
import { Tabs } from "../../parts/tabs.tsx";
import { state } from "../../session/store.ts";
import { isAdministrator } from "../../state/permissions.ts";
import { BotList, PeopleList } from "./accounts.tsx";
import { CustomEmoji } from "./custom-emoji.tsx";
import { DefaultChannels } from "./default-channels.tsx";
import { Exports } from "./exports.tsx";
import { ChannelFolders } from "./folders.tsx";
import { Linkifiers } from "./linkifiers.tsx";
import { Permissions } from "./organization-permissions.tsx";
import { OrganizationSettings } from "./organization-settings.tsx";
import { ProfileFields } from "./profile-fields.tsx";
import { Statistics } from "./statistics.tsx";
import { UserDefaults } from "./user-defaults.tsx";

/** The administrators' settings of the organization. */

const sections = (): readonly { section: AdministrationSection; label: string; View: ComponentType }[] => [
  { section: "settings", label: t("Settings"), View: OrganizationSettings },
  { section: "permissions", label: t("Permissions"), View: Permissions },
  { section: "user-defaults", label: t("Defaults for new accounts"), View: UserDefaults },
  { section: "people", label: t("People"), View: PeopleList },
  { section: "bots", label: t("Bots"), View: BotList },
  { section: "linkifiers", label: t("Linkifiers"), View: Linkifiers },
  { section: "emoji", label: t("Emoji"), View: CustomEmoji },
  { section: "default-channels", label: t("Default channels"), View: DefaultChannels },
  { section: "profile-fields", label: t("Profile fields"), View: ProfileFields },
  { section: "folders", label: t("Channel folders"), View: ChannelFolders },
  { section: "exports", label: t("Exports"), View: Exports },
  { section: "statistics", label: t("Statistics"), View: Statistics },
];

export function Administration({ section }: { section: AdministrationSection }) {
  const allowed = useComputed(() => state.value !== undefined && isAdministrator(state.value)).value;
  const View = sections().find((entry) => entry.section === section)?.View;
  return (
    <div class="page" id="messages" tabIndex={-1}>
      <h1>{t("Organization")}</h1>
      {!allowed && <p class="notice">{t("Only administrators can change the organization.")}</p>}
      {allowed && (
        <Tabs
          label={t("Organization")}
          tabs={sections().map((entry) => ({
            label: entry.label,
            href: linkTo({ kind: "organization", section: entry.section }),
            isCurrent: entry.section === section,
          }))}
        />
      )}
      {allowed && View && (
        <Boundary key={section} what={`the section ${section}`}>
          <View />
        </Boundary>
      )}
    </div>
  );
}
