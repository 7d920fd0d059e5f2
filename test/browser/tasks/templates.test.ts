import assert from 'node:assert/strict'
import type { Page } from '@playwright/test'
import { assertAccessible, OPEN_DIALOG } from '../support/accessibility.ts'
import { type BrowserFixture, browserTest, expect } from '../support/browser-test.ts'
import { holdUndo, openScreen, pressUndo } from '../support/page-actions.ts'
import { dateFromToday, seedTasks } from '../support/seed.ts'

interface CopiedTask {
  id: string
  title: string
  parent_id: string | null
  due_date: string | null
  status: string
}

const listTasks = async ({ list, team }: Pick<BrowserFixture, 'ask' | 'list' | 'team'>) =>
  await list<CopiedTask>(`GET /api/v1/projects/${team.project}/tasks?limit=200`)
const listTitles = async (fixture: BrowserFixture) =>
  (await listTasks(fixture)).map(({ title }) => title).toSorted()

/** Opens the page of a task with two subtasks. */
async function openTaskWithSubtasks(fixture: BrowserFixture): Promise<Page> {
  const { openAs, ask, team } = fixture
  const more = { start_date: '2026-03-01', due_date: '2026-03-04', status: 'in_progress' }
  const [top] = await seedTasks(fixture, 1, () => ({ title: 'Release', ...more }))
  assert.ok(top)
  for (const title of ['Build', 'Announce']) {
    await ask('owner', 'POST /api/v1/tasks', {
      project_id: team.project,
      title,
      parent_id: top.id,
    })
  }
  const page = await openAs('member', `t/${top.short_id}`)
  await page.getByRole('heading', { level: 1, name: 'Release' }).waitFor()
  return page
}

const chooseFromMenu = async (page: Page, item: string) => {
  await page.getByRole('button', { name: 'More', exact: true }).click()
  await page.getByRole('menuitem', { name: item }).click()
}

browserTest('duplicates a task, saves, uses, changes and deletes its template', async (fixture) => {
  const { team } = fixture
  // The open copy is requested once more after it was deleted.
  fixture.allow(404)
  const page = await openTaskWithSubtasks(fixture)
  await chooseFromMenu(page, 'Duplicate')
  const dialog = page.getByRole('dialog', { name: 'Duplicate ENG-1' })
  await expect(dialog.getByRole('checkbox', { name: 'Include its 2 subtasks' })).toBeChecked()
  await assertAccessible(page, { within: OPEN_DIALOG })
  await dialog.getByRole('button', { name: 'Duplicate' }).click()
  await expect(page.getByText('Duplicated ENG-1: 3 tasks')).toBeVisible()
  await holdUndo(page)
  await page.waitForURL('**/t/ENG-4')
  await expect
    .poll(() => listTitles(fixture))
    .toEqual(['Announce', 'Announce', 'Build', 'Build', 'Release', 'Release'])
  const copies = (await listTasks(fixture)).filter(({ title }) => title === 'Release')
  assert.deepEqual(copies.map(({ status }) => status).toSorted(), ['in_progress', 'todo'])
  await pressUndo(page)
  await expect.poll(() => listTitles(fixture)).toEqual(['Announce', 'Build', 'Release'])
  await page.goto(`/w/${team.workspace}/t/ENG-1`)
  await chooseFromMenu(page, 'Save as template')
  const save = page.getByRole('dialog', { name: 'Save ENG-1 as template' })
  await save.getByLabel('Name', { exact: true }).fill('Our release')
  await save.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('Saved template “Our release”')).toBeVisible()

  await openScreen(page, `/w/${team.workspace}/my`)
  await page.getByRole('heading', { level: 1, name: 'My work' }).waitFor()
  await page.keyboard.press('ControlOrMeta+k')
  await page.getByRole('combobox').fill('from template')
  await page.getByRole('option', { name: /New task from template/ }).click()
  const use = page.getByRole('dialog', { name: 'New task from template' })
  await expect(use.getByLabel('Template', { exact: true })).toContainText('Our release (3 tasks)')
  const name = use.getByLabel('Title', { exact: true })
  await name.fill('Release 2')
  await use.getByLabel('Start date').fill('2026-06-10')
  await assertAccessible(page, { within: OPEN_DIALOG })
  await use.getByRole('button', { name: 'Create tasks' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Release 2' })).toBeVisible()
  const made = (await listTasks(fixture)).find(({ title }) => title === 'Release 2')
  assert.deepEqual([made?.due_date, made?.status], ['2026-06-13', 'todo'])

  await openScreen(page, `/w/${team.workspace}/p/ENG/settings?tab=templates`)
  await expect(page.getByRole('row', { name: /Our release/ })).toContainText('3 tasks')
  await page.getByRole('button', { name: 'Edit Our release' }).click()
  const edit = page.getByRole('dialog', { name: 'Edit template' })
  await edit.getByRole('button', { name: 'Remove Build' }).click()
  await edit.getByLabel('Due after (days)').first().fill('1')
  await assertAccessible(page, { within: OPEN_DIALOG })
  await edit.getByRole('button', { name: 'Save' }).click()
  const row = page.getByRole('row', { name: /Our release/ })
  await expect(row).toContainText('2 tasks')
  await row.getByRole('button', { name: 'Delete Our release' }).click()
  await holdUndo(page)
  await expect(row).toBeHidden()
  await pressUndo(page)
  await expect(row).toBeVisible()

  // Guests can use a template but not delete it.
  const guest = await fixture.openAs('guest', 'p/ENG/settings?tab=templates')
  await expect(guest.getByRole('button', { name: 'Delete Our release' })).toHaveAttribute(
    'aria-disabled',
  )
  await guest.getByRole('button', { name: 'Use Our release' }).click()
  const form = guest.getByRole('dialog')
  await form.getByLabel('Title').fill('Release')
  await form.getByRole('button', { name: 'Create tasks' }).click()
  await guest.getByText(/^Created .*: 2 tasks/).waitFor()
  // The template has the changed offsets.
  const used = (await listTasks(fixture)).filter(({ title }) => title === 'Release')
  assert.deepEqual(used.map(({ due_date }) => due_date).toSorted(), [
    '2026-03-04',
    dateFromToday(1),
  ])
})
