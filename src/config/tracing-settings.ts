import type { TracingSettings } from '#tracing/start-tracing.ts'
import type { ReadText } from './env-reader.ts'

const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
]
/** Docket sends JSON; collectors that accept protobuf over HTTP accept JSON too. */
const PROTOCOLS = ['http/json', 'http/protobuf']

/**
 * Reads the standard variables of OpenTelemetry; undefined without a collector. Mistakes never
 * repeat a URL or a header, which may contain a secret.
 */
export function readTracingSettings(
  text: ReadText,
  trustsClients: boolean,
  mistakes: string[],
): TracingSettings | undefined {
  const [generalName, tracesName] = [
    'OTEL_EXPORTER_OTLP_ENDPOINT',
    'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
  ]
  const [baseUrl, tracesUrl] = [text(generalName), text(tracesName)]
  const isOff = text('OTEL_SDK_DISABLED')?.toLowerCase() === 'true'
  const isNone = text('OTEL_TRACES_EXPORTER') === 'none'
  const ownMistakes: string[] = []
  const attributes = readPairs(text, 'OTEL_RESOURCE_ATTRIBUTES', ownMistakes)
  const settings: TracingSettings = {
    url: tracesUrl ?? `${baseUrl?.replace(/\/$/, '')}/v1/traces`,
    headers: readHeaders(text, ownMistakes),
    service: text('OTEL_SERVICE_NAME') ?? attributes['service.name'] ?? 'docket',
    attributes,
    sampler: readSampler(text, ownMistakes),
    trustsClients,
  }
  const protocol = text('OTEL_EXPORTER_OTLP_TRACES_PROTOCOL') ?? text('OTEL_EXPORTER_OTLP_PROTOCOL')
  if (protocol !== undefined && !PROTOCOLS.includes(protocol)) {
    ownMistakes.push(
      'OTEL_EXPORTER_OTLP_PROTOCOL must be http/json or http/protobuf; gRPC is not supported',
    )
  }
  if (!/^https?:$/.test(URL.parse(settings.url)?.protocol ?? '')) {
    ownMistakes.push(
      `${tracesUrl ? tracesName : generalName} must be a URL such as http://127.0.0.1:4318`,
    )
  }
  if (isOff || isNone || (baseUrl === undefined && tracesUrl === undefined)) return undefined
  mistakes.push(...ownMistakes)
  return settings
}

function readHeaders(text: ReadText, mistakes: string[]): Record<string, string> {
  const headers = {
    ...readPairs(text, 'OTEL_EXPORTER_OTLP_HEADERS', mistakes),
    ...readPairs(text, 'OTEL_EXPORTER_OTLP_TRACES_HEADERS', mistakes),
  }
  const isValid = ([name, value]: [string, string]) =>
    /^[!#$%&'*+.^_`|~0-9a-z-]+$/i.test(name) && /^[\t\x20-\x7e]*$/.test(value)
  if (!Object.entries(headers).every(isValid)) {
    mistakes.push('OTEL_EXPORTER_OTLP_HEADERS must contain valid HTTP header names and values')
  }
  return headers
}

/** Reads `name=value` pairs separated by commas and percent-encoded, as in W3C Baggage. */
function readPairs(text: ReadText, name: string, mistakes: string[]): Record<string, string> {
  const pairs: Record<string, string> = {}
  for (const part of (text(name) ?? '').split(',')) {
    if (part.trim() === '') continue
    const at = part.indexOf('=')
    const key = part.slice(0, Math.max(at, 0)).trim()
    const decoded = decodePercent(part.slice(at + 1).trim())
    if (key === '' || /\s/.test(key) || decoded === undefined) {
      mistakes.push(`${name} must list pairs such as name=value,other=value`)
      return {}
    }
    pairs[key] = decoded
  }
  return pairs
}

function decodePercent(value: string): string | undefined {
  try {
    return decodeURIComponent(value)
  } catch {
    return undefined
  }
}

function readSampler(text: ReadText, mistakes: string[]): TracingSettings['sampler'] {
  const name = text('OTEL_TRACES_SAMPLER') ?? 'parentbased_always_on'
  const argument = text('OTEL_TRACES_SAMPLER_ARG') ?? '1'
  const ratio = argument.trim() === '' ? Number.NaN : Number(argument)
  if (!SAMPLERS.includes(name)) {
    mistakes.push(`OTEL_TRACES_SAMPLER must be one of ${SAMPLERS.join(', ')}, not "${name}"`)
  }
  if (!(ratio >= 0 && ratio <= 1)) {
    mistakes.push(`OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1, not "${argument}"`)
  }
  return { name, ratio }
}
