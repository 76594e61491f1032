// Runs in the browser, after Swagger UI.

// Forms begin empty or with what the server assumes, and what is left empty is not sent unless its box is ticked.
// Swagger UI would fill in samples of its own ("string", 0), and tick all boxes.
const emptyForms = {
  wrapComponents: {
    ParameterIncludeEmpty:
      (Box, { React }) =>
      (props) =>
        React.createElement(Box, Object.assign({}, props, { isIncludedOptions: { shouldDispatchInit: false } })),
  },
  afterLoad() {
    const { getSampleSchema } = this.fn;
    this.fn.getSampleSchema = (schema, type, options, ...others) =>
      options?.includeWriteOnly
        ? (schema?.toJS?.() ?? schema)?.default
        : getSampleSchema(schema, type, options, ...others);
  },
};

globalThis.SwaggerUIBundle({
  url: "/api/v1/openapi.json",
  dom_id: "#reference",
  plugins: [emptyForms],
  deepLinking: true,
  docExpansion: "none",
  defaultModelsExpandDepth: 0,
  filter: true,
  tryItOutEnabled: true,
  displayRequestDuration: true,
  // Its "validator" is a service on the Internet.
  validatorUrl: null,
  // The key that was entered is all that is sent: no cookies, and no question of the browser's own after a 401.
  requestInterceptor: (request) => Object.assign(request, { credentials: "omit" }),
});
