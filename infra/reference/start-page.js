// Runs in the browser, after Swagger UI.

// Forms begin empty or with the parameters' defaults, and an empty parameter is not sent unless its box is ticked.
// Swagger UI would otherwise fill in samples of its own ("string", 0), and tick all boxes.
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
  // Swagger UI's validator is a service on the Internet.
  validatorUrl: null,
  // Sends no credentials but the entered key: no cookies, and the browser does not ask for a password after a 401.
  requestInterceptor: (request) => Object.assign(request, { credentials: "omit" }),
});
