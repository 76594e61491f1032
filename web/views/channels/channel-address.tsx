import { useEffect, useState } from "preact/hooks";
import { t } from "../../base/languages/language.ts";
import { confirmAndTry } from "../../parts/confirm.tsx";
import { LineToCopy } from "../../parts/copy.tsx";
import { CheckBox } from "../../parts/fields/form.tsx";
import { call } from "../../session/session.ts";

/** What may stand before the @ of an address, with what it adds to the messages. */
const addressOptions = () =>
  [
    ["show-sender", t("Show who wrote the email")],
    ["include-footer", t("Include signatures")],
    ["include-quotes", t("Include quoted earlier emails")],
    ["prefer-html", t("Keep the email's formatting")],
  ] as const;

/** The user's address of a channel, to which e-mail can be sent; nothing if the server receives none, or they may not post. */
export function ChannelAddress({ channelId }: { channelId: number }) {
  const [address, setAddress] = useState("");
  const [options, setOptions] = useState<ReadonlySet<string>>(new Set(["show-sender"]));
  useEffect(() => {
    setAddress("");
    call("GET /streams/{stream_id}/email_address", { stream_id: channelId })
      .then(({ email }) => setAddress(email))
      .catch(() => {});
  }, [channelId]);
  if (!address) return null;
  const chosen = addressOptions().filter(([name]) => options.has(name));
  const line = address
    .replace(".show-sender@", "@")
    .replace("@", [...chosen.map(([name]) => `.${name}`), "@"].join(""));
  const replace = () =>
    confirmAndTry(
      {
        title: t("Replace your address for this channel?"),
        text: t("Emails to the address you have shared will no longer arrive."),
        label: t("Replace"),
      },
      async () => setAddress((await call("POST /streams/{stream_id}/email_address", { stream_id: channelId })).email),
    );
  return (
    <section class="form">
      <h2>{t("Post to this channel by email")}</h2>
      <p class="quiet small">
        {t("Anyone with this address can post in the channel for as long as you can. The subject becomes the topic.")}
      </p>
      <LineToCopy label={t("Email address")} line={line} />
      {addressOptions().map(([name, label]) => (
        <CheckBox
          key={name}
          label={label}
          checked={options.has(name)}
          onChange={(isChosen) => {
            const others = [...options].filter((option) => option !== name);
            setOptions(new Set(isChosen ? [...others, name] : others));
          }}
        />
      ))}
      <button type="button" onClick={() => void replace()}>
        {t("Replace the address")}
      </button>
    </section>
  );
}
