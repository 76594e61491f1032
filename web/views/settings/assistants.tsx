import { useComputed } from "@preact/signals";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Reply } from "../../base/api/calls.ts";
import { ApiFailure } from "../../base/api/client.ts";
import { compareTexts, t } from "../../base/languages/language.ts";
import { dayAndTime } from "../../base/lib/time.ts";
import { confirmAndTry } from "../../parts/confirm.tsx";
import { LineToCopy } from "../../parts/copy.tsx";
import { Choices, List } from "../../parts/fields/filtered-list.tsx";
import { CheckBox, Form, SelectField, TextField, unlessChanged } from "../../parts/fields/form.tsx";
import { channelName, focusPage, PrivacyIcon } from "../../parts/parts.tsx";
import { call } from "../../session/session.ts";
import { state } from "../../session/store.ts";
import { tryTo } from "../../session/toasts.ts";
import { mayConnectAssistants, mayRejoin } from "../../state/permissions.ts";

/** Keys by which assistants read what their owner may read: how to connect one, and those that there are. */

type AgentKey = Reply<"GET /agent_keys">["agent_keys"][number];
/** A key that was just created, with the secret, which the server does not tell again. */
type NewKey = Reply<"POST /agent_keys"> & Pick<AgentKey, "name">;

export function Assistants() {
  const [keys, setKeys] = useState<readonly AgentKey[]>();
  const [created, setCreated] = useState<NewKey>();
  const isAllowed = useComputed(() => state.value !== undefined && mayConnectAssistants(state.value)).value;
  useEffect(() => void tryTo(async () => setKeys((await call("GET /agent_keys")).agent_keys)), []);
  const add = (key: AgentKey, secret: NewKey) => {
    setKeys((others) => others && [...others, key]);
    setCreated(secret);
  };
  const revoke = ({ id, name }: AgentKey) =>
    confirmAndTry(
      {
        title: t("Revoke the key “{name}”?", { name }),
        text: t("The assistant that uses it can no longer read anything. To connect it again, you need a new key."),
        label: t("Revoke"),
      },
      async () => {
        await call("DELETE /agent_keys/{key_id}", { key_id: id }).catch(throwUnlessGone);
        setKeys((others) => others?.filter((other) => other.id !== id));
        setCreated((shown) => (shown?.id === id ? undefined : shown));
        focusPage();
      },
    );
  return (
    <>
      <section class="form">
        <h2>{t("Connect an assistant")}</h2>
        <p>
          {t(
            "An assistant that speaks the Model Context Protocol, for example Claude Code, Cursor or Visual Studio Code, can list and search what you may read here, and writes nothing. What it reads goes to whoever runs its model.",
          )}
        </p>
        <p class="quiet">
          {isAllowed
            ? t(
                "It sees the names of all people that you see, and the messages of the channels that you choose. Messages may contain instructions that it follows: choose no more channels than its work needs.",
              )
            : t(
                "You cannot create a key, because your organization does not let you create bots. Keys that you have do not work until it does.",
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
            row={(key) => (
              <li key={key.id}>
                <header>
                  <strong class="grow">{key.name}</strong>
                  <button
                    type="button"
                    class="danger"
                    aria-label={t("Revoke the key “{name}”", { name: key.name })}
                    onClick={() => void revoke(key)}
                  >
                    {t("Revoke")}
                  </button>
                </header>
                <p>{scopeOf(key)}</p>
                <p class="quiet small">
                  {t("Created {time}", { time: dayAndTime(key.date_created) })}
                  {" · "}
                  {key.last_used === null
                    ? t("Never used")
                    : t("Last used {time}, or up to an hour later", { time: dayAndTime(key.last_used) })}
                </p>
              </li>
            )}
          />
        )}
      </section>
    </>
  );
}

/** A key that another window revoked is gone, as the user wants. */
function throwUnlessGone(error: unknown): void {
  if (!(error instanceof ApiFailure && error.status === 404)) throw error;
}

const scopeOf = ({ channel_ids, direct_messages }: AgentKey) =>
  [
    channel_ids === null ? t("All channels") : channel_ids.map(channelName).sort(compareTexts).join(", "),
    direct_messages ? t("Direct messages") : "",
  ]
    .filter((part) => part !== "")
    .join(" · ");

function NewKeyForm({ onCreate }: { onCreate: (key: AgentKey, secret: NewKey) => void }) {
  const [name, setName] = useState("");
  const [areAllChannels, setAllChannels] = useState(true);
  const [chosen, setChosen] = useState<ReadonlySet<number>>(new Set());
  const [hasDirectMessages, setDirectMessages] = useState(false);
  const readable = useComputed(() => {
    const latest = state.value;
    if (!latest) return [];
    return [...latest.channels.values()]
      .filter((one) => !one.is_archived && (latest.subscriptions.has(one.stream_id) || mayRejoin(latest, one)))
      .sort((a, b) => compareTexts(a.name, b.name));
  }).value;
  const create = async () => {
    const sent = {
      name: name.trim(),
      ...(!areAllChannels && { channel_ids: [...chosen] }),
      direct_messages: hasDirectMessages,
    };
    const reply = await call("POST /agent_keys", sent);
    const now = Math.floor(Date.now() / 1000);
    const key = { id: reply.id, channel_ids: null, date_created: now, last_used: null, ...sent };
    setName(unlessChanged(name, ""));
    onCreate(key, { ...reply, name: sent.name });
  };
  return (
    <Form
      heading={t("New key")}
      submit={t("Create a key")}
      disabled={name.trim() === "" || !(areAllChannels || chosen.size > 0 || hasDirectMessages)}
      save={create}
    >
      <TextField label={t("Name of the assistant")} required max={60} value={name} onChange={setName} />
      <SelectField
        label={t("Channels that it may read")}
        value={areAllChannels}
        options={[
          { value: true, label: t("All channels that I may read") },
          { value: false, label: t("Only some") },
        ]}
        onChange={setAllChannels}
      />
      {!areAllChannels && (
        <fieldset>
          <legend>{t("Channels")}</legend>
          <Choices
            items={readable}
            idOf={(channel) => channel.stream_id}
            nameOf={(channel) => channel.name}
            label={(channel) => (
              <>
                <PrivacyIcon channelId={channel.stream_id} /> {channel.name}
              </>
            )}
            chosen={chosen}
            onChange={setChosen}
            filterLabel={t("Filter channels")}
          />
        </fieldset>
      )}
      <CheckBox
        label={t("It may also read my direct messages")}
        checked={hasDirectMessages}
        onChange={setDirectMessages}
      />
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
