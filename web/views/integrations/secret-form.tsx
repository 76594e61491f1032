import { useState } from "preact/hooks";
import { call } from "../../session.ts";
import { toast } from "../../toasts.ts";
import { confirmAndTry } from "../parts/confirm.tsx";
import { Form, TextField } from "../parts/form.tsx";

/** Sets the secret by which a bot recognizes a service's requests. The server never shows it. */
export function SecretForm({ botId, botName, title }: { botId: number; botName: string; title: string }) {
  const [secret, setSecret] = useState("");
  const save = async (webhook_secret: string) => {
    await call("PATCH /bots/{bot_id}", { bot_id: botId, config_data: { webhook_secret } });
    setSecret("");
    toast(
      webhook_secret ? "The secret is saved. Requests without it are refused." : "Requests are no longer verified.",
    );
  };
  return (
    <Form heading="Verify requests" submit="Save the secret" disabled={secret === ""} save={() => save(secret)}>
      <p class="quiet">
        {title} signs its requests with a secret, so that knowing the URL is not enough to post. A bot has one secret:
        use a bot of its own for each service.
      </p>
      <TextField
        label={`Secret that ${title} shows, or that you enter there`}
        type="password"
        autocomplete="new-password"
        maxLength={1000}
        value={secret}
        onChange={setSecret}
      />
      <div>
        <button
          type="button"
          onClick={() =>
            void confirmAndTry(
              {
                title: `Remove the secret of ${botName}?`,
                text: "Whoever knows the URL can then post as the bot.",
                label: "Remove",
              },
              () => save(""),
            )
          }
        >
          Stop verifying
        </button>
      </div>
    </Form>
  );
}
