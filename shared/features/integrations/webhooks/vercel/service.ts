import { flag, listOf, maybe, object, type output, record, text } from "../../fields.ts";
import { firstLine, isBranchWanted } from "../../git.ts";
import { handlerOf, integration, type Post, required } from "../../integration.ts";
import { isHmac } from "../../signature.ts";
import { code, enumerated, factList, link, paragraphs, plain, withQuote } from "../../text.ts";

/** https://vercel.com/docs/webhooks/webhooks-api */

const domain = maybe(object({ domain: text(), redirect: text(), gitBranch: text() }));
const side = maybe(object({ projectId: text() }));

const payload = object({
  ...{ type: text(), id: text() },
  payload: object({
    deployment: maybe(object({ id: text(), name: text(), url: text(), meta: maybe(record(text(), text())) })),
    links: maybe(object({ deployment: text(), project: text(), observability: text() })),
    ...{ project: maybe(object({ id: text(), name: text() })), domain: maybe(object({ name: text() })) },
    ...{ target: text(), previousName: text(), errorReason: text(), projectSlug: text() },
    ...{ fromDeploymentId: text(), toDeploymentId: text(), from: side, to: side, isRedirect: flag() },
    ...{ previous: domain, next: domain, dnsNames: listOf(text()), alerts: listOf(object({ title: text() })) },
    rollingRelease: maybe(object({ default: maybe(object({ targetPercentage: text() })) })),
  }),
});
type Payload = output<typeof payload>["payload"];

type Handler = (payload: Payload, branches: string | undefined) => Omit<Post, "event"> | undefined;

/** What the deployment's `meta` says of its commit. Each of its fields begins with the name of the server that it is from. */
function commitOf({ deployment }: Payload) {
  const meta = deployment?.meta ?? {};
  const field = (name: string) => (Object.hasOwn(meta, name) ? (meta[name] ?? "") : "");
  const server = ["github", "gitlab", "bitbucket"].find((name) => field(`${name}CommitSha`)) ?? "git";
  const commit = (name: string) => field(`${server}Commit${name}`);
  const sha = commit("Sha");
  const pages: Readonly<Record<string, string>> = {
    github: `https://github.com/${commit("Org")}/${commit("Repo")}/commit/`,
    gitlab: `https://gitlab.com/${field("gitlabProjectPath")}/-/commit/`,
    bitbucket: `https://bitbucket.org/${field("bitbucketRepoOwner")}/${field("bitbucketRepoSlug")}/commits/`,
  };
  return {
    branch: commit("Ref"),
    text: [link(sha.slice(0, 12), `${pages[server]}${sha}`), plain(firstLine(commit("Message")))]
      .filter(Boolean)
      .join(" "),
    author: plain(commit("AuthorName") || commit("AuthorLogin")),
  };
}

const deployment =
  (verb: string): Handler =>
  (sent, branches) => {
    const it = required(sent.deployment, "payload.deployment");
    const { branch, text: commit, author } = commitOf(sent);
    if (branch && !isBranchWanted(branch, branches)) return undefined;
    const of = branch && ` of ${code(branch)}`;
    const target = sent.target ? ` (${plain(sent.target)})` : "";
    const name = it.name || it.id;
    return {
      topic: branch ? `${name} / ${branch}` : name,
      content: paragraphs(
        `The deployment${of} to ${link(name, it.url && `https://${it.url.replace(/^https?:\/\//, "")}`)}${target} ${verb}.`,
        factList([
          ["Commit", commit],
          ["By", author],
          ["Details", link("open", sent.links?.deployment)],
        ]),
      ),
    };
  };

/** Some events name the project by its ID alone. */
const projectName = ({ project, projectSlug }: Payload): string => project?.name || projectSlug || project?.id || "";

const onProject =
  (sentenceOf: (payload: Payload, project: string) => string): Handler =>
  (sent) => {
    const name = required(projectName(sent) || undefined, "payload.project");
    return { topic: name, content: `${sentenceOf(sent, link(name, sent.links?.project))}.` };
  };

const onDomain =
  (sentenceOf: (domain: string, payload: Payload) => string): Handler =>
  (sent) => {
    const name = required(sent.domain?.name || undefined, "payload.domain");
    return { topic: name, content: withQuote(sentenceOf(code(name), sent), sent.errorReason) };
  };

const onCertificate =
  (verb: string): Handler =>
  ({ dnsNames }) => {
    const names = dnsNames.filter(Boolean).slice(0, 20);
    const first = required(names[0], "payload.dnsNames");
    return { topic: first, content: `The certificate of ${enumerated(names.map(code))} ${verb}.` };
  };

const of = (sent: Payload): string => (projectName(sent) ? ` of the project ${code(projectName(sent))}` : "");

const domainUpdated: Handler = (sent) => {
  const next = required(sent.next, "payload.next");
  const name = required(next.domain || undefined, "payload.next.domain");
  const changes = (["domain", "redirect", "gitBranch"] as const).flatMap((field): [string, string][] => {
    const [before, after] = [sent.previous?.[field] ?? "", next[field]];
    return before === after ? [] : [[field, [before, after].map((value) => code(value) || "none").join(" → ")]];
  });
  return { topic: name, content: paragraphs(`The domain ${code(name)}${of(sent)} was changed.`, factList(changes)) };
};

const release = (verb: string, withShare = false) =>
  onProject(({ rollingRelease }, project) => {
    const share = rollingRelease?.default?.targetPercentage;
    return `The rolling release of ${project} ${verb}${withShare && share ? `: ${plain(share)} % of the visitors see it` : ""}`;
  });

const handlers: Readonly<Record<string, Handler>> = {
  "deployment.created": deployment("has started"),
  "deployment.ready": deployment("is ready"),
  "deployment.succeeded": deployment("has succeeded"),
  "deployment.error": deployment("has failed"),
  "deployment.canceled": deployment("was canceled"),
  "deployment.promoted": deployment("was promoted to production"),
  "deployment.rollback": onProject(
    ({ fromDeploymentId: from, toDeploymentId: to }, project) =>
      `The project ${project} goes back from the deployment ${code(from)} to ${code(to)}`,
  ),
  "project.created": onProject((_, project) => `The project ${project} was created`),
  "project.removed": onProject((_, project) => `The project ${project} was deleted`),
  "project.renamed": onProject(
    ({ previousName }, project) => `The project ${code(previousName)} was renamed to ${project}`,
  ),
  "project.rolling-release.started": release("has started", true),
  "project.rolling-release.approved": release("goes on", true),
  "project.rolling-release.completed": release("is complete"),
  "project.rolling-release.aborted": release("was aborted"),
  "project.domain-created": onDomain((name, sent) => `The domain ${name}${of(sent)} was added`),
  "project.domain-deleted": onDomain((name, sent) => `The domain ${name}${of(sent)} was removed`),
  "project.domain-moved": onDomain(
    (name, { from, to, isRedirect }) =>
      `The domain ${name} was moved from the project ${code(from?.projectId ?? "")} to ${code(to?.projectId ?? "")}${isRedirect ? ", with a redirect" : ""}`,
  ),
  "project.domain-verified": onDomain((name, sent) => `The domain ${name}${of(sent)} is verified`),
  "project.domain-unverified": onDomain((name, sent) => `The domain ${name}${of(sent)} is no longer verified`),
  "project.domain-updated": domainUpdated,
  "domain.created": onDomain((name) => `The domain ${name} was added`),
  "domain.renewal": onDomain((name) => `The domain ${name} was renewed`),
  "domain.renewal-failed": onDomain((name) => `The domain ${name} could not be renewed`),
  "domain.transfer-in-started": onDomain((name) => `The transfer of the domain ${name} to Vercel has started`),
  "domain.transfer-in-completed": onDomain((name) => `The domain ${name} was transferred to Vercel`),
  "domain.transfer-in-failed": onDomain((name) => `The transfer of the domain ${name} to Vercel has failed`),
  "domain.certificate-add-failed": onCertificate("could not be issued"),
  "domain.certificate-renew-failed": onCertificate("could not be renewed"),
  "alerts.triggered": (sent) => {
    const name = projectName(sent) || "Vercel";
    const titles = sent.alerts.slice(0, 20).map(({ title }) => `* ${plain(title)}`);
    return {
      topic: name,
      content: paragraphs(
        `${link("Alert", sent.links?.observability)} for the project ${code(name)}${titles.length > 0 ? ":" : "."}`,
        titles.join("\n"),
      ),
    };
  },
};

const leavesOut = {
  "deployment.check-rerequested": "checks of integrations",
  "deployment.cleanup": "old deployments that are deleted at the end of their retention",
  "deployment.integration.*": "actions of integrations, for their authors",
  "domain.auto-renew-changed": "settings of a domain",
  "domain.certificate-*": "certificates that are issued, renewed and deleted, of which only failures are posted",
  "domain.dns-records-changed": "settings of a domain",
  "integration-configuration.*": "installations of an integration, for its authors",
  "integration-resource.*": "installations of an integration, for its authors",
  "marketplace.*": "invoices and members of an integration, for its authors",
  "project.env-variable.*": "environment variables, of which Vercel sends only the ID",
};

export const service = integration({
  title: "Vercel",
  logo: "vercel",
  summary: "Deployments, projects, domains, rolling releases and alerts of a team.",
  setUp: [
    "Open **Settings → Webhooks** of your team, which needs the plan Pro or Enterprise.",
    "Choose the events and the projects, enter the URL as the endpoint, and press **Create Webhook**.",
    "Vercel then shows a secret once, which can be the bot's `webhook_secret`.",
  ],
  events: Object.keys(handlers),
  leavesOut,
  parameters: { branches: "a comma-separated list of branches: deployments of others are not posted" },
  payload,
  deliveryId: ({ id }) => id || undefined,
  isSigned: ({ headers, body }, secret) => isHmac(headers["x-vercel-signature"], secret, body, { algorithm: "sha1" }),
  toPost({ type: event, payload: sent }, { parameter }) {
    const post = handlerOf(event, "type", handlers, leavesOut)?.(sent, parameter("branches"));
    return post && { ...post, event };
  },
});
