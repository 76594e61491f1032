import { useEffect, useRef, useState } from "preact/hooks";
import { ApiFailure } from "../../base/api/client.ts";
import { compareTexts, t } from "../../base/languages/language.ts";
import { shortDate } from "../../base/lib/time.ts";
import { confirmAndTry } from "../../parts/confirm.tsx";
import { LineToCopy } from "../../parts/copy.tsx";
import { Choices } from "../../parts/fields/filtered-list.tsx";
import { FormButtons } from "../../parts/fields/form.tsx";
import { Dialog, nameOf, PrivacyIcon } from "../../parts/parts.tsx";
import { call } from "../../session/session.ts";
import { currentState, onEvents } from "../../session/store.ts";
import { toast, tryTo } from "../../session/toasts.ts";
import { type Role, roles } from "../../state/model.ts";
import { isAdministrator, isOwner, mayInviteByLink, mayInviteByMail, roleNames } from "../../state/permissions.ts";

/** Invites people by e-mail or with a link, and lists open invitations. */

type Tab = "mail" | "link" | "open";
const tabs = (): readonly { tab: Tab; label: string }[] => [
  { tab: "mail", label: t("By email") },
  { tab: "link", label: t("By link") },
  { tab: "open", label: t("Open invitations") },
];

export function InviteDialog({ onClose }: { onClose: () => void }) {
  const allowed = { mail: mayInviteByMail(currentState()), link: mayInviteByLink(currentState()), open: true };
  const offeredTabs = tabs().filter(({ tab }) => allowed[tab]);
  const [tab, setTab] = useState<Tab>(offeredTabs[0]?.tab ?? "open");
  return (
    <Dialog title={t("Invite people")} onClose={onClose} wide>
      <nav class="tabs" aria-label={t("Ways to invite")}>
        {offeredTabs.map((entry) => (
          <button
            key={entry.tab}
            type="button"
            class="plain"
            aria-current={entry.tab === tab ? "page" : undefined}
            onClick={() => setTab(entry.tab)}
          >
            {entry.label}
          </button>
        ))}
      </nav>
      {tab === "mail" && <ByMail />}
      {tab === "link" && <ByLink />}
      {tab === "open" && <OpenInvitations />}
    </Dialog>
  );
}

/** The role and channels that an invitation gives, and when it expires; the names are the API's. */
interface Options {
  invite_as: Role;
  invite_expires_in_minutes: number | null;
  stream_ids: readonly number[];
  include_realm_default_subscriptions: boolean;
}

const dayMinutes = 24 * 60;
const defaultOptions: Options = {
  invite_as: roles.member,
  invite_expires_in_minutes: 10 * dayMinutes,
  stream_ids: [],
  include_realm_default_subscriptions: true,
};

const expiries = (): readonly { minutes: number | null; label: string }[] => [
  { minutes: dayMinutes, label: t("In a day") },
  { minutes: 3 * dayMinutes, label: t("In three days") },
  { minutes: 10 * dayMinutes, label: t("In ten days") },
  { minutes: 30 * dayMinutes, label: t("In thirty days") },
  { minutes: null, label: t("Never") },
];

function OptionFields({ options, onChange }: { options: Options; onChange: (options: Options) => void }) {
  const current = currentState();
  const change = (changes: Partial<Options>) => onChange({ ...options, ...changes });
  const grantableRoles = Object.values(roles).filter(
    (role) => role >= roles.member || (role === roles.owner ? isOwner(current) : isAdministrator(current)),
  );
  const channels = [...current.subscriptions.keys()]
    .flatMap((id) => current.channels.get(id) ?? [])
    .filter((channel) => !channel.is_archived)
    .sort((a, b) => compareTexts(a.name, b.name));
  return (
    <>
      <label>
        {t("They join as")}
        <select
          value={options.invite_as}
          onChange={(event) => change({ invite_as: Number(event.currentTarget.value) as Role })}
        >
          {grantableRoles.map((role) => (
            <option key={role} value={role}>
              {roleNames()[role]}
            </option>
          ))}
        </select>
      </label>
      <label>
        {t("The invitation expires")}
        <select
          value={JSON.stringify(options.invite_expires_in_minutes)}
          onChange={(event) => change({ invite_expires_in_minutes: JSON.parse(event.currentTarget.value) })}
        >
          {expiries().map(({ minutes, label }) => (
            <option key={label} value={JSON.stringify(minutes)}>
              {label}
            </option>
          ))}
        </select>
      </label>
      <fieldset>
        <legend>{t("Channels to subscribe them to")}</legend>
        <label class="check">
          <input
            type="checkbox"
            checked={options.include_realm_default_subscriptions}
            onChange={(event) => change({ include_realm_default_subscriptions: event.currentTarget.checked })}
          />
          {t("The organization's default channels")}
        </label>
        <Choices
          items={channels}
          idOf={({ stream_id }) => stream_id}
          nameOf={({ name }) => name}
          label={({ stream_id, name }) => (
            <>
              <PrivacyIcon channelId={stream_id} /> {name}
            </>
          )}
          chosen={new Set(options.stream_ids)}
          onChange={(chosen) => change({ stream_ids: [...chosen] })}
          filterLabel={t("Filter channels")}
        />
      </fieldset>
    </>
  );
}

/** The server's error message, and its reason for each address that was not invited. */
interface Refusal {
  message: string;
  addresses: readonly [address: string, reason: string, deactivated: boolean][];
}

const refusalOf = (error: unknown): Refusal => ({
  message: error instanceof Error ? error.message : String(error),
  addresses: (error instanceof ApiFailure && (error.details.errors as Refusal["addresses"] | undefined)) || [],
});

function ByMail() {
  const [addresses, setAddresses] = useState("");
  const [options, setOptions] = useState(defaultOptions);
  const [notify, setNotify] = useState(true);
  const [refusal, setRefusal] = useState<Refusal>();
  const [sending, setSending] = useState(false);
  const invite = async () => {
    setSending(true);
    setRefusal(undefined);
    try {
      await call("POST /invites", { ...options, invitee_emails: addresses, notify_referrer_on_join: notify });
      setAddresses("");
      toast(t("The invitations are on their way."));
    } catch (error) {
      setRefusal(refusalOf(error));
    }
    setSending(false);
  };
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault();
        void invite();
      }}
    >
      <label>
        {t("Email addresses, one per line or separated by commas")}
        <textarea
          required
          rows={3}
          autofocus
          value={addresses}
          onInput={(event) => setAddresses(event.currentTarget.value)}
        />
      </label>
      <OptionFields options={options} onChange={setOptions} />
      <label class="check">
        <input type="checkbox" checked={notify} onChange={(event) => setNotify(event.currentTarget.checked)} />
        {t("Notify me when someone accepts")}
      </label>
      {refusal && (
        <div class="problem" role="alert">
          <p>{refusal.message}</p>
          <ul>
            {refusal.addresses.map(([address, reason]) => (
              <li key={address}>
                {address}: {reason}
              </li>
            ))}
          </ul>
        </div>
      )}
      <FormButtons submit={t("Invite")} disabled={sending || addresses.trim() === ""} />
    </form>
  );
}

function ByLink() {
  const [options, setOptions] = useState(defaultOptions);
  const [link, setLink] = useState("");
  const [problem, setProblem] = useState("");
  const create = () => {
    setProblem("");
    call("POST /invites/multiuse", options).then(
      ({ invite_link }) => setLink(invite_link),
      (error: unknown) => setProblem(refusalOf(error).message),
    );
  };
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault();
        create();
      }}
    >
      <p class="quiet">
        {t("Anyone who has the link can join until it expires or is revoked; any number of people can use it.")}
      </p>
      <OptionFields
        options={options}
        onChange={(next) => {
          setOptions(next);
          // An existing link keeps its own settings, so a change hides it.
          setLink("");
        }}
      />
      {problem && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      {link ? <LineToCopy label={t("Invitation link")} line={link} /> : <FormButtons submit={t("Create a link")} />}
    </form>
  );
}

const listInvites = async () => (await call("GET /invites")).invites;
type Invite = Awaited<ReturnType<typeof listInvites>>[number];

function OpenInvitations() {
  const [invites, setInvites] = useState<readonly Invite[]>();
  const container = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const load = () => void tryTo(async () => setInvites(await listInvites()));
    load();
    return onEvents((events) => {
      if (events.some(({ type }) => type === "invites_changed")) load();
    });
  }, []);
  if (!invites) return <p class="quiet">{t("Loading …")}</p>;
  const revoke = (invite: Invite) => {
    const { id: invite_id, is_multiuse } = invite;
    return confirmAndTry(
      {
        title: t("Revoke the invitation?"),
        text: invite.email
          ? t("Nobody can join with the invitation to {email} any more. People who have already joined stay.", {
              email: invite.email,
            })
          : t("Nobody can join with the link any more. People who have already joined stay."),
        label: t("Revoke"),
      },
      async () => {
        await call(`DELETE /invites/${is_multiuse ? "multiuse/" : ""}{invite_id}`, { invite_id });
        setInvites((before) => before?.filter(({ id }) => id !== invite_id));
        // The focused button was removed: move the focus.
        container.current?.focus();
      },
    );
  };
  return (
    <div ref={container} tabIndex={-1}>
      {invites.length === 0 && <p class="quiet">{t("There are no open invitations.")}</p>}
      <ul class="cards" aria-label={t("Open invitations")}>
        {invites.map((invite) => (
          <li key={invite.id}>
            {/* In a dialog, a header would be another banner of the page. */}
            <div class="form-row">
              <strong class="grow">{invite.email ?? t("Link for anyone")}</strong>
              <span class="quiet small">{roleNames()[invite.invited_as]}</span>
            </div>
            <p class="quiet small">
              {t("Invited by {name} on {date};", {
                name: nameOf(invite.invited_by_user_id),
                date: shortDate(invite.invited),
              })}{" "}
              {invite.expiry_date === null
                ? t("never expires")
                : t("expires on {date}", { date: shortDate(invite.expiry_date) })}
            </p>
            {invite.link_url && <LineToCopy label={t("Invitation link")} line={invite.link_url} />}
            <div class="dialog-actions">
              {!invite.is_multiuse && (
                <button
                  type="button"
                  aria-label={t("Resend the invitation to {email}", { email: invite.email ?? "" })}
                  onClick={() =>
                    void tryTo(async () => {
                      await call("POST /invites/{invite_id}/resend", { invite_id: invite.id });
                      toast(t("The invitation to {email} was sent again.", { email: invite.email ?? "" }));
                    })
                  }
                >
                  {t("Resend")}
                </button>
              )}
              <button
                type="button"
                class="danger"
                aria-label={
                  invite.email ? t("Revoke the invitation to {email}", { email: invite.email }) : t("Revoke the link")
                }
                onClick={() => void revoke(invite)}
              >
                {t("Revoke")}
              </button>
            </div>
          </li>
        ))}
      </ul>
    </div>
  );
}
