# Two stages: build with the compiler, run without it. The container runs as an ordinary user and
# keeps everything in /data.
#
# Sigil does not open a network listener in the clear. Run it one of two ways:
#   TLS:    docker run -v sigil:/data -v /etc/certs:/certs:ro \
#             -e TLS_CERT=/certs/chain.pem -e TLS_KEY=/certs/key.pem -p 27017:27017 -p 8080:8080 sigil
#   Proxy:  a network that only a TLS-terminating proxy reaches:
#             -e ALLOW_INSECURE=1 -e TRUSTED_PROXIES=<address of the proxy>
# On a network WHITELIST has to be set: WHITELIST=enforce lets in the wallets that are listed, and those
# of ADMIN_ADDRESSES; WHITELIST=off lets in everybody who makes a wallet.
# The first start prints the operator's key once (docker logs); OPERATOR_KEY_FILE=/data/operator.key
# writes it to that file instead, and API_KEY_FILE gives one of your own.
FROM node:22-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc tsconfig.json prepare.mjs ./
RUN npm ci --ignore-scripts
COPY src ./src
RUN npx tsc -p . && node prepare.mjs page && \
  npm prune --omit=dev --ignore-scripts

FROM node:22-slim
WORKDIR /app
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/build/src ./build/src
COPY --from=build /app/build/studio ./build/studio
COPY package.json LICENSE NOTICE ./
RUN mkdir /data && chown node:node /data && chmod 700 /data
USER node
# Large buffers go back to the system when they are freed.
ENV HOST=0.0.0.0 STORE=lmdb:/data MALLOC_MMAP_THRESHOLD_=262144
VOLUME /data
EXPOSE 8080 27017 6379 5432
HEALTHCHECK --interval=10s --timeout=3s --start-period=5s \
  CMD node build/src/main.js health || exit 1
STOPSIGNAL SIGTERM
CMD ["node", "--max-semi-space-size=16", "--expose-gc", "--no-allocation-site-pretenuring", "build/src/main.js", "start"]
