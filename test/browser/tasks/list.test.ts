import assert from 'node:assert/strict'
import type { Page } from '@playwright/test'
import { type BrowserFixture, browserTest } from '../support/browser-test.ts'
import { expect } from '../support/expect.ts'
import { pressUndo } from '../support/keyboard/press-undo.ts'
import { typeInFocusedField } from '../support/keyboard/type-in-focused-field.ts'
import { dateFromToday, seedTasks } from '../support/seed.ts'

const rowOf = (page: Page, id: string) =>
  page.getByRole('row').filter({ has: page.getByText(id, { exact: true }) })
const group = (page: Page, name: string) => page.getByRole('rowgroup', { name, exact: true })
const openList = async (page: Page, { team }: Pick<BrowserFixture, 'team'>, search = '') => {
  await page.goto(`/w/${team.workspace}/p/ENG${search}`)
  await page.getByRole('treegrid').waitFor()
}
const numberedTask = (status: string) => (n: number) => ({ title: `Task ${n + 1}`, status })

browserTest(
  'the list shows groups with totals and is fully usable by keyboard',
  async (fixture) => {
    const { as, ask, team } = fixture
    await seedTasks(fixture, 6, (n) => ({
      ...numberedTask(n < 4 ? 'todo' : 'in_progress')(n),
      ...(n === 0 && { estimate_seconds: 7_200, due_date: dateFromToday(-2) }),
    }))
    const page = await as('member')
    await openList(page, fixture)
    const grid = page.getByRole('treegrid')
    await expect(grid).toHaveAttribute('aria-rowcount', '9')
    await expect(group(page, 'To do').getByRole('row').first()).toContainText('0m / 2h')
    await expect(page.getByText('0 % done, 1 overdue')).toBeVisible()
    await expect(page.getByText(/tasks, 6 open/)).toBeVisible()

    await page.keyboard.press('j')
    await expect(rowOf(page, 'ENG-1')).toBeFocused()
    await page.keyboard.press('e')
    await typeInFocusedField(page, 'First of all')
    await page.keyboard.press('Enter')
    await expect(rowOf(page, 'ENG-1')).toContainText('First of all')
    await expect(rowOf(page, 'ENG-1')).toBeFocused()

    await page.keyboard.press('i')
    await expect(rowOf(page, 'ENG-1').getByTitle('The member')).toBeVisible()
    await page.keyboard.press('p')
    await typeInFocusedField(page, 'urg')
    await page.keyboard.press('Enter')
    await expect(rowOf(page, 'ENG-1').getByRole('img', { name: 'Urgent' })).toBeVisible()

    await page.keyboard.press('Alt+ArrowDown')
    const numbers = group(page, 'To do').locator('[data-number]')
    await expect(numbers.nth(1)).toHaveAttribute('data-number', '1')
    await expect(page.getByText('Moved ENG-1 below ENG-2')).toBeAttached()

    await page.keyboard.press('s')
    await typeInFocusedField(page, 'In prog')
    await page.keyboard.press('Enter')
    await expect(group(page, 'In progress').getByText('First of all')).toBeVisible()
    await pressUndo(page)
    await expect(group(page, 'To do').getByText('First of all')).toBeVisible()

    await page.keyboard.press('Enter')
    await expect(page).toHaveURL(/task=ENG-1/)
    // Opened by keyboard, the panel takes the focus when the task is there.
    const panel = page.getByRole('complementary', { name: 'Task ENG-1' })
    await expect(panel.locator(':focus')).toHaveCount(1)
    await page.keyboard.press('Escape')
    await expect(page).not.toHaveURL(/task=/)
    await expect(rowOf(page, 'ENG-1')).toBeFocused()
    await expect
      .poll(async () => {
        const page = await ask<{ data: { title: string; priority: string }[] }>(
          'owner',
          `GET /api/v1/projects/${team.project}/tasks?q=ENG-1`,
        )
        return page.data.map(({ title, priority }) => `${title} ${priority}`)
      })
      .toEqual(['First of all urgent'])
  },
)

browserTest('shows another user’s change without moving the list or the focus', async (fixture) => {
  const { as, ask } = fixture
  const tasks = await seedTasks(fixture, 30, numberedTask('todo'))
  const page = await as('member')
  await openList(page, fixture)
  await expect(page.getByText('Live')).toBeVisible()
  await page.locator('.scroll').evaluate((scroll) => scroll.scrollTo(0, 200))
  await page.getByText('Task 12', { exact: true }).dblclick()
  const field = page.getByRole('textbox', { name: 'Title of ENG-12' })
  await field.fill('Being typed')
  const top = () => field.evaluate((input) => Math.round(input.getBoundingClientRect().top))
  const before = await top()

  const other = tasks[14]
  const row = rowOf(page, 'ENG-15')
  // The mark of a change lasts a second, and a busy machine may look later.
  await row.evaluate((element) => {
    const keep = () =>
      element.hasAttribute('data-live') && element.setAttribute('data-was-live', '')
    new MutationObserver(keep).observe(element, { attributeFilter: ['data-live'] })
  })
  await ask('owner', `PATCH /api/v1/tasks/${other?.id}`, { title: 'Another way' })
  await expect(page.getByText('Another way')).toBeVisible()
  await expect(row).toHaveAttribute('data-was-live', '')
  await ask('owner', `PATCH /api/v1/tasks/${tasks[8]?.id}`, { status: 'done' })
  await expect(rowOf(page, 'ENG-9')).toHaveAttribute('data-s', 'done')
  await expect(field).toBeFocused()
  assert.equal(await top(), before)

  // The task moves to its new group only after the text field has closed.
  await field.press('Escape')
  await expect(group(page, 'To do').getByText('Task 9', { exact: true })).toBeHidden()
})

browserTest(
  'undoes the deletion of a task, and shows a subtask below its parent',
  async (fixture) => {
    const { as, ask, team } = fixture
    const [first, , third] = await seedTasks(fixture, 3, numberedTask('todo'))
    await ask('owner', `PATCH /api/v1/tasks/${third?.id}`, { parent_id: first?.id })
    const page = await as('member')
    await openList(page, fixture)
    const numbers = group(page, 'To do').locator('[data-number]')
    await expect(numbers.nth(1)).toHaveAttribute('data-number', '3')
    await expect(numbers.nth(1)).toHaveAttribute('data-depth', '1')
    await page.getByText('Task 2', { exact: true }).hover()
    await rowOf(page, 'ENG-2').getByRole('checkbox').click()
    await page.getByRole('button', { name: /^Delete/ }).click()
    await expect(page.getByText('Task 2', { exact: true })).toBeHidden()
    await page.getByRole('button', { name: /^Undo/ }).click()
    await expect(page.getByText('Task 2', { exact: true })).toBeVisible()
    const { data } = await ask<{ data: unknown[] }>(
      'owner',
      `GET /api/v1/projects/${team.project}/tasks`,
    )
    assert.equal(data.length, 3)
  },
)

browserTest('drags a row to another position and into another group', async (fixture) => {
  const { as } = fixture
  await seedTasks(fixture, 6, (n) => numberedTask(n < 4 ? 'todo' : 'in_progress')(n))
  const page = await as('member')
  await openList(page, fixture)
  const handle = (id: string) => page.getByRole('link', { name: id, exact: true })
  const drag = async (from: string, to: string) => {
    const target = await handle(to).boundingBox()
    const title = await handle(from)
      .locator('xpath=ancestor::*[@role="row"]')
      .locator('.title')
      .boundingBox()
    // Beside the words, where a drag could select texts.
    await page.mouse.move((title?.x ?? 0) + (title?.width ?? 0) + 20, (title?.y ?? 0) + 4)
    await page.mouse.down()
    await page.mouse.move((target?.x ?? 0) + 5, (target?.y ?? 0) + 4, { steps: 5 })
    assert.equal(await page.evaluate(() => String(getSelection())), '')
    await page.mouse.up()
  }
  await handle('ENG-1').waitFor()
  await drag('ENG-4', 'ENG-2')
  const numbers = (name: string) =>
    group(page, name)
      .locator('[data-number]')
      .evaluateAll((rows) => rows.map((row) => row.getAttribute('data-number')))
  await expect.poll(() => numbers('To do')).toEqual(['1', '4', '2', '3'])
  await drag('ENG-2', 'ENG-6')
  await expect.poll(() => numbers('In progress')).toEqual(['5', '2', '6'])
  await page.reload()
  await handle('ENG-1').waitFor()
  await expect.poll(() => numbers('To do')).toEqual(['1', '4', '3'])
  assert.deepEqual(await numbers('In progress'), ['5', '2', '6'])
})

browserTest('renders only visible rows and keeps the scroll height exact', async (fixture) => {
  const { as } = fixture
  await seedTasks(fixture, 1_200, numberedTask('todo'))
  const page = await as('member')
  await openList(page, fixture)
  await expect(page.getByRole('treegrid')).toHaveAttribute('aria-rowcount', '1202')
  await page.locator('.scroll').evaluate((scroll) => scroll.scrollTo(0, scroll.scrollHeight))
  await expect(page.getByText('Task 1200', { exact: true })).toBeVisible()
  await expect(rowOf(page, 'ENG-1200')).toHaveAttribute('aria-rowindex', '1202')
  const nodes = await page.evaluate(() => document.querySelectorAll('*').length)
  assert.ok(nodes < 3_000, `${nodes} nodes`)
})

browserTest('shows two-line rows on a phone and does not scroll sideways', async (fixture) => {
  await seedTasks(fixture, 12)
  const page = await fixture.as('guest', { viewport: { width: 360, height: 740 }, hasTouch: true })
  await openList(page, fixture)
  await expect(page.locator('[data-number]').first()).toHaveCSS('height', '68px')
  const wide = await page.evaluate(() => document.documentElement.scrollWidth)
  assert.equal(wide, 360)
  await page.getByRole('button', { name: 'Filter and view' }).tap()
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Filter/ })
    .tap()
  await page.getByRole('option', { name: 'Priority' }).tap()
  await page.getByRole('option', { name: 'High' }).tap()
  await expect(page).toHaveURL(/f=priority/)
})

browserTest(
  'shows a not-found page for an unknown project and a hint in an empty one',
  async (fixture) => {
    const page = await fixture.as('member')
    fixture.allow(404)
    await page.goto(`/w/${fixture.team.workspace}/p/HID`)
    await expect(page.getByRole('heading', { level: 1 })).toContainText('HID')
    await page.goto(`/w/${fixture.team.workspace}/p/ENG`)
    await expect(page.getByText('No tasks yet. Create one, or press C.')).toBeVisible()
    await page.keyboard.press('n')
    await typeInFocusedField(page, 'The first')
    await page.keyboard.press('Enter')
    await expect(page.getByRole('link', { name: 'ENG-1', exact: true })).toBeVisible()
  },
)

browserTest('prints every task of the list, and nothing but the work', async (fixture) => {
  await seedTasks(fixture, 120, (n) => ({ title: `Errand ${n + 1}` }))
  const page = await fixture.as('owner')
  await openList(page, fixture)
  const rows = page.getByRole('row', { name: /Errand \d/ })
  await expect(rows.first()).toBeVisible()
  assert.ok((await rows.count()) < 120)
  // A browser lays the page out for paper right after this event. A page that has just been opened may
  // still measure its list, for the screen.
  await expect
    .poll(async () => {
      await page.evaluate(() => dispatchEvent(new Event('beforeprint')))
      return rows.count()
    })
    .toBe(120)
  await page.emulateMedia({ media: 'print' })
  const { scrollHeight, clientHeight } = await page
    .locator('#work .scroll')
    .evaluate(({ scrollHeight, clientHeight }) => ({ scrollHeight, clientHeight }))
  assert.equal(scrollHeight, clientHeight)
  await expect(page.getByRole('navigation', { name: 'Main', exact: true })).toBeHidden()
})
