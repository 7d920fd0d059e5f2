import assert from 'node:assert/strict'
import type { Page } from '@playwright/test'
import { assertAccessible, OPEN_DIALOG } from '../support/accessibility.ts'
import { type BrowserFixture, browserTest, expect } from '../support/browser-test.ts'
import { holdUndo, openScreen, waitForPageFocus } from '../support/page-actions.ts'
import { holdReplies, holdRequests } from '../support/route-requests.ts'
import { archiveOpenProject, seedTasks } from '../support/seed.ts'

const UNDO = 'ControlOrMeta+z'
const REDO = 'ControlOrMeta+Shift+z'

const statusOf = async ({ ask }: BrowserFixture, id: string | undefined): Promise<string> =>
  (await ask<{ status: string }>('owner', `GET /api/v1/tasks/${id}`)).status

/** Closes all messages at the bottom, as they do after eight seconds. */
async function dismissMessages(page: Page): Promise<void> {
  const dismiss = page.getByRole('button', { name: 'Dismiss' })
  await dismiss.first().waitFor()
  while ((await dismiss.count()) > 0) await dismiss.first().click()
  await waitForPageFocus(page)
}

browserTest('undoes and redoes changes after their messages have gone', async (fixture) => {
  const { openAs } = fixture
  const [one, two] = await seedTasks(fixture, 2, (n) => ({
    title: `Task ${n + 1}`,
    status: 'todo',
  }))
  const expectStatuses = async (first: string, second: string) => {
    await expect.poll(() => statusOf(fixture, one?.id)).toBe(first)
    await expect.poll(() => statusOf(fixture, two?.id)).toBe(second)
  }
  const page = await openAs('member', 'p/ENG')
  const boxOf = (title: string) =>
    page
      .getByRole('row', { name: new RegExp(title) })
      .getByRole('button', { name: /^(To do|Done)/ })
  await boxOf('Task 1').click()
  await boxOf('Task 2').click()
  await holdUndo(page)
  await expectStatuses('done', 'done')
  await dismissMessages(page)

  await page.keyboard.press(UNDO)
  await expect(page.getByText('Undone: Completed ENG-2')).toBeVisible()
  await expectStatuses('done', 'todo')
  await page.keyboard.press(UNDO)
  await expectStatuses('todo', 'todo')
  await page.keyboard.press(REDO)
  await expectStatuses('done', 'todo')
  await page.keyboard.press(REDO)
  await holdUndo(page)
  await expectStatuses('done', 'done')
  await dismissMessages(page)

  await page.getByRole('button', { name: 'Account of The member' }).click()
  await page.getByRole('menuitem', { name: 'Recent changes' }).click()
  const dialog = page.getByRole('dialog', { name: 'Recent changes' })
  const entry = dialog.getByRole('listitem').filter({ hasText: 'Task completed: Task 1' })
  await assertAccessible(page, { within: OPEN_DIALOG })
  await entry.getByRole('button', { name: 'Undo' }).click()
  await expect(entry).toContainText('Undone: Task completed: Task 1')
  await expectStatuses('todo', 'done')
  await entry.getByRole('button', { name: 'Redo' }).click()
  await expectStatuses('done', 'done')
  await page.keyboard.press('Escape')
  await expect(dialog).toBeHidden()
})

browserTest(
  'undoes a change of an earlier page or an API key in the recent changes',
  async (fixture) => {
    const { openAs, ask } = fixture
    const [task] = await seedTasks(fixture, 1, () => ({ title: 'One', status: 'todo' }))
    await ask('member', `PATCH /api/v1/tasks/${task?.id}`, { status: 'done' })
    const page = await openAs('member', 'p/ENG')
    const open = async () => {
      await page.getByRole('button', { name: 'Account of The member' }).click()
      await page.getByRole('menuitem', { name: 'Recent changes' }).click()
    }
    await open()
    const entries = page.getByRole('dialog', { name: 'Recent changes' }).getByRole('listitem')
    await expect(entries).toHaveText(/Task completed: One · by API key/)
    await entries.getByRole('button', { name: 'Undo' }).click()
    await expect(entries).toContainText('Undone: Task completed: One')
    await expect.poll(() => statusOf(fixture, task?.id)).toBe('todo')
    await page.reload()
    await open()
    await entries.getByRole('button', { name: 'Redo' }).click()
    await expect.poll(() => statusOf(fixture, task?.id)).toBe('done')
    await expect(entries.getByRole('button', { name: 'Undo' })).toBeVisible()
  },
)

browserTest('undoes logged time and edited entries before earlier changes', async (fixture) => {
  const { openAs, list, ask } = fixture
  const [task] = await seedTasks(fixture, 1, () => ({ title: 'One', status: 'todo' }))
  const path = `/api/v1/tasks/${task?.id}/time-entries`
  const readEntries = () =>
    list<{ id: string; duration_seconds: number; spent_on: string }>(`GET ${path}`)
  const readTimes = async () =>
    (await readEntries()).map(({ duration_seconds }) => duration_seconds)
  const page = await openAs('member', `t/${task?.short_id}`)
  const message = page.getByRole('region', { name: 'Messages' }).getByRole('listitem')
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.keyboard.press('ControlOrMeta+Enter')
  await expect.poll(() => statusOf(fixture, task?.id)).toBe('done')
  await page.getByRole('button', { name: 'Log time' }).click()
  const field = page.getByRole('textbox', { name: 'Log time' })
  await field.fill('1h review')
  await field.press('Enter')
  await expect(message).toHaveText(/^Logged 1h on .*Undo/)
  await expect.poll(readTimes).toEqual([3_600])
  await page.getByRole('button', { name: /^Edit 1h/ }).click()
  const edited = page.getByRole('textbox', { name: /^Edit 1h/ })
  await edited.fill((await edited.inputValue()).replace('1h', '2h'))
  await edited.press('Enter')
  await expect(message).toHaveText(/^Time entry edited.*Undo/)
  await expect.poll(readTimes).toEqual([7_200])

  await page.keyboard.press(UNDO)
  await expect.poll(readTimes).toEqual([3_600])
  await page.keyboard.press(UNDO)
  await expect.poll(readTimes).toEqual([])
  await expect(page.getByRole('button', { name: /^Edit 1h/ })).toHaveCount(0)
  expect(await statusOf(fixture, task?.id)).toBe('done')
  await page.keyboard.press(REDO)
  await expect.poll(readTimes).toEqual([3_600])

  // It is the entry of this page that goes, not a newer one with the same values.
  const [own] = await readEntries()
  const same = { duration_seconds: 3_600, spent_on: own?.spent_on, note: 'review' }
  const other = await ask<{ id: string }>('member', `POST ${path}`, same)
  await expect(page.getByRole('button', { name: /^Edit 1h/ })).toHaveCount(2)
  await page.keyboard.press(UNDO)
  const expectOnlyOther = () =>
    expect.poll(async () => (await readEntries()).map(({ id }) => id)).toEqual([other.id])
  await expectOnlyOther()

  // It is hidden at once, and goes behind the reply to its creation.
  const release = await holdReplies(page, `**${path}`)
  await field.fill('2h review')
  await field.press('Enter')
  await expect(page.getByRole('button', { name: /^Edit 2h/ })).toBeVisible()
  await field.press('Escape')
  await message.getByRole('button', { name: 'Undo' }).click()
  await expect(page.getByRole('button', { name: /^Edit 2h/ })).toHaveCount(0)
  release()
  await expectOnlyOther()
})

browserTest('a deleted task comes back by undo and from the trash', async (fixture) => {
  const { openAs, ask, list, team, allow } = fixture
  allow(404)
  const tasks = await seedTasks(fixture, 5, (n) => ({
    title: `Task ${n + 1}`,
  }))
  for (const { id } of tasks.slice(2))
    await ask('owner', `PATCH /api/v1/tasks/${id}`, { parent_id: 'ENG-1' })
  const readTitles = async () =>
    (await list<{ title: string }>('GET /api/v1/tasks')).map(({ title }) => title)
  const page = await openAs('member', 'p/ENG')
  const row = (n: number) => page.locator(`[data-number="${n}"]`)
  const messages = page.getByRole('region', { name: 'Messages' })
  await row(2).focus()
  await page.keyboard.press('#')
  await expect(row(2)).toHaveCount(0)
  await messages.getByRole('button', { name: /^Undo/ }).click()
  await expect(row(2)).toBeVisible()
  assert.ok((await readTitles()).includes('Task 2'))
  await row(1).focus()
  await page.keyboard.press('#')
  await expect(messages.getByText('Deleted ENG-1, with 3 subtasks', { exact: true })).toBeVisible()
  await row(2).focus()
  await page.keyboard.press('#')
  await expect(messages.getByRole('listitem')).toHaveText(/^Deleted ENG-2/)
  await messages.getByRole('link', { name: 'Trash' }).first().click()
  await expect(page).toHaveURL(/\/trash$/)
  const deleted = page.getByRole('list', { name: 'Deleted tasks' }).getByRole('listitem')
  await expect(deleted).toHaveCount(2)
  const first = deleted.filter({ hasText: 'Task 1' })
  await expect(first).toContainText('With 3 subtasks · The member')
  await expect(first).toContainText(/(29|30) days left/)
  const restore = (n: number) => page.getByRole('button', { name: `Restore ENG-${n}` })
  await restore(2).press('Enter')
  await expect(deleted).toHaveCount(1)
  await expect(restore(1)).toBeFocused()
  await restore(1).press('Enter')
  await expect(page.getByText('The trash is empty.')).toBeVisible()
  for (const n of [1, 2]) await expect.poll(readTitles).toContain(`Task ${n}`)

  // A task that is opened while its deletion is on its way is shown as deleted once it has ended.
  await openScreen(page, `/w/${team.workspace}/t/ENG-2`)
  await page.getByRole('heading', { level: 1, name: 'Task 2' }).waitFor()
  const release = await holdRequests(page, `**/api/v1/tasks/${tasks[1]?.id}`, 'DELETE')
  await page.keyboard.press('#')
  await page.waitForURL('**/p/ENG')
  await page.goBack()
  release()
  await page.getByText('This task is in the trash').waitFor()
  await assertAccessible(page)
  await page.getByRole('button', { name: 'Restore' }).press('Enter')
  await page.getByRole('heading', { level: 1, name: 'Task 2' }).waitFor()
  await expect.poll(readTitles).toContain('Task 2')

  // A guest may look at what others have deleted, but not restore it.
  await ask('owner', `DELETE /api/v1/tasks/${tasks[1]?.id}`)
  const guest = await openAs('guest', 't/ENG-11')
  await guest.getByRole('heading', { name: 'ENG-11 not found' }).waitFor()
  await guest.goto(`/w/${team.workspace}/t/ENG-1`)
  await guest.getByRole('button', { name: 'More', exact: true }).click()
  const reason = 'Guests can only delete tasks they created.'
  const remove = guest.getByRole('menuitem', { name: `Delete ${reason}` })
  await expect(remove).toHaveAttribute('aria-disabled', 'true')
  await guest.goto(`/w/${team.workspace}/trash`)
  await expect(guest.getByRole('button', { name: 'Restore ENG-2' })).toHaveAttribute(
    'aria-disabled',
    'true',
  )
})

browserTest('restores a comment and an archived project from the trash', async (fixture) => {
  const { openAs, ask, team } = fixture
  const [task] = await seedTasks(fixture, 1)
  const comments = `/api/v1/tasks/${task?.id}/comments`
  const body = `Thanks, <@${team.people.guest.id}>: **see** below\nThe rest`
  const { id } = await ask<{ id: string }>('member', `POST ${comments}`, { body })
  await ask('owner', `POST ${comments}`, { body: 'Not theirs' })
  const page = await openAs('member', `t/${task?.short_id}`)
  await page.getByRole('button', { name: 'More actions for comment by The member' }).click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  await page.getByRole('listitem').getByRole('link', { name: 'Trash' }).click()
  await expect(page).toHaveURL(/\/trash$/)

  const row = page.getByRole('list', { name: 'Deleted comments' }).getByRole('listitem')
  await expect(row).toHaveCount(1)
  await expect(row).toContainText('Thanks, @The guest: see below')
  await expect(row).not.toContainText('The rest')
  await expect(row).toContainText(/The member, .* · (29|30) days left/)
  await expect(page.getByText('Kept for 30 days, then gone for good')).toBeVisible()
  await row.getByRole('button', { name: `Restore comment on ${task?.short_id}` }).click()
  await expect(page.getByText('The trash is empty.')).toBeVisible()
  await page.getByRole('button', { name: 'Open' }).click()
  await expect(page.locator(`[id="${id}"]`)).toContainText('The rest')

  // A member does not see an archived project there, which only its managers restore.
  await archiveOpenProject(fixture)
  await page.goto(`/w/${team.workspace}/trash`)
  await expect(page.getByText('The trash is empty.')).toBeVisible()
  const owner = await openAs('owner', 'trash')
  const archived = owner.getByRole('list', { name: 'Archived projects' }).getByRole('listitem')
  await expect(archived).toHaveCount(1)
  await archived.getByRole('button', { name: /^Restore / }).click()
  await expect(owner.getByText('The trash is empty.')).toBeVisible()
  const read = () => ask<{ status: string }>('owner', `GET /api/v1/projects/${team.project}`)
  expect((await read()).status).toBe('active')
})
