import assert from 'node:assert/strict'
import type { Page } from '@playwright/test'
import { assertAccessible } from '../support/accessibility.ts'
import { type BrowserFixture, browserTest } from '../support/browser-test.ts'
import { expect } from '../support/expect.ts'
import { holdUndo } from '../support/keyboard/press-undo.ts'
import { openScreen } from '../support/open-screen.ts'
import { holdDeferredCode } from '../support/reads/hold-reads.ts'
import { routeRequests } from '../support/route-requests.ts'
import { dateFromToday } from '../support/seed.ts'

interface CreatedTask {
  title: string
  description: string | null
  status: string
  priority: string
  due_date: string | null
  assignee_ids: string[]
  tag_ids: string[]
  parent_id: string | null
  recurrence: { rrule: string } | null
  estimate_seconds: number | null
  due_at: string | null
}

/** Opens the new task field in an empty list; `created` reads the tasks of the project. */
async function openNewTask({ as, ask, team }: BrowserFixture, initScript?: () => void) {
  const page = await as('member')
  if (initScript) await page.addInitScript(initScript)
  // From then on it follows the changes of others.
  const isFollowing = initScript && page.waitForResponse('**/internal/changes?*')
  await page.goto(`/w/${team.workspace}/p/ENG`)
  await isFollowing
  await page.getByText('No tasks yet. Create one, or press C.').waitFor()
  await page.keyboard.press('n')
  const field = page.getByRole('combobox', { name: 'New task in To do' })
  await expect(field).toBeFocused()
  const path = `GET /api/v1/projects/${team.project}/tasks`
  return {
    page,
    field,
    created: async () => (await ask<{ data: CreatedTask[] }>('owner', path)).data,
  }
}

/** Pastes where the focus is, as a browser does: the field may just be replacing another one. */
const pasteLines = (page: Page, lines = '- one\n1. two\n2. three') =>
  page.evaluate((text) => {
    const data = new DataTransfer()
    data.setData('text', text)
    document.activeElement?.dispatchEvent(
      new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }),
    )
  }, lines)

browserTest('quick add reads tags, people and dates from the title', async (fixture) => {
  const { ask, team } = fixture
  const { id: infra } = await ask<{ id: string }>(
    'owner',
    `POST /api/v1/projects/${team.project}/tags`,
    { name: 'infra' },
  )
  const { page, field, created } = await openNewTask(fixture)
  await page.keyboard.type('Changelog #infra @me !high for all ')
  await expect(field).toHaveValue('Changelog for all ')
  await page.getByRole('button', { name: 'Remove priority High' }).click()
  await expect(field).toHaveValue('Changelog for all !high ')
  await page.keyboard.type('tomorrow')
  await expect(page.getByRole('button', { name: /^Remove due date tomorrow/ })).toBeVisible()
  await field.press('Enter')
  await expect(field).toHaveValue('')
  await page.keyboard.type('Second')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('link', { name: 'ENG-2', exact: true })).toBeVisible()
  await expect(field).toBeFocused()
  const [first] = await created()
  assert.deepEqual(
    [first?.title, first?.priority, first?.due_date, first?.assignee_ids, first?.tag_ids],
    ['Changelog for all !high', 'none', dateFromToday(1), [team.people.member.id], [infra]],
  )
})

browserTest(
  'quick add shows what it takes from the end, and one key gives it back',
  async (fixture) => {
    const { page, field, created } = await openNewTask(fixture)
    await page.keyboard.type('Standup every monday at 9:30 15min')
    await expect(page.getByRole('button', { name: /^Remove repeats every monday/ })).toBeVisible()
    await expect(page.getByRole('button', { name: 'Remove estimate 15m' })).toBeVisible()
    await field.press('Enter')
    await page.keyboard.type('Watch it tomorrow')
    const taken = page.getByRole('button', { name: /^Remove due date tomorrow/ })
    await expect(taken).toBeVisible()
    await field.press('Backspace')
    await expect(taken).toBeHidden()
    await expect(field).toHaveValue('Watch it tomorrow')
    await field.press('Enter')
    await expect.poll(async () => (await created()).length).toBe(2)
    const all = await created()
    assert.deepEqual(
      all.map((task) => [
        task.title,
        task.recurrence?.rrule,
        task.estimate_seconds,
        task.due_date === null,
      ]),
      [
        ['Standup', 'FREQ=WEEKLY;BYDAY=MO', 900, false],
        ['Watch it tomorrow', undefined, null, true],
      ],
    )
    assert.ok(all[0]?.due_at)
  },
)

browserTest('Enter creates the task, whatever is offered for its last words', async (fixture) => {
  const { team } = fixture
  const { page, field, created } = await openNewTask(fixture)
  const options = page.getByRole('listbox', { name: 'People and tags' }).getByRole('option')
  for (const [typed, offered] of [
    ['Fix it @member', 'The member'],
    ['Try it #sho', 'New tag “sho”'],
  ] as const) {
    await page.keyboard.type(typed)
    await expect(options.first()).toContainText(offered)
    await page.keyboard.press('Enter')
    await expect(field).toHaveValue('')
  }
  await page.keyboard.type('Fix issue #12 in parser')
  await expect(options).toHaveCount(0)
  await page.keyboard.press('Enter')
  // Only an arrow key says that the option is meant.
  await page.keyboard.type('Ask @')
  await expect(options.first()).toBeVisible()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('Enter')
  const person = page.getByRole('button', { name: /^Remove assignee/ })
  await expect(person).toBeVisible()
  await page.keyboard.press('Enter')
  await expect(person).toBeHidden()
  await page.keyboard.type('Tell @')
  await expect(options.first()).toBeVisible()
  // Escape closes the list before the line, and Tab takes what is offered.
  await page.keyboard.press('Escape')
  await expect(options).toHaveCount(0)
  await page.keyboard.press('Backspace')
  await page.keyboard.type('@member')
  await expect(options.first()).toBeVisible()
  await page.keyboard.press('Tab')
  await expect(person).toBeVisible()
  await page.keyboard.press('Enter')
  await expect
    .poll(async () =>
      (await created()).map((task) => [task.title, task.assignee_ids.length, task.tag_ids.length]),
    )
    .toEqual([
      ['Fix it', 1, 0],
      ['Try it', 0, 1],
      ['Fix issue #12 in parser', 0, 0],
      ['Ask', 1, 0],
      ['Tell', 1, 0],
    ])
  assert.deepEqual((await created())[0]?.assignee_ids, [team.people.member.id])
})

browserTest('quick add makes a task of each pasted line', async (fixture) => {
  const { page, created } = await openNewTask(fixture)
  await pasteLines(page)
  await page.getByRole('button', { name: 'Create 3 tasks' }).click()
  await expect(page.getByRole('link', { name: 'ENG-3', exact: true })).toBeVisible()
  assert.deepEqual(
    (await created()).map(({ title }) => title),
    ['one', 'two', 'three'],
  )
  // They are one change.
  await page.keyboard.press('Escape')
  await page.keyboard.press('ControlOrMeta+z')
  await expect.poll(created).toEqual([])
  await page.keyboard.press('ControlOrMeta+Shift+z')
  await expect.poll(async () => (await created()).length).toBe(3)
})

browserTest(
  'rows of a spreadsheet become tasks with the values of their columns',
  async (fixture) => {
    const { page, created } = await openNewTask(fixture)
    await pasteLines(
      page,
      'Task\tOwner\tDue\tTags\tCost\nWrite it\tThe member\t2031-12-10\tnew one\t300\nPrint it\t\t\t\t',
    )
    await expect(page.getByText('The member · ')).toBeVisible()
    await expect(page.getByText('so they go to the description: Cost.')).toBeVisible()
    await page.getByRole('button', { name: 'Create 2 tasks' }).click()
    await expect(page.getByRole('link', { name: 'ENG-2', exact: true })).toBeVisible()
    await expect.poll(async () => (await created())[0]?.tag_ids.length).toBe(1)
    const rows = (await created()).map((task) => [task.title, task.due_date, task.description])
    assert.deepEqual(rows, [
      ['Write it', '2031-12-10', 'Cost: 300'],
      ['Print it', null, null],
    ])
    assert.deepEqual((await created())[0]?.assignee_ids, [fixture.team.people.member.id])
  },
)

browserTest('the question about pasted rows fits into a narrow screen', async (fixture) => {
  const { page } = await openNewTask(fixture)
  await page.setViewportSize({ width: 360, height: 740 })
  const row = `${'A long title '.repeat(9)}\tThe member\tHigh\t3h\tdesign, content, research`
  await pasteLines(page, `Task\tOwner\tPriority\tEstimate\tTags\n${row}\n${row}`)
  await page.getByRole('button', { name: 'Create 2 tasks' }).waitFor()
  const outside = await page
    .getByRole('dialog')
    .evaluate((dialog) =>
      [...dialog.querySelectorAll('li, li > *, button')]
        .filter((one) => one.getBoundingClientRect().right > innerWidth)
        .map(({ textContent }) => textContent),
    )
  assert.deepEqual(outside, [])
  await assertAccessible(page)
})

browserTest('pasted lines become one title in an empty field', async (fixture) => {
  const { page, field, created } = await openNewTask(fixture)
  await pasteLines(page)
  await page.getByRole('button', { name: 'Paste as one title' }).click()
  await expect(field).toHaveValue('one two three')
  await field.press('Enter')
  await expect
    .poll(async () => (await created()).map(({ title }) => title))
    .toEqual(['one two three'])
})

browserTest('a line that is too long for a title becomes the description', async (fixture) => {
  const long = 'word '.repeat(120).trim()
  const title = 'word '.repeat(100).trim()
  const { page, field, created } = await openNewTask(fixture)
  const readTexts = async () => (await created()).map((one) => [one.title, one.description])
  await pasteLines(page, `short\n${long}`)
  await page.getByRole('button', { name: 'Create 2 tasks' }).click()
  await expect.poll(readTexts).toEqual([
    ['short', null],
    [title, long],
  ])
  await page.keyboard.press('n')
  // A browser cuts what is pasted into a field with a maximum length.
  await expect(field).not.toHaveAttribute('maxlength')
  await field.fill('one ')
  await pasteLines(page, `${long}\nmore`)
  await page.getByRole('button', { name: 'Paste as one title' }).click()
  await field.press('Enter')
  await expect
    .poll(async () => (await readTexts())[2])
    .toEqual([`one ${title.slice(0, -5)}`, `one ${long} more`])

  await openScreen(page, `/w/${fixture.team.workspace}/t/ENG-1`)
  await page.getByRole('button', { name: 'Add subtask' }).click()
  await page.getByRole('textbox', { name: 'Subtask title' }).fill(long)
  await page.keyboard.press('Enter')
  await expect.poll(async () => (await readTexts())[3]).toEqual([title, long])

  // Of a task with a description, from its own page and then from the list.
  await page.keyboard.press('Escape')
  await openScreen(page, `/w/${fixture.team.workspace}/t/ENG-4`)
  await page.getByRole('heading', { level: 1 }).dblclick()
  await expect(page.getByRole('textbox', { name: 'Title' })).toBeFocused()
  await page.keyboard.press('Control+A')
  await page.keyboard.insertText(`${long} here`)
  await page.keyboard.press('Enter')
  const both = `${long} here\n\n${long}`
  await expect.poll(async () => (await readTexts())[3]).toEqual([title, both])
  // A page of its own, without the messages of before.
  await page.goto(`/w/${fixture.team.workspace}/p/ENG`)
  await page.getByText('short', { exact: true }).dblclick()
  await expect(page.getByRole('textbox', { name: 'Title of ENG-1' })).toBeFocused()
  await page.keyboard.insertText(long)
  await page.keyboard.press('Enter')
  await holdUndo(page)
  await expect.poll(async () => (await readTexts())[0]).toEqual([title, long])
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect.poll(async () => (await readTexts())[0]).toEqual(['short', null])

  // A row of the list does not know the description.
  const { ask, team } = fixture
  const described = { project_id: team.project, title: 'described', description: 'as it was' }
  await ask('owner', 'POST /api/v1/tasks', described)
  await page.reload()
  await page.getByText('described', { exact: true }).dblclick()
  await expect(page.getByRole('textbox', { name: 'Title of ENG-5' })).toBeFocused()
  await page.keyboard.insertText(long)
  await page.keyboard.press('Enter')
  await expect.poll(async () => (await readTexts())[4]).toEqual([title, `${long}\n\nas it was`])
})

browserTest('pasted lines become subtasks without the marks of their list', async (fixture) => {
  const { page, field, created } = await openNewTask(fixture)
  await field.fill('List')
  await field.press('Enter')
  await expect(page.getByRole('link', { name: 'ENG-1', exact: true })).toBeVisible()
  await openScreen(page, `/w/${fixture.team.workspace}/t/ENG-1`)
  await page.getByRole('button', { name: 'Add subtask' }).click()
  await expect(page.getByRole('textbox', { name: 'Subtask title' })).toBeFocused()
  await pasteLines(page, '- [x] one\n* two\u2028☐ three')
  await expect
    .poll(async () => (await created()).map((task) => [task.title, task.status]))
    .toEqual([
      ['List', 'todo'],
      ['one', 'done'],
      ['two', 'todo'],
      ['three', 'todo'],
    ])
})

browserTest('pasted lines that are refused can be copied and sent again', async (fixture) => {
  fixture.allow(403)
  const { page, created } = await openNewTask(fixture)
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  let refusals = 0
  await routeRequests(page, '**/api/v1/tasks/bulk', async (route) => {
    refusals += 1
    if (refusals > 1) return route.fallback()
    const error = { type: 'permission', code: 'forbidden', message: 'Not here.' }
    const body = { error: { ...error, details: [], request_id: 'req_1' } }
    await route.fulfill({ status: 403, json: body })
  })
  await pasteLines(page)
  await page.getByRole('button', { name: 'Create 3 tasks' }).click()
  await expect(page.getByText('Not here.')).toBeVisible()
  await page.getByRole('button', { name: 'Copy text' }).click()
  await expect
    .poll(() => page.evaluate(() => navigator.clipboard.readText()))
    .toBe('one\ntwo\nthree')
  await page.getByRole('button', { name: 'Retry' }).click()
  await expect(page.getByRole('link', { name: 'ENG-3', exact: true })).toBeVisible()
  await expect(page.getByText('Not here.')).toBeHidden()
  assert.equal((await created()).length, 3)
})

browserTest('a pasted line that is refused waits while the others are created', async (fixture) => {
  const { page, created } = await openNewTask(fixture)
  let isRefused = true
  await routeRequests(page, '**/api/v1/tasks/bulk', async (route) => {
    const { operations } = route.request().postDataJSON()
    const altered = operations.map((one: { data: { title: string } }) =>
      one.data.title === 'two' && isRefused
        ? { ...one, data: { ...one.data, assignee_ids: [`usr_${'0'.repeat(26)}`] } }
        : one,
    )
    await route.continue({ postData: { operations: altered, atomic: false } })
  })
  await pasteLines(page)
  await page.getByRole('button', { name: 'Create 3 tasks' }).click()
  await expect(page.getByText('1 new task', { exact: false })).toBeVisible()
  assert.deepEqual(
    (await created()).map(({ title }) => title),
    ['one', 'three'],
  )
  // A task that the same person creates elsewhere is none of them.
  await page.keyboard.press('Escape')
  const elsewhere = { project_id: fixture.team.project, title: 'Elsewhere' }
  await fixture.ask('member', 'POST /api/v1/tasks', elsewhere)
  await expect(page.getByText('Elsewhere', { exact: true })).toBeVisible()
  isRefused = false
  await page.getByRole('button', { name: 'Retry' }).click()
  await expect.poll(async () => (await created()).map(({ title }) => title)).toContain('two')
  await expect(page.getByRole('button', { name: 'Retry' })).toBeHidden()
})

browserTest('lines pasted while the field still loads are not joined', async (fixture) => {
  const { as, ask, team } = fixture
  await ask('owner', 'POST /api/v1/tasks', { project_id: team.project, title: 'First' })
  const page = await as('member')
  const loadCode = await holdDeferredCode(page)
  await page.goto(`/w/${team.workspace}/p/ENG`)
  await page.getByRole('link', { name: 'ENG-1', exact: true }).waitFor()
  await page.keyboard.press('n')
  await expect(page.getByRole('combobox', { name: 'New task in To do' })).toBeFocused()
  await pasteLines(page)
  loadCode()
  await page.getByRole('button', { name: 'Create 3 tasks' }).click()
  await expect(page.getByRole('link', { name: 'ENG-4', exact: true })).toBeVisible()
})

browserTest('Shift+C makes a subtask of the task that has the focus', async (fixture) => {
  const { page, field, created } = await openNewTask(fixture)
  await field.fill('All of it')
  await field.press('Enter')
  await expect(page.getByRole('link', { name: 'ENG-1', exact: true })).toBeVisible()
  await page.keyboard.press('Escape')
  await page.keyboard.press('j')
  await expect(page.locator('[data-number]:focus')).toHaveCount(1)
  await page.keyboard.press('Shift+C')
  await expect(page.getByRole('combobox', { name: /^New subtask of ENG-/ })).toBeFocused()
  await page.keyboard.type('Part of it')
  await page.keyboard.press('Enter')
  await expect(page.locator('[data-number="2"]')).toHaveAttribute('data-depth', '1')
  assert.ok((await created()).some(({ title, parent_id }) => title === 'Part of it' && parent_id))
})
