import { useComputed } from "@preact/signals";
import { useRef, useState } from "preact/hooks";
import { compareTexts, t } from "../../base/languages/language.ts";
import { LineToCopy } from "../../parts/copy.tsx";
import { Form, TextField } from "../../parts/fields/form.tsx";
import { call } from "../../session/session.ts";
import { state } from "../../session/store.ts";
import { type IntegrationEntry, integrations } from "./directory.ts";
import { allEvents, EventFilterField, filterParameters } from "./event-filter.tsx";
import { Examples } from "./examples.tsx";
import { SecretForm } from "./secret-form.tsx";
import { TemplateForm } from "./template-form.tsx";

/** The directory of incoming integrations: from which bot, channel and service the URL to copy is put together, and its set-up. */

const incomingWebhook = 2;

export function Integrations() {
  const [name, setName] = useState(integrations[0]?.name ?? "");
  const [botId, setBotId] = useState(0);
  const [channelId, setChannelId] = useState(0);
  const [topic, setTopic] = useState("");
  const [filter, setFilter] = useState(allEvents);
  const [url, setUrl] = useState("");
  const choices = useRef(0);
  const own = useComputed(() => {
    const { users, userId, channels, subscriptions } = state.value ?? {};
    const bots = [...(users?.values() ?? [])].filter(
      (user) => user.bot_type === incomingWebhook && user.is_active && user.bot_owner_id === userId,
    );
    const subscribed = [...(subscriptions?.keys() ?? [])].flatMap((id) => channels?.get(id) ?? []);
    return { bots, channels: subscribed.sort((a, b) => compareTexts(a.name, b.name)) };
  }).value;
  const bot = own.bots.find(({ user_id }) => user_id === botId) ?? own.bots[0];
  const integration = integrations.find((one) => one.name === name);
  /** The shown URL belongs to the former choice. */
  const choose =
    <T,>(set: (value: T) => void) =>
    (value: T) => {
      set(value);
      choices.current++;
      setUrl("");
    };
  const showUrl = async () => {
    const choice = choices.current;
    const { bots } = await call("GET /bots");
    if (choice !== choices.current) return;
    const key = bots.find(({ username }) => username === bot?.email)?.api_key;
    if (key === undefined) throw new Error(t("The bot no longer exists."));
    const query = new URLSearchParams({
      api_key: key,
      ...(channelId > 0 && { stream: String(channelId) }),
      ...(topic.trim() !== "" && { topic: topic.trim() }),
      ...filterParameters(filter),
    });
    setUrl(`${location.origin}/api/v1/external/${name}?${query}`);
  };
  const chooseService = (chosen: string) => {
    setName(chosen);
    setFilter(allEvents);
  };
  return (
    <>
      <Form heading={t("Incoming integrations")} submit={t("Show the URL")} disabled={!bot} save={showUrl}>
        <p class="quiet">
          {bot
            ? t("A service posts as your bot through one URL. Anyone with the URL can post as the bot.")
            : t("Services post as bots. Create an “Incoming webhook” bot first.")}
        </p>
        <label>
          {t("Service")}
          <select value={name} onChange={(event) => choose(chooseService)(event.currentTarget.value)}>
            {integrations.map((one) => (
              <option key={one.name} value={one.name}>
                {one.title}
              </option>
            ))}
          </select>
        </label>
        {integration && (
          <p class="form-row quiet small">
            <Logo {...integration} />
            {integration.summary}
          </p>
        )}
        {bot && (
          <>
            <label>
              {t("Bot")}
              <select value={bot.user_id} onChange={(event) => choose(setBotId)(Number(event.currentTarget.value))}>
                {own.bots.map(({ user_id, full_name }) => (
                  <option key={user_id} value={user_id}>
                    {full_name}
                  </option>
                ))}
              </select>
            </label>
            <label>
              {t("Channel")}
              <select value={channelId} onChange={(event) => choose(setChannelId)(Number(event.currentTarget.value))}>
                <option value={0}>{t("None: direct messages to me")}</option>
                {own.channels.map((channel) => (
                  <option key={channel.stream_id} value={channel.stream_id}>
                    {channel.name}
                  </option>
                ))}
              </select>
            </label>
            <TextField
              label={t("Topic (if empty, the integration chooses it)")}
              max={60}
              value={topic}
              onChange={choose(setTopic)}
            />
            {integration && integration.events.length > 0 && (
              <EventFilterField events={integration.events} filter={filter} onChange={choose(setFilter)} />
            )}
          </>
        )}
        {url !== "" && (
          <>
            <LineToCopy label={t("URL to copy")} line={url} />
            <ol class="steps">
              {integration?.setUp.map((step) => (
                <li key={step}>{withoutMarkup(step)}</li>
              ))}
            </ol>
          </>
        )}
      </Form>
      {bot && integration?.isSigned && (
        <SecretForm
          key={`${bot.user_id} ${name}`}
          botId={bot.user_id}
          botName={bot.full_name}
          title={integration.title}
        />
      )}
      {bot && integration?.hasTemplate && <TemplateForm key={bot.user_id} botId={bot.user_id} />}
      {integration && <Examples key={name} name={name} title={integration.title} />}
    </>
  );
}

/** A plug, for a service whose logo may not be used. */
const neutralLogo = "M7 2h2v5h6V2h2v5h2v4a7 7 0 0 1-6 6.93V22h-2v-4.07A7 7 0 0 1 5 11V7h2z";

const Logo = ({ logo = neutralLogo }: Pick<IntegrationEntry, "logo">) => (
  <svg class="logo" viewBox="0 0 24 24" aria-hidden="true">
    <path d={logo} />
  </svg>
);

/** The steps use few marks, which are left out: bold, code, and links, of which the text remains. */
const withoutMarkup = (markdown: string): string =>
  markdown
    .replace(/\n\s*```\w*/g, "\n")
    .replace(/\[([^\]]+)\]\([^)]*\)/g, "$1")
    .replace(/\*\*|`/g, "")
    .trim();
