// Web schemes, and those that the HTML standard allows for registered protocol handlers. Others may start programs or scripts,
// and `file:` opens files on the reader's machine.
const schemes = new Set(
  "http https ftp sftp bitcoin geo im irc ircs magnet mailto matrix mms news nntp openpgp4fpr sip sms smsto ssh tel urn webcal wtai xmpp".split(
    " ",
  ),
);
const schemesWithHost = new Set("http https ftp sftp nntp mms".split(" "));

interface UrlParts {
  scheme: string;
  host: string;
  path: string;
  query: string;
  fragment: string;
}

/** Splits a URL at its delimiters without validating the parts; undefined if the brackets of an IPv6 address do not match. */
export function splitUrl(url: string): UrlParts | undefined {
  let rest = url.replace(/^[\0- ]+|[\t\r\n]/g, "");
  let scheme = "";
  const schemeName = /^[a-zA-Z][a-zA-Z0-9+.-]*(?=:)/.exec(rest)?.[0];
  if (schemeName !== undefined) {
    scheme = schemeName.toLowerCase();
    rest = rest.slice(schemeName.length + 1);
  }
  let host = "";
  if (rest.startsWith("//")) {
    const end = rest.slice(2).search(/[/?#]/);
    host = end === -1 ? rest.slice(2) : rest.slice(2, 2 + end);
    rest = rest.slice(2 + host.length);
    if (host.includes("[") !== host.includes("]")) return undefined;
  }
  const [beforeFragment, fragment] = splitAt(rest, "#");
  const [path, query] = splitAt(beforeFragment, "?");
  return { scheme, host, path, query, fragment };
}

function splitAt(text: string, delimiter: string): [string, string] {
  const index = text.indexOf(delimiter);
  return index === -1 ? [text, ""] : [text.slice(0, index), text.slice(index + 1)];
}

function joinUrl({ scheme, host, path, query, fragment }: UrlParts): string {
  let url = path;
  if (host !== "" || (schemesWithHost.has(scheme) && !url.startsWith("//"))) {
    url = `//${host}${url !== "" && !url.startsWith("/") ? "/" : ""}${url}`;
  }
  const prefix = scheme === "" ? "" : `${scheme}:`;
  return `${prefix}${url}${query === "" ? "" : `?${query}`}${fragment === "" ? "" : `#${fragment}`}`;
}

/**
 * Normalizes a link's URL: keeps paths on this server, and adds `mailto:` to e-mail addresses and `http://` to other URLs
 * without a scheme. Returns undefined if the scheme is not allowed, and an empty string if the text is not a URL.
 */
export function safeUrl(url: string): string | undefined {
  const parts = splitUrl(url.replaceAll(" ", "%20"));
  if (!parts) return "";
  const { scheme, host, path, query, fragment } = parts;
  if (scheme === "" && host === "") {
    if (/^[^/]*@/.test(path)) return joinUrl({ ...parts, scheme: "mailto" });
    if (path.startsWith("/")) return joinUrl(parts);
    if (path === "" && query === "" && fragment !== "") return joinUrl(parts);
  }
  if (scheme === "") return safeUrl(`http://${url}`);
  return schemes.has(scheme) ? joinUrl(parts) : undefined;
}

/** Makes links to this server relative, so that they work under any of its URLs. */
export function relativeUrl(url: string, realmUrl: string | undefined): string {
  if (!realmUrl) return url;
  if (url.startsWith(`${realmUrl}/#`)) return url.slice(realmUrl.length + 1);
  return url.startsWith(`${realmUrl}/user_uploads/`) ? url.slice(realmUrl.length) : url;
}
