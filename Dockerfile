# docker build -t pwh .                       all commands but the app and the training of models
# docker build -t pwh:full --target full .    with all extras and Graphviz
#
# docker run --rm --user "$(id -u):$(id -g)" -v "$PWD:/data" pwh ingest results/
# docker run --rm --user "$(id -u):$(id -g)" -v "$PWD:/data" -p 127.0.0.1:8501:8501 \
#     pwh:full ui --host 0.0.0.0 --port 8501 --no-browser
#
# torch brings CUDA, gigabytes of it, unless pip finds a build for CPUs:
# --build-arg PIP_EXTRA_INDEX_URL=(the index of PyTorch's builds for CPUs).

FROM python:3.11-slim AS build
WORKDIR /source
COPY pyproject.toml constraints.txt README.md LICENSE NOTICE.md ./
COPY apps apps
COPY ingest ingest
COPY sql sql
COPY udfs udfs
COPY warehouse warehouse
# The versions that were tested; pip takes no hashes for part of what it installs.
RUN sed -e 's/ --hash=.*//' -e 's/^# \(torch==.*\)/\1/' constraints.txt > /versions.txt
RUN python -m venv /opt/pwh && /opt/pwh/bin/pip install --no-cache-dir -c /versions.txt .

FROM build AS build-full
ARG PIP_EXTRA_INDEX_URL
RUN /opt/pwh/bin/pip install --no-cache-dir -c /versions.txt '.[all]'

FROM python:3.11-slim AS base
# Whoever --user names may have no folder of their own.
ENV PATH=/opt/pwh/bin:$PATH HOME=/tmp
WORKDIR /data
ENTRYPOINT ["pwh"]

FROM base AS full
RUN apt-get update -q && apt-get install -qy --no-install-recommends graphviz \
    && rm -rf /var/lib/apt/lists/*
COPY --from=build-full /opt/pwh /opt/pwh
USER 1000:1000

FROM base AS slim
COPY --from=build /opt/pwh /opt/pwh
USER 1000:1000
