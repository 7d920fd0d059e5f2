import { readFileSync, writeFileSync } from 'node:fs'
import autocannon from 'autocannon'
import { median } from '../support/figures.ts'
import {
  type BareServer,
  type BenchServer,
  type DocketProcess,
  startBareServer,
  startDocketProcess,
} from '../support/processes.ts'
import type { SeededWorkspace } from '../support/seed.ts'

const ROUNDS = 9
const CONNECTIONS = 64
/** Until V8 has optimized the code. */
const WARM_UP_REQUESTS = 6_000
const FILE = new URL('./request-costs.json', import.meta.url)
/** Growth beyond this is more than the noise of a calm machine. */
const NOTABLE_GROWTH = 1.1

interface CostlyRequest {
  method: 'GET' | 'POST' | 'PATCH'
  path: (seeded: SeededWorkspace) => string
  body?: (seeded: SeededWorkspace, serial: number) => object
  /** How many of them one round sends. */
  amount: number
}

const REQUESTS: Record<string, CostlyRequest> = {
  'GET a task': {
    method: 'GET',
    path: ({ tasks }) => `/api/v1/tasks/${tasks[7]}`,
    amount: 4_000,
  },
  'GET a list of 50 tasks': {
    method: 'GET',
    path: ({ project }) => `/api/v1/projects/${project}/tasks?limit=50`,
    amount: 1_500,
  },
  'POST a task': {
    method: 'POST',
    path: () => '/api/v1/tasks',
    body: ({ project }, serial) => ({ project_id: project, title: `Invoice ${serial} is late` }),
    amount: 1_000,
  },
  'PATCH a field of a task': {
    method: 'PATCH',
    path: ({ tasks }) => `/api/v1/tasks/${tasks[11]}`,
    body: (_, serial) => ({ title: `Invoice ${serial} is paid` }),
    amount: 1_000,
  },
}

/**
 * Measures the processor time of four requests as multiples of what a bare `node:http` server needs for
 * the bytes of a task, which differs less from machine to machine than the time does. Compares them with
 * the landed figures in request-costs.json; with `isRecording` replaces those.
 */
export async function compareRequestCosts(
  dataDir: string,
  seeded: SeededWorkspace,
  isRecording: boolean,
): Promise<void> {
  const [bare, docket] = [await startBareServer(), await startDocketProcess(dataDir)]
  const ratios = await measureCosts(bare, docket, seeded)
  await Promise.all([bare.stop(), docket.stop()])
  const landed = JSON.parse(readFileSync(FILE, 'utf8')) as Record<string, number>
  const costs: Record<string, number> = {}
  for (const [name, rounds] of ratios) {
    const cost = Number(median(rounds).toFixed(2))
    costs[name] = cost
    const growth = cost / (landed[name] ?? Number.NaN)
    const note = growth > NOTABLE_GROWTH ? `, grown by ${Math.round((growth - 1) * 100)} %` : ''
    const spread = `${Math.min(...rounds).toFixed(2)} to ${Math.max(...rounds).toFixed(2)}`
    const figure = `${cost.toFixed(2)} × bare (${spread})`
    console.log(`  ${name.padEnd(26)} ${figure}, landed ${landed[name]}${note}`)
  }
  if (isRecording) writeFileSync(FILE, `${JSON.stringify(costs, null, 2)}\n`)
}

async function measureCosts(bare: BareServer, docket: DocketProcess, seeded: SeededWorkspace) {
  const headers = { authorization: `Bearer ${seeded.key}`, 'content-type': 'application/json' }
  const [name = '', unit] = Object.entries(REQUESTS)[0] ?? []
  if (!unit) throw new Error(`${name} has no request`)
  const plain = { ...headers, 'accept-encoding': 'identity' }
  const task = await fetch(docket.url + unit.path(seeded), { headers: plain })
  await bare.serve(await task.text())
  const ratios = new Map<string, number[]>()
  for (let round = -1; round < ROUNDS; round += 1) {
    const send = (server: BenchServer, request: CostlyRequest) =>
      measureCost(server, request, seeded, headers, round < 0 ? WARM_UP_REQUESTS : request.amount)
    const bareCost = await send(bare, unit)
    for (const [request, costly] of Object.entries(REQUESTS)) {
      const cost = await send(docket, costly)
      if (round >= 0) ratios.set(request, [...(ratios.get(request) ?? []), cost / bareCost])
    }
  }
  return ratios
}

let serial = 0

/** The processor time of one request in seconds. */
async function measureCost(
  server: BenchServer,
  { method, path, body }: CostlyRequest,
  seeded: SeededWorkspace,
  headers: Record<string, string>,
  amount: number,
): Promise<number> {
  const before = await server.cpu()
  const { non2xx, errors } = await autocannon({
    url: server.url + path(seeded),
    connections: CONNECTIONS,
    amount,
    headers,
    requests: [
      {
        method,
        ...(body && {
          setupRequest(request) {
            serial += 1
            return { ...request, body: JSON.stringify(body(seeded, serial)) }
          },
        }),
      },
    ],
  })
  if (non2xx + errors > 0) throw new Error(`${method}: ${non2xx + errors} requests failed`)
  return ((await server.cpu()) - before) / amount
}
