import autocannon from 'autocannon'
import { median, reportFigure } from '../support/figures.ts'
import type { BareServer, BenchServer, DocketProcess } from '../support/processes.ts'
import type { SeededWorkspace } from '../support/seed.ts'

const ROUNDS = 5
const SECONDS = 2
const CONNECTIONS = 64
/** Seconds until V8 has optimized the code, on a busy machine. */
const WARM_UP_SECONDS = 5

/** A request that is sent again and again, with a body of its own each time. */
interface LoadRequest {
  method?: 'GET' | 'POST' | 'PATCH'
  path: string
  body?: (() => string) | undefined
}

/**
 * Compares the CPU time per request with that of a bare server that sends the same bytes. The
 * machine is noisy, so the servers take turns and only ratios are judged.
 */
export async function compareWithBareServer(
  bare: BareServer,
  docket: DocketProcess,
  seeded: SeededWorkspace,
): Promise<void> {
  const headers = { authorization: `Bearer ${seeded.key}`, 'content-type': 'application/json' }
  const reply = (path: string) =>
    fetch(docket.url + path, { headers: { ...headers, 'accept-encoding': 'identity' } }).then(
      (got) => got.text(),
    )
  let serial = 0
  const body = () => {
    serial += 1
    return JSON.stringify({
      project_id: seeded.project,
      title: `The export of invoice ${serial} fails when the customer has moved`,
      priority: 'high',
      due_date: '2027-03-01',
    })
  }

  const task = `/api/v1/tasks/${seeded.tasks[7]}`
  const list = `/api/v1/projects/${seeded.project}/tasks?limit=50`
  await compare('GET a task', 0.6, { path: task })
  await compare('GET a list of 50 tasks', 0.2, { path: list })
  await compare('POST a task, durable', 0.2, { method: 'POST', path: '/api/v1/tasks', body })
  const change = () => {
    serial += 1
    return JSON.stringify({ title: `Invoice ${serial} is paid` })
  }
  await compare('PATCH a field, durable', 0.2, { method: 'PATCH', path: task, body: change })

  async function compare(title: string, least: number, request: LoadRequest): Promise<void> {
    const { path, body } = request
    if (!body) await bare.serve(await reply(path))
    const servers = { bare, docket }
    const rates: Record<string, number[]> = { bare: [], docket: [] }
    const costs: Record<string, number[]> = { bare: [], docket: [] }
    for (let round = -1; round < ROUNDS; round++) {
      for (const [name, server] of Object.entries(servers)) {
        const { rate, cost } = await measureLoadCost(
          server,
          request,
          headers,
          round < 0 ? WARM_UP_SECONDS : SECONDS,
        )
        if (round < 0) continue
        rates[name]?.push(rate)
        costs[name]?.push(cost)
      }
    }
    const ratios = (costs.docket ?? []).map((cost, at) => (costs.bare?.[at] ?? Number.NaN) / cost)
    reportFigure(`${title} / bare, by processor time`, ratios, { least })
    const inEach = ([name, all]: [string, number[]]) => `${name} ${median(all).toFixed(1)} µs`
    const perSecond = ([name, all]: [string, number[]]) => `${name} ${median(all).toFixed(0)}`
    const each = Object.entries(costs).map(inEach).join(', ')
    console.log(`    ${each} each; ${Object.entries(rates).map(perSecond).join(', ')} a second`)
  }
}

/** Loads a server for some seconds; returns requests per second and µs of CPU time per request. */
async function measureLoadCost(
  server: BenchServer,
  { method = 'GET', path, body }: LoadRequest,
  headers: Record<string, string>,
  duration: number,
) {
  const before = await server.cpu()
  const { requests, non2xx } = await autocannon({
    url: server.url + path,
    connections: CONNECTIONS,
    duration,
    headers,
    requests: [
      { method, ...(body && { setupRequest: (request) => ({ ...request, body: body() }) }) },
    ],
  })
  if (non2xx > 0) throw new Error(`${path}: ${non2xx} requests were refused`)
  const cost = (((await server.cpu()) - before) * 1e6) / requests.total
  return { rate: requests.average, cost }
}
