import { computed } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";
import { t } from "../../base/languages/language.ts";
import { linkTo } from "../../navigation/router.ts";
import { Icon, IconButton } from "../../parts/parts.tsx";
import { call } from "../../session/session.ts";
import { onEvents, realm, state } from "../../session/store.ts";
import { tryTo } from "../../session/toasts.ts";
import type { State } from "../../state/model.ts";
import { isAdministrator, isAlone, mayRejoin } from "../../state/permissions.ts";
import { permission, pushState } from "../notifications/push.ts";
import { whyUnavailable } from "../notifications/push-switch.tsx";
import { mayInvite, openInvite } from "../people/inviting.ts";
import { endGettingStarted } from "./step.ts";

/** What a new organization still needs, and what a new member does first; nothing of it is stored but that it was put away. */

interface Step {
  label: string;
  /** What it is about, shown of the next step. */
  detail: string;
  /** Why it cannot be done in this browser now. */
  problem?: string | undefined;
  isDone: boolean;
  /** It cannot be done in this browser, and the list is complete without it. */
  isImpossible?: boolean;
  /** Where the step is done: a link, or a dialog. */
  at: string | (() => void);
}

function notificationStep(): Step {
  // Where there is no push, the page may still be able to notify while it is open.
  const reason = permission.value === "denied" ? whyUnavailable(pushState.value) : undefined;
  return {
    label: t("Turn on notifications"),
    detail: t("For direct messages and mentions, on this device."),
    problem: reason,
    isDone: permission.value === "granted",
    isImpossible: reason !== undefined && pushState.value !== "denied",
    at: linkTo({ kind: "settings", section: "notifications" }),
  };
}

/** A new organization has the channel in which its owner begins, or none. */
const firstChannels = 2;

function stepsOfOrganization(current: State, hasInvited: boolean): Step[] {
  const { realm_description, realm_icon_source, realm_logo_source } = current.realm;
  const settings = linkTo({ kind: "organization", section: "settings" });
  const channels = [...current.channels.values()].filter(({ is_archived }) => !is_archived);
  return [
    {
      label: t("Name your organization"),
      detail: t("And describe it in a sentence."),
      isDone: Boolean(realm_description),
      at: settings,
    },
    {
      label: t("Give it a logo"),
      detail: t("People recognize it by its logo."),
      isDone: realm_icon_source === "U" || realm_logo_source === "U",
      at: settings,
    },
    {
      label: t("Create the first channels"),
      detail: t("One for each team or subject. Each conversation in a channel has its own topic."),
      isDone: channels.length >= firstChannels,
      at: linkTo({ kind: "channels" }),
    },
    {
      label: t("Bring in your team"),
      detail: t("By email, or with a link for everyone."),
      isDone: hasInvited || !isAlone(current),
      at: openInvite,
    },
    notificationStep(),
  ];
}

function stepsOfMember(current: State): Step[] {
  const defaults = new Set(current.realm.realm_default_streams);
  const channels = [...current.channels.values()].filter((channel) => !channel.is_archived);
  const canJoin = channels.some(
    (channel) => !current.subscriptions.has(channel.stream_id) && mayRejoin(current, channel),
  );
  const hasChosen = [...current.subscriptions.keys()].some((id) => !defaults.has(id));
  const user = current.users.get(current.userId);
  return [
    {
      label: t("Choose your channels"),
      detail: t("Join the ones you want to read, and leave the others."),
      isDone: hasChosen || !canJoin,
      at: linkTo({ kind: "channels" }),
    },
    {
      label: t("Introduce yourself"),
      detail: t("With a picture, and what others should know about you."),
      isDone: user?.avatar_url?.startsWith("/") === true || Object.keys(user?.profile_data ?? {}).length > 0,
      at: linkTo({ kind: "settings", section: "profile" }),
    },
    notificationStep(),
  ];
}

const forAdministrator = computed(() => state.value !== undefined && isAdministrator(state.value));

/** Whether there are open invitations, which only somebody alone in an organization needs to know. */
function useHasInvited(isAsked: boolean): boolean {
  const [hasInvited, setHasInvited] = useState(false);
  useEffect(() => {
    if (!isAsked) return;
    const look = () =>
      call("GET /invites").then(
        ({ invites }) => setHasInvited(invites.length > 0),
        // Then the step stays open, and can still be done or put away.
        () => {},
      );
    void look();
    return onEvents((events) => events.some(({ type }) => type === "invites_changed") && void look());
  }, [isAsked]);
  return hasInvited;
}

export function Checklist() {
  const current = state.value;
  const isOfOrganization = forAdministrator.value;
  const hasInvited = useHasInvited(isOfOrganization && mayInvite.value && current !== undefined && isAlone(current));
  const steps = !current ? [] : isOfOrganization ? stepsOfOrganization(current, hasInvited) : stepsOfMember(current);
  const offered = steps.filter(({ at }) => at !== openInvite || mayInvite.value);
  const next = offered.find(({ isDone, problem }) => !isDone && problem === undefined);
  const doneCount = offered.filter(({ isDone }) => isDone).length;
  const isComplete = offered.every(({ isDone, isImpossible }) => isDone || isImpossible);
  useEffect(() => {
    // If it fails, the next visit tries again.
    if (isComplete) endGettingStarted().catch(() => {});
  }, [isComplete]);
  if (isComplete) return null;
  return (
    <section class="getting-started" aria-labelledby="getting-started">
      <header>
        <h2 id="getting-started">
          {isOfOrganization
            ? t("Set up your organization")
            : t("Welcome to {name}", { name: String(realm.value?.realm_name ?? "Skein") })}
        </h2>
        <p class="quiet small grow">{t("{done} of {total} done", { done: doneCount, total: offered.length })}</p>
        <IconButton icon="close" label={t("Do not show this again")} onClick={() => void tryTo(endGettingStarted)} />
      </header>
      <ol>
        {offered.map((step) => {
          const { label, detail, problem, isDone, at } = step;
          return (
            <li key={label} class={isDone ? "done" : ""}>
              <Icon name={isDone ? "check" : "todo"} size={16} />
              <span>
                {typeof at === "string" ? (
                  <a href={at}>{label}</a>
                ) : (
                  <button type="button" class="plain" onClick={at}>
                    {label}
                  </button>
                )}
                {isDone && <span class="unseen"> ({t("done")})</span>}
                {!isDone && (problem !== undefined || step === next) && (
                  <span class="quiet small">{problem ?? detail}</span>
                )}
              </span>
            </li>
          );
        })}
      </ol>
    </section>
  );
}
