import type { Page } from '@playwright/test'
import { assertAccessible } from '../support/accessibility.ts'
import { type BrowserFixture, browserTest } from '../support/browser-test.ts'
import { expect } from '../support/expect.ts'
import { dateFromToday, seedTasks } from '../support/seed.ts'

/** Twelve tasks: 1 to 4 are of high priority, 5 to 12 of low; every third is done. */
const seedPriorities = (fixture: BrowserFixture) =>
  seedTasks(fixture, 12, (n) => ({
    title: `Task ${n + 1}`,
    priority: n < 4 ? 'high' : 'low',
    status: n % 3 === 2 ? 'done' : 'todo',
  }))

const rows = (page: Page) => page.locator('[data-number]')
const conditions = (page: Page) => page.getByRole('group', { name: 'Filter conditions' })
const option = (page: Page, name: RegExp) => page.getByRole('option', { name })
const address = ({ team }: BrowserFixture, f: string) =>
  `/w/${team.workspace}/p/ENG?f=${encodeURIComponent(f)}`

browserTest(
  'builds a filter by keys alone, from property to operator to counted values',
  async (fixture) => {
    await seedPriorities(fixture)
    const page = await fixture.as('member')
    await page.goto(`/w/${fixture.team.workspace}/p/ENG`)
    await expect(rows(page)).toHaveCount(12)
    await page.keyboard.press('/')
    // The first option is marked at once.
    await expect(option(page, /^Status/)).toHaveAttribute('data-focused', 'true')
    await page.keyboard.type('prio')
    await page.keyboard.press('Enter')
    await expect(option(page, /^High 4$/)).toBeVisible()
    await expect(option(page, /^Low 8$/)).toBeVisible()
    await page.keyboard.type('high')
    await page.keyboard.press('Enter')
    await expect(rows(page)).toHaveCount(4)
    await expect(option(page, /^High/)).toHaveAttribute('aria-selected', 'true')
    await assertAccessible(page)
    // The operator stands before the field.
    await page.keyboard.press('Shift+Tab')
    await page.keyboard.press('ArrowDown')
    await expect(rows(page)).toHaveCount(8)
    await page.keyboard.press('Escape')
    await expect(conditions(page)).toContainText('Priority is not High')
    await expect(conditions(page)).toContainText('8 of 12')
    await expect(page).toHaveURL(/f=-priority%3Ahigh/)
    // All of the edit is one entry of the history.
    await page.goBack()
    await expect(rows(page)).toHaveCount(12)
    await expect(conditions(page)).toBeHidden()
  },
)

browserTest('a chip opens its condition at its values', async (fixture) => {
  await seedPriorities(fixture)
  const page = await fixture.as('member')
  await page.goto(address(fixture, 'priority:HIGH status:todo'))
  await expect(conditions(page)).toContainText('3 of 12')
  await page.getByRole('button', { name: 'Change filter: Priority is High' }).click()
  await expect(option(page, /^High/)).toHaveAttribute('aria-selected', 'true')
  // Counted are the tasks that the other conditions leave.
  await option(page, /^Low 5$/).click()
  await expect(conditions(page)).toContainText('8 of 12')
  await option(page, /^High/).click()
  await option(page, /^Low/).click()
  await page.getByRole('button', { name: 'Done' }).click()
  // Without a value, no condition is left.
  await expect(conditions(page)).not.toContainText('Priority')
  await page.getByRole('button', { name: 'Clear filter' }).click()
  await expect(rows(page)).toHaveCount(12)
})

browserTest('finds values, dates and words from the first field', async (fixture) => {
  await seedPriorities(fixture)
  const page = await fixture.as('member')
  await page.goto(`/w/${fixture.team.workspace}/p/ENG`)
  await expect(rows(page)).toHaveCount(12)
  await page.keyboard.press('/')
  await page.keyboard.type('high')
  await page.keyboard.press('Enter')
  await expect(conditions(page)).toContainText('Priority is High')
  await page.keyboard.press('/')
  await page.keyboard.type('2026-12-10')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/due%3A2026-12-10/)
  await page.keyboard.press('/')
  await page.keyboard.type('due:soon')
  await expect(page.getByRole('dialog')).toContainText('“soon” is not a date.')
  await page.keyboard.press('Enter')
  await page.getByRole('combobox').fill('"due: soon"')
  await page.keyboard.press('Enter')
  await expect(conditions(page)).toContainText('Text contains "due: soon"')
})

browserTest('a wrong condition is explained and selected', async (fixture) => {
  await seedPriorities(fixture)
  const page = await fixture.as('member')
  await page.goto(address(fixture, 'status:open due:soon'))
  await expect(conditions(page)).toContainText('“soon” is not a date.')
  // The other conditions show their tasks meanwhile.
  await expect(conditions(page)).toContainText('8 of 12')
  await page.getByRole('button', { name: 'Edit' }).click()
  const field = page.getByRole('textbox', { name: 'Filter as text' })
  await expect(field).toHaveValue('status:open due:soon')
  await field.press('Enter')
  await expect(page.getByRole('dialog').getByRole('alert')).toContainText('“soon” is not a date.')
  // What is typed next takes the place of what is wrong.
  await page.keyboard.type('due:>"10 dec 2026"')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/f=status%3Aopen\+due%3A%3E2026-12-10/)
})

browserTest('an address may have a day in words, as a typed filter', async (fixture) => {
  const due_date = dateFromToday(1)
  await seedTasks(fixture, 2, (n) => ({ title: `Task ${n + 1}`, ...(n === 0 && { due_date }) }))
  const page = await fixture.as('member')
  await page.goto(address(fixture, 'due:"in 1 day"'))
  await expect(conditions(page)).toContainText('1 of 2')
  await expect(page).toHaveURL(new RegExp(`f=due%3A${due_date}`))
})

browserTest('a condition that lost its values stays if one has gone back', async (fixture) => {
  await seedPriorities(fixture)
  const page = await fixture.as('member')
  await page.goto(address(fixture, 'priority:high status:todo'))
  await expect(conditions(page)).toContainText('3 of 12')
  await page.getByRole('button', { name: 'Change filter: Priority is High' }).click()
  await option(page, /^Low/).click()
  await expect(conditions(page)).toContainText('8 of 12')
  await option(page, /^High/).click()
  await option(page, /^Low/).click()
  await page.goBack()
  await expect(conditions(page)).toContainText('3 of 12')
  await page.keyboard.press('Escape')
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await page.reload()
  await expect(conditions(page)).toContainText('Priority is High')
})

browserTest('keeps the conditions in sight on a phone, with large targets', async (fixture) => {
  await seedPriorities(fixture)
  const page = await fixture.as('guest', { viewport: { width: 360, height: 740 }, hasTouch: true })
  await page.goto(address(fixture, 'priority:high -status:done created:<30d'))
  await expect(conditions(page)).toContainText('3 of 12')
  await expect(page.getByRole('button', { name: 'Clear filter' })).toBeInViewport({ ratio: 1 })
  const targets = await conditions(page)
    .getByRole('button')
    .evaluateAll((all) => all.map((one) => one.getBoundingClientRect()))
  for (const { width, height } of targets)
    expect(Math.min(width, height)).toBeGreaterThanOrEqual(44)
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360)
})

browserTest('the conditions stay in reach beside the open task', async (fixture) => {
  await seedPriorities(fixture)
  const page = await fixture.as('member')
  await page.goto(`${address(fixture, 'priority:high -status:done created:<30d')}&task=ENG-1`)
  const clear = page.getByRole('button', { name: 'Clear filter' })
  for (const width of [1440, 1024]) {
    await page.setViewportSize({ width, height: 900 })
    await expect(conditions(page)).toContainText('3 of 12')
    // Nothing covers them.
    await clear.click({ trial: true })
    await page
      .getByRole('button', { name: 'Change filter: Priority is High' })
      .click({ trial: true })
  }
  await clear.click()
  await expect(conditions(page)).toBeHidden()
  await expect(rows(page)).toHaveCount(12)
})

browserTest('finds due dates by their German words', async (fixture) => {
  const { as, team, docket } = fixture
  await seedPriorities(fixture)
  const page = await as('member', { locale: 'de-DE' })
  const options = { headers: { origin: docket.url }, data: { locale: 'de' } }
  await page.request.patch(`${docket.url}/internal/account`, options)
  await page.goto(`/w/${team.workspace}/p/ENG`)
  await expect(rows(page)).toHaveCount(12)
  for (const [typed, value] of [
    ['überfällig', 'overdue'],
    ['heute', 'today'],
    ['diese Woche', 'week'],
    ['nächste Woche', 'nextweek'],
    ['innerhalb von 7', '<7d'],
  ] as const) {
    await page.keyboard.press('/')
    await page.getByRole('combobox').fill(typed)
    await page.keyboard.press('Enter')
    await expect(page).toHaveURL((url) => url.searchParams.get('f') === `due:${value}`)
    await page.goBack()
    await expect(rows(page)).toHaveCount(12)
  }
  await page.keyboard.press('/')
  await page.keyboard.type('Rechnung')
  await expect(option(page, /enthält „Rechnung“/)).toBeVisible()
})
