import { useState } from "preact/hooks";
import { t } from "../../base/languages/language.ts";
import { confirmAndTry } from "../../parts/confirm.tsx";
import { Form, TextField } from "../../parts/fields/form.tsx";
import { call } from "../../session/session.ts";
import { toast } from "../../session/toasts.ts";

/** Sets the secret by which a bot recognizes a service's requests. The server never shows it. */
export function SecretForm({ botId, botName, title }: { botId: number; botName: string; title: string }) {
  const [secret, setSecret] = useState("");
  const save = async (webhook_secret: string) => {
    await call("PATCH /bots/{bot_id}", { bot_id: botId, config_data: { webhook_secret } });
    setSecret("");
    toast(
      webhook_secret
        ? t("The secret is saved. Requests without it are refused.")
        : t("Requests are no longer verified."),
    );
  };
  return (
    <Form
      heading={t("Verify requests")}
      submit={t("Save the secret")}
      disabled={secret === ""}
      save={() => save(secret)}
    >
      <p class="quiet">
        {t(
          "{title} signs its requests with a secret, so the URL alone is not enough to post. A bot has one secret: use a separate bot for each service.",
          { title },
        )}
      </p>
      <TextField
        label={t("Secret that {title} shows, or that you enter there", { title })}
        type="password"
        autocomplete="new-password"
        max={1000}
        value={secret}
        onChange={setSecret}
      />
      <div>
        <button
          type="button"
          onClick={() =>
            void confirmAndTry(
              {
                title: t("Remove the secret of {name}?", { name: botName }),
                text: t("Anyone with the URL can then post as the bot."),
                label: t("Remove"),
              },
              () => save(""),
            )
          }
        >
          {t("Stop verifying")}
        </button>
      </div>
    </Form>
  );
}
