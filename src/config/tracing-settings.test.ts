import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ConfigError, parseConfig } from './config.ts'

const ON = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318/' }

const mistakesOf = (env: Record<string, string>): readonly string[] => {
  try {
    parseConfig({ ...ON, ...env })
    return []
  } catch (error) {
    return error instanceof ConfigError ? error.mistakes : assert.fail(String(error))
  }
}

test('reads the standard variables of OpenTelemetry', () => {
  const { traces } = parseConfig({
    ...ON,
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20one, x-of=all',
    OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'x-of=traces',
    OTEL_RESOURCE_ATTRIBUTES: 'service.name=named,deployment.environment.name=a%2Cb',
    OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
    OTEL_TRACES_SAMPLER_ARG: '0.01',
  })
  assert.deepEqual(traces, {
    url: 'http://127.0.0.1:4318/v1/traces',
    headers: { authorization: 'Bearer one', 'x-of': 'traces' },
    service: 'named',
    attributes: { 'service.name': 'named', 'deployment.environment.name': 'a,b' },
    sampler: { name: 'parentbased_traceidratio', ratio: 0.01 },
    trustsClients: false,
  })
  const own = { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://collector.example.com/in' }
  assert.equal(parseConfig({ ...ON, ...own }).traces?.url, 'https://collector.example.com/in')
})

test('ignores mistakes while tracing is off', () => {
  const wrong = { OTEL_TRACES_SAMPLER: 'what others use', OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }
  assert.equal(parseConfig(wrong).traces, undefined)
  assert.equal(parseConfig({ ...ON, ...wrong, OTEL_SDK_DISABLED: 'true' }).traces, undefined)
  assert.equal(parseConfig({ ...ON, ...wrong, OTEL_TRACES_EXPORTER: 'none' }).traces, undefined)
})

test('reports mistakes without repeating secrets', () => {
  const wrong: Record<string, string> = {
    OTEL_EXPORTER_OTLP_ENDPOINT: 'CANARY.example.com',
    OTEL_EXPORTER_OTLP_HEADERS: 'CANARY',
    OTEL_RESOURCE_ATTRIBUTES: 'name=%CANARY',
    OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
    OTEL_TRACES_SAMPLER: 'jaeger_remote',
    OTEL_TRACES_SAMPLER_ARG: '1.5',
  }
  const mistakes = mistakesOf(wrong)
  assert.equal(mistakes.length, 6)
  for (const name of Object.keys(wrong))
    assert.ok(
      mistakes.some((one) => one.startsWith(name)),
      name,
    )
  assert.ok(!mistakes.join().includes('CANARY'))
  assert.equal(mistakesOf({ OTEL_EXPORTER_OTLP_HEADERS: 'x-key=a%0Ab' }).length, 1)
  assert.deepEqual(mistakesOf({}), [])
})
