# compose alone: a static program, the certificates that it reaches catalogs with, and two empty folders.
#
#   docker build --tag compose .
#   docker run --rm --user "$(id -u):$(id -g)" --volume "$PWD:/work" compose validate
#
# The base image is named by its tag. Pin it by digest where you build, FROM golang:1.26@sha256:...: which digest is the right one
# today is for the registry to say, and one that is written down here would go without the fixes of every later image.
FROM golang:1.26 AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN CGO_ENABLED=0 go build -trimpath -buildvcs=false -ldflags="-s -w -buildid=" -o /image/bin/compose ./cmd/compose
RUN mkdir -p /image/etc/ssl/certs /image/work && cp /etc/ssl/certs/ca-certificates.crt /image/etc/ssl/certs/
RUN mkdir -m 1777 /image/tmp

FROM scratch
COPY --from=build /image /
# Nobody's: what is mounted at /work belongs to whom --user names.
USER 65532:65532
ENV COMPOSE_CACHE=/tmp/compose PATH=/bin
WORKDIR /work
ENTRYPOINT ["/bin/compose"]
