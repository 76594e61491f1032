import { useEffect, useState } from "preact/hooks";
import { t } from "../../base/languages/language.ts";
import { confirmAndTry } from "../../parts/confirm.tsx";
import { LineToCopy } from "../../parts/copy.tsx";
import { CheckBox } from "../../parts/fields/form.tsx";
import { call } from "../../session/session.ts";

/** What may stand before the @ of an address, with what it adds to the messages. */
const addressOptions = () =>
  [
    ["show-sender", t("Say who has written the e-mail")],
    ["include-footer", t("With signatures")],
    ["include-quotes", t("With quotes of earlier e-mails")],
    ["prefer-html", t("With the formatting of the e-mail")],
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
        title: t("Replace your address of this channel?"),
        text: t("E-mails to the address that you have given away no longer arrive."),
        label: t("Replace"),
      },
      async () => setAddress((await call("POST /streams/{stream_id}/email_address", { stream_id: channelId })).email),
    );
  return (
    <section class="form">
      <h2>{t("Write to this channel by e-mail")}</h2>
      <p class="quiet small">
        {t(
          "Whoever knows this address can post in the channel, for as long as you can. The subject becomes the topic.",
        )}
      </p>
      <LineToCopy label={t("E-mail address")} line={line} />
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
