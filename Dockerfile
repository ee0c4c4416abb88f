# The web app with everything it needs: its pages, Chromium for the built-in phone, adb for real ones.
#
#   docker build -t tapwright .
#   docker run -p 8765:8765 -v tapwright:/data -e TAPWRIGHT_TOKEN=… tapwright
#
# It listens to every address of the container, so it asks who comes in: one token as above, or a
# team (docs/server.md).

FROM node:22-bookworm-slim AS pages
WORKDIR /build/frontend
COPY frontend/package.json frontend/package-lock.json ./
RUN npm ci --no-audit --no-fund
COPY frontend/ ./
RUN npm run build

FROM python:3.12-slim-bookworm AS wheel
WORKDIR /build
COPY locks/ locks/
RUN pip install --no-cache-dir --require-hashes --no-deps -r locks/build.txt
COPY pyproject.toml hatch_build.py README.md CHANGELOG.md CONTRIBUTING.md LICENSE ./
COPY scripts/ scripts/
COPY src/ src/
COPY --from=pages /build/src/tapwright/web/static/ src/tapwright/web/static/
RUN pip wheel --no-cache-dir --no-deps --no-build-isolation --wheel-dir /wheels .

FROM python:3.12-slim-bookworm
# The phone shows pages of ours alone, and Docker forbids what Chromium's sandbox is made of.
RUN apt-get update \
    && apt-get install --no-install-recommends --yes adb chromium-headless-shell \
    && rm -rf /var/lib/apt/lists/* \
    && printf '#!/bin/sh\nexec /usr/lib/chromium/chromium-headless-shell --no-sandbox "$@"\n' \
        > /usr/local/bin/chromium-headless \
    && chmod +x /usr/local/bin/chromium-headless \
    && useradd --create-home --uid 1000 tapwright \
    && install --directory --owner tapwright /data
COPY locks/ /tmp/locks/
RUN --mount=type=bind,from=wheel,source=/wheels,target=/wheels \
    pip install --no-cache-dir --require-hashes --no-deps \
        -r /tmp/locks/core.txt -r /tmp/locks/browser.txt -r /tmp/locks/parquet.txt \
        -r /tmp/locks/postgres.txt \
    && pip install --no-cache-dir --no-deps /wheels/*.whl
ENV TAPWRIGHT_CHROMIUM=/usr/local/bin/chromium-headless
USER tapwright
WORKDIR /data
VOLUME /data
EXPOSE 8765
# Any answer means that it serves: who asks without a cookie is told so by 200.
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s --retries=3 \
    CMD ["python", "-c", "import urllib.request as r; r.urlopen('http://127.0.0.1:8765/api/me', timeout=4)"]
ENTRYPOINT ["tapwright", "serve", "--host", "0.0.0.0", "--port", "8765"]
CMD ["--device", "phone"]
