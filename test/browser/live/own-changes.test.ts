import type { Page } from '@playwright/test'
import { type BrowserFixture, browserTest } from '../support/browser-test.ts'
import { expect } from '../support/expect.ts'
import { holdUndo, pressUndo } from '../support/keyboard/press-undo.ts'
import { typeInFocusedField } from '../support/keyboard/type-in-focused-field.ts'
import { countReads, followFeed } from '../support/reads/feed-reads.ts'
import { routeRequests } from '../support/route-requests.ts'
import { noonToday, seedTasks } from '../support/seed.ts'
import { countStoredMutations } from '../support/stored-mutations.ts'

const PRIORITIES = ['urgent', 'high', 'medium', 'low']
const rowOf = (page: Page, number: number) => page.locator(`[data-number="${number}"]`)

browserTest('places its own changes as the server does', async (fixture) => {
  const { as, team } = fixture
  await seedTasks(fixture, 8, (n) => ({
    title: `Errand ${n + 1}`,
    status: n < 4 ? 'todo' : 'in_progress',
    priority: PRIORITIES[n % 4],
    estimate_seconds: 3_600,
  }))
  const page = await as('member')
  await page.clock.install({ time: noonToday() })
  await page.goto(`/w/${team.workspace}/p/ENG?sort=-priority`)
  await rowOf(page, 8).waitFor()
  const pick = async (...[number, field, value]: [number, string, string]) => {
    await pickValue(page, number, field, value)
    await expect(page.getByRole('listbox')).toBeHidden()
  }

  await pick(3, 'priority', 'Urgent')
  await pick(5, 'priority', 'Low')
  await pick(6, 'estimate', '3h')
  await rowOf(page, 2)
    .getByRole('button', { name: /Complete or reopen/ })
    .click()
  await pick(3, 'priority', 'No priority')
  await page.keyboard.press('n')
  await typeInFocusedField(page, 'Errand 9 !high')
  await page.keyboard.press('Enter')
  await rowOf(page, 9).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('heading', { level: 1 }).click()
  await expect
    .poll(async () => {
      await page.clock.fastForward(3_000)
      return page.getByRole('link', { name: 'ENG Engineering 8' }).isVisible()
    })
    .toBe(true)
  expect(await expectAsInNewPage(page)).toHaveLength(12)
})

browserTest(
  'places its own changes from their replies, without reading a list',
  async (fixture) => {
    const { ask } = fixture
    const tasks = await seedTasks(fixture, 6, (n) => ({
      title: `Errand ${n + 1}`,
      status: n < 3 ? 'todo' : 'in_progress',
      priority: PRIORITIES[n % 4],
    }))
    const page = await openFollowedList(fixture, '?sort=-priority', tasks[0])
    const reads = countReads(page)
    const numbers = async () =>
      (await readList(page)).flatMap((row) => /: (\d+)$/.exec(row)?.[1] ?? [])
    expect(await numbers()).toEqual(['1', '2', '3', '5', '6', '4'])

    await pickValue(page, 1, 'priority', 'Low')
    await expect.poll(numbers).toEqual(['2', '3', '1', '5', '6', '4'])
    // Somebody else's change waits while the person types, and the person's own ones do not.
    await page.keyboard.press('n')
    await typeInFocusedField(page, 'Errand 7 !high')
    await ask('admin', `PATCH /api/v1/tasks/${tasks[1]?.id}`, {
      priority: 'none',
      title: 'Changed',
    })
    await page.getByText('Changed').waitFor()
    await page.keyboard.press('Enter')
    await expect.poll(numbers).toEqual(['7', '2', '3', '1', '5', '6', '4'])
    await page.keyboard.press('Escape')
    await page.getByRole('heading', { level: 1 }).click()
    await expect.poll(numbers).toEqual(['7', '3', '1', '2', '5', '6', '4'])
    await rowOf(page, 6)
      .getByRole('button', { name: /Complete or reopen/ })
      .click()
    await rowOf(page, 3).focus()
    await page.keyboard.press('x')
    await page.getByRole('button', { name: /^Delete/ }).click()
    await holdUndo(page)
    await expect.poll(numbers).toEqual(['7', '1', '2', '5', '4', '6'])
    await pressUndo(page)
    await expect.poll(numbers).toEqual(['7', '3', '1', '2', '5', '4', '6'])
    await expect.poll(() => countStoredMutations(page)).toBe(0)
    await page.clock.fastForward(6_000)
    expect(reads().filter((url) => /\/tasks(\?|$)/.test(url))).toEqual([])
    await expectAsInNewPage(page)
  },
)

browserTest('places what others have changed before its own change was merged', async (fixture) => {
  const { ask, allow } = fixture
  allow(412)
  const tasks = await seedTasks(fixture, 4, (n) => ({ title: `Errand ${n + 1}`, status: 'todo' }))
  const page = await openFollowedList(fixture, '', tasks[3])
  // The feed's change of a task waits while a change of the page is under way.
  const isChanged = Promise.withResolvers<void>()
  await routeRequests(page, `**/api/v1/tasks/${tasks[0]?.id}`, async (route) => {
    await isChanged.promise
    await route.fallback()
  })
  const isSent = page.waitForRequest((request) => request.method() === 'PATCH')
  await pickValue(page, 1, 'priority', 'Low')
  await isSent
  await ask('admin', `PATCH /api/v1/tasks/${tasks[0]?.id}`, { status: 'done', title: 'Changed' })
  isChanged.resolve()
  await page.getByText('Changed').waitFor()
  await page.getByRole('heading', { level: 1 }).click()
  await expectAsInNewPage(page)
})

browserTest(
  'keeps a subtask in the group of a parent that the filter excludes',
  async (fixture) => {
    const { ask } = fixture
    const [parent, ...others] = await seedTasks(fixture, 3, (n) => ({
      title: `Errand ${n + 1}`,
      status: n === 0 ? 'done' : 'todo',
    }))
    for (const { id } of others)
      await ask('owner', `PATCH /api/v1/tasks/${id}`, { parent_id: parent?.id })
    const page = await openFollowedList(fixture, '?group=parent&f=status%3Aopen', others[0])
    await pickValue(page, 3, 'estimate', '3h')
    await expect.poll(() => countStoredMutations(page)).toBe(0)
    await page.clock.fastForward(3_000)
    await expectAsInNewPage(page)
  },
)

browserTest('keeps tasks where they were moved by hand', async (fixture) => {
  const { as, team } = fixture
  await seedTasks(fixture, 6, (n) => ({
    title: `Errand ${n + 1}`,
    status: n < 4 ? 'todo' : 'in_progress',
  }))
  const page = await as('member')
  await page.clock.install({ time: noonToday() })
  await page.goto(`/w/${team.workspace}/p/ENG`)
  await rowOf(page, 6).waitFor()
  const numbers = async () => (await readList(page)).map((row) => row.split(': ')[1])
  const expectOrder = (order: string) =>
    expect
      .poll(async () => (await numbers()).filter((one) => one?.length === 1).join(''))
      .toEqual(order)
  await rowOf(page, 1).focus()
  await page.keyboard.press('Alt+ArrowDown')
  await expectOrder('213456')
  for (const key of ['Alt+ArrowDown', 'Alt+ArrowUp', 'j', 'Alt+ArrowDown'])
    await page.keyboard.press(key)
  await expectOrder('214356')
  await page.clock.fastForward(6_000)
  await expectAsInNewPage(page)
})

browserTest('puts a task back whose move is refused', async (fixture) => {
  const { as, team, allow } = fixture
  await seedTasks(fixture, 4, (n) => ({ title: `Errand ${n + 1}` }))
  allow(403, /no longer allowed/)
  const page = await as('member')
  await page.goto(`/w/${team.workspace}/p/ENG`)
  await rowOf(page, 4).waitFor()
  const before = await readList(page)
  const error = { type: 'permission_error', code: 'forbidden', message: 'no longer allowed' }
  await routeRequests(page, '**/api/v1/tasks/tsk_*', (route) =>
    route.request().method() === 'PATCH'
      ? route.fulfill({ status: 403, json: { error: { ...error, details: [] } } })
      : route.fallback(),
  )
  await rowOf(page, 1).focus()
  await page.keyboard.press('Alt+ArrowDown')
  await expect(page.getByText('no longer allowed')).toBeVisible()
  expect(await readList(page)).toEqual(before)
})

/** Opens a list that follows the feed of changes; `shown` is a task on the screen. */
async function openFollowedList(
  { as, team, ask }: BrowserFixture,
  search: string,
  shown: { id: string; number: number } | undefined,
): Promise<Page> {
  if (!shown) throw new Error('There is no task')
  const page = await as('member')
  await page.clock.install({ time: noonToday() })
  await page.goto(`/w/${team.workspace}/p/ENG${search}`)
  await rowOf(page, shown.number).waitFor()
  await followFeed(page, (title) => ask('admin', `PATCH /api/v1/tasks/${shown.id}`, { title }))
  return page
}

/** Gives a field of a row another value by its picker. */
async function pickValue(page: Page, number: number, field: string, value: string): Promise<void> {
  await rowOf(page, number).locator(`[data-field="${field}"]`).click()
  await typeInFocusedField(page, value)
  await page.keyboard.press('Enter')
}

/** Waits until a list is what a new page shows, and returns it. */
async function expectAsInNewPage(page: Page): Promise<string[]> {
  // The new page would show an older state while a change is on its way.
  await expect.poll(() => countStoredMutations(page)).toBe(0)
  const other = await page.context().newPage()
  await other.goto(page.url())
  await other.locator('.list [data-number]').first().waitFor()
  // It begins with the copy that the browser has kept, which may be older.
  const read = async (one: Page) => (await readList(one)).join('\n')
  await expect.poll(async () => (await read(page)) === (await read(other))).toBe(true)
  return readList(other)
}

/** The headers of the list's groups and the numbers of its tasks, from above. */
const readList = (page: Page): Promise<string[]> =>
  page
    .locator('.list [data-group], .list [data-number]')
    .evaluateAll((rows) =>
      rows.map((row) =>
        row instanceof HTMLElement
          ? [row.offsetTop, (row.dataset.number ?? row.textContent).replaceAll(/\s+/g, ' ')]
          : [],
      ),
    )
    .then((rows) => rows.map((row) => row.join(': ')))
