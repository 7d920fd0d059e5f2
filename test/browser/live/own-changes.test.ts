import type { Page } from '@playwright/test'
import { browserTest } from '../support/browser-test.ts'
import { expect } from '../support/expect.ts'
import { typeInFocusedField } from '../support/keyboard/type-in-focused-field.ts'
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
  const pick = async (number: number, field: string, value: string) => {
    await rowOf(page, number).locator(`[data-field="${field}"]`).click()
    await typeInFocusedField(page, value)
    await page.keyboard.press('Enter')
    await expect(page.getByRole('listbox')).toBeHidden()
  }

  await pick(3, 'priority', 'Urgent')
  await pick(5, 'priority', 'Low')
  await pick(6, 'estimate', '3h')
  await rowOf(page, 2)
    .getByRole('button', { name: /Complete or reopen/ })
    .click()
  await pick(3, 'priority', 'No priority')
  await page.keyboard.press('c')
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
  await rowOf(page, 1).focus()
  for (const key of ['Alt+ArrowDown', 'Alt+ArrowDown', 'Alt+ArrowUp', 'j', 'Alt+ArrowDown'])
    await page.keyboard.press(key)
  const order = ['2', '1', '4', '3', '5', '6']
  await expect.poll(async () => (await numbers()).filter((one) => one?.length === 1)).toEqual(order)
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

/** Waits until a list is what a new page shows, and returns it. */
async function expectAsInNewPage(page: Page): Promise<string[]> {
  // The new page would show an older state while a change is on its way.
  await expect.poll(() => countStoredMutations(page)).toBe(0)
  const other = await page.context().newPage()
  await other.goto(page.url())
  await other.locator('.list [data-number]').first().waitFor()
  const expected = await readList(other)
  await expect.poll(() => readList(page)).toEqual(expected)
  return expected
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
