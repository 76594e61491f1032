# Skein on one machine, by `docker run`: docs/operating.md, "In a container". The target `serve` is the endpoints of a deployed fleet
# in one process: docs/operating.md, "How clients wait for events".
FROM node:24-slim AS serve
WORKDIR /skein
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev --ignore-scripts
COPY functions functions
COPY shared shared
COPY infra infra
COPY web web
ENV HOST=0.0.0.0 PORT=8080 SKEIN_SERVE=events
EXPOSE 8080
USER node
CMD ["node", "infra/serve.ts"]

FROM serve
USER root
RUN mkdir -m 700 /data && chown node /data
ENV PORT=9991 SKEIN_DATA=/data SKEIN_ORG=/organization.json SKEIN_DEVELOPMENT=false
EXPOSE 9991
VOLUME /data
USER node
CMD ["node", "infra/local/start.ts"]
