# The dashboard is built where the development packages are; the service itself has no build.
FROM node:24-slim AS dashboard
WORKDIR /app
COPY package.json package-lock.json .npmrc tsconfig.json ./
COPY client ./client
COPY dashboard ./dashboard
RUN npm ci --ignore-scripts && npx vite build dashboard

FROM node:24-slim

ENV NODE_ENV=production POSTHORN_ENV=production HOST=0.0.0.0 PORT=3000
WORKDIR /app

# The image has Node 24; the packages that carry Node for other machines (optional) are not needed.
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev --omit=optional --ignore-scripts && npm cache clean --force

COPY migrations ./migrations
# The command line calls the service by its client library.
COPY client/package.json ./client/
COPY client/src ./client/src
COPY src ./src
# What is served at /docs.
COPY docs ./docs
COPY examples ./examples
COPY client/README.md ./client/
COPY bench/RESULTS.md ./bench/
COPY *.md LICENSE openapi.json ./
COPY --from=dashboard /app/dashboard/dist ./dashboard/dist

USER node
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]

# Not through npm, so that SIGTERM reaches the service itself. Add `--role api` or `--role worker` to split the work.
ENTRYPOINT ["node", "src/main.ts"]
