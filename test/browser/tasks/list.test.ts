import assert from 'node:assert/strict'
import type { Page } from '@playwright/test'
import { type BrowserFixture, browserTest, expect } from '../support/browser-test.ts'
import { holdUndo, typeInFocusedField } from '../support/page-actions.ts'
import { routeRequests } from '../support/route-requests.ts'
import { seedTasks } from '../support/seed.ts'

const group = (page: Page, name: string) => page.getByRole('rowgroup', { name, exact: true })
const openList = async (page: Page, { team }: Pick<BrowserFixture, 'team'>, search = '') => {
  await page.goto(`/w/${team.workspace}/p/ENG${search}`)
  await page.getByRole('treegrid').waitFor()
}
const numberedTask = (status: string) => (n: number) => ({ title: `Task ${n + 1}`, status })

browserTest('drags a row to another position and into another group', async (fixture) => {
  const { as, ask, team } = fixture
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

  // Of a task in several groups, the drag changes the one of its row.
  const { owner, admin } = team.people
  for (const [number, assignee_ids] of [
    [1, [owner.id, team.people.member.id]],
    [3, [admin.id]],
  ] as const)
    await ask('owner', `PATCH /api/v1/tasks/ENG-${number}`, { assignee_ids })
  await openList(page, fixture, '?group=assignee')
  const to = await group(page, 'The admin').locator('[data-number="3"]').boundingBox()
  await group(page, 'The owner').locator('[data-number="1"] .no').hover()
  await page.mouse.down()
  await page.mouse.move((to?.x ?? 0) + 5, (to?.y ?? 0) + 4, { steps: 5 })
  await page.mouse.up()
  const readAssignees = async () =>
    (await ask<{ assignee_ids: string[] }>('owner', 'GET /api/v1/tasks/ENG-1')).assignee_ids
  await expect
    .poll(async () => (await readAssignees()).toSorted())
    .toEqual([team.people.member.id, admin.id].toSorted())

  // A title that is too long goes to the description, which a row does not know.
  const [title, long] = [100, 120].map((count) => 'word '.repeat(count).trim())
  await ask('owner', 'PATCH /api/v1/tasks/ENG-6', { description: 'as it was' })
  const read = () => ask('owner', 'GET /api/v1/tasks/ENG-6')
  await page.getByText('Task 6', { exact: true }).dblclick()
  await expect(page.getByRole('textbox', { name: 'Title of ENG-6' })).toBeFocused()
  await page.keyboard.insertText(long ?? '')
  await page.keyboard.press('Enter')
  await holdUndo(page)
  await expect.poll(read).toMatchObject({ title, description: `${long}\n\nas it was` })
  await page.getByRole('button', { name: /^Undo/ }).last().click()
  await expect.poll(read).toMatchObject({ title: 'Task 6', description: 'as it was' })
})

browserTest('a list on a phone has two-line rows, and says how to begin', async (fixture) => {
  const { openAs, ask, team, allow } = fixture
  allow(404)
  const page = await openAs('member', 'p/HID', {
    viewport: { width: 360, height: 740 },
    hasTouch: true,
  })
  await expect(page.getByRole('heading', { level: 1 })).toContainText('HID')
  await page.goto(`/w/${team.workspace}/p/ENG`)
  await expect(page.getByText('No tasks yet. Create one, or press C.')).toBeVisible()
  await page.keyboard.press('n')
  await typeInFocusedField(page, 'The first')
  await page.keyboard.press('Enter')
  const row = page.locator('[data-number]')
  await expect(row).toHaveCSS('height', '68px')
  await expect(row).toContainText('ENG-1')
  await page.keyboard.press('Escape')
  await ask('owner', 'PATCH /api/v1/tasks/ENG-1', { priority: 'high' })
  await page.getByRole('button', { name: 'Filter and view' }).tap()
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Filter/ })
    .tap()
  await page.getByRole('option', { name: 'Priority' }).tap()
  await page.getByRole('option', { name: 'High' }).tap()
  await expect(page).toHaveURL(/f=priority/)
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 360)
})

browserTest('a part whose code cannot be loaded leaves the list as it is', async (fixture) => {
  const { as, team, allow } = fixture
  allow(/ERR_FAILED|net::/)
  await seedTasks(fixture, 1, () => ({ title: 'Still here' }))
  const page = await as('member')
  const code = /deferred-bundle[^/]*\.js/
  await routeRequests(page, code, (route) => route.abort())
  await page.goto(`/w/${team.workspace}/p/ENG`)
  const retry = page.getByRole('button', { name: 'Try again' })
  await expect(retry).toHaveCount(1)
  await expect(page.getByRole('row', { name: /Still here/ })).toBeVisible()
  await page.unroute(code)
  await retry.click()
  await expect(page.getByRole('button', { name: 'Saved views' })).toBeVisible()
  await expect(retry).toHaveCount(0)
})
