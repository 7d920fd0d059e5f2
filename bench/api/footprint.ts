import { setTimeout as pause } from 'node:timers/promises'
import autocannon from 'autocannon'
import { reportFigure } from '../support/figures.ts'
import { startDocketProcess } from '../support/processes.ts'
import type { SeededWorkspace } from '../support/seed.ts'

const MIB = 2 ** 20
const REQUESTS = 200_000

interface FilledDataDir {
  dataDir: string
  seeded: SeededWorkspace
  tasks: number
}

/** Measures the start on a filled database, and the memory after it and after many requests. */
export async function measureFootprint({ dataDir, seeded, tasks }: FilledDataDir): Promise<void> {
  const docket = await startDocketProcess(dataDir)
  const started = `start to ready, seconds (${tasks.toLocaleString('en')} tasks)`
  reportFigure(started, docket.startupMs / 1000, { most: 0.6 })
  reportFigure('memory after the start, MiB', await settledMemory(), { most: 110 })
  await work(REQUESTS)
  const worked = (await docket.memory()) / MIB
  reportFigure('memory after 200,000 mixed requests, MiB', worked, { most: 220 })
  await work(REQUESTS)
  const further = (await docket.memory()) / MIB
  reportFigure('memory after as many again, to that before', further / worked, { most: 1.1 })
  await docket.stop()

  /** By then what begins with the start has run once. */
  async function settledMemory(): Promise<number> {
    await pause(4_000)
    return (await docket.memory()) / MIB
  }

  async function work(amount: number): Promise<void> {
    let serial = 0
    const list = `/api/v1/projects/${seeded.project}/tasks`
    const task = (n: number) => `/api/v1/tasks/${seeded.tasks[n % seeded.tasks.length]}`
    const body = () => JSON.stringify({ title: `The mail of customer ${serial}` })
    const path = (of: () => string) => (request: autocannon.Request) => {
      serial += 1
      return { ...request, path: of() }
    }
    const { non2xx } = await autocannon({
      url: docket.url,
      connections: 64,
      amount,
      headers: { authorization: `Bearer ${seeded.key}`, 'content-type': 'application/json' },
      requests: [
        { method: 'GET', setupRequest: path(() => task(serial)) },
        { method: 'GET', setupRequest: path(() => `${list}?limit=20&sort=-updated_at`) },
        { method: 'GET', setupRequest: path(() => `${list}?limit=5&q=zepp&assignee_id=none`) },
        { method: 'GET', setupRequest: path(() => `${task(serial)}/comments`) },
        {
          method: 'POST',
          setupRequest: (request) => ({
            ...path(() => '/api/v1/tasks')(request),
            body: JSON.stringify({ ...JSON.parse(body()), project_id: seeded.project }),
          }),
        },
        {
          method: 'PATCH',
          setupRequest: (request) => ({ ...path(() => task(serial))(request), body: body() }),
        },
      ],
    })
    if (non2xx > 0) throw new Error(`${non2xx} of the mixed requests were refused`)
  }
}
