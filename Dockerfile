# The fleet's endpoints in one process, for organizations whose clients wait most of all: see docs/operating.md.
FROM node:24-slim
WORKDIR /skein
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev --ignore-scripts
COPY functions functions
COPY shared shared
COPY infra infra
ENV HOST=0.0.0.0 PORT=8080 SKEIN_SERVE=events
EXPOSE 8080
USER node
CMD ["node", "infra/serve.ts"]
