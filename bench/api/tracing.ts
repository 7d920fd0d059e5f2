import { cpSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { median, reportFigure } from '../support/figures.ts'
import { startDocketProcess } from '../support/processes.ts'
import { createBenchDir, type SeededWorkspace } from '../support/seed.ts'
import { measureLoadCost, WARM_UP_SECONDS } from './bare-server-comparison.ts'

const ROUNDS = 9
const SECONDS = 2

/**
 * Compares the CPU time of a GET with 1 % and with all requests traced to that without tracing. The
 * servers take turns, and the ratio is computed for each round.
 */
export async function compareTracingCost(dataDir: string, seeded: SeededWorkspace): Promise<void> {
  const collector = await openCollector()
  const sampled = (ratio: string) => ({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
    OTEL_TRACES_SAMPLER_ARG: ratio,
  })
  const startWith = async (env: Record<string, string>) => {
    const own = createBenchDir()
    cpSync(dataDir, own, { recursive: true })
    return { docket: await startDocketProcess(own, env), costs: [] as number[] }
  }
  const servers = {
    off: await startWith({}),
    hundredth: await startWith(sampled('0.01')),
    all: await startWith(sampled('1')),
  }
  const path = `/api/v1/tasks/${seeded.tasks[7]}`
  const headers = { authorization: `Bearer ${seeded.key}` }
  for (let round = -1; round < ROUNDS; round++) {
    for (const { docket, costs } of Object.values(servers)) {
      const seconds = round < 0 ? WARM_UP_SECONDS : SECONDS
      const { cost } = await measureLoadCost(docket, { path }, headers, seconds)
      if (round >= 0) costs.push(cost)
    }
  }
  const { off, hundredth, all } = servers
  const to = ({ costs }: typeof off) =>
    median(costs.map((cost, at) => cost / (off.costs[at] ?? Number.NaN)))
  reportFigure('GET a task with 1 % traced, to without, by processor', to(hundredth), {
    most: 1.05,
  })
  reportFigure('GET a task with 100 % traced, to without', to(all), { most: 3 })
  console.log(
    `    ${median(off.costs).toFixed(1)} µs each without, ${collector.bytes()} bytes of spans`,
  )
  for (const { docket } of Object.values(servers)) await docket.stop()
  await collector.close()
}

/** A collector that only counts the bytes it receives. */
async function openCollector() {
  let bytes = 0
  const server = createServer((request, response) => {
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length
    })
    request.on('end', () => response.setHeader('content-type', 'application/json').end('{}'))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    bytes: () => bytes,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
