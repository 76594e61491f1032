import type { ComponentType, VNode } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { t } from "../base/languages/language.ts";
import { matcher } from "../base/lib/find.ts";
import type { AdministrationSection, SettingsSection } from "../navigation/address.ts";
import { linkTo } from "../navigation/router.ts";
import { Boundary } from "../parts/boundary.tsx";
import { FilterField } from "../parts/fields/filter-field.tsx";
import { state } from "../session/store.ts";
import type { State } from "../state/model.ts";
import { isAdministrator, isOwner } from "../state/permissions.ts";
import { BotList, PeopleList } from "../views/administration/accounts.tsx";
import { AuditLog } from "../views/administration/audit-log.tsx";
import { CustomEmoji } from "../views/administration/custom-emoji.tsx";
import { DefaultChannels } from "../views/administration/default-channels.tsx";
import { Exports } from "../views/administration/exports.tsx";
import { ChannelFolders } from "../views/administration/folders.tsx";
import { ImportArchive } from "../views/administration/import-archive.tsx";
import { Linkifiers } from "../views/administration/linkifiers.tsx";
import { Permissions } from "../views/administration/organization-permissions.tsx";
import { OrganizationSettings } from "../views/administration/organization-settings.tsx";
import { ProfileFields } from "../views/administration/profile-fields.tsx";
import { Statistics } from "../views/administration/statistics.tsx";
import { UserDefaults } from "../views/administration/user-defaults.tsx";
import { Assistants } from "../views/settings/assistants.tsx";
import { Account, AppearanceAndWriting, Bots, Notifications, Profile } from "../views/settings/settings.tsx";
import { showMatching } from "./matching-settings.ts";

/** The user's own settings and, for administrators, those of the organization: one list of sections, and a search over all of them. */

type SettingsRoute =
  | { kind: "settings"; section: SettingsSection }
  | { kind: "organization"; section: AdministrationSection };

interface Section {
  at: SettingsRoute;
  label: string;
  View: ComponentType;
  /** Whether the search looks at its settings. Lists of people and other records have a filter of their own. */
  hasSettings?: boolean;
}

const own = (section: SettingsSection, label: string, View: ComponentType): Section => ({
  at: { kind: "settings", section },
  label,
  View,
});
const ofAll = (section: AdministrationSection, label: string, View: ComponentType): Section => ({
  at: { kind: "organization", section },
  label,
  View,
});

const ownGroup = () => ({
  heading: t("Your account"),
  sections: [
    { ...own("profile", t("Profile"), Profile), hasSettings: true },
    { ...own("notifications", t("Notifications"), Notifications), hasSettings: true },
    { ...own("appearance", t("Appearance and writing"), AppearanceAndWriting), hasSettings: true },
    { ...own("account", t("Account"), Account), hasSettings: true },
    own("bots", t("Your bots"), Bots),
    own("assistants", t("Assistants"), Assistants),
  ],
});

const organizationGroups = (organization: State) => [
  {
    heading: t("Organization"),
    sections: [
      { ...ofAll("settings", t("General"), OrganizationSettings), hasSettings: true },
      { ...ofAll("permissions", t("Permissions"), Permissions), hasSettings: true },
      { ...ofAll("user-defaults", t("Defaults for new accounts"), UserDefaults), hasSettings: true },
    ],
  },
  {
    heading: t("People and bots"),
    sections: [
      ofAll("people", t("People"), PeopleList),
      ofAll("bots", t("Bots"), BotList),
      ofAll("profile-fields", t("Profile fields"), ProfileFields),
    ],
  },
  {
    heading: t("Channels and messages"),
    sections: [
      ofAll("default-channels", t("Default channels"), DefaultChannels),
      ofAll("folders", t("Channel folders"), ChannelFolders),
      ofAll("emoji", t("Emoji"), CustomEmoji),
      ofAll("linkifiers", t("Linkifiers"), Linkifiers),
    ],
  },
  {
    heading: t("Data"),
    sections: [
      ofAll("exports", t("Exports"), Exports),
      ...(isOwner(organization) ? [ofAll("import", t("Import"), ImportArchive)] : []),
      ofAll("statistics", t("Statistics"), Statistics),
      ...(isOwner(organization) ? [ofAll("audit-log", t("Audit log"), AuditLog)] : []),
    ],
  },
];

export function SettingsPage({ at }: { at: SettingsRoute }) {
  const [query, setQuery] = useState("");
  /** Whether the list is shown where it has no room beside the settings. */
  const [isListOpen, setListOpen] = useState(false);
  const groups = [ownGroup(), ...(state.value && isAdministrator(state.value) ? organizationGroups(state.value) : [])];
  const sections: readonly Section[] = groups.flatMap((group) => group.sections);
  const isCurrent = (section: Section) => section.at.kind === at.kind && section.at.section === at.section;
  const current = sections.find(isCurrent);
  useEffect(() => {
    setQuery("");
    setListOpen(false);
  }, [at.kind, at.section]);
  const link = (section: Section) => (
    // A whole URL: checkers take a link to a fragment that is scrolled out of sight for one that skips what is before it.
    <a
      class={`nav ${query === "" && isCurrent(section) ? "active" : ""}`}
      href={new URL(linkTo(section.at), location.href).href}
      aria-current={query === "" && isCurrent(section) ? "page" : undefined}
      onClick={() => setQuery("")}
    >
      {section.label}
    </a>
  );
  return (
    <div class="page settings" id="messages" tabIndex={-1}>
      <div class="settings-list">
        <h1>{t("Settings")}</h1>
        <div class="page-tools">
          <FilterField label={t("Search the settings")} placeholder={t("Search")} value={query} onChange={setQuery} />
        </div>
        <button
          type="button"
          class="settings-current"
          aria-expanded={isListOpen}
          aria-controls="settings-sections"
          onClick={() => setListOpen(!isListOpen)}
        >
          {current?.label ?? t("Sections")}
        </button>
        <nav id="settings-sections" aria-label={t("Settings")} data-open={isListOpen}>
          {groups.map(({ heading, sections }) => (
            <div key={heading}>
              <h2>{heading}</h2>
              <ul>
                {sections.map((section: Section) => (
                  <li key={section.label}>{link(section)}</li>
                ))}
              </ul>
            </div>
          ))}
        </nav>
      </div>
      <div class="settings-body">
        {query.trim() !== "" ? (
          <Found query={query} sections={sections} link={link} />
        ) : current ? (
          <Boundary key={linkTo(current.at)} what={`the section ${at.section}`}>
            <current.View />
          </Boundary>
        ) : (
          <p class="notice">{t("Only administrators can change the organization.")}</p>
        )}
      </div>
    </div>
  );
}

/** The settings whose words match, of all sections, as they stand in their section. */
function Found({
  query,
  sections,
  link,
}: {
  query: string;
  sections: readonly Section[];
  link: (section: Section) => VNode;
}) {
  const list = useRef<HTMLDivElement>(null);
  const [isEmpty, setEmpty] = useState(false);
  useLayoutEffect(() => {
    const matchOf = matcher(query);
    const shown = [...(list.current?.children ?? [])].map((section) =>
      showMatching(section, (text) => matchOf(text) !== undefined),
    );
    setEmpty(!shown.includes(true));
  }, [query]);
  return (
    <>
      <div ref={list} aria-label={t("Matching settings")} role="region">
        {sections.map((section) => (
          <section key={linkTo(section.at)} class="found">
            <h2>{link(section)}</h2>
            {section.hasSettings && (
              <Boundary what={`the section ${section.at.section}`}>
                <section.View />
              </Boundary>
            )}
          </section>
        ))}
      </div>
      {isEmpty && <p class="notice">{t("No matching settings.")}</p>}
    </>
  );
}
