/** The introduction of the API reference. */
export const overview = `
Skein answers what a Zulip server answers, at the same addresses, so that clients made for one work with the other.

**Who you are.** Send HTTP Basic credentials: your e-mail address, and your API key as the password. On this page "Authorize" takes them, and "Execute" then calls this very server in your name. On a server for development, \`POST /api/v1/dev_fetch_api_key\` tells anyone's key; elsewhere \`POST /api/v1/fetch_api_key\` tells yours for your password.

**Parameters** stand in the query of a GET and in the form of any other call, DELETE too; the server reads both. Lists, objects and values of several kinds are JSON text within them. What a call does not know is ignored and named in \`ignored_parameters_unsupported\`.

**Errors** are \`{"result": "error", "msg": ..., "code": ...}\` with a status from 400 on, some with more fields. Under each call are listed the codes that it can answer. A path that is none is answered by 404 \`NOT_FOUND\`, a wrong method by 405 \`METHOD_NOT_ALLOWED\`. What the gateway in front answers itself is \`{"message": ...}\`, and stands under each call too.
`.trim();
