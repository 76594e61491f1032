import { type ComponentChildren, Fragment } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { t } from "../base/languages/language.ts";
import { channels, ownUserId, realm, subscriptions, users } from "../session/store.ts";
import { type Conversation, resolvedMark, type User } from "../state/model.ts";
import { Boundary } from "./boundary.tsx";
import { Floating, useLeaving } from "./floating.tsx";

/** Small components that all views share. */

/** SVG paths in a square of 24 units. */
const iconPaths = {
  inbox: "M3 13h5l1.5 3h5L16 13h5M5 5h14l2 8v6H3v-6z",
  clock: "M12 7v5l3 2M12 21a9 9 0 1 1 0-18 9 9 0 0 1 0 18z",
  feed: "M4 6h16M4 12h16M4 18h10",
  at: "M16 8v5a3 3 0 0 0 5 2V12a9 9 0 1 0-4 7.5M16 12a4 4 0 1 1-8 0 4 4 0 0 1 8 0z",
  star: "M12 3l2.7 5.8 6.3.8-4.6 4.4 1.2 6.2L12 17.1 6.4 20.2l1.2-6.2L3 9.6l6.3-.8z",
  drafts: "M4 20l1-5L16 4l4 4L9 19zM14 6l4 4",
  send: "M4 12l16-8-6 16-3-6z",
  later: "M12 8v4l3 2M12 21a9 9 0 1 1 8-5M17 21l4-2-2-4",
  people: "M9 11a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM2 21c0-4 3-6 7-6s7 2 7 6M17 4a4 4 0 0 1 0 7M18 15c2.5.6 4 2.5 4 6",
  hash: "M9 4L7 20M17 4l-2 16M4 9h16M3 15h16",
  lock: "M6 11h12v9H6zM8 11V8a4 4 0 1 1 8 0v3",
  globe: "M12 21a9 9 0 1 1 0-18 9 9 0 0 1 0 18zM3 12h18M12 3c3 3 3 15 0 18M12 3c-3 3-3 15 0 18",
  plus: "M12 5v14M5 12h14",
  minus: "M5 12h14",
  close: "M6 6l12 12M18 6L6 18",
  menu: "M4 6h16M4 12h16M4 18h16",
  search: "M11 18a7 7 0 1 1 0-14 7 7 0 0 1 0 14zM16 16l5 5",
  smile: "M12 21a9 9 0 1 1 0-18 9 9 0 0 1 0 18zM8 14c1 2 2.5 3 4 3s3-1 4-3M9 9v1M15 9v1",
  more: "M5 12h.01M12 12h.01M19 12h.01",
  settings:
    "M12 15a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM19 12l2-1-1.5-3.5-2.2.5-1.8-1.8.5-2.2L12.5 3h-1L8 4l.5 2.2-1.8 1.8-2.2-.5L3 11l2 1-2 1 1.5 3.5 2.2-.5 1.8 1.8L8 20l3.5 1h1L16 20l-.5-2.2 1.8-1.8 2.2.5L21 13z",
  check: "M4 12l5 5L20 6",
  poll: "M5 20V10M12 20V4M19 20v-7",
  tasks: "M4 6l1.5 1.5L8 5M4 13l1.5 1.5L8 12M12 6h8M12 13h8M12 19h8M5 19h.01",
  todo: "M12 21a9 9 0 1 1 0-18 9 9 0 0 1 0 18z",
  file: "M6 3h8l4 4v14H6zM14 3v4h4",
  eye: "M2 12c3-5 7-7 10-7s7 2 10 7c-3 5-7 7-10 7s-7-2-10-7zM12 15a3 3 0 1 0 0-6 3 3 0 0 0 0 6z",
  mute: "M4 9v6h4l5 4V5L8 9zM17 9l4 6M21 9l-4 6",
  bell: "M6 17V11a6 6 0 1 1 12 0v6l2 2H4zM10 21h4",
  down: "M6 9l6 6 6-6",
  quote: "M5 17h4l2-5V6H5v6h3zM14 17h4l2-5V6h-6v6h3z",
  flag: "M6 21V4h12l-3 4 3 4H6",
  trash: "M5 7h14M9 7V4h6v3M7 7l1 13h8l1-13",
  move: "M4 12h16M14 6l6 6-6 6",
  link: "M10 14a4 4 0 0 0 6 0l3-3a4 4 0 0 0-6-6l-1 1M14 10a4 4 0 0 0-6 0l-3 3a4 4 0 0 0 6 6l1-1",
  keyboard: "M3 6h18v12H3zM7 10h.01M11 10h.01M15 10h.01M8 14h8",
  exit: "M10 4H5v16h5M14 8l4 4-4 4M18 12H9",
  reload: "M20 12a8 8 0 1 1-2.5-5.8M20 3v5h-5",
  back: "M15 5l-7 7 7 7",
  bold: "M7 5h6a3.5 3.5 0 0 1 0 7H7zM7 12h7a3.5 3.5 0 0 1 0 7H7z",
  italic: "M11 5h6M7 19h6M14 5l-4 14",
  code: "M8 7l-5 5 5 5M16 7l5 5-5 5",
  list: "M9 6h11M9 12h11M9 18h11M4 6h.01M4 12h.01M4 18h.01",
  hidden:
    "M3 3l18 18M10.6 6.1A10 10 0 0 1 12 6c3 0 7 2 10 6a17 17 0 0 1-3 3.2M6.6 7.6A16 16 0 0 0 2 12c3 4 7 6 10 6a9.6 9.6 0 0 0 4-1M9.9 9.9a3 3 0 0 0 4.2 4.2",
  math: "M18 5H7l6 7-6 7h11",
  snippet: "M6 4h12v16l-6-4-6 4z",
  camera: "M3 7h12v10H3zM15 11l6-4v10l-6-4",
} as const;

export type IconName = keyof typeof iconPaths;

export const Icon = ({ name, size = 18 }: { name: IconName; size?: number }) => (
  <svg class={`icon icon-${name}`} width={size} height={size} viewBox="0 0 24 24" aria-hidden="true">
    <path d={iconPaths[name]} />
  </svg>
);

/** An icon button; `label` is its accessible name and tooltip. */
export function IconButton({
  icon,
  label,
  onClick,
  pressed,
  size,
  ...rest
}: {
  icon: IconName;
  label: string;
  onClick: (event: MouseEvent) => void;
  pressed?: boolean;
  size?: number;
  class?: string;
}) {
  return (
    <button
      type="button"
      class={`icon-button ${rest.class ?? ""}`}
      aria-label={label}
      title={label}
      aria-pressed={pressed}
      onClick={onClick}
    >
      <Icon name={icon} {...(size !== undefined && { size })} />
    </button>
  );
}

/** The hue of the avatar of a user without a picture, in degrees. The golden angle makes those of successive IDs differ. */
const hueOf = (userId: number) => (userId * 137.508) % 360;

export function Avatar({ user, size = 36 }: { user: User | undefined; size?: number }) {
  // Pictures of other sites, such as Gravatar, are not shown: that would disclose to them who reads what.
  const localUrl = user?.avatar_url?.match(/^\/[^/].*/)?.[0];
  if (localUrl) return <img class="avatar" src={localUrl} width={size} height={size} alt="" loading="lazy" />;
  const initials = (user?.full_name ?? "?")
    .split(/\s+/)
    .map((word) => [...word][0] ?? "")
    .filter(Boolean);
  const letters = initials.length > 1 ? `${initials[0]}${initials.at(-1)}` : (initials[0] ?? "?");
  return (
    <svg class="avatar" width={size} height={size} viewBox="0 0 40 40" aria-hidden="true">
      <rect width="40" height="40" rx="8" fill={`hsl(${hueOf(user?.user_id ?? 0)} 45% 42%)`} />
      <text x="20" y="26" text-anchor="middle" font-size="16" font-weight="600" fill="#fff">
        {letters.toUpperCase()}
      </text>
    </svg>
  );
}

export const nameOf = (userId: number): string => users.value?.get(userId)?.full_name ?? t("Unknown user");
export const channelName = (channelId: number): string => channels.value?.get(channelId)?.name ?? t("unknown channel");

/** The name that servers send for the topic without one. */
const defaultEmptyTopic = "general chat";

export function topicName(topic: string): string {
  if (topic !== "") return topic;
  const name = realm.value?.realm_empty_topic_display_name ?? defaultEmptyTopic;
  return name === defaultEmptyTopic ? t("general chat") : String(name);
}

/** The names of the other participants of a direct conversation. */
export const namesOf = (userIds: readonly number[]) =>
  userIds.length === 1 && userIds[0] === ownUserId.value ? t("Notes to yourself") : userIds.map(nameOf).join(", ");

export const PrivacyIcon = ({ channelId }: { channelId: number }) => {
  const channel = channels.value?.get(channelId);
  const color = subscriptions.value?.get(channelId)?.color;
  const name = channel?.invite_only ? "lock" : channel?.is_web_public ? "globe" : "hash";
  return (
    <span class="channel-icon" style={color && { "--channel": color }}>
      <Icon name={name} size={15} />
    </span>
  );
};

/** How far the colour of a topic's thread is turned from its channel's, in degrees: topics of one channel differ, and stay alike. */
const turnOf = (topic: string) =>
  [...topic.replace(resolvedMark, "")].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 71, 0) - 35;

/** A topic's thread: the line in its colour that runs beside the topic wherever it is shown. Direct conversations have none. */
export const threadOf = (conversation: Conversation | undefined) => {
  const color = conversation?.kind === "topic" && subscriptions.value?.get(conversation.channelId)?.color;
  return color ? { "data-thread": "", style: { "--channel": color, "--turn": turnOf(conversation.topic) } } : {};
};

/** What is said where there is nothing yet, below a thread that has come to its end. */
export const Empty = ({ children }: { children: ComponentChildren }) => (
  <div class="notice">
    <svg class="loose-end" viewBox="0 0 96 40" aria-hidden="true">
      <path d="M2 30C22 30 26 8 40 8s14 24 2 24-8-22 8-22 18 14 28 14q10 0 16-6" />
    </svg>
    {children}
  </div>
);

/** Moves the focus to the page. Needed when the focused element was removed: the browser would start again at the top. */
export const focusPage = () => document.getElementById("messages")?.focus();

/** Moves the focus to a page that was just opened, so that keys scroll it, unless the user is typing or in a dialog. */
export function focusPageUnlessTyping(): void {
  if (document.activeElement?.matches("input, textarea, select") || document.querySelector("dialog[open]")) return;
  document.getElementById("messages")?.focus({ preventScroll: true });
}

const focusableSelector =
  'a[href], button:not([disabled]), input:not([disabled]), select, textarea, [tabindex]:not([tabindex="-1"])';

/** A modal dialog: traps the focus, and restores it when it closes. Navigating closes it. */
export function Dialog({
  title,
  onClose,
  children,
  wide,
}: {
  title: string;
  onClose: () => void;
  children?: ComponentChildren;
  wide?: boolean;
}) {
  const frame = useRef<HTMLDialogElement>(null);
  useLeaving(onClose);
  useLayoutEffect(() => {
    const previousFocus = document.activeElement as HTMLElement | null;
    const dialog = frame.current;
    dialog?.showModal();
    const autofocusElement = frame.current?.querySelector<HTMLElement>("[autofocus]") ?? null;
    (autofocusElement ?? frame.current?.querySelector<HTMLElement>(`.dialog-body :is(${focusableSelector})`))?.focus();
    return () => {
      // Nothing outside of a modal dialog can have the focus before it is closed.
      dialog?.close();
      previousFocus?.focus?.({ preventScroll: true });
      // What had it may be gone.
      if (document.activeElement === document.body) focusPage();
    };
  }, []);
  return (
    <dialog
      ref={frame}
      class={`dialog ${wide ? "wide" : ""}`}
      aria-label={title}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => event.target === frame.current && onClose()}
    >
      <div class="dialog-frame">
        <div class="dialog-head">
          <h2>{title}</h2>
          <IconButton icon="close" label={t("Close")} onClick={onClose} />
        </div>
        <div class="dialog-body">
          <Boundary what={`the dialog ${title}`}>{children}</Boundary>
        </div>
      </div>
    </dialog>
  );
}

export interface MenuItem {
  label: string;
  icon?: IconName;
  run: () => void;
  danger?: boolean;
}

/** A menu button with mouse and keyboard support. */
export function Menu({
  icon,
  label,
  items,
}: {
  icon: IconName;
  label: string;
  items: readonly MenuItem[] | (() => readonly MenuItem[]);
}) {
  const [open, setOpen] = useState(false);
  const menu = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (open) menu.current?.querySelector<HTMLElement>("[role=menuitem]")?.focus();
  }, [open]);
  const onKeyDown = (event: KeyboardEvent) => {
    const entries = [...(menu.current?.querySelectorAll<HTMLElement>("[role=menuitem]") ?? [])];
    const index = entries.indexOf(document.activeElement as HTMLElement);
    const target =
      event.key === "ArrowDown"
        ? entries[(index + 1) % entries.length]
        : event.key === "ArrowUp"
          ? entries.at(Math.max(index, 0) - 1)
          : event.key === "Home"
            ? entries[0]
            : event.key === "End"
              ? entries.at(-1)
              : undefined;
    // The browser closes the menu by Escape, which has no other effect then.
    if (!target && event.key !== "Escape") return;
    event.stopPropagation();
    if (!target) return;
    event.preventDefault();
    target.focus();
  };
  return (
    <div class="menu anchored" ref={menu}>
      <button
        type="button"
        class="icon-button"
        aria-label={label}
        title={label}
        aria-haspopup="menu"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
      >
        <Icon name={icon} />
      </button>
      {open && (
        <Floating class="menu-list" role="menu" aria-label={label} onKeyDown={onKeyDown} onClose={() => setOpen(false)}>
          {(typeof items === "function" ? items() : items).map((item) => (
            <button
              key={item.label}
              type="button"
              role="menuitem"
              class={item.danger ? "danger" : ""}
              onClick={() => {
                setOpen(false);
                // A dialog that the item opens returns the focus there.
                menu.current?.querySelector<HTMLElement>("button")?.focus();
                item.run();
              }}
            >
              {item.icon && <Icon name={item.icon} size={16} />}
              {item.label}
            </button>
          ))}
        </Floating>
      )}
    </div>
  );
}

/** How much a number of unread messages matters: to the reader personally, in a followed topic, elsewhere, in a muted place. */
export type Weight = "personal" | "followed" | "plain" | "muted";

/** A number of unread messages. With `mentions`, an @ before it says that some mention the reader. */
export const Count = ({
  value,
  weight = "plain",
  mentions = 0,
}: {
  value: number;
  weight?: Weight;
  mentions?: number;
}) =>
  value > 0 ? (
    <span class={`count ${mentions > 0 ? "personal" : weight}`}>
      {mentions > 0 && <span aria-hidden="true">@ </span>}
      {value > 999 ? "999+" : value}
      <span class="unseen"> {mentions > 0 ? t("unread, you are mentioned") : t("unread")}</span>
    </span>
  ) : (
    <Fragment />
  );
