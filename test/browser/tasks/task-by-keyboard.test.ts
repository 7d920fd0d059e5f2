import assert from 'node:assert/strict'
import type { Locator, Page } from '@playwright/test'
import { assertAccessible } from '../support/accessibility.ts'
import { type BrowserFixture, browserTest, expect } from '../support/browser-test.ts'
import {
  expectWritten,
  pressSequence,
  typeInFocusedField,
  waitForPageFocus,
} from '../support/page-actions.ts'
import { holdComposerCode, holdOverlayCode, holdRequests } from '../support/route-requests.ts'
import { dateFromToday, seedTasks } from '../support/seed.ts'

/** More than any screen has stops of the Tab key before its main control. */
const MAX_TABS = 40

/** Presses Tab until the element has the focus. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  await target.waitFor()
  for (let tabs = 0; tabs < MAX_TABS; tabs++) {
    if (await target.evaluate((element) => element === document.activeElement)) return
    await page.keyboard.press('Tab')
  }
  await expect(target).toBeFocused()
}

browserTest('the ten main tasks work with the keyboard alone', async (fixture) => {
  const { visitor, team } = fixture
  const { member } = team.people
  await seedTasks(fixture, 1, () => ({
    title: 'Look at the invoice',
    status: 'todo',
    assignee_ids: [member.id],
  }))
  const page = await visitor()
  const press = async (...keys: string[]) => {
    for (const key of keys) await page.keyboard.press(key)
  }
  const pick = async (name: string) => {
    await typeInFocusedField(page, name)
    await expect(page.getByRole('option', { name })).toHaveAttribute('data-focused', 'true')
    await press('Enter')
  }
  const row = page.locator('[data-number="2"]')

  // 1. Sign in.
  await page.goto('/sign-in')
  await tabTo(page, page.getByLabel('Email'))
  await page.keyboard.type(member.email)
  await tabTo(page, page.getByLabel('Password', { exact: true }))
  await page.keyboard.type(member.password)
  await press('Enter')
  await page.waitForURL('**/w/**')
  const navigation = page.getByRole('navigation', { name: 'Main', exact: true })
  const inbox = navigation.getByRole('link', { name: /^Inbox/ })
  await expect(inbox).toContainText('1')

  // 2. Open a project.
  await tabTo(page, navigation.getByRole('link', { name: /Engineering/ }))
  await press('Enter')
  await expect(page.locator('[data-number="1"]')).toContainText('Look at the invoice')

  // 3. Create a task.
  await press('c')
  await typeInFocusedField(page, 'Walk the dog')
  await press('Enter', 'Escape')
  await expect(row).toContainText('Walk the dog')

  // 4. Rename it.
  await press('j', 'j')
  await expect(row).toBeFocused()
  await press('e')
  await typeInFocusedField(page, 'Walk both dogs')
  await press('Enter')
  await expect(row).toContainText('Walk both dogs')
  await expect(row).toBeFocused()

  // 5. Change its status.
  await press('s')
  await pick('In progress')
  await expect(row).toHaveAttribute('data-s', 'in_progress')
  await expect(row).toBeFocused()

  // 6. Assign it.
  await press('a')
  await pick(member.name)
  await expect(page.getByRole('option', { name: member.name, selected: true })).toBeVisible()
  await press('Escape')
  await expect(row.getByTitle(member.name)).toBeVisible()
  await expect(row).toBeFocused()

  // 7. Start a timer.
  await press('Shift+S')
  await expect(page.getByText('Timer started on ENG-2')).toBeAttached()

  // 8. Comment.
  await press('Enter')
  const panel = page.getByRole('complementary', { name: 'Task ENG-2' })
  await expect(panel.locator(':focus')).toHaveCount(1)
  await press('m')
  await page.locator('[contenteditable]:focus, textarea:focus').waitFor()
  await page.keyboard.type('Both need a leash')
  await press('ControlOrMeta+Enter')
  await expect(panel.getByRole('article').getByText('Both need a leash')).toBeVisible()

  // 9. Search.
  await press('ControlOrMeta+k')
  await typeInFocusedField(page, 'invoice')
  await press('Tab')
  await page.waitForURL('**/all?f=invoice')
  await page.getByRole('heading', { level: 1, name: 'All tasks' }).waitFor()
  const result = page.getByRole('row').filter({ hasText: 'Look at the invoice' })
  await result.waitFor()
  await waitForPageFocus(page)
  await press('j')
  await expect(result).toBeFocused()

  // 10. Mark the inbox read.
  await pressSequence(page, 'gi')
  const notification = page.getByRole('list', { name: 'Notifications' }).getByRole('listitem')
  await notification.first().waitFor()
  await press('j')
  await expect(notification.first().getByRole('link')).toBeFocused()
  await press('u')
  await expect(inbox).not.toContainText('1')
})

/** Opens the page of a new task as the member. */
async function openTask(fixture: BrowserFixture) {
  const { openAs, ask } = fixture
  const [task] = await seedTasks(fixture, 1, () => ({ title: 'Ship the importer' }))
  assert.ok(task)
  const page = await openAs('member', `t/${task.short_id}`)
  await page.getByRole('heading', { level: 1, name: 'Ship the importer' }).waitFor()
  const frame = page.locator('.task-frame')
  const saved = () => ask<Record<string, unknown>>('owner', `GET /api/v1/tasks/${task.id}`)
  return { page, keys: page.keyboard, frame, saved }
}

browserTest('shortcuts change every property, and keep what is typed', async (fixture) => {
  const { page, keys, frame, saved } = await openTask(fixture)
  const highlighted = (name: string) =>
    expect(page.getByRole('option', { name })).toHaveAttribute('data-focused', 'true')
  await keys.press('p')
  await page.getByRole('option', { name: 'Urgent' }).waitFor()
  await keys.press('Escape')
  await expect(frame.getByRole('button', { name: 'Priority: No priority. Change' })).toBeFocused()
  // Once the picker is loaded, typing right after the shortcut filters it.
  await keys.press('p')
  await keys.type('urg')
  await highlighted('Urgent')
  await keys.press('Enter')
  await expect(frame.getByRole('button', { name: 'Priority: Urgent. Change' })).toBeFocused()
  await keys.press('l')
  await typeInFocusedField(page, 'import')
  await highlighted('Create tag “import”')
  await keys.press('Enter')
  await expect(page.getByRole('option', { name: 'import', selected: true })).toBeVisible()
  await keys.press('Escape')
  await frame.getByRole('button', { name: 'Tags: import. Change' }).waitFor()
  await keys.press('d')
  await typeInFocusedField(page, 'tomorrow')
  await keys.press('Enter')
  await frame.getByRole('button', { name: /^Due date: Tomorrow / }).waitFor()
  await keys.press('i')
  await frame.getByRole('button', { name: 'Assignees: The member. Change' }).waitFor()
  await keys.press('Shift+E')
  await expect(frame.getByLabel('Description', { exact: true })).toBeFocused()
  await keys.type('It reads **CSV**.')
  await keys.press('ControlOrMeta+Enter')
  await expect(frame.locator('.description strong')).toHaveText('CSV')
  await frame.getByRole('button', { name: 'Add property' }).press('Enter')
  await frame.getByRole('button', { name: 'Custom field' }).press('Enter')
  await keys.type('cost')
  await keys.press('Tab')
  await keys.type('5')
  await keys.press('Enter')
  await frame.getByRole('button', { name: 'cost: 5. Change' }).waitFor()

  await keys.press('Shift+C')
  const subtask = frame.getByLabel('Subtask title')
  await expect(subtask).toBeFocused()
  await keys.type('Read the head')
  await keys.press('Enter')
  await frame.getByRole('link', { name: 'Read the head' }).waitFor()
  // Pasted lines leave what is being typed, and so does another screen.
  await keys.type('Half')
  await subtask.evaluate((field) => {
    const clipboardData = new DataTransfer()
    clipboardData.setData('text', 'Read the rows\nCheck them\n')
    const event = { clipboardData, bubbles: true, cancelable: true }
    field.dispatchEvent(new ClipboardEvent('paste', event))
  })
  await frame.getByRole('link', { name: 'Check them' }).waitFor()
  await frame.getByRole('button', { name: 'Log time' }).click()
  const logged = frame.getByRole('textbox', { name: 'Log time' })
  await logged.fill('1h call')
  const lookAtMyWork = async () => {
    await page.getByRole('link', { name: 'My work', exact: true }).click()
    await page.getByRole('heading', { level: 1, name: 'My work' }).waitFor()
    await page.goBack()
  }
  await lookAtMyWork()
  await expect(logged).toHaveValue('1h call')
  await expect(subtask).toHaveValue('Half')
  await subtask.press('Escape')

  await keys.press('ControlOrMeta+Enter')
  await frame.getByText('completed this task').waitFor()
  // A title is saved also if its screen is left while it is being edited.
  await frame.getByRole('heading', { level: 1 }).dblclick()
  await expect(page.getByLabel('Title')).toBeFocused()
  await keys.type(' for all')
  await page.goForward()
  await expect.poll(saved).toMatchObject({
    title: 'Ship the importer for all',
    description: 'It reads **CSV**.',
    status_category: 'completed',
    priority: 'urgent',
    due_date: dateFromToday(1),
    assignee_ids: [fixture.team.people.member.id],
    custom_fields: { cost: 5 },
    subtask_count: 3,
  })
})

browserTest('rules, tags and blockers are set by their pickers', async (fixture) => {
  const { ask, team, docket, as, allow } = fixture
  allow(422)
  const admin = await as('admin')
  const rename = { headers: { origin: docket.url }, data: { name: 'The owner' } }
  assert.equal((await admin.request.patch('/internal/account', rename)).status(), 200)
  const tags = `/api/v1/projects/${team.project}/tags`
  const { id: infra } = await ask<{ id: string }>('owner', `POST ${tags}`, { name: 'infra' })
  const { page, keys, frame, saved } = await openTask(fixture)
  await seedTasks(fixture, 2, (n) => ({
    title: `Blocker ${n + 1}`,
    ...(n === 0 && { blocked_by_ids: ['ENG-1'] }),
  }))
  await frame.getByRole('button', { name: 'Add property' }).click()
  await frame.getByRole('button', { name: /^Repeat: / }).click()
  const form = page.getByRole('dialog')
  await form.getByLabel('Every').selectOption('month')
  await form.getByLabel('On', { exact: true }).selectOption('on the last day')
  await form.getByRole('button', { name: 'Save' }).click()
  await frame.getByRole('button', { name: /^Repeat: every month on the last day/ }).waitFor()
  await expect.poll(saved).toMatchObject({ recurrence: { rrule: 'FREQ=MONTHLY;BYMONTHDAY=-1' } })

  // Tasks that would wait for each other; what is typed and ticked stays while a tag is created.
  const blockers = frame.getByRole('button', { name: /^Blocked by: .*Change/ })
  for (const name of ['Blocker 2', 'Blocker 1']) {
    await blockers.click()
    await typeInFocusedField(page, name)
    await page.getByRole('option', { name }).click()
    await keys.press('Escape')
    await expect.poll(async () => (await saved()).blocked_by_ids).toHaveLength(1)
  }
  const cycle = page
    .getByRole('alert')
    .filter({ hasText: 'These tasks would wait for each other.' })
  await expect(cycle).toBeVisible()
  const release = await holdRequests(page, `**${tags}`, 'POST')
  await page.getByRole('heading', { level: 1 }).focus()
  await keys.press('l')
  const field = page.locator('[data-overlay] input')
  await field.fill('fresh')
  await page.getByRole('option', { name: 'Create tag “fresh”' }).click()
  await field.fill('inf')
  await page.getByRole('option', { name: 'infra' }).click()
  release()
  await field.fill('fr')
  await expect(page.getByRole('option', { name: 'fresh', exact: true })).toBeVisible()
  await expect(field).toHaveValue('fr')
  await field.press('Escape')
  await expect.poll(async () => (await saved()).tag_ids).toHaveLength(2)
  expect((await saved()).tag_ids).toContain(infra)

  // People of one name are told apart.
  await page.getByRole('heading', { level: 1 }).focus()
  await keys.press('m')
  const comment = frame.getByLabel('Comment', { exact: true })
  await expect(comment).toBeFocused()
  await keys.type('For @The own')
  await page.getByRole('option', { name: team.people.admin.email }).click()
  await expectWritten(comment, `For <@${team.people.admin.id}> `)
})

const rowOf = (page: Page, number: number) => page.locator(`[data-number="${number}"]`)
const header = (page: Page, key: string) => page.locator(`[data-group="${key}"]`)

browserTest('arrow keys reach every row and every cell of the list', async (fixture) => {
  const { openAs, ask } = fixture
  const tasks = await seedTasks(fixture, 4, (n) => ({
    title: `Task ${n + 1}`,
    status: n < 3 ? 'todo' : 'in_progress',
    estimate_seconds: n === 0 ? 7_200 : null,
  }))
  await ask('owner', `PATCH /api/v1/tasks/${tasks[2]?.id}`, { parent_id: tasks[0]?.id })
  const page = await openAs('member', 'p/ENG')
  await expect(rowOf(page, 4)).toBeVisible()
  await expect(page.getByRole('treegrid')).toHaveAttribute('aria-rowcount', '7')
  await expect(page.getByText('tasks, 4 open, 0m spent of 2h estimated')).toBeVisible()
  const press = async (...keys: string[]) => {
    for (const key of keys) await page.keyboard.press(key)
  }
  await expect(header(page, 'todo')).toHaveAttribute('aria-level', '1')
  await expect(rowOf(page, 1)).toHaveAttribute('aria-level', '2')
  await expect(rowOf(page, 3)).toHaveAttribute('aria-level', '3')

  // The keys of cells are loaded after the first rows, together with this.
  await expect(page.getByRole('button', { name: 'Saved views' })).toBeVisible()

  // Rows: a subtask, its parent, the header of its group, which collapses and expands.
  // A click on the project in the sidebar has left the focus there.
  await page.getByRole('link', { name: /^ENG Engineering/ }).focus()
  await press('j', 'ArrowDown')
  await expect(rowOf(page, 3)).toBeFocused()
  await press('ArrowLeft')
  await expect(rowOf(page, 1)).toBeFocused()
  await press('ArrowLeft')
  await expect(header(page, 'todo')).toBeFocused()
  await press('ArrowLeft')
  await expect(header(page, 'todo')).toHaveAttribute('aria-expanded', 'false')
  await expect(rowOf(page, 1)).toBeHidden()
  await press('ArrowDown')
  await expect(header(page, 'in_progress')).toBeFocused()
  await press('ArrowUp', 'ArrowRight')
  await expect(header(page, 'todo')).toHaveAttribute('aria-expanded', 'true')
  await press('ArrowRight')
  await expect(rowOf(page, 1)).toBeFocused()
  await press('End')
  await expect(rowOf(page, 4)).toBeFocused()
  await press('Home')
  await expect(header(page, 'todo')).toBeFocused()
  await press('Enter')
  await expect(rowOf(page, 1)).toBeHidden()
  await press('Enter', 'ArrowDown')
  await expect(rowOf(page, 1)).toBeFocused()

  // Cells: the first one selects, the last one picks people, and the column stays.
  const cell = (number: number, at: number) => rowOf(page, number).getByRole('gridcell').nth(at)
  await press('ArrowRight')
  await expect(cell(1, 0)).toBeFocused()
  await press('Enter')
  await expect(rowOf(page, 1)).toHaveAttribute('aria-selected', 'true')
  await press('Enter', 'End')
  await expect(cell(1, 6)).toBeFocused()
  await press('ArrowLeft', 'ArrowDown')
  await expect(cell(3, 5)).toBeFocused()
  await press('Enter')
  await typeInFocusedField(page, 'Urgent')
  await expect(page.getByRole('option', { name: 'Urgent' })).toHaveAttribute('data-focused', 'true')
  await press('Enter')
  await expect(rowOf(page, 3).getByRole('img', { name: 'Urgent' })).toBeVisible()
  await expect(cell(3, 5)).toBeFocused()
  await assertAccessible(page, { themes: ['light'] })
  await press('Escape')
  await expect(rowOf(page, 3)).toBeFocused()
  await expect(page).not.toHaveURL(/task=/)
})

browserTest('keys select ranges, and act on one task or in its group', async (fixture) => {
  const { openAs, ask, team } = fixture
  const { member, owner, admin } = team.people
  const assignees = [[member.id, owner.id], [member.id], [owner.id], [admin.id]]
  await seedTasks(fixture, 12, (n) => ({
    title: `Task ${n + 1}`,
    status: 'todo',
    assignee_ids: assignees[n] ?? [],
    due_date: dateFromToday(n < 11 ? 1 : 60),
  }))
  const page = await openAs('member', 'p/ENG')
  await expect(rowOf(page, 12)).toBeVisible()
  const press = async (...keys: string[]) => {
    for (const key of keys) await page.keyboard.press(key)
  }
  const selected = () =>
    page
      .locator('[role="row"][aria-selected="true"]')
      .evaluateAll((rows) => rows.map((row) => Number(row.getAttribute('data-number'))))
  // A selection that was cleared leaves no anchor behind.
  await press('j', 'x', 'Escape', 'j', 'j', 'j', 'Shift+J')
  await expect.poll(selected).toEqual([4, 5])
  await press('Escape')
  await rowOf(page, 8)
    .locator('.what')
    .click({ modifiers: ['Shift'], position: { x: 200, y: 8 } })
  await expect.poll(selected).toEqual([5, 6, 7, 8])
  // The checkboxes select a range as well, with its last task.
  await press('Escape')
  for (const [number, modifiers] of [
    [2, []],
    [4, ['Shift']],
  ] as const) {
    await rowOf(page, number).hover()
    await rowOf(page, number)
      .getByRole('checkbox')
      .click({ modifiers: [...modifiers] })
  }
  await expect.poll(selected).toEqual([2, 3, 4])
  await press('Escape')

  // A task is triaged with eight keys: the third status, the second priority, oneself, today.
  await rowOf(page, 12).focus()
  await press('s', '3', 'p', '2', 'a', '1', 'd', 'Enter')
  await expect
    .poll(() => ask('owner', 'GET /api/v1/tasks/ENG-12'))
    .toMatchObject({
      status: 'in_progress',
      priority: 'high',
      assignee_ids: [member.id],
      due_date: dateFromToday(0),
    })
  await press('s')
  await page.getByRole('option', { name: 'Done' }).waitFor()
  await assertAccessible(page)
  await press('Escape')

  // “Later” names no day to move to.
  await ask('owner', 'PATCH /api/v1/tasks/ENG-12', { due_date: dateFromToday(60) })
  await page.goto(`/w/${team.workspace}/p/ENG?group=due`)
  await rowOf(page, 10).focus()
  await press('Alt+ArrowDown')
  const announced = page.getByRole('status').filter({ hasText: /^Moved/ })
  await expect(announced).toHaveText('Moved ENG-10 below ENG-11')
  await press('Alt+ArrowDown')
  const messages = page.getByRole('region', { name: 'Messages' })
  await expect(messages.getByText('You cannot move it there.')).toBeVisible()
})

browserTest('what is typed while code loads reaches its field, however late', async (fixture) => {
  const { as, team } = fixture
  await seedTasks(fixture, 2, (n) => ({ title: `Task ${n + 1}`, status: 'todo' }))
  const page = await as('member')
  await page.clock.install()
  const loadPickers = await holdOverlayCode(page)
  const loadDialog = await holdComposerCode(page)
  await page.goto(`/w/${team.workspace}/p/ENG`)
  await rowOf(page, 1).press('p')
  await page.keyboard.type('urg')
  await page.clock.fastForward(5_000)
  await page.keyboard.press('Enter')
  // The key after the choice is for the list again, with its Alt.
  await page.keyboard.press('Alt+ArrowDown')
  loadPickers()
  await expect(rowOf(page, 1).getByRole('img', { name: 'Urgent' })).toBeVisible()
  await expect(page.locator('[data-number]').nth(1)).toHaveAttribute('data-number', '1')

  await page.keyboard.press('c')
  await page.keyboard.type('jxd')
  await expect(page.getByText('1 selected')).toHaveCount(0)
  loadDialog()
  const title = page
    .getByRole('dialog', { name: 'New task' })
    .getByRole('combobox', { name: 'Title' })
  await expect(title).toHaveValue('jxd')
  await page.keyboard.type(' and more')
  await expect(title).toHaveValue('jxd and more')
})

browserTest('keys go on from the place of a task that has moved away', async (fixture) => {
  const { openAs } = fixture
  await seedTasks(fixture, 60, (n) => ({
    title: `Task ${n + 1}`,
    status: n < 50 ? 'todo' : 'in_progress',
  }))
  const page = await openAs('member', 'p/ENG')
  // What keeps the place is loaded after the first rows, together with this.
  await expect(page.getByRole('button', { name: 'Saved views' })).toBeVisible()
  const press = async (...keys: string[]) => {
    for (const key of keys) await page.keyboard.press(key)
  }
  const begin = async (number: number) => {
    await press('s', '3')
    await expect(rowOf(page, number).getByRole('button', { name: /^In progress/ })).toBeVisible()
    await expect(rowOf(page, number)).not.toBeInViewport()
  }
  await rowOf(page, 3).focus()
  await begin(3)
  await press('j')
  await expect(rowOf(page, 4)).toBeFocused()
  await begin(4)
  await press('ArrowUp')
  await expect(rowOf(page, 2)).toBeFocused()

  await begin(2)
  await press('p')
  await expect(page.getByRole('dialog', { name: 'Priority of ENG-2' })).toBeInViewport({
    ratio: 1,
  })
  await expect(rowOf(page, 2)).toBeInViewport({ ratio: 1 })
  await press('2', 'j')
  await expect(rowOf(page, 5)).toBeFocused()
  await expect(rowOf(page, 5)).toBeInViewport({ ratio: 1 })

  // A command without a picker, and a range, which begins at the row that is seen.
  await begin(5)
  await press('x')
  await expect(rowOf(page, 5)).toBeInViewport({ ratio: 1 })
  await press('Shift+ArrowDown')
  await expect(page.getByText('2 selected')).toBeVisible()
  // Where the person moves a task by hand, they go on.
  await press('Escape', 'Home', 'j', 'j')
  await expect(rowOf(page, 6)).toBeFocused()
  await begin(6)
  await press('Alt+ArrowDown', 'j')
  await expect(rowOf(page, 51)).toBeVisible()
  const focused = await page.evaluate(() => document.activeElement?.getAttribute('data-number'))
  assert.notEqual(focused, '7')
})

browserTest('the task panel takes the focus and returns it on Escape', async (fixture) => {
  const { openAs, team } = fixture
  const assignedToMember = () => ({ assignee_ids: [team.people.member.id] })
  const [one, two] = await seedTasks(fixture, 2, (n) => ({
    title: `Number ${n + 1}`,
    ...assignedToMember(),
  }))
  assert.ok(one && two)
  const page = await openAs('member', 'my')
  await rowOf(page, 1).focus()
  await page.keyboard.press('Enter')
  const panel = page.getByRole('complementary', { name: /^Task ENG-/ })
  await expect(panel.getByRole('heading', { name: /Number 1/ })).toBeFocused()
  await expect(page).toHaveURL(/\/my\?task=ENG-1$/)
  const order = await page.locator('main .title').allInnerTexts()
  await page.keyboard.press(order[0] === 'Number 1' ? ']' : '[')
  await expect(panel.getByRole('heading', { name: /Number 2/ })).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(panel).toBeHidden()
  await expect(page).toHaveURL(/\/my$/)
  await expect(rowOf(page, 2)).toBeFocused()

  // A click keeps the focus where it is, and Escape still closes the panel.
  const title = rowOf(page, 1).locator('.title')
  await title.click()
  await expect(panel.getByRole('heading', { name: /Number 1/ })).toBeVisible()
  await expect(title).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(panel).toBeHidden()

  // A deletion takes the row that opened the panel away.
  await page.keyboard.press('Enter')
  await expect(panel.getByRole('heading', { name: /Number 1/ })).toBeFocused()
  await page.keyboard.press('#')
  await expect(panel).toBeHidden()
  await expect(rowOf(page, 1)).toHaveCount(0)
  await expect(rowOf(page, 2)).toBeFocused()
})

browserTest('keys in the task panel leave the task under the cursor alone', async (fixture) => {
  const { openAs } = fixture
  await seedTasks(fixture, 3, (n) => ({ title: `Task ${n + 1}`, status: 'todo' }))
  const page = await openAs('member', 'p/ENG')
  await page.locator('[data-number="1"]').focus()
  await page.keyboard.press('Enter')
  const heading = page.locator('.panel [data-heading]')
  await expect(heading).toContainText('Task 1')
  await page.keyboard.press('j')
  await expect(heading).toContainText('Task 2')
  // Now the board comes together with the panel.
  await page.keyboard.press('2')
  await expect(page.locator('.board [data-number="2"]')).toBeVisible()
  await heading.focus()
  await page.keyboard.press('x')
  await page.keyboard.press('Alt+ArrowRight')
  await page.keyboard.press('#')
  await expect(page.locator('.board [data-number="2"]')).toHaveCount(0)
  const todo = page.getByRole('region', { name: 'To do', exact: true })
  await expect(todo.locator('[data-number]')).toHaveCount(2)
  await expect(page.locator('[data-selected]')).toHaveCount(0)
})
