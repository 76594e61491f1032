import { useComputed } from "@preact/signals";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Reply } from "../../base/api/calls.ts";
import { ApiFailure } from "../../base/api/client.ts";
import { compareTexts, t } from "../../base/languages/language.ts";
import { dayAndTime } from "../../base/lib/time.ts";
import { LineToCopy } from "../../parts/copy.tsx";
import { Choices, FilteredList, List } from "../../parts/fields/filtered-list.tsx";
import { CheckBox, Form, SelectField, TextField, unlessChanged } from "../../parts/fields/form.tsx";
import { channelName, focusPage, PrivacyIcon } from "../../parts/parts.tsx";
import { call } from "../../session/session.ts";
import { state } from "../../session/store.ts";
import { tryTo } from "../../session/toasts.ts";
import type { Channel } from "../../state/model.ts";
import { isAdministrator, mayConnectAssistants, mayRejoin } from "../../state/permissions.ts";

/** Keys by which assistants read and write what their owner may: how to connect one, and those that there are. */

type AgentKey = Reply<"GET /agent_keys">["agent_keys"][number];
type OwnedKey = Reply<"GET /realm/agent_keys">["agent_keys"][number];
type AgentCall = Reply<"GET /agent_keys/{key_id}/calls">["calls"][number];
/** A key that was just created, with the secret, which the server does not tell again. */
type NewKey = Reply<"POST /agent_keys"> & Pick<AgentKey, "name">;

export function Assistants() {
  const isAdmin = useComputed(() => state.value !== undefined && isAdministrator(state.value)).value;
  return (
    <>
      <OwnAssistants />
      {isAdmin && <AssistantsOfAll />}
    </>
  );
}

function OwnAssistants() {
  const [keys, setKeys] = useState<readonly AgentKey[]>();
  const [created, setCreated] = useState<NewKey>();
  const isAllowed = useComputed(() => state.value !== undefined && mayConnectAssistants(state.value)).value;
  useEffect(() => void tryTo(async () => setKeys((await call("GET /agent_keys")).agent_keys)), []);
  const add = (key: AgentKey, secret: NewKey) => {
    setKeys((others) => others && [...others, key]);
    setCreated(secret);
  };
  const revoke = ({ id }: AgentKey) =>
    tryTo(async () => {
      await call("DELETE /agent_keys/{key_id}", { key_id: id }).catch(throwUnlessGone);
      setKeys((others) => others?.filter((other) => other.id !== id));
      setCreated((shown) => (shown?.id === id ? undefined : shown));
      focusPage();
    });
  return (
    <>
      <section class="form">
        <h2>{t("Connect an assistant")}</h2>
        <p>
          {t(
            "An assistant that speaks the Model Context Protocol, for example Claude Code, Cursor or Visual Studio Code, can list and search what you may read here, and write if you let it. Everyone sees which messages it has written. What it reads goes to whoever runs its model.",
          )}
        </p>
        <p class="quiet">
          {isAllowed
            ? t(
                "It sees the names of all people that you see, and the messages of the channels that you choose. Messages may contain instructions that it follows: choose no more channels than its work needs.",
              )
            : t(
                "You cannot create a key, because your organization does not let you connect assistants. Your existing keys do not work until it does.",
              )}
        </p>
      </section>
      {isAllowed && <NewKeyForm onCreate={add} />}
      {created && <Instructions {...created} onClose={() => setCreated(undefined)} />}
      <section>
        <h2>{t("Keys of your assistants")}</h2>
        {keys === undefined ? (
          <p class="quiet">{t("Loading …")}</p>
        ) : (
          <List
            class="cards"
            label={t("Keys of your assistants")}
            items={keys}
            empty={t("No assistant has a key of yours.")}
            row={(key) => <KeyCard key={key.id} of={key} revoke={() => void revoke(key)} />}
          />
        )}
      </section>
    </>
  );
}

/** The keys of everybody, for administrators. */
function AssistantsOfAll() {
  const [keys, setKeys] = useState<readonly OwnedKey[]>();
  const [nextAfter, setNextAfter] = useState<number | null>(0);
  const load = (after: number) =>
    tryTo(async () => {
      const page = await call("GET /realm/agent_keys", { after });
      setKeys((shown = []) => [...shown, ...page.agent_keys]);
      setNextAfter(page.next_after);
    });
  useEffect(() => void load(0), []);
  const revoke = (key: OwnedKey) =>
    tryTo(async () => {
      await call("DELETE /agent_keys/{key_id}", { key_id: key.id, user_id: key.user_id }).catch(throwUnlessGone);
      setKeys((others) => others?.filter(({ id }) => id !== key.id));
      focusPage();
    });
  const ownerOf = ({ user_id: id }: OwnedKey) => state.value?.users.get(id)?.full_name ?? `${id}`;
  return (
    <section>
      <h2>{t("Everyone's assistant keys")}</h2>
      {keys === undefined ? (
        <p class="quiet">{t("Loading …")}</p>
      ) : (
        <FilteredList
          class="cards"
          label={t("Everyone's assistant keys")}
          items={keys}
          textOf={(key) => `${ownerOf(key)} ${key.name}`}
          filterLabel={t("Filter keys")}
          empty={t("Nobody has connected an assistant.")}
          noMatch={t("No assistant has this name.")}
          row={(key) => <KeyCard key={key.id} of={key} owner={ownerOf(key)} revoke={() => void revoke(key)} />}
        />
      )}
      {keys !== undefined && nextAfter !== null && (
        <button type="button" onClick={() => void load(nextAfter)}>
          {t("Show more")}
        </button>
      )}
    </section>
  );
}

function KeyCard({ of: key, owner, revoke }: { of: AgentKey | OwnedKey; owner?: string; revoke: () => void }) {
  const [isLogOpen, setLogOpen] = useState(false);
  return (
    <li>
      <header>
        <strong class="grow">{owner === undefined ? key.name : `${key.name} (${owner})`}</strong>
        <button type="button" aria-expanded={isLogOpen} onClick={() => setLogOpen(!isLogOpen)}>
          {t("What it did")}
        </button>
        <button
          type="button"
          class="danger"
          aria-label={
            owner === undefined
              ? t("Revoke the key “{name}”", { name: key.name })
              : t("Revoke the key “{name}” of {owner}", { name: key.name, owner })
          }
          onClick={revoke}
        >
          {t("Revoke")}
        </button>
      </header>
      {scopesOf(key).map((line) => (
        <p key={line}>{line}</p>
      ))}
      <p class="quiet small">
        {t("Created {time}", { time: dayAndTime(key.date_created) })}
        {" · "}
        {key.last_used === null
          ? t("Never used")
          : t("Last used {time}, or up to an hour later", { time: dayAndTime(key.last_used) })}
      </p>
      {isLogOpen && <Log of={key} />}
    </li>
  );
}

/** What an assistant has done with a key. */
function Log({ of: key }: { of: AgentKey | OwnedKey }) {
  const [calls, setCalls] = useState<readonly AgentCall[]>();
  useEffect(() => {
    const whose = "user_id" in key ? { user_id: key.user_id } : {};
    void tryTo(async () =>
      setCalls((await call("GET /agent_keys/{key_id}/calls", { key_id: key.id, ...whose })).calls),
    );
  }, [key.id]);
  if (calls === undefined) return <p class="quiet">{t("Loading …")}</p>;
  return (
    <List
      label={t("What “{name}” did in the last 30 days", { name: key.name })}
      items={calls}
      empty={t("Nothing in the last 30 days.")}
      row={(one, index) => (
        <li key={index} class="small">
          <span class="quiet">{dayAndTime(one.time)}</span> <code>{one.tool}</code> <span>{placeOf(one)}</span>
          {one.outcome !== "done" && (
            <span class="badge">{one.outcome === "refused" ? t("refused") : t("failed")}</span>
          )}
        </li>
      )}
    />
  );
}

/** Where a call read or wrote. Administrators do not know all channels, and people can be hidden. */
function placeOf({ channel_id, message_id, user_ids }: AgentCall): string {
  const users = user_ids.map((id) => state.value?.users.get(id)?.full_name ?? t("Unknown user"));
  const channel = channel_id !== null && (state.value?.channels.get(channel_id)?.name ?? t("unknown channel"));
  return [channel && `#${channel}`, users.join(", "), message_id !== null && t("message {id}", { id: `${message_id}` })]
    .filter(Boolean)
    .join(" · ");
}

/** A key that another window revoked is gone, as the user wants. */
function throwUnlessGone(error: unknown): void {
  if (!(error instanceof ApiFailure && error.status === 404)) throw error;
}

const namesOf = (ids: readonly number[]) => ids.map(channelName).sort(compareTexts).join(", ");

/** What a key is for: a line for reading, and one for writing. */
function scopesOf(key: AgentKey): string[] {
  const joined = (...parts: string[]) => parts.filter((part) => part !== "").join(" · ");
  const direct = (isIncluded: boolean) => (isIncluded ? t("Direct messages") : "");
  const read = joined(key.channel_ids ? namesOf(key.channel_ids) : t("All channels"), direct(key.direct_messages));
  if (!key.can_write) return [t("Reads: {places}", { places: read }), t("Writes nothing")];
  const written = joined(
    key.write_channel_ids ? namesOf(key.write_channel_ids) : t("All channels that it reads"),
    direct(key.write_direct_messages),
    key.may_mention ? t("with mentions") : t("without mentions"),
  );
  return [t("Reads: {places}", { places: read }), t("Writes: {places}", { places: written })];
}

/** All channels, or those that are chosen. */
interface Chosen {
  areAll: boolean;
  ids: ReadonlySet<number>;
}

const idsOf = ({ areAll, ids }: Chosen) => (areAll ? null : [...ids]);

function ChannelsField({
  label,
  all,
  items,
  value,
  onChange,
}: {
  label: string;
  all: string;
  items: readonly Channel[];
  value: Chosen;
  onChange: (value: Chosen) => void;
}) {
  return (
    <>
      <SelectField
        label={label}
        value={value.areAll}
        options={[
          { value: true, label: all },
          { value: false, label: t("Only selected") },
        ]}
        onChange={(areAll) => onChange({ ...value, areAll })}
      />
      {!value.areAll && (
        <fieldset>
          <legend>{label}</legend>
          <Choices
            items={items}
            idOf={(channel) => channel.stream_id}
            nameOf={(channel) => channel.name}
            label={(channel) => (
              <>
                <PrivacyIcon channelId={channel.stream_id} /> {channel.name}
              </>
            )}
            chosen={value.ids}
            onChange={(ids) => onChange({ ...value, ids })}
            filterLabel={t("Filter channels")}
          />
        </fieldset>
      )}
    </>
  );
}

function NewKeyForm({ onCreate }: { onCreate: (key: AgentKey, secret: NewKey) => void }) {
  const [name, setName] = useState("");
  const [read, setRead] = useState<Chosen>({ areAll: true, ids: new Set() });
  const [hasDirectMessages, setDirectMessages] = useState(false);
  const [canWrite, setCanWrite] = useState(false);
  const [chosenToWrite, setWritten] = useState<Chosen>({ areAll: true, ids: new Set() });
  const [writesDirectMessages, setWritesDirectMessages] = useState(false);
  const [mayMention, setMayMention] = useState(false);
  const readable = useComputed(() => {
    const latest = state.value;
    if (!latest) return [];
    return [...latest.channels.values()]
      .filter((one) => !one.is_archived && (latest.subscriptions.has(one.stream_id) || mayRejoin(latest, one)))
      .sort((a, b) => compareTexts(a.name, b.name));
  }).value;
  const readIds = idsOf(read);
  const writable = readIds ? readable.filter(({ stream_id: id }) => read.ids.has(id)) : readable;
  // What is no longer chosen for reading stays ticked in case it is chosen again, and is not sent.
  const written = {
    ...chosenToWrite,
    ids: new Set(writable.map(({ stream_id: id }) => id).filter((id) => chosenToWrite.ids.has(id))),
  };
  const create = async () => {
    const scopes = {
      channel_ids: readIds,
      direct_messages: hasDirectMessages,
      can_write: canWrite,
      write_channel_ids: canWrite ? idsOf(written) : null,
      write_direct_messages: canWrite && hasDirectMessages && writesDirectMessages,
      may_mention: canWrite && mayMention,
    };
    const { channel_ids, write_channel_ids, ...others } = scopes;
    const reply = await call("POST /agent_keys", {
      name: name.trim(),
      ...others,
      ...(channel_ids && { channel_ids }),
      ...(write_channel_ids && { write_channel_ids }),
    });
    const now = Math.floor(Date.now() / 1000);
    const key = { id: reply.id, name: name.trim(), ...scopes, date_created: now, last_used: null };
    setName(unlessChanged(name, ""));
    onCreate(key, { ...reply, name: key.name });
  };
  return (
    <Form
      heading={t("New key")}
      submit={t("Create a key")}
      disabled={name.trim() === "" || !(read.areAll || read.ids.size > 0 || hasDirectMessages)}
      save={create}
    >
      <TextField label={t("Name of the assistant")} required max={60} value={name} onChange={setName} />
      <ChannelsField
        label={t("Channels that it may read")}
        all={t("All channels that I may read")}
        items={readable}
        value={read}
        onChange={setRead}
      />
      <CheckBox
        label={t("It may also read my direct messages")}
        checked={hasDirectMessages}
        onChange={setDirectMessages}
      />
      <CheckBox label={t("It may write in my name")} checked={canWrite} onChange={setCanWrite} />
      {canWrite && (
        <>
          <p class="quiet small">
            {t(
              "It can send, react, upload files, edit what it has sent, and resolve and mute topics. It cannot delete anything.",
            )}
          </p>
          <ChannelsField
            label={t("Channels in which it may write")}
            all={t("All channels that it may read")}
            items={writable}
            value={written}
            onChange={setWritten}
          />
          {hasDirectMessages && (
            <CheckBox
              label={t("It may also write direct messages")}
              checked={writesDirectMessages}
              onChange={setWritesDirectMessages}
            />
          )}
          <CheckBox label={t("It may mention people and groups")} checked={mayMention} onChange={setMayMention} />
        </>
      )}
    </Form>
  );
}

/** What each client is configured with. The name of the server is the same as in the documentation of the keys. */
function configurations(key: string) {
  const url = `${location.origin}/mcp`;
  const server = { url, headers: { Authorization: `Bearer ${key}` } };
  return [
    {
      client: "Claude Code",
      how: t("Run this command:"),
      line: `claude mcp add --transport http skein ${url} --header "Authorization: Bearer ${key}"`,
    },
    {
      client: "Cursor",
      how: t("Add this to {file}:", { file: "mcp.json" }),
      line: JSON.stringify({ mcpServers: { skein: server } }),
    },
    {
      client: "Visual Studio Code",
      how: t("Add this to {file}:", { file: ".vscode/mcp.json" }),
      line: JSON.stringify({ servers: { skein: { type: "http", ...server } } }),
    },
  ];
}

function Instructions({ id, name, key: secret, onClose }: NewKey & { onClose: () => void }) {
  const section = useRef<HTMLElement>(null);
  // The key is below the form, and on a phone below the screen.
  useEffect(() => section.current?.focus(), [id]);
  return (
    <section class="form" ref={section} tabIndex={-1} aria-labelledby="assistant-key">
      <h2 id="assistant-key">{t("The key of “{name}”", { name })}</h2>
      <p>{t("Copy it now: it is shown once, because the server does not keep it.")}</p>
      <LineToCopy label={t("Key to copy")} line={secret} />
      {configurations(secret).map(({ client, how, line }) => (
        <div key={client}>
          <p>
            <strong>{client}</strong> <span class="quiet small">{how}</span>
          </p>
          <LineToCopy label={t("For {client}", { client })} line={line} />
        </div>
      ))}
      <div class="dialog-actions">
        <button
          type="button"
          onClick={() => {
            onClose();
            focusPage();
          }}
        >
          {t("Hide the key")}
        </button>
      </div>
    </section>
  );
}
