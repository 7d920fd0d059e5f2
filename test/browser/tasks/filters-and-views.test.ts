import type { Page } from '@playwright/test'
import { assertAccessible, OPEN_DIALOG } from '../support/accessibility.ts'
import { type BrowserFixture, browserTest, expect } from '../support/browser-test.ts'
import { holdUndo, openScreen, press } from '../support/page-actions.ts'
import { dateFromToday, seedTasks } from '../support/seed.ts'

/** Twelve tasks: 1 to 4 are of high priority, 5 to 12 of low; every third is done. */
const seedPriorities = (fixture: BrowserFixture) =>
  seedTasks(fixture, 12, (n) => ({
    title: `Task ${n + 1}`,
    priority: n < 4 ? 'high' : 'low',
    status: n % 3 === 2 ? 'done' : 'todo',
  }))

const rows = (page: Page) => page.locator('[data-number]')
const numbers = (page: Page) =>
  rows(page).evaluateAll((all) => all.map((row) => Number(row.getAttribute('data-number'))))
const conditions = (page: Page) => page.getByRole('group', { name: 'Filter conditions' })
const option = (page: Page, name: RegExp) => page.getByRole('option', { name })
const address = ({ team }: BrowserFixture, f: string) =>
  `/w/${team.workspace}/p/ENG?f=${encodeURIComponent(f)}`

browserTest('a filter built by keys is in the address, for Back and a reload', async (fixture) => {
  await seedPriorities(fixture)
  const page = await fixture.openAs('member', 'p/ENG')
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
  await press(page, 'Shift+Tab', 'ArrowDown')
  await expect(rows(page)).toHaveCount(8)
  await page.keyboard.press('Escape')
  await expect(conditions(page)).toContainText('Priority is not High')
  await expect(conditions(page)).toContainText('8 of 12')
  await expect(page).toHaveURL(/f=-priority%3Ahigh/)

  // As text, each change is an entry of the history; all of an edit by options is one.
  await page.keyboard.press('/')
  await page.getByRole('button', { name: 'Advanced' }).click()
  await expect(page.getByRole('textbox', { name: 'Filter as text' })).toBeFocused()
  await page.keyboard.press('End')
  await page.keyboard.type(' status:open')
  await page.keyboard.press('Enter')
  await expect.poll(() => numbers(page)).toEqual([5, 7, 8, 10, 11])
  await page.reload()
  await expect.poll(() => numbers(page)).toEqual([5, 7, 8, 10, 11])
  await page.goBack()
  await expect(rows(page)).toHaveCount(8)
  await page.goBack()
  await expect(rows(page)).toHaveCount(12)
  await expect(conditions(page)).toBeHidden()
  await page.goForward()
  await expect(rows(page)).toHaveCount(8)
  await page.getByRole('button', { name: 'Remove filter: Priority is not High' }).click()
  await expect(rows(page)).toHaveCount(12)

  // Values, days and words are found from the first field.
  for (const [typed, f] of [
    ['high', 'priority:high'],
    ['2026-12-10', 'priority:high due:2026-12-10'],
    ['"due: soon"', 'priority:high due:2026-12-10 "due: soon"'],
  ] as const) {
    await page.keyboard.press('/')
    await page.getByRole('combobox').fill(typed)
    await page.keyboard.press('Enter')
    await expect(page).toHaveURL((url) => url.searchParams.get('f') === f)
  }
})

/** `clock.pauseAt` needs a time in the future. */
const CLOCK_AHEAD_MS = 60_000

browserTest('keys after a click in a field that just opened move its caret', async (fixture) => {
  await seedPriorities(fixture)
  const page = await fixture.as('member')
  await page.clock.install()
  await page.goto(address(fixture, '-priority:high'))
  await expect(rows(page)).toHaveCount(8)
  await page.keyboard.press('/')
  await expect(page.getByRole('button', { name: 'Advanced' })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('dialog')).toHaveCount(0)
  // The timer after which the field takes keys itself does not end before the click.
  await page.clock.pauseAt(Date.now() + CLOCK_AHEAD_MS)
  await page.keyboard.press('/')
  await page.getByRole('button', { name: 'Advanced' }).click()
  const field = page.getByRole('textbox', { name: 'Filter as text' })
  await expect(field).toBeFocused()
  await page.keyboard.press('End')
  await page.keyboard.type(' status:open')
  await expect(field).toHaveValue('-priority:high status:open')
})

browserTest('a chip opens its condition, and a wrong one is explained', async (fixture) => {
  await seedPriorities(fixture)
  const page = await fixture.as('member')
  await page.goto(address(fixture, 'priority:HIGH status:todo'))
  const change = page.getByRole('button', { name: 'Change filter: Priority is High' })
  await expect(conditions(page)).toContainText('3 of 12')
  await change.click()
  await expect(option(page, /^High/)).toHaveAttribute('aria-selected', 'true')
  // Counted are the tasks that the other conditions leave.
  await option(page, /^Low 5$/).click()
  await expect(conditions(page)).toContainText('8 of 12')
  await option(page, /^High/).click()
  await option(page, /^Low/).click()
  // A condition that lost its values stays if one goes back, and is none if one is done.
  await page.goBack()
  await expect(conditions(page)).toContainText('3 of 12')
  await page.keyboard.press('Escape')
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await change.click()
  await option(page, /^High/).click()
  await page.getByRole('button', { name: 'Done' }).click()
  await expect(conditions(page)).not.toContainText('Priority')
  await page.getByRole('button', { name: 'Clear filter' }).click()
  await expect(rows(page)).toHaveCount(12)

  // The other conditions show their tasks meanwhile.
  await page.goto(address(fixture, 'status:open due:soon'))
  await expect(conditions(page)).toContainText('“soon” is not a date.')
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
  // An empty result suggests to remove the condition that excludes most tasks.
  await page.goto(address(fixture, 'priority:high assignee:me'))
  await page.getByRole('button', { name: 'Remove “Assignee is me”' }).click()
  await expect(rows(page)).toHaveCount(4)
})

browserTest('a list follows its filter, groups and order after a change', async (fixture) => {
  const { ask, team } = fixture
  const tags = `POST /api/v1/projects/${team.project}/tags`
  const { id } = await ask<{ id: string }>('owner', tags, { name: 'infra' })
  await seedTasks(fixture, 10, (n) => ({
    title: `Task ${9 - n}`,
    status: n < 6 ? 'todo' : 'done',
    ...(n % 2 === 0 && { tag_ids: [id] }),
  }))
  const page = await fixture.as('member')
  await page.goto(`${address(fixture, 'status:open -tag:infra')}&sort=title&group=priority`)
  await expect.poll(() => numbers(page)).toEqual([6, 4, 2])
  // The links of the tabs keep all of it.
  const tabs = page.getByRole('navigation', { name: 'View', exact: true })
  await page.goto((await tabs.getByRole('link', { name: 'Board' }).getAttribute('href')) ?? '')
  await expect(page.getByRole('region', { name: 'No priority' })).toContainText('Task 4')
  await expect(rows(page)).toHaveCount(3)
  const search = Object.fromEntries(new URL(page.url()).searchParams)
  const kept = { f: 'status:open -tag:infra', sort: 'title', group: 'priority' }
  expect(search).toEqual({ view: 'board', ...kept })
  await page.keyboard.press('1')
  await expect(page.getByRole('treegrid')).toBeVisible()

  // A completed task leaves the list, and the selection; the cursor goes on to the next row.
  const status = page.getByRole('button', { name: 'To do. Complete or reopen ENG-6' })
  await status.click()
  await expect.poll(() => numbers(page)).toEqual([4, 2])
  await page.locator('[data-number="4"]').focus()
  await page.keyboard.press('x')
  await expect(page.getByText('1 selected')).toBeVisible()
  await page.keyboard.press('ControlOrMeta+Enter')
  await expect.poll(() => numbers(page)).toEqual([2])
  await expect(page.getByText('1 selected')).toBeHidden()
  await expect(page.locator('[data-number="2"]')).toBeFocused()

  // Filters of due dates begin today, and finished tasks are not overdue.
  const dues = [
    { title: 'Paid', status: 'done', due_date: dateFromToday(-2) },
    { title: 'Late', status: 'todo', due_date: dateFromToday(-1) },
    { title: 'Soon', status: 'todo', due_date: dateFromToday(3) },
  ]
  await seedTasks(fixture, dues.length, (n) => ({ ...dues[n] }))
  await page.goto(`/w/${team.workspace}/p/ENG?group=due`)
  await expect(page.getByRole('rowgroup', { name: 'Earlier' }).getByText('Paid')).toBeVisible()
  await expect(page.getByRole('rowgroup', { name: 'Overdue' }).locator(rows(page))).toHaveCount(1)
  await page.keyboard.press('/')
  await page.keyboard.type('within 7')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/f=due%3A%3C7d/)
  await expect.poll(() => numbers(page)).toEqual([13])
  // An address may have a day in words, as a typed filter.
  await page.goto(address(fixture, 'due:"in 3 days"'))
  await expect(conditions(page)).toContainText('1 of 13')
  await expect(page).toHaveURL(new RegExp(`f=due%3A${dateFromToday(3)}`))
})

browserTest('a text filter finds descriptions, which only the server has', async (fixture) => {
  const { as, ask, allow } = fixture
  allow(503)
  await seedTasks(fixture, 3, (n) => ({
    title: `Task ${n + 1}`,
    description: n === 0 ? 'Call the plumber.' : 'Nothing of it.',
  }))
  const page = await as('member')
  let isDown = true
  await page.route('**/matches?*', (route) =>
    isDown ? route.fulfill({ status: 503, json: {} }) : route.fallback(),
  )
  await page.goto(address(fixture, 'plumb'))
  // Without an answer it does not say that there are none.
  const retry = page.getByRole('button', { name: 'Try again' })
  await expect(retry).toBeVisible()
  await expect(page.getByText('No tasks match', { exact: false })).toHaveCount(0)
  isDown = false
  await retry.click()
  await expect.poll(() => numbers(page)).toEqual([1])
  await expect(retry).toBeHidden()
  await ask('owner', 'PATCH /api/v1/tasks/ENG-2', { title: 'Pay the plumber' })
  await expect.poll(() => numbers(page)).toEqual([1, 2])
})

const item = (page: Page, name: string | RegExp) =>
  page.locator('[role^="menuitem"]').filter({ hasText: name })
const views = (page: Page) => page.getByRole('button', { name: /^Saved views/ })

/** Saves the current list as a view. */
async function saveView(page: Page, name: string): Promise<void> {
  await expect(rows(page).first()).toBeVisible()
  // The key belongs to this button, whose code is loaded after the rows.
  await expect(views(page)).toBeVisible()
  await page.keyboard.press('Shift+V')
  await page.getByRole('dialog', { name: 'Save view' }).getByLabel('Name').fill(name)
  await page.keyboard.press('Enter')
}

browserTest('a saved view is updated, reset, pinned, deleted and restored', async (fixture) => {
  const { as, team } = fixture
  await seedPriorities(fixture)
  const page = await as('member')
  await page.goto(`${address(fixture, 'status:open')}&group=priority`)
  await expect(rows(page)).toHaveCount(8)
  await saveView(page, 'Open by priority')
  await expect(page).toHaveURL(/saved=viw_/)
  await expect(views(page)).toHaveText('Open by priority')
  // Another filter does not change the saved view until Update is pressed.
  await page.goto(`${page.url().replace('status%3Aopen', 'priority%3Ahigh')}`)
  await expect(rows(page)).toHaveCount(4)
  await page.getByRole('button', { name: 'Reset to “Open by priority”' }).click()
  await expect(rows(page)).toHaveCount(8)
  await expect(page.getByRole('button', { name: 'Update' })).toHaveCount(0)
  await page.keyboard.press('2')
  await page.getByRole('button', { name: /^Update “Open by priority”/ }).click()
  await expect(page.getByText('Updated “Open by priority”').first()).toBeVisible()
  await page.reload()
  await expect(page.locator('.board')).toBeVisible()
  await expect(page.getByRole('button', { name: /^Update/ })).toHaveCount(0)

  await views(page).click()
  await item(page, 'Pin to sidebar').click()
  const navigation = page.getByRole('navigation', { name: 'Main' })
  const pinned = navigation.getByRole('link', { name: /^Open by priority/ })
  await expect(pinned).toBeVisible()
  await views(page).click()
  await item(page, 'Delete').click()
  await page.getByRole('button', { name: /^Undo/ }).last().click()
  await expect(pinned).toBeVisible()
  await openScreen(page, `/w/${team.workspace}/my`)
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox').fill('open by prio')
  await page.getByRole('option', { name: /Open by priority/ }).click()
  await expect(page.locator('.card[data-number]')).toHaveCount(8)
})

browserTest('undoing that a view was pinned leaves those pinned later', async (fixture) => {
  const page = await fixture.as('member')
  await seedPriorities(fixture)
  await page.goto(address(fixture, 'status:open'))
  const navigation = page.getByRole('navigation', { name: 'Main' })
  const pinned = (name: string) => navigation.getByRole('link', { name: new RegExp(`^${name}`) })
  for (const name of ['Former', 'Latter']) {
    await saveView(page, name)
    await expect(views(page)).toHaveText(name)
    await views(page).click()
    await item(page, 'Pin to sidebar').click()
    await expect(pinned(name)).toBeVisible()
  }
  await page.getByRole('button', { name: 'Account of The member' }).click()
  await page.getByRole('menuitem', { name: 'Recent changes' }).click()
  const dialog = page.getByRole('dialog', { name: 'Recent changes' })
  const entry = dialog.getByRole('listitem').filter({ hasText: 'Pinned “Former”' })
  await entry.getByRole('button', { name: 'Undo' }).click()
  await expect(entry.getByRole('button', { name: 'Redo' })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(pinned('Former')).toHaveCount(0)
  await expect(pinned('Latter')).toBeVisible()
  await page.reload()
  await expect(pinned('Latter')).toBeVisible()
  await expect(pinned('Former')).toHaveCount(0)
})

browserTest('a view of all projects is saved, opened, updated and deleted', async (fixture) => {
  const { team, ask } = fixture
  await seedPriorities(fixture)
  for (const [project_id, title] of [
    [team.hidden, 'Elsewhere'],
    [team.project, 'Last by title'],
  ])
    await ask('owner', 'POST /api/v1/tasks', { project_id, title, priority: 'urgent' })
  const page = await fixture.openAs('owner', 'all')
  // The order by hand is the default of a project, but not of this page.
  await page.goto(`/w/${team.workspace}/all?f=priority%3Ahigh,urgent&group=project&sort=position`)
  await expect(rows(page)).toHaveCount(5)
  const shown = await rows(page).allInnerTexts()
  await expect(views(page)).toBeVisible()
  await page.keyboard.press('Shift+V')
  const dialog = page.getByRole('dialog', { name: 'Save view' })
  await expect(dialog.getByLabel(/Share with the workspace/)).toBeEnabled()
  await dialog.getByLabel('Name').fill('Pressing')
  await dialog.getByLabel('Pin to sidebar').check()
  await dialog.getByLabel('Name').press('Enter')
  await expect(page).toHaveURL(/saved=viw_/)
  const pinned = page.getByRole('navigation', { name: 'Main' }).getByRole('link', {
    name: /^Pressing/,
  })
  await expect(pinned).toContainText('All')

  await openScreen(page, `/w/${team.workspace}/my`)
  await page.reload()
  await pinned.click()
  await expect(page).toHaveURL(/\/all\?.*sort=position/)
  await expect(rows(page)).toHaveCount(5)
  expect(await rows(page).allInnerTexts()).toEqual(shown)
  await expect(pinned).toHaveAttribute('aria-current', 'page')
  await expect(views(page)).toHaveText('Pressing')
  await expect(page.getByRole('button', { name: /^Update/ })).toHaveCount(0)

  // What the page shows by default is no part of an address, but of a view.
  await page.goto(page.url().replace('&sort=position', ''))
  await page.getByRole('button', { name: /^Update “Pressing”/ }).click()
  await expect(page.getByText('Updated “Pressing”').first()).toBeVisible()
  await expect(page.getByRole('button', { name: /^Update/ })).toHaveCount(0)
  await openScreen(page, `/w/${team.workspace}/my`)
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox').fill('pressing')
  await page.getByRole('option', { name: /Pressing.*saved view in All tasks/ }).click()
  await expect(page).toHaveURL(/\/all\?(?!.*sort=)/)
  await expect(page.getByRole('button', { name: /^Update/ })).toHaveCount(0)

  await views(page).click()
  await item(page, 'Delete').click()
  await expect(pinned).toHaveCount(0)
  await page.getByRole('button', { name: /^Undo/ }).last().click()
  await expect(pinned).toBeVisible()
  await views(page).click()
  await expect(item(page, /^Pressing/).first()).toBeVisible()
})

browserTest(
  'the new name of a view of all projects reaches others, but no guest',
  async (fixture) => {
    const { openAs, docket } = fixture
    const owner = await openAs('owner', 'all')
    const headers = { origin: docket.url }
    const data = { project_id: null, name: 'Pressing', f: 'priority:high', is_shared: true }
    const created = await owner.request.post('/internal/views', { headers, data })
    const { id } = await created.json()
    const member = await openAs('member', 'all')
    await views(member).click()
    await item(member, 'Pressing').click()
    await expect(views(member)).toHaveText('Pressing')
    // A page reads its views when they are first shown and once after it has connected; later changes are live.
    for (const name of ['Hot', 'Now', 'Urgent']) {
      await owner.request.patch(`/internal/views/${id}`, { headers, data: { name } })
      await expect(views(member)).toHaveText(name)
    }

    const guest = await openAs('guest', 'all')
    await views(guest).click()
    await expect(item(guest, 'Save as view')).toBeVisible()
    await expect(item(guest, 'Urgent')).toHaveCount(0)
  },
)

browserTest('a shared view shows the same to others; guests do not change it', async (fixture) => {
  const { as, openAs, docket } = fixture
  await seedPriorities(fixture)
  const page = await as('owner')
  await page.goto(`${address(fixture, 'status:open')}&view=board`)
  await saveView(page, 'Ours')
  await views(page).click()
  const shared = page.waitForResponse(/\/internal\/views\/viw_/)
  await item(page, 'Share with the project').click()
  await shared
  const guest = await openAs('guest', 'p/ENG')
  await views(guest).click()
  await item(guest, 'Ours').click()
  await expect(guest.locator('.card[data-number]')).toHaveCount(8)
  await expect(guest).toHaveURL((url) => url.search === new URL(page.url()).search)
  await guest.keyboard.press('1')
  const update = guest.getByRole('button', { name: /^Update “Ours”/ })
  await expect(update).toHaveAttribute('aria-disabled', 'true')
  await expect(update).toHaveAttribute('aria-describedby', /.+/)
  await guest.keyboard.press('Shift+V')
  await expect(guest.getByLabel(/Share with the project/)).toBeDisabled()
  await expect(guest.getByText('Guests cannot share views.')).toBeVisible()
  await assertAccessible(guest, { within: OPEN_DIALOG })

  // An undo keeps what somebody else has changed since.
  const id = new URL(page.url()).searchParams.get('saved')
  await page.goto(`${page.url()}&group=priority`)
  const sent = page.waitForResponse(`**/internal/views/${id}`)
  await page.getByRole('button', { name: /^Update “Ours”/ }).click()
  await sent
  await holdUndo(page)
  const headers = { origin: docket.url }
  const change = { headers, data: { group: 'assignee', name: 'Of all' } }
  expect((await page.request.patch(`/internal/views/${id}`, change)).status()).toBe(200)
  await expect(views(page)).toHaveText('Of all')
  const undone = page.waitForResponse(`**/internal/views/${id}`)
  await page.getByRole('button', { name: /^Undo/ }).click()
  await expect(page.getByText('Someone else has changed “Of all”')).toBeVisible()
  expect(await (await undone).json()).toMatchObject({ name: 'Of all', group: 'assignee' })
})
