import assert from 'node:assert/strict'
import type { Page } from '@playwright/test'
import {
  type BrowserFixture,
  closeBrowserAndServers,
  openBrowserFixture,
} from '#test/browser/support/browser-test.ts'
import { seedTasks } from '#test/browser/support/seed.ts'
import { readStoredMutations } from '#test/browser/support/stored-mutations.ts'
import { getTestServer } from '#test/browser/support/test-server.ts'
import { createSeededRandom } from '../simulation/simulated-time.ts'
import {
  actAtRandom,
  isShown,
  openRandomWorker,
  type RandomWorker,
  readListRows,
} from './random-worker.ts'

/**
 * Two people work in one list with real browsers whose networks are cut at random, and whose pages
 * are sometimes loaded anew: `npx node test/experiments/sync/network-cuts.ts --seconds 600 --seed 1`.
 * At the end every task that a person has typed exists once, and both pages show each record as
 * the server has it, before and after they are loaded anew.
 */

const ROLES = ['member', 'admin'] as const
/** Within this time at least one of the waiting changes is sent, or a person can decide about it. */
const PROGRESS_TIMEOUT_MS = 90_000
/** Longer than the app takes for its own retries (docs/spec/web.md); after that a person decides. */
const RETRIES_MS = 15_000

interface TaskOnServer {
  id: string
  short_id: string
  title: string
  status: string
  priority: string
}

export interface CutsReport {
  actions: number
  cuts: number
  reloads: number
  conflicts: number
  tasks: number
}

export async function workWithCuts(
  fixture: BrowserFixture,
  seed: number,
  seconds: number,
): Promise<CutsReport> {
  const random = createSeededRandom(seed)
  const report: CutsReport = { actions: 0, cuts: 0, reloads: 0, conflicts: 0, tasks: 0 }
  const endsAt = Date.now() + seconds * 1_000
  const reloading = new Set<Page>()
  await seedTasks(fixture, 6, (n) => ({ title: `seed${n}`, status: 'todo' }))
  fixture.allow(403, 404, 409, 412)
  fixture.allow(/ERR_|net::|Failed to fetch|NetworkError/)
  const workers = await Promise.all(ROLES.map((role) => openRandomWorker(fixture, role)))
  await Promise.all(workers.flatMap((worker) => [work(worker), cutNetwork(worker.page)]))
  for (const { page } of workers) await page.context().setOffline(false)
  for (const worker of workers) await settle(worker)
  const tasks = await listTasks(fixture)
  report.tasks = tasks.length
  checkCreated(workers, tasks)
  for (const { page, name } of workers) {
    // First what the page has come to by its own replies and live updates, then what it reads anew.
    await comparePage(page, name, () => listTasks(fixture))
    await page.goto(`/w/${fixture.team.workspace}/p/ENG`)
    await comparePage(page, `${name}, loaded anew,`, () => listTasks(fixture))
  }
  return report

  async function work(worker: RandomWorker): Promise<void> {
    while (Date.now() < endsAt) {
      await actAtRandom(worker, random)
      report.actions += 1
      await worker.page.waitForTimeout(random() * 300)
      if (random() < 0.02) await reload(worker.page)
    }
  }

  async function cutNetwork(page: Page): Promise<void> {
    while (Date.now() < endsAt) {
      await page.waitForTimeout(500 + random() * 5_000)
      if (reloading.has(page)) continue
      await page.context().setOffline(true)
      report.cuts += 1
      await page.waitForTimeout(200 + random() * 6_000)
      await page.context().setOffline(false)
    }
  }

  /** Without a network and without a service worker there would be nothing to load. */
  async function reload(page: Page): Promise<void> {
    reloading.add(page)
    await page.context().setOffline(false)
    report.reloads += 1
    await page.reload()
    await page.getByRole('row').nth(1).waitFor()
    reloading.delete(page)
  }

  /** Waits until all is sent, and decides what a person has to decide. */
  async function settle({ page, name }: RandomWorker): Promise<void> {
    let giveUpAt = Date.now() + PROGRESS_TIMEOUT_MS
    let left = Number.POSITIVE_INFINITY
    // A dialog that the last action has left open makes the rest of the page inert.
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
    for (;;) {
      const unsent = await readStoredMutations(page)
      const [first] = unsent
      if (!first) return
      if (unsent.length < left) {
        left = unsent.length
        giveUpAt = Date.now() + PROGRESS_TIMEOUT_MS
        console.log(`${name} has ${left} unsent changes`)
      }
      const list = JSON.stringify(unsent.map(({ label, payload }) => [label, payload.kind]))
      assert.ok(Date.now() < giveUpAt, `${name} still has unsent changes: ${list}`)
      await page.waitForTimeout(500)
      const discard = page.getByRole('button', { name: 'Discard' }).first()
      if (await discard.isVisible()) await discard.click()
      const short_id = first.payload.change?.from.short_id
      // A page that is loaded anew loses the state that is compared in the end.
      const mayWaitForPerson = Date.now() > giveUpAt - PROGRESS_TIMEOUT_MS + RETRIES_MS
      if (short_id === undefined || !mayWaitForPerson) continue
      await page.goto(`/w/${fixture.team.workspace}/p/ENG?task=${short_id}`)
      await page.getByRole('row').nth(1).waitFor()
      const keep = page.getByRole('button', { name: 'Keep mine' }).first()
      if (!(await isShown(keep))) continue
      report.conflicts += 1
      await keep.click()
    }
  }
}

const listTasks = async ({ ask, team }: BrowserFixture): Promise<TaskOnServer[]> =>
  (
    await ask<{ data: TaskOnServer[] }>(
      'owner',
      `GET /api/v1/projects/${team.project}/tasks?limit=200&sort=created_at`,
    )
  ).data

/** Every typed task exists once, unless somebody has deleted it. */
function checkCreated(workers: readonly RandomWorker[], tasks: readonly TaskOnServer[]): void {
  const deleted = new Set(workers.flatMap((worker) => [...worker.deleted]))
  const names = tasks.map(({ title }) => title.split(' ')[0] ?? '')
  assert.deepEqual(new Set(names).size, names.length, `a task exists twice: ${names.join(' ')}`)
  const missing = workers
    .flatMap(({ created }) => created)
    .filter((name) => !names.includes(name) && !deleted.has(name))
  assert.deepEqual(missing, [], 'typed tasks are lost')
}

const STATUS_KEYS: Record<string, string> = {
  Backlog: 'backlog',
  'To do': 'todo',
  'In progress': 'in_progress',
  'In review': 'in_review',
  Done: 'done',
  Canceled: 'canceled',
}

async function comparePage(
  page: Page,
  name: string,
  read: () => Promise<TaskOnServer[]>,
): Promise<void> {
  const expected = (await read())
    .map(({ short_id, title, status, priority }) => `${short_id} ${title} ${status} ${priority}`)
    .toSorted()
  const readShown = async () =>
    (await readListRows(page))
      .map(
        ({ short_id, title, status, priority }) =>
          `${short_id} ${title} ${STATUS_KEYS[status]} ${priority === 'No' ? 'none' : priority.toLowerCase()}`,
      )
      .toSorted()
  const giveUpAt = Date.now() + 10_000
  let shown = await readShown()
  while (Date.now() < giveUpAt && JSON.stringify(shown) !== JSON.stringify(expected)) {
    await page.waitForTimeout(250)
    shown = await readShown()
  }
  assert.deepEqual(shown, expected, `the page of ${name} shows what the server does not have`)
}

if (import.meta.main) {
  const option = (name: string, otherwise: number) => {
    const at = process.argv.indexOf(name)
    return at < 0 ? otherwise : Number(process.argv[at + 1])
  }
  const seed = option('--seed', Math.floor(Math.random() * 1e9))
  console.log(`seed ${seed}`)
  try {
    const { fixture, guard } = await openBrowserFixture(await getTestServer({}))
    console.log(JSON.stringify(await workWithCuts(fixture, seed, option('--seconds', 600))))
    for (const line of guard.violations()) console.log(line)
  } finally {
    await closeBrowserAndServers()
  }
}
