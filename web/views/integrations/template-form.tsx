import { useEffect, useState } from "preact/hooks";
import type { Reply } from "../../base/api/calls.ts";
import { t } from "../../base/languages/language.ts";
import { Translated } from "../../base/languages/translated.tsx";
import { dayAndTime } from "../../base/lib/time.ts";
import { Content } from "../../parts/content.tsx";
import { Form, TextField } from "../../parts/fields/form.tsx";
import { call } from "../../session/session.ts";
import { toast } from "../../session/toasts.ts";

/** Writes the templates of a bot's messages, and tries them out with the last payload that came. */
export function TemplateForm({ botId }: { botId: number }) {
  const [topic, setTopic] = useState("");
  const [content, setContent] = useState("");
  const [result, setResult] = useState<Reply<"POST /bots/{bot_id}/template_preview">>();
  const [problem, setProblem] = useState("");
  const [isLoaded, setLoaded] = useState(false);
  const templates = { topic_template: topic, content_template: content };
  const tryOut = async (changed: Partial<typeof templates>) => {
    setProblem("");
    try {
      const reply = await call("POST /bots/{bot_id}/template_preview", { bot_id: botId, ...changed });
      setResult(reply);
      return reply;
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
      return undefined;
    }
  };
  const load = async () => {
    const reply = await tryOut({});
    // Without the stored templates, the form would save empty ones over them.
    if (!reply) return;
    setTopic(reply.topic_template ?? "");
    setContent(reply.content_template ?? "");
    setLoaded(true);
  };
  useEffect(() => void load(), []);
  if (!isLoaded && problem)
    return (
      <div class="notice" role="alert">
        <p class="problem">{problem}</p>
        <button type="button" onClick={() => void load()}>
          {t("Try again")}
        </button>
      </div>
    );
  if (!isLoaded) return <p class="notice">{t("Loading …")}</p>;
  return (
    <Form
      heading={t("Template")}
      submit={t("Save")}
      save={async () => {
        await call("PATCH /bots/{bot_id}", { bot_id: botId, config_data: templates });
        toast(t("Saved. The next request will use this template."));
      }}
    >
      <TextField label={t("Topic")} max={1000} placeholder="Generic" value={topic} onChange={setTopic} />
      <TextField
        label={t("Message, in Markdown")}
        rows={6}
        max={1000}
        placeholder="**{{title}}** by {{author.name}}"
        value={content}
        onChange={setContent}
      />
      <p class="quiet small">
        <Translated
          text="{name} is a field of the request, {quoted} quotes a text of several lines, and {list} repeats for each item. An empty message is not posted."
          name={<code>{"{{name}}"}</code>}
          quoted={<code>{"{{{name}}}"}</code>}
          list={<code>{"{{#list}}…{{/list}}"}</code>}
        />
      </p>
      <div>
        <button type="button" onClick={() => void tryOut(templates)}>
          {t("Try it out")}
        </button>
      </div>
      <div class="preview" role="status">
        {problem ? <p class="problem">{problem}</p> : result && <Result {...result} />}
      </div>
    </Form>
  );
}

function Result({ payload, received_at, topic, rendered }: Reply<"POST /bots/{bot_id}/template_preview">) {
  if (payload === null || received_at === null)
    return (
      <p class="quiet">
        {t(
          "Nothing was received in the last seven days. Have the service send something, then try again. The last request is kept that long on this server, for you and administrators.",
        )}
      </p>
    );
  return (
    <>
      {rendered === null ? (
        <p class="quiet">{t("Nothing would be posted.")}</p>
      ) : (
        <>
          <strong>{topic}</strong>
          <Content html={rendered} />
        </>
      )}
      <details>
        <summary>
          {t("The last request, shortened, kept for seven days ({time})", { time: dayAndTime(received_at) })}
        </summary>
        <pre class="payload">{payload}</pre>
      </details>
    </>
  );
}
