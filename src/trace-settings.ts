import type { TraceSettings } from '#traces/open.ts'

type Text = (name: string) => string | undefined

const SAMPLERS = [
  ...['always_on', 'always_off', 'traceidratio'],
  ...['parentbased_always_on', 'parentbased_always_off', 'parentbased_traceidratio'],
]
/** As it is said in JSON, which every collector takes where it takes the other. */
const PROTOCOLS = ['http/json', 'http/protobuf']

/**
 * Where traces go, by the standard variables of OpenTelemetry; undefined without a collector. All that is
 * wrong is noted, and none of it repeated: an address or a header may hold a secret.
 */
export function traceSettings(
  text: Text,
  trustsClients: boolean,
  mistakes: string[],
): TraceSettings | undefined {
  const [all, own] = ['OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT']
  const [base, whole] = [text(all), text(own)]
  const isOff = text('OTEL_SDK_DISABLED')?.toLowerCase() === 'true'
  const isNone = text('OTEL_TRACES_EXPORTER') === 'none'
  const wrong: string[] = []
  const attributes = pairs(text, 'OTEL_RESOURCE_ATTRIBUTES', wrong)
  const settings: TraceSettings = {
    url: whole ?? `${base?.replace(/\/$/, '')}/v1/traces`,
    headers: headersOf(text, wrong),
    service: text('OTEL_SERVICE_NAME') ?? attributes['service.name'] ?? 'docket',
    attributes,
    sampler: samplerOf(text, wrong),
    trustsClients,
  }
  const protocol = text('OTEL_EXPORTER_OTLP_TRACES_PROTOCOL') ?? text('OTEL_EXPORTER_OTLP_PROTOCOL')
  if (protocol !== undefined && !PROTOCOLS.includes(protocol)) {
    wrong.push('OTEL_EXPORTER_OTLP_PROTOCOL must be http/json: Docket speaks OTLP over HTTP')
  }
  if (!/^https?:$/.test(URL.parse(settings.url)?.protocol ?? '')) {
    wrong.push(`${whole ? own : all} must be an address such as http://127.0.0.1:4318`)
  }
  if (isOff || isNone || (base === undefined && whole === undefined)) return undefined
  mistakes.push(...wrong)
  return settings
}

function headersOf(text: Text, mistakes: string[]): Record<string, string> {
  const headers = {
    ...pairs(text, 'OTEL_EXPORTER_OTLP_HEADERS', mistakes),
    ...pairs(text, 'OTEL_EXPORTER_OTLP_TRACES_HEADERS', mistakes),
  }
  const fits = ([name, value]: [string, string]) =>
    /^[!#$%&'*+.^_`|~0-9a-z-]+$/i.test(name) && /^[\t\x20-\x7e]*$/.test(value)
  if (!Object.entries(headers).every(fits)) {
    mistakes.push('OTEL_EXPORTER_OTLP_HEADERS must name headers and values that HTTP allows')
  }
  return headers
}

/** `name=value` and a comma between them, each percent-encoded, as W3C Baggage has it. */
function pairs(text: Text, name: string, mistakes: string[]): Record<string, string> {
  const found: Record<string, string> = {}
  for (const part of (text(name) ?? '').split(',')) {
    if (part.trim() === '') continue
    const at = part.indexOf('=')
    const key = part.slice(0, Math.max(at, 0)).trim()
    const decoded = decodedOf(part.slice(at + 1).trim())
    if (key === '' || /\s/.test(key) || decoded === undefined) {
      mistakes.push(`${name} must list pairs such as name=value,other=value`)
      return {}
    }
    found[key] = decoded
  }
  return found
}

function decodedOf(value: string): string | undefined {
  try {
    return decodeURIComponent(value)
  } catch {
    return undefined
  }
}

function samplerOf(text: Text, mistakes: string[]): TraceSettings['sampler'] {
  const name = text('OTEL_TRACES_SAMPLER') ?? 'parentbased_always_on'
  const given = text('OTEL_TRACES_SAMPLER_ARG') ?? '1'
  const ratio = given.trim() === '' ? Number.NaN : Number(given)
  if (!SAMPLERS.includes(name)) {
    mistakes.push(`OTEL_TRACES_SAMPLER must be one of ${SAMPLERS.join(', ')}, not "${name}"`)
  }
  if (!(ratio >= 0 && ratio <= 1)) {
    mistakes.push(`OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1, not "${given}"`)
  }
  return { name, ratio }
}
