import hljs from "highlight.js/lib/common";

// Code with longer lines is not highlighted: some of highlight.js's regular expressions take quadratic time.
const maxLineCharacters = 300;

/**
 * Highlights code as HTML with Pygments' short class names, which Zulip clients style. Undefined if the language is unknown or
 * a line is too long.
 */
export function highlight(source: string, language: string): string | undefined {
  if (!hljs.getLanguage(language)) return undefined;
  if (source.split("\n").some((line) => line.length > maxLineCharacters)) return undefined;
  const { value, language: canonicalName } = hljs.highlight(source, { language, ignoreIllegals: true });
  return toShortClasses(value, canonicalName === "python");
}

const token = /<span class="([^"]*)">([^<]*)|<\/span>|[^<]+/g;

/** Replaces the class names in highlight.js's output, which is a sequence of spans and escaped text. */
function toShortClasses(html: string, isPython: boolean): string {
  /** The closing tag of each open span; empty if its opening tag was dropped. */
  const closingTags: string[] = [];
  let output = "";
  for (const [part, scope, content = ""] of html.matchAll(token)) {
    if (part === "</span>") output += closingTags.pop() ?? "";
    else if (scope !== undefined) {
      const text = unescapeQuotes(content);
      const name = classOf(scope, text);
      closingTags.push(name === undefined ? "" : "</span>");
      output += name === undefined ? text : `<span class="${name}">${text}`;
    } else
      output += isPython && !closingTags.includes("</span>") ? pythonText(unescapeQuotes(part)) : unescapeQuotes(part);
  }
  return output;
}

/** Unescapes quotation marks, because Zulip does not escape them in highlighted code. */
function unescapeQuotes(text: string): string {
  return text.replaceAll("&quot;", '"').replaceAll("&#x27;", "'");
}

/** Pygments' short class for each scope of highlight.js. */
const classes: Record<string, string> = {
  keyword: "k",
  built_in: "nb",
  type: "kt",
  literal: "kc",
  operator: "o",
  punctuation: "p",
  property: "na",
  regexp: "sr",
  "char.escape": "se",
  subst: "si",
  symbol: "ss",
  variable: "nv",
  "variable language_": "bp",
  "variable constant_": "no",
  title: "nf",
  "title class_": "nc",
  "title class_ inherited__": "n",
  "title function_": "nf",
  "title function_ invoke__": "n",
  params: "",
  comment: "c1",
  doctag: "cs",
  meta: "cp",
  "meta prompt": "gp",
  "meta keyword": "cp",
  "meta string": "cpf",
  section: "gh",
  tag: "nt",
  name: "nt",
  attr: "na",
  attribute: "na",
  bullet: "l",
  code: "sb",
  emphasis: "ge",
  strong: "gs",
  formula: "s",
  link: "l",
  quote: "c1",
  "selector-tag": "nt",
  "selector-id": "nn",
  "selector-class": "nc",
  "selector-attr": "na",
  "selector-pseudo": "nd",
  "template-tag": "cp",
  "template-variable": "nv",
  addition: "gi",
  deletion: "gd",
};

/** The short class for a scope of highlight.js and the text in it; undefined if no span is needed. */
function classOf(scope: string, text: string): string | undefined {
  const name = scope.replace(/^hljs-/, "");
  if (name === "number") return /^\d+$/.test(text) ? "mi" : /^0x/i.test(text) ? "mh" : "mf";
  if (name === "string") return text.startsWith("'") ? "s1" : text.startsWith('"') ? "s2" : "s";
  return classes[name] || classes[name.split(" ", 1).join()] || undefined;
}

const pythonToken = /([A-Za-z_]\w*)|((?:[-+*/%=!^|~@.]|&lt;|&gt;|&amp;)+)|([()[\]{},:;]+)|[\s\S]/g;

/** Adds spans for names, operators and punctuation, which Pygments marks in Python and highlight.js does not. */
function pythonText(text: string): string {
  return text.replace(pythonToken, (part, name?: string, operator?: string, punctuation?: string) => {
    const className = name ? "n" : operator ? "o" : punctuation ? "p" : undefined;
    return className ? `<span class="${className}">${part}</span>` : part;
  });
}
