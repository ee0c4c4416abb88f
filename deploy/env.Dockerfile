# Tasks on devices for trainers, by OpenEnv (docs/openenv.md), on top of the web app's image:
#
#   docker build -t tapwright . && docker build -t tapwright-env -f deploy/env.Dockerfile .
#   docker run -p 8000:8000 -v rollouts:/data -e TAPWRIGHT_TOKEN=… tapwright-env phone-l3 --envs 8 --record /data
#
# It listens to every address of the container, so clients need the token. Those that know it by
# another name than localhost:8000 add --allow-host NAME[:PORT].

FROM tapwright
USER root
COPY locks/faces/openenv.txt /tmp/locks/
RUN pip install --no-cache-dir --require-hashes --no-deps -r /tmp/locks/openenv.txt
USER tapwright
EXPOSE 8000
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s --retries=3 \
    CMD ["python", "-c", "import socket; socket.create_connection(('127.0.0.1', 8000), 4)"]
ENTRYPOINT ["tapwright", "env", "serve", "--host", "0.0.0.0", "--port", "8000", "--allow-host", "localhost"]
CMD ["phone-l3"]
