/** What is translated, and into which emoji (decision 16). */
export const emoticons: Readonly<Record<string, string>> = {
  ":)": "slight_smile",
  "(:": "slight_smile",
  ":(": "frown",
  "<3": "heart",
  ":|": "neutral",
  ":/": "confused",
  ";)": "wink",
  ":D": "grinning",
  ":d": "grinning",
  ":P": "stuck_out_tongue",
  ":p": "stuck_out_tongue",
};

const around = `,.;?!()\\[\\] "'\\n\\t`;
const alternatives = Object.keys(emoticons)
  .map((emoticon) => emoticon.replace(/[|()]/g, "\\$&"))
  .join("|");

/** Emoticons as words of their own, or beside punctuation. */
export const emoticonPattern = (): RegExp => new RegExp(`(?<![^${around}])(?:${alternatives})(?![^${around}])`, "g");
