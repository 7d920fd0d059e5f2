import assert from 'node:assert/strict'
import { type BrowserFixture, browserTest } from '../support/browser-test.ts'
import { expect } from '../support/expect.ts'
import { holdUndo, pressUndo } from '../support/keyboard/press-undo.ts'
import { typeInFocusedField } from '../support/keyboard/type-in-focused-field.ts'
import { seedTasks } from '../support/seed.ts'

/** Opens a board with four cards in "To do", two in "In review", and any number in "Done". */
async function openBoard(fixture: BrowserFixture, doneCount = 0) {
  const { as, team } = fixture
  await seedTasks(fixture, 6 + doneCount, (n) => ({
    title: `Task ${n + 1}`,
    status: n < 4 ? 'todo' : n < 6 ? 'in_review' : 'done',
  }))
  const page = await as('member')
  await page.goto(`/w/${team.workspace}/p/ENG?view=board`)
  const column = (name: string) => page.getByRole('region', { name, exact: true })
  const cards = (name: string) =>
    column(name)
      .locator('[data-number]')
      .evaluateAll((all) => all.map((card) => Number(card.getAttribute('data-number'))))
  await expect(column('To do').getByText('Task 4')).toBeVisible()
  return { page, column, cards }
}

browserTest('dragging moves a card to another column and position', async (fixture) => {
  const { page, column, cards } = await openBoard(fixture)
  const box = await column('In review').getByText('Task 6').boundingBox()
  // Beside the words, where a drag could select texts.
  await column('To do')
    .locator('[data-number="2"]')
    .hover({ position: { x: 120, y: 14 } })
  await page.mouse.down()
  await page.mouse.move((box?.x ?? 0) + 10, (box?.y ?? 0) - 20, { steps: 6 })
  assert.equal(await page.evaluate(() => String(getSelection())), '')
  await page.mouse.up()
  await expect.poll(() => cards('In review')).toEqual([5, 2, 6])
  await expect.poll(() => savedStatus(fixture, 2)).toBe('in_review')
  await page.reload()
  await expect.poll(() => cards('In review')).toEqual([5, 2, 6])
})

browserTest('moves a card to the next column by keyboard, and undoes it', async (fixture) => {
  const { page, column, cards } = await openBoard(fixture)
  await column('To do').locator('[data-number="1"]').focus()
  await page.keyboard.press('j')
  await page.keyboard.press('Alt+ArrowRight')
  await holdUndo(page)
  await expect.poll(() => cards('In progress')).toHaveLength(1)
  await expect(page.getByText(/^Moved ENG-\d to In progress$/).first()).toBeAttached()
  await pressUndo(page)
  await expect.poll(() => cards('In progress')).toEqual([])
  // A collapsed column, where the card would be out of sight, is left out.
  await column('In progress').getByRole('button', { name: 'Column menu: In progress' }).click()
  await page.getByRole('menuitem', { name: 'Collapse' }).click()
  await column('To do').locator('[data-number="3"]').focus()
  await page.keyboard.press('x')
  await expect(column('To do').locator('[data-number="3"]')).toContainText('Selected')
  await page.keyboard.press('Alt+ArrowRight')
  await expect.poll(() => cards('In review')).toContain(3)
})

browserTest('takes back a completion by a move, with its rule and due time', async (fixture) => {
  const { as, ask, team } = fixture
  const recurring = {
    title: 'Water the plants',
    status: 'in_review',
    due_date: '2026-11-30',
    due_at: '2026-11-30T15:00:00.000Z',
    recurrence: { rrule: 'FREQ=WEEKLY', basis: 'due_date' },
  }
  const [task] = await seedTasks(fixture, 1, () => recurring)
  assert.ok(task)
  const page = await as('member')
  await page.goto(`/w/${team.workspace}/p/ENG?view=board`)
  const cards = page.locator('[data-number]')
  await cards.focus()
  await page.keyboard.press('Alt+ArrowRight')
  await expect(cards).toHaveCount(2)
  await pressUndo(page)
  await expect(cards).toHaveCount(1)
  const saved = await ask<typeof recurring>('owner', `GET /api/v1/tasks/${task.id}`)
  const { title, status, due_date, due_at, recurrence } = saved
  assert.deepEqual({ title, status, due_date, due_at, recurrence }, recurring)
})

browserTest('moves a card to the end of another column from its menu', async (fixture) => {
  const { page, column, cards } = await openBoard(fixture, 30)
  await column('To do').locator('[data-number="4"]').hover()
  await page.getByRole('button', { name: 'More for ENG-4' }).click()
  await page.getByRole('menuitem', { name: 'Move to' }).click()
  await page.getByRole('menu', { name: 'Move to' }).getByText('Done', { exact: true }).click()
  await expect.poll(() => savedStatus(fixture, 4)).toBe('done')
  // The end was neither in sight nor loaded: now it is in sight, and the card has the focus.
  await expect(column('Done').locator('[data-number="4"]')).toBeFocused()
  await expect(column('Done').locator('[data-number="4"]')).toBeInViewport({ ratio: 0.8 })
  await expect.poll(async () => (await cards('Done')).slice(-2)).toEqual([36, 4])
  // A title that is being edited stays while its card is out of sight, and is saved on leaving it.
  await page.keyboard.press('e')
  await typeInFocusedField(page, 'Renamed')
  await column('Done')
    .getByRole('list')
    .evaluate((list) => list.scrollTo(0, 0))
  const firstDone = column('Done').locator('[data-number="7"]')
  await expect(firstDone).toBeInViewport()
  await expect(page.getByRole('textbox', { name: 'Title of ENG-4' })).toHaveValue('Renamed')
  await firstDone.locator('footer').click({ force: true })
  await expect
    .poll(
      async () => (await fixture.ask<{ title: string }>('owner', 'GET /api/v1/tasks/ENG-4')).title,
    )
    .toBe('Renamed')
})

const savedStatus = async ({ ask }: BrowserFixture, number: number) =>
  (await ask<{ status: string }>('owner', `GET /api/v1/tasks/ENG-${number}`)).status

browserTest('warns above the WIP limit of a column and adds tasks to it', async (fixture) => {
  const { as, team } = fixture
  await seedTasks(fixture, 3, (n) => ({ title: `Task ${n + 1}`, status: 'todo' }))
  const page = await as('member', { viewport: { width: 360, height: 740 } })
  await page.goto(`/w/${team.workspace}/p/ENG?view=board`)
  await page.getByText('Task 1', { exact: true }).waitFor()
  const todo = page.getByRole('region', { name: 'To do', exact: true })
  await page.getByRole('combobox', { name: 'Column' }).selectOption('todo')
  await todo.getByRole('button', { name: 'Column menu: To do' }).click()
  await page.getByRole('menuitem', { name: 'Set limit' }).click()
  await page.getByRole('spinbutton', { name: 'Tasks' }).fill('2')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(todo).toContainText('3, limit 2')
  await todo.getByRole('button', { name: 'New task in To do' }).click()
  await typeInFocusedField(page, 'One more')
  await page.keyboard.press('Enter')
  await expect(todo).toContainText('4, limit 2')
  await page.keyboard.press('Escape')
  // A phone has no room for a collapsed column: the picker expands it again.
  await todo.getByRole('button', { name: 'Column menu: To do' }).click()
  await page.getByRole('menuitem', { name: 'Collapse' }).click()
  await expect(page.getByText('Task 1', { exact: true })).toBeHidden()
  // A new task is typed in it all the same.
  await page.keyboard.press('n')
  await expect(page.getByRole('combobox', { name: 'New task in To do' })).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(page.getByText('Task 1', { exact: true })).toBeHidden()
  await page.getByRole('combobox', { name: 'Column' }).selectOption('todo')
  await expect(page.getByText('Task 1', { exact: true })).toBeVisible()
  await page.reload()
  await expect(todo).toContainText('4, limit 2')
})

browserTest('a board follows new statuses of others, and their order', async (fixture) => {
  const { as, ask, docket, team } = fixture
  const { column } = await openBoard(fixture)
  const { statuses } = await ask<{ statuses: { key: string; name: string; category: string }[] }>(
    'owner',
    `GET /api/v1/projects/${team.project}`,
  )
  const kept = statuses.map(({ key, name, category }) => ({ key, name, category }))
  const other = await as('admin')
  const changed = await other.request.patch(`/internal/projects/${team.project}`, {
    headers: { origin: docket.url },
    data: {
      statuses: [...kept.slice(0, 2), { name: 'Waiting', category: 'started' }, ...kept.slice(2)],
    },
  })
  expect(changed.status()).toBe(200)
  await expect(column('Waiting')).toBeVisible()
  const left = async (name = '') => (await column(name).boundingBox())?.x ?? 0
  expect(await left('Waiting')).toBeGreaterThan(await left(statuses[1]?.name))
  expect(await left('Waiting')).toBeLessThan(await left(statuses[2]?.name))
})

browserTest('prints every card of all columns, one column below the other', async (fixture) => {
  const { page, column } = await openBoard(fixture, 60)
  const cards = column('Done').locator('[data-number]')
  expect(await cards.count()).toBeLessThan(60)
  // A browser lays the page out for paper right after this event. A page that has just been opened may
  // still measure its columns, for the screen.
  await expect
    .poll(async () => {
      await page.evaluate(() => dispatchEvent(new Event('beforeprint')))
      return cards.count()
    })
    .toBe(60)
  await page.emulateMedia({ media: 'print' })
  const board = page.locator('.board')
  const { scrollWidth, clientWidth } = await board.evaluate((it) => ({
    scrollWidth: it.scrollWidth,
    clientWidth: it.clientWidth,
  }))
  assert.equal(scrollWidth, clientWidth)
  const lastCard = await column('To do').locator('[data-number]').last().boundingBox()
  const next = await column('In review').boundingBox()
  assert.ok(lastCard && next && next.y > lastCard.y + lastCard.height)
  await expect(page.getByRole('button', { name: /^Column menu/ })).toHaveCount(0)
})

browserTest('says how many subtasks of a completed task are still open', async (fixture) => {
  const { as, ask, team } = fixture
  const [parent, ...subtasks] = await seedTasks(fixture, 3, (n) => ({
    title: `Task ${n + 1}`,
    status: 'in_review',
  }))
  for (const { id } of subtasks)
    await ask('owner', `PATCH /api/v1/tasks/${id}`, { parent_id: parent?.id })
  const page = await as('member')
  await page.goto(`/w/${team.workspace}/p/ENG?view=board`)
  await page.locator('[data-number="1"]').focus()
  await page.keyboard.press('Alt+ArrowRight')
  const messages = page.getByRole('region', { name: 'Messages' })
  await expect(messages).toContainText('Moved ENG-1 to Done. 2 subtasks are still open.')
})
