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

/** The short class for one of the highlighter's scopes and the text in it; undefined where no span is needed. */
export function classOf(scope: string, text: string): string | undefined {
  const name = scope.replace(/^hljs-/, "");
  if (name === "number") return /^\d+$/.test(text) ? "mi" : /^0x/i.test(text) ? "mh" : "mf";
  if (name === "string") return text.startsWith("'") ? "s1" : text.startsWith('"') ? "s2" : "s";
  return classes[name] || classes[name.split(" ")[0]!] || undefined;
}

const pythonPiece = /([A-Za-z_]\w*)|((?:[-+*/%=!^|~@.]|&lt;|&gt;|&amp;)+)|([()[\]{},:;]+)|[\s\S]/g;

/** What the highlighter leaves plain in Python: names, operators and punctuation have classes of their own there. */
export function pythonText(text: string): string {
  return text.replace(pythonPiece, (part, name?: string, operator?: string, punctuation?: string) => {
    const kind = name ? "n" : operator ? "o" : punctuation ? "p" : undefined;
    return kind ? `<span class="${kind}">${part}</span>` : part;
  });
}
