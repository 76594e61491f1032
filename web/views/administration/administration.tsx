import { useComputed } from "@preact/signals";
import type { ComponentType } from "preact";
import type { AdministrationSection } from "../../lib/address.ts";
import { state } from "../../session.ts";
import { isAdministrator } from "../../state/permissions.ts";
import { linkTo } from "../navigation/router.ts";
import { Boundary } from "../parts/boundary.tsx";
import { DefaultChannels } from "./default-channels.tsx";
import { CustomEmoji } from "./emoji.tsx";
import { ChannelFolders } from "./folders.tsx";
import { Linkifiers } from "./linkifiers.tsx";
import { PeopleList } from "./people.tsx";
import { Permissions } from "./permissions.tsx";
import { ProfileFields } from "./profile-fields.tsx";
import { OrganizationSettings } from "./settings.tsx";

/** The administrators' settings of the organization. */

const sections: readonly { section: AdministrationSection; label: string; View: ComponentType }[] = [
  { section: "settings", label: "Settings", View: OrganizationSettings },
  { section: "permissions", label: "Permissions", View: Permissions },
  { section: "people", label: "People", View: PeopleList },
  { section: "linkifiers", label: "Linkifiers", View: Linkifiers },
  { section: "emoji", label: "Emoji", View: CustomEmoji },
  { section: "default-channels", label: "Default channels", View: DefaultChannels },
  { section: "profile-fields", label: "Profile fields", View: ProfileFields },
  { section: "folders", label: "Channel folders", View: ChannelFolders },
];

export function Administration({ section }: { section: AdministrationSection }) {
  const allowed = useComputed(() => state.value !== undefined && isAdministrator(state.value)).value;
  const View = sections.find((entry) => entry.section === section)?.View;
  return (
    <div class="page" id="messages" tabIndex={-1}>
      <h1>Organization</h1>
      {!allowed && <p class="notice">Only administrators can change the organization.</p>}
      {allowed && (
        <nav class="tabs" aria-label="Organization">
          {sections.map((entry) => (
            <a
              key={entry.section}
              href={linkTo({ kind: "organization", section: entry.section })}
              aria-current={entry.section === section ? "page" : undefined}
            >
              {entry.label}
            </a>
          ))}
        </nav>
      )}
      {allowed && View && (
        <Boundary key={section} what={`the section ${section}`}>
          <View />
        </Boundary>
      )}
    </div>
  );
}
