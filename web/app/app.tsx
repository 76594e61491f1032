import { computed, effect, untracked, useComputed } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { t } from "../base/languages/language.ts";
import { closeProfile, openProfile, openUserId } from "../navigation/open-profile.ts";
import { pageDialog } from "../navigation/page-dialog.ts";
import { closePalette, paletteEntered, paletteOpen, paletteQuery } from "../navigation/palette-open.ts";
import { closePicture, openPicture } from "../navigation/picture-open.ts";
import { useKeptPlace } from "../navigation/places.ts";
import { go, peopleOpen, route, sidebarOpen } from "../navigation/router.ts";
import { closeStatus, isStatusOpen, openStatus } from "../navigation/status-open.ts";
import { Boundary } from "../parts/boundary.tsx";
import { ConfirmDialog } from "../parts/confirm.tsx";
import { lazy, lazyDialog } from "../parts/lazy.tsx";
import { Avatar, Dialog, focusPage, focusPageUnlessTyping, IconButton, Menu } from "../parts/parts.tsx";
import { Toasts } from "../parts/toast-list.tsx";
import { connection } from "../session/events.ts";
import { startPresence } from "../session/presence.ts";
import { ownUser, realm, settings, state } from "../session/store.ts";
import { edits } from "../session/unsent/edits.ts";
import { writing } from "../session/unsent/unsent-messages.ts";
import { isAdministrator } from "../state/permissions.ts";
import { ComposeBox } from "../views/compose/compose.tsx";
import { startFailureNotices } from "../views/compose/failure-notices.ts";
import { unreadCount } from "../views/conversations/channel-lists.ts";
import { isGettingStarted } from "../views/getting-started/step.ts";
import { BadLink } from "../views/messages/bad-link.tsx";
import { NarrowView, titleOf } from "../views/messages/narrow-view.tsx";
import { Inbox } from "../views/messages/overviews.tsx";
import { Announcements } from "../views/notifications/announcements.tsx";
import { startNotifying } from "../views/notifications/notify.ts";
import { startPush } from "../views/notifications/push.ts";
import { closeInvite, isInviteOpen, mayInvite, openInvite } from "../views/people/inviting.ts";
import { People } from "../views/people/people.tsx";
import { signOut } from "../views/settings/sign-out.tsx";
import { BottomBar } from "../views/sidebar/bottom-bar.tsx";
import { RealmLink } from "../views/sidebar/realm-link.tsx";
import { Sidebar } from "../views/sidebar/sidebar.tsx";
import { GestureHint, isInstalled, useGestures } from "./gestures.tsx";
import { SearchBar } from "./search.tsx";
import { closeHelp, helpOpen, onShortcut, openHelp, shortcuts } from "./shortcuts.ts";

const ChannelBrowser = lazy(async () => (await import("../views/channels/channel-pages.tsx")).ChannelBrowser);
const ChannelSettings = lazy(async () => (await import("../views/channels/channel-pages.tsx")).ChannelSettings);
// Nothing is shown meanwhile: for most who load it there is nothing left to do.
const Checklist = lazy(
  async () => (await import("../views/getting-started/checklist.tsx")).Checklist,
  (_, problem) => problem ?? null,
);
const Drafts = lazy(async () => (await import("../views/messages/drafts.tsx")).Drafts);
const InviteDialog = lazyDialog(async () => (await import("../views/people/invite.tsx")).InviteDialog);
const Lightbox = lazyDialog(async () => (await import("../views/messages/lightbox.tsx")).Lightbox);
const Palette = lazy(
  async () => (await import("./palette.tsx")).Palette,
  // Who knows where to go types at once.
  (_, problem) => (
    <Dialog title={t("Go to")} onClose={closePalette}>
      <input
        type="text"
        aria-label={t("Go to")}
        autofocus
        class="palette-field"
        onInput={(event) => {
          paletteQuery.value = event.currentTarget.value;
        }}
        onKeyDown={(event) => {
          if (event.key === "Enter" && !event.isComposing) paletteEntered.value = true;
        }}
      />
      {problem}
    </Dialog>
  ),
);
const ProfileCard = lazyDialog(async () => (await import("../views/people/profile.tsx")).ProfileCard);
const RecentConversations = lazy(async () => (await import("../views/messages/recent-view.tsx")).RecentConversations);
const Scheduled = lazy(async () => (await import("../views/messages/scheduled.tsx")).Scheduled);
const SettingsPage = lazy(async () => (await import("./settings-page.tsx")).SettingsPage);
const ShortcutHelp = lazyDialog(async () => (await import("./shortcut-help.tsx")).ShortcutHelp);
const StatusDialog = lazyDialog(async () => (await import("../views/people/status.tsx")).StatusDialog);
const UserGroups = lazy(async () => (await import("../views/people/groups.tsx")).UserGroups);

/** Starts to compare what is written with what the server has, once something is. Returns a function that stops it. */
function startComparing(): () => void {
  let stop: (() => void) | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isAsked = false;
  const load = async () => {
    try {
      const start = (await import("../views/compose/lost-anchors.ts")).startAnchorNotices;
      stop ??= start();
    } catch {
      timer = setTimeout(load, 10_000);
    }
  };
  const stopWaiting = effect(() => {
    if (isAsked || edits.value.size + writing.value.size === 0) return;
    isAsked = true;
    untracked(() => void load());
  });
  return () => {
    stopWaiting();
    clearTimeout(timer);
    stop?.();
    stop = () => {};
  };
}

/** The signed-in page. */
export function App() {
  useEffect(() => {
    const stopFunctions = [startNotifying(), startPush(), startPresence(), startFailureNotices(), startComparing()];
    addEventListener("keydown", onShortcut);
    return () => {
      for (const stop of stopFunctions) stop();
      removeEventListener("keydown", onShortcut);
    };
  }, []);
  useTitle();
  useAppearance();
  const main = useRef<HTMLElement>(null);
  useGestures(main);
  const currentRoute = route.value;
  return (
    <div class="app">
      <button type="button" class="skip" onClick={focusPage}>
        {t("Skip to the messages")}
      </button>
      <header class="top">
        <IconButton
          icon="menu"
          label={t("Channels and views")}
          class="narrow-only"
          onClick={() => {
            sidebarOpen.value = !sidebarOpen.value;
          }}
        />
        <RealmLink />
        <Boundary what="the search">
          <SearchBar />
        </Boundary>
        <IconButton icon="keyboard" label={t("Keyboard shortcuts")} class="wide-only" onClick={openHelp} />
        <IconButton
          icon="people"
          label={t("People")}
          class="narrow-only"
          onClick={() => {
            peopleOpen.value = !peopleOpen.value;
          }}
        />
        <Boundary what="your menu">
          <OwnMenu />
        </Boundary>
      </header>
      {(sidebarOpen.value || peopleOpen.value) && (
        <button
          type="button"
          class="curtain"
          aria-label={t("Close")}
          onClick={() => {
            sidebarOpen.value = false;
            peopleOpen.value = false;
          }}
        />
      )}
      <Boundary what="the sidebar">
        <Sidebar />
      </Boundary>
      <main class="main" ref={main}>
        <Toasts />
        <Banner />
        <Boundary what={`the view ${currentRoute.kind}`} of={currentRoute}>
          <View />
        </Boundary>
      </main>
      <GestureHint />
      <Boundary what="the bar at the bottom">
        <BottomBar />
      </Boundary>
      <Boundary what="the people">
        <People />
      </Boundary>
      <Boundary what="a profile" of={openUserId.value}>
        {openUserId.value !== undefined && <ProfileCard onClose={closeProfile} />}
      </Boundary>
      <Boundary what="the list of shortcuts" of={helpOpen.value}>
        {helpOpen.value && <ShortcutHelp shortcuts={shortcuts} onClose={closeHelp} />}
      </Boundary>
      <Boundary what="the palette" of={paletteOpen.value}>
        {paletteOpen.value && <Palette commands={shortcuts} />}
      </Boundary>
      <Boundary what="the invitation dialog" of={isInviteOpen.value}>
        {isInviteOpen.value && <InviteDialog onClose={closeInvite} />}
      </Boundary>
      <Boundary what="your status" of={isStatusOpen.value}>
        {isStatusOpen.value && <StatusDialog onClose={closeStatus} />}
      </Boundary>
      <Boundary what="a dialog" of={pageDialog.value}>
        {pageDialog.value}
      </Boundary>
      <Boundary what="a picture" of={openPicture.value}>
        {openPicture.value && <Lightbox link={openPicture.value} onClose={closePicture} />}
      </Boundary>
      <Boundary what="a question">
        <ConfirmDialog />
      </Boundary>
      <Announcements />
    </div>
  );
}

/** The first steps in an organization. */
const GettingStarted = () => (isGettingStarted.value ? <Checklist /> : null);

function View() {
  const currentRoute = route.value;
  // After those of the views: a field that takes the focus keeps it.
  useLayoutEffect(focusPageUnlessTyping, [currentRoute]);
  useKeptPlace(currentRoute);
  switch (currentRoute.kind) {
    case "inbox":
      return (
        <>
          <Inbox>
            <GettingStarted />
          </Inbox>
          <ComposeBox />
        </>
      );
    case "recent":
      return (
        <>
          <RecentConversations />
          <ComposeBox />
        </>
      );
    case "drafts":
      return (
        <>
          <Drafts />
          <ComposeBox />
        </>
      );
    case "scheduled":
      return <Scheduled />;
    case "channels":
      return <ChannelBrowser />;
    case "channel-settings":
      return <ChannelSettings key={currentRoute.channelId} channelId={currentRoute.channelId} />;
    case "groups":
      return <UserGroups />;
    case "settings":
    case "organization":
      return <SettingsPage at={currentRoute} />;
    case "bad-link":
      return <BadLink problem={currentRoute.problem} />;
    case "narrow":
      return <NarrowView narrow={currentRoute.narrow} near={currentRoute.near} />;
  }
}

function Banner() {
  const restarts = useComputed(() => state.value?.restarts ?? 0).value;
  if (connection.value === "reconnecting")
    return (
      <p class="banner" role="status">
        {t("Reconnecting …")}
      </p>
    );
  if (restarts > 0)
    return (
      <p class="banner" role="status">
        {t("A new version is available.")}{" "}
        <button type="button" onClick={() => location.reload()}>
          {t("Reload")}
        </button>
      </p>
    );
  return null;
}

const isOwnUserAdministrator = computed(() => state.value !== undefined && isAdministrator(state.value));

function OwnMenu() {
  const user = ownUser.value;
  return (
    <>
      <button type="button" class="plain" title={t("Your profile")} onClick={() => user && openProfile(user.user_id)}>
        <Avatar user={user} size={30} />
        <span class="unseen">{t("Your profile")}</span>
      </button>
      <Menu
        icon="down"
        label={t("Your account")}
        items={[
          { label: t("Settings"), icon: "settings", run: () => go({ kind: "settings", section: "profile" }) },
          { label: t("Set your status"), icon: "smile", run: openStatus },
          ...(mayInvite.value ? [{ label: t("Invite people"), icon: "people" as const, run: openInvite }] : []),
          ...(isOwnUserAdministrator.value
            ? [
                {
                  label: t("Organization"),
                  icon: "lock" as const,
                  run: () => go({ kind: "organization", section: "settings" }),
                },
              ]
            : []),
          { label: t("API reference"), icon: "file", run: () => window.open("/api", "_blank", "noopener") },
          { label: t("Keyboard shortcuts"), icon: "keyboard", run: openHelp },
          ...(isInstalled() ? [{ label: t("Reload"), icon: "reload" as const, run: () => location.reload() }] : []),
          { label: t("Sign out"), icon: "exit", run: () => void signOut() },
        ]}
      />
    </>
  );
}

const routeTitles = () => ({
  inbox: t("Inbox"),
  recent: t("Recent conversations"),
  drafts: t("Drafts"),
  scheduled: t("Scheduled messages"),
  channels: t("Channels"),
  "channel-settings": t("Channel settings"),
  groups: t("User groups"),
  settings: t("Settings"),
  organization: t("Organization"),
  "bad-link": t("This cannot be shown"),
});

/** Shows the unread count, the view and the organization in the page's title. */
function useTitle() {
  const count = useComputed(() => (state.value ? unreadCount(state.value) : 0)).value;
  const name = String(realm.value?.realm_name ?? "Skein");
  const currentRoute = route.value;
  const view = currentRoute.kind === "narrow" ? titleOf(currentRoute.narrow) : routeTitles()[currentRoute.kind];
  useEffect(() => {
    document.title = `${count > 0 ? `(${count}) ` : ""}${view} · ${name}`;
  }, [count, view, name]);
}

/** Applies the settings of the theme (`color_scheme` 1 is the system's) and of the text; spaces follow the line height. */
function useAppearance() {
  const {
    color_scheme: scheme,
    web_font_size_px: size = 16,
    web_line_height_percent: height = 140,
  } = settings.value ?? {};
  useEffect(() => {
    const { dataset, style } = document.documentElement;
    dataset.theme = scheme === 2 ? "dark" : scheme === 3 ? "light" : "system";
    dataset.density = height < 130 ? "compact" : height > 150 ? "roomy" : "";
    style.setProperty("--text-size", `${size}px`);
    style.setProperty("--line-height", `${height / 100}`);
  }, [scheme, size, height]);
}
