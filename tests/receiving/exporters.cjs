// Exports three RAG requests with the exporter that is named on the command line: http (JSON), proto, grpc.
const [kind, url, token] = process.argv.slice(2);
const { BasicTracerProvider, BatchSpanProcessor } = require("@opentelemetry/sdk-trace-base");
const { resourceFromAttributes } = require("@opentelemetry/resources");
const { trace, context } = require("@opentelemetry/api");
const { OTLPTraceExporter } = require(`@opentelemetry/exporter-trace-otlp-${kind}`);

let options = { url: `${url}/v1/traces`, headers: { authorization: `Bearer ${token}` } };
if (kind === "grpc") {
  const { Metadata, credentials } = require("@grpc/grpc-js");
  const metadata = new Metadata();
  metadata.set("authorization", `Bearer ${token}`);
  options = { url, metadata, credentials: credentials.createInsecure(), compression: "gzip" };
}
const provider = new BasicTracerProvider({
  resource: resourceFromAttributes({ "service.name": "node-app" }),
  spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter(options))],
});
const tracer = provider.getTracer("app");
for (let number = 0; number < 3; number++) {
  const root = tracer.startSpan("rag", {
    attributes: {
      "openinference.span.kind": "CHAIN",
      "input.value": `Question ${number} from ${kind}?`,
      "output.value": "Ja, natürlich ✓.",
    },
  });
  const inside = trace.setSpan(context.active(), root);
  const found = { "openinference.span.kind": "RETRIEVER", "input.value": "query" };
  for (let rank = 0; rank < 3; rank++) {
    found[`retrieval.documents.${rank}.document.id`] = `doc-${rank}`;
    found[`retrieval.documents.${rank}.document.score`] = 1 - rank / 10;
    found[`retrieval.documents.${rank}.document.content`] = `The text of document ${rank}.`;
  }
  tracer.startSpan("dense", { attributes: found }, inside).end();
  root.end();
}
provider.shutdown().then(
  () => process.exit(0),
  (error) => { console.error(error); process.exit(1); },
);
