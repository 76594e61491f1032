import { useComputed } from "@preact/signals";
import { t } from "../../base/languages/language.ts";
import { linkTo, linkToNarrow, route, sidebarOpen } from "../../navigation/router.ts";
import { Count, Icon, type IconName, type Weight } from "../../parts/parts.tsx";
import { state } from "../../session/store.ts";
import { directConversations, unreadCount } from "../conversations/channel-lists.ts";

interface Content {
  icon: IconName;
  label: string;
  count?: number;
  weight?: Weight;
}

const ItemContent = ({ icon, label, count = 0, weight = "plain" }: Content) => (
  <>
    <Icon name={icon} size={22} />
    <span class="bar-label">{label}</span>
    <Count value={count} weight={weight} />
  </>
);

const Item = ({ href, isCurrent, ...content }: Content & { href: string; isCurrent: boolean }) => (
  <a href={href} aria-current={isCurrent ? "page" : undefined}>
    <ItemContent {...content} />
  </a>
);

/** The places that a thumb reaches on a phone. */
export function BottomBar() {
  const counts = useComputed(() => {
    const current = state.value;
    if (!current) return { unread: 0, mentions: 0, direct: 0 };
    const direct = directConversations(current).reduce((sum, { unread }) => sum + unread, 0);
    return { unread: unreadCount(current), mentions: current.unread.mentions.size, direct };
  }).value;
  const view = route.value;
  const narrow = view.kind === "narrow" ? view.narrow.kind : undefined;
  return (
    <nav class="bottom-bar" aria-label={t("Most used")}>
      <Item
        icon="inbox"
        label={t("Inbox")}
        href={linkTo({ kind: "inbox" })}
        isCurrent={view.kind === "inbox"}
        count={counts.unread}
      />
      <Item icon="clock" label={t("Recent")} href={linkTo({ kind: "recent" })} isCurrent={view.kind === "recent"} />
      <button
        type="button"
        aria-expanded={sidebarOpen.value}
        onClick={() => {
          sidebarOpen.value = !sidebarOpen.value;
        }}
      >
        <ItemContent icon="hash" label={t("Channels")} />
      </button>
      <Item
        icon="people"
        label={t("Direct")}
        href={linkToNarrow({ kind: "directs" })}
        isCurrent={narrow === "directs" || narrow === "direct"}
        count={counts.direct}
        weight="personal"
      />
      <Item
        icon="at"
        label={t("Mentioned")}
        href={linkToNarrow({ kind: "mentions" })}
        isCurrent={narrow === "mentions"}
        count={counts.mentions}
        weight="personal"
      />
    </nav>
  );
}
