import { t } from "../../base/languages/language.ts";
import { Content } from "../../parts/content.tsx";

/** What the integrations post of the services' own examples. */

interface Example {
  /** Empty if the service names no events. */
  event: string;
  topic: string;
  html: string;
}

/** The build fills this in. */
declare const SKEIN_INTEGRATION_EXAMPLES: string;

const examples: Readonly<Record<string, readonly Example[]>> = JSON.parse(SKEIN_INTEGRATION_EXAMPLES);

export function Examples({ name, title }: { name: string; title: string }) {
  return (
    <section class="form">
      <h2>{t("What {title} posts", { title })}</h2>
      <ul class="cards">
        {examples[name]?.map(({ event, topic, html }) => (
          <li key={`${event} ${topic}`}>
            <header>
              <strong class="grow">{topic}</strong>
              <code class="small">{event}</code>
            </header>
            <Content html={html} />
          </li>
        ))}
      </ul>
    </section>
  );
}
