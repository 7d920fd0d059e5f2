import { measureLoadCost } from '../api/bare-server-comparison.ts'
import { median, reportFigure } from '../support/figures.ts'
import type { DocketProcess } from '../support/processes.ts'
import type { SeededWorkspace } from '../support/seed.ts'
import { loadFeedPage } from './snapshot.ts'

const ROUNDS = Number(process.env.ROUNDS ?? 9)
const SECONDS = Number(process.env.SECONDS ?? 1)
const WARM_UP_SECONDS = 4

/** Compares the CPU time of a request at the end of the feed with that of reading one task. */
export async function compareFeedRead(
  docket: DocketProcess,
  { key, tasks }: SeededWorkspace,
): Promise<void> {
  const { position } = await loadFeedPage(docket.url, key, '?after=now')
  const headers = { authorization: `Bearer ${key}` }
  const paths = {
    task: `/api/v1/tasks/${tasks[7]}`,
    feed: `/api/v1/changes?after=${position}`,
  }
  const costs = { task: [] as number[], feed: [] as number[] }
  for (let round = -1; round < ROUNDS; round += 1) {
    for (const name of ['task', 'feed'] as const) {
      const seconds = round < 0 ? WARM_UP_SECONDS : SECONDS
      const { cost } = await measureLoadCost(docket, { path: paths[name] }, headers, seconds)
      if (round >= 0) costs[name].push(cost)
    }
  }
  const ratios = costs.feed.map((cost, round) => cost / (costs.task[round] ?? Number.NaN))
  reportFigure('GET changes at the end of the feed / GET a task', ratios, { most: 1.5 })
  console.log(
    `    ${median(costs.feed).toFixed(1)} µs against ${median(costs.task).toFixed(1)} µs each`,
  )
}
