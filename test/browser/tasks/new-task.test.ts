import assert from 'node:assert/strict'
import type { Locator, Page } from '@playwright/test'
import { assertAccessible, OPEN_DIALOG } from '../support/accessibility.ts'
import { type BrowserFixture, browserTest, expect } from '../support/browser-test.ts'
import { CONNECTION_ERRORS, expectWritten, openScreen, press } from '../support/page-actions.ts'
import { refuseRequest, routeRequests } from '../support/route-requests.ts'
import { dateFromToday, seedTasks } from '../support/seed.ts'
import { countStoredMutations } from '../support/stored-mutations.ts'

interface CreatedTask {
  id: string
  title: string
  description: string | null
  status: string
  priority: string
  due_date: string | null
  due_at: string | null
  assignee_ids: string[]
  tag_ids: string[]
  estimate_seconds: number | null
  recurrence: { rrule: string } | null
}

const dialogOf = (page: Page) => page.getByRole('dialog', { name: 'New task' })
const descriptionOf = (page: Page) =>
  dialogOf(page).getByRole('textbox', { name: 'Description', exact: true })
const titleOf = (page: Page) => dialogOf(page).getByRole('combobox', { name: 'Title' })
const optionsOf = (page: Page) =>
  page.getByRole('listbox', { name: 'People and tags' }).getByRole('option')

async function readTasks({ list, team }: BrowserFixture, project = team.project) {
  const path = `GET /api/v1/projects/${project}/tasks?sort=created_at`
  return await list<CreatedTask>(path)
}

/** Opens My work, where nothing belongs to a project. */
async function openMyWork({ as, team }: BrowserFixture, role: 'owner' | 'member' = 'member') {
  const page = await as(role)
  await page.goto(`/w/${team.workspace}/my`)
  await page.getByRole('heading', { level: 1, name: 'My work' }).waitFor()
  return page
}

/** Opens the new task field in an empty list. */
async function openField({ openAs }: BrowserFixture) {
  const page = await openAs('member', 'p/ENG')
  await page.getByText('No tasks yet. Create one, or press C.').waitFor()
  await page.keyboard.press('n')
  const field = page.getByRole('combobox', { name: 'New task in To do' })
  await expect(field).toBeFocused()
  return { page, field }
}

/** Opens the dialog with its key. */
async function openDialog(page: Page): Promise<void> {
  await page.keyboard.press('c')
  await expect(titleOf(page)).toBeFocused()
}

/** Pastes where the focus is, as a browser does: the field may just be replacing another one. */
const pasteLines = (page: Page, lines: string) =>
  page.evaluate((text) => {
    const data = new DataTransfer()
    data.setData('text', text)
    document.activeElement?.dispatchEvent(
      new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }),
    )
  }, lines)

const pasteFiles = (target: Locator, ...names: string[]) =>
  target.evaluate((element, all) => {
    const clipboardData = new DataTransfer()
    for (const name of all) clipboardData.items.add(new File(['x'], name))
    const init = { clipboardData, bubbles: true, cancelable: true }
    element.dispatchEvent(new ClipboardEvent('paste', init))
  }, names)

browserTest('C opens a new task on every screen, and Enter creates it', async (fixture) => {
  const { as, team } = fixture
  await seedTasks(fixture, 1, () => ({ title: 'First' }))
  const page = await as('member')
  // What another app shares begins a new task.
  const shared = new URLSearchParams({ title: 'Read this', url: 'https://example.com/a' })
  await page.goto(`/start?${shared}`)
  await expectWritten(descriptionOf(page), 'https://example.com/a')
  await titleOf(page).press('Enter')
  await expect(dialogOf(page).getByText(/ENG-2 created/)).toBeVisible()
  await expect(page).toHaveURL(/\/my$/)
  await page.keyboard.press('Escape')
  for (const [screen, heading] of [
    ['inbox', 'Inbox'],
    ['t/ENG-1', 'First'],
    ['p/ENG?view=board', 'Engineering'],
  ] as const) {
    await openScreen(page, `/w/${team.workspace}/${screen}`)
    await page.getByRole('heading', { level: 1, name: heading }).waitFor()
    const address = page.url()
    await openDialog(page)
    await page.keyboard.type(`From ${heading} tomorrow`)
    await expect(page.getByRole('button', { name: /^Remove due date tomorrow/ })).toBeVisible()
    await page.keyboard.press('Enter')
    await expect(titleOf(page)).toHaveValue('')
    await expect(titleOf(page)).toBeFocused()
    await expect(dialogOf(page).getByText(/^ENG-\d+ created/)).toBeVisible()
    assert.equal(page.url(), address)
    await page.keyboard.press('Escape')
    await expect(dialogOf(page)).toHaveCount(0)
  }
  const tomorrow = dateFromToday(1)
  const titles = ['From Inbox', 'From First', 'From Engineering']
  assert.deepEqual(
    (await readTasks(fixture)).map(({ title, due_date }) => [title, due_date]),
    [['First', null], ['Read this', null], ...titles.map((title) => [title, tomorrow])],
  )

  // A double click and a held Enter create one task each; the link leads to it.
  await openDialog(page)
  await titleOf(page).fill('Once')
  await dialogOf(page).getByRole('button', { name: 'Create', exact: true }).dblclick()
  await titleOf(page).fill('Last')
  await press(page, 'Enter', 'Enter')
  await expect(dialogOf(page).getByText('ENG-7 created')).toBeVisible()
  await dialogOf(page).getByRole('link', { name: 'Open' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Last' })).toBeVisible()
  await expect(dialogOf(page)).toHaveCount(0)
  assert.equal((await readTasks(fixture)).length, 7)
})

browserTest('names and tags are offered as they are typed, and become chips', async (fixture) => {
  const { ask, team } = fixture
  const path = `POST /api/v1/projects/${team.project}/tags`
  const { id: infra } = await ask<{ id: string }>('owner', path, { name: 'infra' })
  const page = await openMyWork(fixture, 'owner')
  await openDialog(page)
  // The project, a person, a tag and a day by keys alone.
  await page.keyboard.press('Shift+Tab')
  await page.keyboard.type('en')
  await page.keyboard.press('Tab')
  await expect(page.getByLabel('Project')).toHaveValue(team.project)
  await page.keyboard.type('Fix login @the m')
  await page.keyboard.press('Tab')
  await page.keyboard.type('#i')
  await expect(page.getByRole('option', { name: 'infra' })).toBeVisible()
  await page.keyboard.press('Tab')
  await page.keyboard.type('fri')
  await expect(page.getByRole('button', { name: /^Remove/ })).toHaveCount(3)
  await page.keyboard.press('Enter')
  await expect(dialogOf(page).getByText('ENG-1 created')).toBeVisible()
  const [first] = await readTasks(fixture)
  assert.deepEqual(
    [first?.title, first?.assignee_ids, first?.tag_ids, first?.due_date !== null],
    ['Fix login', [team.people.member.id], [infra], true],
  )

  // Who does not see another project is text there, and can be added.
  const person = page.getByRole('button', { name: 'Remove assignee The member' })
  await page.keyboard.type('Plan it friday @The member ')
  await expect(person).toBeVisible()
  await page.getByLabel('Project').selectOption(team.hidden)
  await expect(person).toHaveCount(0)
  await expect(titleOf(page)).toHaveValue('Plan it friday @The member ')
  await titleOf(page).fill('Plan it friday @the ')
  const options = optionsOf(page)
  await expect(options.filter({ hasText: 'The admin' })).toHaveText(/The admin$/)
  const add = options.filter({ hasText: 'Add The member to' })
  await expect(add).toHaveText(/Add The member to .* and assign$/)
  await assertAccessible(page, { within: OPEN_DIALOG })
  await add.click()
  await expect(person).toBeVisible()
  // Escape closes the list before the dialog, and it stays closed for this word.
  await page.keyboard.type('#big')
  await expect(options).toHaveText(['New tag “big”'])
  await page.keyboard.press('Escape')
  await page.keyboard.type('g')
  await expect(options).toHaveCount(0)
  await titleOf(page).fill('Plan it friday @The member')
  await page.keyboard.press('Enter')
  await expect(dialogOf(page).getByText('HID-1 created')).toBeVisible()
  const [task] = await readTasks(fixture, team.hidden)
  assert.deepEqual([task?.title, task?.assignee_ids], ['Plan it', [team.people.member.id]])
})

browserTest('Escape keeps a draft, and a filtered view begins with its values', async (fixture) => {
  const { team, ask } = fixture
  await ask('owner', `POST /api/v1/projects/${team.hidden}/tags`, { name: 'infra' })
  const page = await openMyWork(fixture, 'owner')
  await openDialog(page)
  await page.getByLabel('Project').selectOption(team.hidden)
  await titleOf(page).focus()
  await page.keyboard.type('Half of it !high #infra ')
  const tag = page.getByRole('button', { name: 'Remove tag infra' })
  await expect(tag).toBeVisible()
  await descriptionOf(page).fill('What it is about')
  await page.keyboard.press('Escape')
  await expect(dialogOf(page)).toHaveCount(0)
  await page.goto(`/w/${team.workspace}/inbox`)
  await page.getByRole('heading', { level: 1, name: 'Inbox' }).waitFor()
  await openDialog(page)
  await expect(titleOf(page)).toHaveValue('Half of it !high #infra ')
  await expect(page.getByLabel('Project')).toHaveValue(team.hidden)
  await expect(page.getByRole('button', { name: 'Remove priority High' })).toBeVisible()
  await expectWritten(descriptionOf(page), 'What it is about')
  await tag.click()
  await expect(tag).toHaveCount(0)
  await titleOf(page).fill('Half of it !high')
  await page.keyboard.press('Escape')

  // The draft goes to the project of the screen.
  await openScreen(page, `/w/${team.workspace}/p/ENG`)
  await page.getByRole('heading', { level: 1, name: 'Engineering' }).waitFor()
  await openDialog(page)
  await expect(page.getByLabel('Project')).toHaveValue(team.project)
  await titleOf(page).press('Control+Enter')
  await expect(dialogOf(page)).toHaveCount(0)
  await page.getByText('ENG-1 created').waitFor()
  await page.getByRole('button', { name: 'Open', exact: true }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Half of it' })).toBeVisible()
  const [task] = await readTasks(fixture)
  assert.deepEqual([task?.priority, task?.description], ['high', 'What it is about'])
  await openDialog(page)
  await page.keyboard.type('Nothing of this')
  await dialogOf(page).getByRole('button', { name: 'Discard' }).click()
  await page.keyboard.press('Escape')

  await page.keyboard.press('Escape')
  const filter = encodeURIComponent('priority:high assignee:none,me -tag:infra')
  await page.goto(`/w/${team.workspace}/p/ENG?f=${filter}`)
  await page.getByText('Half of it', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'New task' }).first().click()
  await expect(titleOf(page)).toHaveValue('')
  const high = page.getByRole('button', { name: 'Remove priority High' })
  await expect(high).toBeVisible()
  await page.keyboard.type('Third !low')
  await page.keyboard.press('Enter')
  await expect(dialogOf(page).getByText('ENG-2 created')).toBeVisible()
  await expect(high).toBeVisible()
  await page.keyboard.press('Backspace')
  await expect(high).toHaveCount(0)
  assert.equal((await readTasks(fixture))[1]?.priority, 'low')
})

browserTest('a new task has a description and files, also of a refused one', async (fixture) => {
  const { team } = fixture
  fixture.allow(403, CONNECTION_ERRORS)
  const page = await openMyWork(fixture)
  await openDialog(page)
  await page.keyboard.type('Essay')
  await page.keyboard.press('Tab')
  await expect(dialogOf(page).locator('.cm-content')).toBeFocused()
  const options = dialogOf(page).locator('[role="option"]')
  await page.keyboard.type('/todo')
  await expect(options).toHaveText(['Checklist'])
  await page.keyboard.press('Enter')
  await page.keyboard.type('ask @The ow')
  await expect(options).toHaveText([/The owner/])
  // Escape closes the list before the dialog.
  await page.keyboard.press('Escape')
  await expect(options).toHaveCount(0)
  for (let at = 0; at < 7; at += 1) await page.keyboard.press('Backspace')
  await page.keyboard.type('@The ow')
  await expect(options).toHaveText([/The owner/])
  await page.keyboard.press('Enter')
  await expectWritten(descriptionOf(page), `- [ ] ask <@${team.people.owner.id}> `)
  await descriptionOf(page).fill('x'.repeat(65_537))
  await titleOf(page).press('Control+Enter')
  const error = dialogOf(page).getByRole('alert')
  await expect(error).toHaveText('A description has at most 65,536 characters.')
  await descriptionOf(page).press('Backspace')
  await expect(error).toHaveCount(0)
  await descriptionOf(page).fill('Short')

  await pasteFiles(descriptionOf(page), 'one.txt', 'two.txt')
  await pasteFiles(titleOf(page), 'three.txt')
  await dialogOf(page).getByRole('button', { name: 'Remove file two.txt' }).click()
  // A file is in no draft, so the dialog asks before it is lost.
  await titleOf(page).press('Escape')
  const question = page.getByRole('dialog', { name: 'Discard what you have entered?' })
  await question.getByRole('button', { name: 'Cancel' }).click()
  // Files wait while their task is refused, and go with it.
  const creation = /\/api\/v1\/tasks$/
  await routeRequests(page, creation, refuseRequest)
  await titleOf(page).press('Control+Enter')
  await expect(page.getByText('Not now.').first()).toBeVisible()
  await page.unroute(creation)
  await page.getByRole('button', { name: 'Retry' }).click()
  await expect.poll(() => countStoredMutations(page)).toBe(0)
  const [task] = await readTasks(fixture)
  assert.equal(task?.description, 'Short')
  const readFiles = async () => {
    const path = `GET /api/v1/tasks/${task?.id}/attachments`
    const data = await fixture.list<{ filename: string }>(path)
    return data.map(({ filename }) => filename).toSorted()
  }
  await expect.poll(readFiles).toEqual(['one.txt', 'three.txt'])
})

browserTest('the field of a list reads dates, people and tags from the title', async (fixture) => {
  const { team } = fixture
  const { page, field } = await openField(fixture)
  await page.keyboard.type('Watch it tomorrow')
  const taken = page.getByRole('button', { name: /^Remove due date tomorrow/ })
  await expect(taken).toBeVisible()
  await field.press('Backspace')
  await expect(taken).toBeHidden()
  await expect(field).toHaveValue('Watch it tomorrow')
  await field.press('Enter')

  // Enter creates the task, whatever is offered; an arrow key or Tab says that an option is meant.
  const options = optionsOf(page)
  await page.keyboard.type('Try it #sho')
  await expect(options.first()).toContainText('New tag “sho”')
  await page.keyboard.press('Enter')
  await expect(field).toHaveValue('')
  const person = page.getByRole('button', { name: /^Remove assignee/ })
  for (const [typed, ...keys] of [
    ['Ask @', 'ArrowDown', 'ArrowUp', 'Enter'],
    ['Tell @member', 'Tab'],
  ]) {
    await page.keyboard.type(typed ?? '')
    await expect(options.first()).toBeVisible()
    for (const key of keys) await page.keyboard.press(key)
    await expect(person).toBeVisible()
    await page.keyboard.press('Enter')
    await expect(person).toBeHidden()
  }
  await expect(field).toBeFocused()
  // What was read stays marked in the text while one goes on, and can be given back by its chip.
  await page.keyboard.type('Tomorrow call Anna about it p1')
  const marks = page.locator('.typed-marks mark')
  await expect(marks).toHaveText(['Tomorrow', 'p1'])
  await page.getByRole('button', { name: 'Remove priority Urgent' }).click()
  await expect(marks).toHaveText(['Tomorrow'])
  // The same without words: each button has its picker, and the line has the focus again after it.
  const line = page.getByRole('gridcell').filter({ has: field })
  await line.getByRole('button', { name: 'Priority', exact: true }).click()
  await page.getByRole('option', { name: 'Low' }).click()
  await expect(page.getByRole('button', { name: 'Remove priority Low' })).toBeVisible()
  await expect(field).toBeFocused()
  await page.getByRole('button', { name: 'Estimate', exact: true }).press('Enter')
  await page.keyboard.type('45m')
  await page.getByRole('option', { name: '45m' }).click()
  await expect(page.getByRole('button', { name: 'Remove estimate 45m' })).toBeVisible()
  const tag = page.getByRole('button', { name: 'Remove tag sho' })
  await line.getByRole('button', { name: 'Tags', exact: true }).click()
  await page.getByRole('option', { name: 'sho' }).click()
  await page.keyboard.press('Escape')
  await tag.click()
  await expect(tag).toHaveCount(0)
  await expect(field).toHaveValue('Tomorrow call Anna about it p1')
  await field.press('Enter')
  await expect
    .poll(async () => {
      const task = (await readTasks(fixture)).at(-1)
      return [task?.title, task?.due_date, task?.priority, task?.estimate_seconds]
    })
    .toEqual(['call Anna about it p1', dateFromToday(1), 'low', 2_700])
  const { id } = team.people.member
  await expect
    .poll(async () =>
      (await readTasks(fixture))
        .slice(0, 4)
        .map((task) => [task.title, task.assignee_ids, task.tag_ids.length]),
    )
    .toEqual([
      ['Watch it tomorrow', [], 0],
      ['Try it', [], 1],
      ['Ask', [expect.any(String)], 0],
      ['Tell', [id], 0],
    ])
})

browserTest('N begins in the group of the task that has the focus', async (fixture) => {
  const { openAs, ask, list, team } = fixture
  const [, parent] = await seedTasks(fixture, 80, (n) => ({
    title: `Task ${n + 1}`,
    status: n === 0 ? 'backlog' : 'todo',
    due_date: dateFromToday(60),
  }))
  await ask('owner', 'PATCH /api/v1/tasks/ENG-3', { parent_id: parent?.id })
  const page = await openAs('member', 'p/ENG')
  const row = (number: number) => page.locator(`[data-number="${number}"]`)
  const newIn = (place: string) => page.getByRole('combobox', { name: place })
  await row(1).focus()
  await page.keyboard.press('n')
  await expect(newIn('New task in Backlog')).toBeFocused()
  await page.keyboard.type('Half of it !high ')
  await page.getByRole('button', { name: 'Remove priority High' }).waitFor()
  // What is typed goes with the field, to the end of a long group, and waits for the person.
  await row(2).focus()
  await page.keyboard.press('n')
  const field = newIn('New task in To do')
  await expect(field).toBeFocused()
  await expect(field).toBeInViewport()
  await page.reload()
  // The list may be where it was, at the end of the group.
  await page.getByRole('rowgroup', { name: 'To do' }).locator('[data-number]').last().focus()
  await page.keyboard.press('n')
  await page.getByRole('button', { name: 'Remove priority High' }).waitFor()
  await expect(field).toHaveValue('Half of it !high ')
  await field.press('Enter')
  await expect(page.getByRole('link', { name: 'ENG-81', exact: true })).toBeVisible()
  await page.keyboard.press('Escape')
  const read = (number: number) => ask('owner', `GET /api/v1/tasks/ENG-${number}`)
  expect(await read(81)).toMatchObject({ title: 'Half of it', status: 'todo', priority: 'high' })

  // In the group of a parent it becomes its subtask, and so with Shift+C; "Later" has no single day.
  for (const [search, at, key, place, expected] of [
    ['?group=parent&f=3', 3, 'n', 'New subtask of ENG-2', { parent_id: parent?.id }],
    ['?group=due', 4, 'n', 'New task in No due date', { due_date: null, parent_id: null }],
    ['', 2, 'Shift+C', 'New subtask of ENG-2', { parent_id: parent?.id }],
  ] as const) {
    await page.goto(`/w/${team.workspace}/p/ENG${search}`)
    await row(at).focus()
    await page.keyboard.press(key)
    await expect(newIn(place)).toBeFocused()
    await page.keyboard.type(`Also 3${search}`)
    await page.keyboard.press('Enter')
    const newest = 'GET /api/v1/tasks?sort=-created_at&limit=1'
    await expect
      .poll(async () => (await list<object>(newest))[0])
      .toMatchObject({ title: `Also 3${search}`, ...expected })
    await page.keyboard.press('Escape')
  }
})

browserTest('pasted lines and rows of a spreadsheet become tasks', async (fixture) => {
  const { page, field } = await openField(fixture)
  const titles = async () => (await readTasks(fixture)).map(({ title, status }) => [title, status])
  await pasteLines(page, '- [x] one\n* two\n- three')
  await page.getByRole('button', { name: 'Create 3 tasks' }).click()
  const created = [
    ['one', 'done'],
    ['two', 'todo'],
    ['three', 'todo'],
  ]
  await expect.poll(titles).toEqual(created)
  // They are one change.
  await press(page, 'Escape', 'ControlOrMeta+z')
  await expect.poll(titles).toEqual([])
  await page.keyboard.press('ControlOrMeta+Shift+z')
  await expect.poll(titles).toEqual(created)

  const [title, long] = [100, 120].map((count) => 'word '.repeat(count).trim())
  await page.keyboard.press('n')
  await field.fill('one ')
  await pasteLines(page, `${long}\nmore`)
  await page.getByRole('button', { name: 'Paste as one title' }).click()
  await field.press('Enter')
  const head = 'Task\tOwner\tDue\tTags\tCost'
  await expect(field).toHaveValue('')
  await pasteLines(
    page,
    `${head}\nWrite it\tThe member\t2031-12-10\tnew one\t300\nPrint it\t\t\t\t`,
  )
  await expect(page.getByText('The member · ')).toBeVisible()
  await expect(page.getByText('so they go to the description: Cost.')).toBeVisible()
  await page.setViewportSize({ width: 360, height: 740 })
  const outside = await page
    .getByRole('dialog')
    .evaluate((dialog) =>
      [...dialog.querySelectorAll('li, li > *, button')]
        .filter((one) => one.getBoundingClientRect().right > innerWidth)
        .map(({ textContent }) => textContent),
    )
  assert.deepEqual(outside, [])
  await assertAccessible(page)
  await page.getByRole('button', { name: 'Create 2 tasks' }).click()
  await expect.poll(async () => (await readTasks(fixture))[4]?.tag_ids.length).toBe(1)
  const [, , , essay, written, printed] = await readTasks(fixture)
  // A line that is too long for a title becomes the description.
  assert.deepEqual(
    [essay?.title, essay?.description],
    [`one ${title?.slice(0, -5)}`, `one ${long} more`],
  )
  const { id } = fixture.team.people.member
  expect(written).toMatchObject({ title: 'Write it', due_date: '2031-12-10', assignee_ids: [id] })
  assert.deepEqual([written?.description, printed?.description], ['Cost: 300', null])

  await page.setViewportSize({ width: 1280, height: 740 })
  await openScreen(page, `/w/${fixture.team.workspace}/t/ENG-2`)
  await page.getByRole('button', { name: 'Add subtask' }).click()
  await expect(page.getByRole('textbox', { name: 'Subtask title' })).toBeFocused()
  await pasteLines(page, '- [x] part\n* other\u2028☐ last')
  await expect
    .poll(async () => (await titles()).slice(6))
    .toEqual([
      ['part', 'done'],
      ['other', 'todo'],
      ['last', 'todo'],
    ])
})
