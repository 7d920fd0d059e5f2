import assert from 'node:assert/strict'
import type { Page } from '@playwright/test'
import {
  type BrowserFixture,
  closeBrowserAndServers,
  openBrowserFixture,
} from '#test/browser/support/browser-test.ts'
import { typeInFocusedField } from '#test/browser/support/keyboard/type-in-focused-field.ts'
import { waitForPageFocus } from '#test/browser/support/keyboard/wait-for-page-focus.ts'
import { seedTasks } from '#test/browser/support/seed.ts'
import { readStoredMutations } from '#test/browser/support/stored-mutations.ts'
import { getTestServer } from '#test/browser/support/test-server.ts'
import { createSeededRandom } from '../simulation/simulated-time.ts'

/**
 * Two people work in one list with real browsers whose networks are cut at random, and whose pages
 * are sometimes loaded anew: `node test/experiments/sync/network-cuts.ts --seconds 600 --seed 1`.
 * At the end every task that a person has typed exists once, and both pages show each record as
 * the server has it.
 */

const ROLES = ['member', 'admin'] as const
const STATUSES = ['Todo', 'In progress', 'In review', 'Done']
const PRIORITIES = ['Low', 'Medium', 'High', 'Urgent']
const MAX_TASKS = 45
/** All rows are rendered, so that a page can be compared as a whole. */
const VIEWPORT = { width: 1_400, height: 4_000 }
/** Within this time at least one of the waiting changes is sent, or a person can decide about it. */
const PROGRESS_TIMEOUT_MS = 90_000

interface TaskOnServer {
  id: string
  short_id: string
  title: string
  status: string
  priority: string
}

/** A person at work in a browser. */
interface Worker {
  page: Page
  name: string
  created: string[]
  deleted: Set<string>
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
  const workers = await Promise.all(ROLES.map((role) => openWorker(fixture, role)))
  await Promise.all(workers.flatMap((worker) => [work(worker), cutNetwork(worker.page)]))
  for (const { page } of workers) await page.context().setOffline(false)
  for (const worker of workers) await settle(worker)
  const tasks = await listTasks(fixture)
  report.tasks = tasks.length
  checkCreated(workers, tasks)
  for (const { page, name } of workers) {
    await page.goto(`/w/${fixture.team.workspace}/p/ENG`)
    await comparePage(page, name, () => listTasks(fixture))
  }
  return report

  async function work(worker: Worker): Promise<void> {
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
  async function settle({ page, name }: Worker): Promise<void> {
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
      if (short_id === undefined) continue
      await page.goto(`/w/${fixture.team.workspace}/p/ENG?task=${short_id}`)
      await page.getByRole('row').nth(1).waitFor()
      const keep = page.getByRole('button', { name: 'Keep mine' }).first()
      if (!(await isShown(keep))) continue
      report.conflicts += 1
      await keep.click()
    }
  }
}

async function openWorker(
  { as, team }: BrowserFixture,
  role: (typeof ROLES)[number],
): Promise<Worker> {
  const page = await as(role, { viewport: VIEWPORT })
  page.on('dialog', (dialog) => dialog.accept())
  await page.goto(`/w/${team.workspace}/p/ENG`)
  await page.getByText('seed0', { exact: true }).waitFor()
  // What is loaded at first use, e.g. the pickers, is loaded before the first cut.
  for (const key of ['p', 's']) {
    await page.getByRole('row', { name: /seed0/ }).press(key)
    await page.getByRole('dialog').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
  }
  await addTask(page, `${role}-first`)
  return { page, name: role, created: [`${role}-first`], deleted: new Set() }
}

async function addTask(page: Page, title: string): Promise<void> {
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'hidden' })
  await waitForPageFocus(page)
  await page.keyboard.press('c')
  const field = page.getByRole('textbox', { name: /new task/i })
  await field.fill(title)
  await field.press('Enter')
  await page.keyboard.press('Escape')
}

async function actAtRandom(worker: Worker, random: () => number): Promise<void> {
  const { page, name, created, deleted } = worker
  const titles = await readTitles(page)
  const kind = random()
  if (kind < 0.25 && titles.length < MAX_TASKS) {
    const title = `${name}-${created.length}`
    created.push(title)
    return addTask(page, title)
  }
  const title = pick(titles, random)
  if (title === undefined) return
  const row = page
    .getByRole('row')
    .filter({ has: page.getByText(title, { exact: true }) })
    .first()
  // Somebody else may have changed or deleted the task in the meantime.
  const press = (key: string) =>
    row.press(key, { timeout: 1_000 }).then(
      () => true,
      () => false,
    )
  if (kind < 0.5) {
    if (!(await press('e'))) return
    const field = page.getByRole('textbox', { name: 'Title' })
    if (!(await isShown(field))) return
    const renamed = `${title.split(' ')[0]} ${Math.floor(random() * 1_000)}`
    // The field ends with its row, if that is deleted or goes to another group.
    const isFilled = await field.fill(renamed, { timeout: 2_000 }).then(
      () => true,
      () => false,
    )
    if (isFilled) await page.keyboard.press('Enter')
  } else if (kind < 0.9) {
    const [key, names] = kind < 0.7 ? (['p', PRIORITIES] as const) : (['s', STATUSES] as const)
    if (!(await press(key)) || !(await isShown(page.getByRole('dialog')))) return
    await typeInFocusedField(page, pick(names, random) ?? '')
    await page.keyboard.press('Enter')
  } else if (kind < 0.95) {
    if (await press('#')) deleted.add(title.split(' ')[0] ?? '')
  } else await page.keyboard.press('ControlOrMeta+z')
}

const isShown = (of: ReturnType<Page['getByRole']>): Promise<boolean> =>
  of.waitFor({ timeout: 2_000 }).then(
    () => true,
    () => false,
  )

const pick = <T>(from: readonly T[], random: () => number): T | undefined =>
  from[Math.floor(random() * from.length)]

const readTitles = async (page: Page): Promise<string[]> =>
  (await readRows(page)).map(({ title }) => title)

/** The rows that a page shows, as a person reads them. */
const readRows = (page: Page) =>
  page.evaluate(() =>
    [...document.querySelectorAll('[role=row]')].flatMap((row) => {
      const button = row.querySelector('button[aria-label*="Complete or reopen"]')
      const links = [...row.querySelectorAll('a')].map((link) => link.textContent)
      const [, status = '', short_id = ''] =
        /^(.*)\. Complete or reopen (\S+)/.exec(button?.getAttribute('aria-label') ?? '') ?? []
      const priority = row.querySelector('svg.pr')?.getAttribute('aria-label')?.split(' ')[0] ?? ''
      return short_id === '' ? [] : [{ short_id, title: links.at(-1) ?? '', status, priority }]
    }),
  )

const listTasks = async ({ ask, team }: BrowserFixture): Promise<TaskOnServer[]> =>
  (
    await ask<{ data: TaskOnServer[] }>(
      'owner',
      `GET /api/v1/projects/${team.project}/tasks?limit=200&sort=created_at`,
    )
  ).data

/** Every typed task exists once, unless somebody has deleted it. */
function checkCreated(workers: readonly Worker[], tasks: readonly TaskOnServer[]): void {
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
  Todo: 'todo',
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
    (await readRows(page))
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
