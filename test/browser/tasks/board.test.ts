import assert from 'node:assert/strict'
import type { CDPSession, Locator, Page } from '@playwright/test'
import { assertAccessible } from '../support/accessibility.ts'
import { type BrowserFixture, browserTest, expect } from '../support/browser-test.ts'
import { holdUndo, press, pressUndo, typeInFocusedField } from '../support/page-actions.ts'
import { seedTasks } from '../support/seed.ts'

const column = (page: Page, name: string) => page.getByRole('region', { name, exact: true })
const lane = column

/** The task numbers of the cards in a column or in a cell of a lane. */
const cardsOf = (place: Locator) =>
  place
    .locator('[data-number]')
    .evaluateAll((all) => all.map((card) => Number(card.getAttribute('data-number'))))
const cards = (page: Page, name: string) => cardsOf(column(page, name))
const cell = (page: Page, name: string) => cardsOf(page.getByRole('list', { name, exact: true }))

const readTask = ({ ask }: BrowserFixture, number: number) =>
  ask<Record<string, unknown>>('owner', `GET /api/v1/tasks/ENG-${number}`)

/** Opens a board with four cards in "To do", two in "In review", and thirty in "Done". */
async function openBoard(fixture: BrowserFixture) {
  const { openAs } = fixture
  await seedTasks(fixture, 36, (n) => ({
    title: `Task ${n + 1}`,
    status: n < 4 ? 'todo' : n < 6 ? 'in_review' : 'done',
  }))
  const page = await openAs('member', 'p/ENG?view=board')
  await expect(column(page, 'To do').getByText('Task 4')).toBeVisible()
  return page
}

browserTest('moves a card by pointer, and by its menu to another column', async (fixture) => {
  const page = await openBoard(fixture)
  const box = await column(page, 'In review').getByText('Task 6').boundingBox()
  // Beside the words, where a drag could select texts.
  await column(page, 'To do')
    .locator('[data-number="2"]')
    .hover({ position: { x: 120, y: 14 } })
  await page.mouse.down()
  await page.mouse.move((box?.x ?? 0) + 10, (box?.y ?? 0) - 20, { steps: 6 })
  assert.equal(await page.evaluate(() => String(getSelection())), '')
  await page.mouse.up()
  await expect.poll(() => cards(page, 'In review')).toEqual([5, 2, 6])
  await expect.poll(async () => (await readTask(fixture, 2)).status).toBe('in_review')
  await page.reload()
  await expect.poll(() => cards(page, 'In review')).toEqual([5, 2, 6])

  const card = column(page, 'Done').locator('[data-number="4"]')
  await column(page, 'To do').locator('[data-number="4"]').hover()
  await page.getByRole('button', { name: 'More for ENG-4' }).click()
  await page.getByRole('menuitem', { name: 'Move to' }).click()
  await page.getByRole('menu', { name: 'Move to' }).getByText('Done', { exact: true }).click()
  await expect.poll(async () => (await readTask(fixture, 4)).status).toBe('done')
  // The end was neither in sight nor loaded: now it is in sight, and the card has the focus.
  await expect(card).toBeFocused()
  await expect(card).toBeInViewport({ ratio: 0.8 })
  await expect.poll(async () => (await cards(page, 'Done')).slice(-2)).toEqual([36, 4])
})

browserTest('moves cards by keyboard, and takes a completion back by an undo', async (fixture) => {
  const { openAs, ask } = fixture
  const recurring = {
    title: 'Water the plants',
    status: 'in_review',
    due_date: '2026-11-30',
    due_at: '2026-11-30T15:00:00.000Z',
    recurrence: { rrule: 'FREQ=WEEKLY', basis: 'due_date' },
  }
  await seedTasks(fixture, 4, (n) =>
    n === 3 ? recurring : { title: `Task ${n + 1}`, status: 'todo' },
  )
  await ask('owner', 'PATCH /api/v1/tasks/ENG-3', { parent_id: 'ENG-1' })
  const page = await openAs('member', 'p/ENG?view=board')
  const card = (number: number) => page.locator(`.card[data-number="${number}"]`)
  await card(1).focus()
  await press(page, 'j', 'Alt+ArrowRight')
  await holdUndo(page)
  await expect.poll(() => cards(page, 'In progress')).toHaveLength(1)
  await expect(page.getByText(/^Moved ENG-\d to In progress$/).first()).toBeAttached()
  await pressUndo(page)
  await expect.poll(() => cards(page, 'In progress')).toEqual([])
  // A collapsed column, where the card would be out of sight, is left out.
  await column(page, 'In progress')
    .getByRole('button', { name: 'Column menu: In progress' })
    .click()
  await page.getByRole('menuitem', { name: 'Collapse' }).click()
  await card(1).focus()
  await page.keyboard.press('x')
  await expect(card(1)).toContainText('Selected')
  await page.keyboard.press('Alt+ArrowRight')
  await expect.poll(() => cards(page, 'In review')).toContain(1)
  await page.keyboard.press('Escape')
  await card(1).focus()
  await page.keyboard.press('Alt+ArrowRight')
  const messages = page.getByRole('region', { name: 'Messages' })
  await expect(messages).toContainText('Moved ENG-1 to Done. 1 subtask is still open.')

  // The undo gives back the rule and the due time, and takes the next occurrence away.
  await card(4).focus()
  await page.keyboard.press('Alt+ArrowRight')
  await expect(page.locator('.card[data-number]')).toHaveCount(5)
  await pressUndo(page)
  await expect(page.locator('.card[data-number]')).toHaveCount(4)
  await expect.poll(() => readTask(fixture, 4)).toMatchObject(recurring)
})

browserTest('warns above the WIP limit, and follows new statuses of others', async (fixture) => {
  const { as, openAs, ask, docket, team } = fixture
  await seedTasks(fixture, 3, (n) => ({ title: `Task ${n + 1}`, status: 'todo' }))
  const page = await openAs('member', 'p/ENG?view=board', {
    viewport: { width: 360, height: 740 },
  })
  const first = page.getByText('Task 1', { exact: true })
  await first.waitFor()
  const todo = column(page, 'To do')
  const choose = async (name: string) => {
    await todo.getByRole('button', { name: 'Column menu: To do' }).click()
    await page.getByRole('menuitem', { name }).click()
  }
  const picker = page.getByRole('combobox', { name: 'Column' })
  await picker.selectOption('todo')
  await choose('Set limit')
  await page.getByRole('spinbutton', { name: 'Tasks' }).fill('2')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(todo).toContainText('3, limit 2')
  await todo.getByRole('button', { name: 'New task in To do' }).click()
  await typeInFocusedField(page, 'One more')
  await page.keyboard.press('Enter')
  await expect(todo).toContainText('4, limit 2')
  await page.keyboard.press('Escape')
  await page.reload()
  await expect(todo).toContainText('4, limit 2')

  const path = `GET /api/v1/projects/${team.project}`
  type Status = Record<'key' | 'name' | 'category', string>
  const { statuses } = await ask<{ statuses: Status[] }>('owner', path)
  const kept = statuses.map(({ key, name, category }) => ({ key, name, category }))
  const waiting = { name: 'Waiting', category: 'started' }
  const other = await as('admin')
  const changed = await other.request.patch(`/internal/projects/${team.project}`, {
    headers: { origin: docket.url },
    data: { statuses: [...kept.slice(0, 2), waiting, ...kept.slice(2)] },
  })
  expect(changed.status()).toBe(200)
  await expect(picker.getByRole('option')).toContainText(['Backlog', 'To do', 'Waiting'])
})

browserTest('groups the board into lanes, and moves cards between them', async (fixture) => {
  const { openAs, team } = fixture
  const { member, owner } = team.people
  const assignees = [[member.id], [member.id], [owner.id], [member.id, owner.id], []]
  await seedTasks(fixture, 5, (n) => ({
    title: `Task ${n + 1}`,
    status: 'todo',
    assignee_ids: assignees[n],
  }))
  const page = await openAs('member', 'p/ENG?view=board', {
    viewport: { width: 1400, height: 1100 },
  })
  await page.getByRole('button', { name: 'Group Status' }).click()
  const swimlanes = page.getByRole('group', { name: 'Swimlanes' })
  await swimlanes.getByText('Assignee', { exact: true }).click()
  await expect(page).toHaveURL(/lanes=assignee/)
  const lanes = ['The member', 'The owner', 'The member, The owner', 'Unassigned']
  await expect(page.locator('.lane h2')).toHaveText(lanes)
  expect(await cell(page, 'To do, The member')).toEqual([1, 2])
  expect(await cell(page, 'To do, The member, The owner')).toEqual([4])
  await assertAccessible(page)
  const assigneesOf = async (number: number) => (await readTask(fixture, number)).assignee_ids

  // By pointer, into another lane and another column at the same time.
  const to = await page.getByRole('list', { name: 'In progress, Unassigned' }).boundingBox()
  await page.getByText('Task 2', { exact: true }).hover()
  await page.mouse.down()
  await page.mouse.move((to?.x ?? 0) + 60, (to?.y ?? 0) + 12, { steps: 8 })
  await page.mouse.up()
  await holdUndo(page)
  await expect.poll(() => cell(page, 'In progress, Unassigned')).toEqual([2])
  await expect.poll(() => assigneesOf(2)).toEqual([])
  await pressUndo(page)
  await expect.poll(() => cell(page, 'To do, The member')).toEqual([1, 2])
  await expect.poll(() => assigneesOf(2)).toEqual([member.id])

  // By keyboard: down within the cell, into the lane below, then to the next column.
  await page.locator('[data-number="1"]').focus()
  await page.keyboard.press('Alt+ArrowDown')
  await expect.poll(() => cell(page, 'To do, The member')).toEqual([2, 1])
  await page.keyboard.press('Alt+ArrowDown')
  await expect.poll(() => cell(page, 'To do, The owner')).toEqual([1, 3])
  await expect(page.getByText('Moved ENG-1 to To do, The owner').first()).toBeAttached()
  await page.keyboard.press('Alt+ArrowRight')
  await expect.poll(() => cell(page, 'In progress, The owner')).toEqual([1])
  await expect(page.locator('.card[data-number="1"]')).toBeFocused()
  await expect.poll(() => assigneesOf(1)).toEqual([owner.id])

  // A collapsed lane stays so, and takes a card on its header.
  const header = page.getByRole('button', { name: 'The owner', exact: true })
  await header.click()
  await expect(page.locator('[data-number="3"]')).toHaveCount(0)
  await page.reload()
  await expect(lane(page, 'Unassigned').locator('[data-number]')).toHaveCount(1)
  await expect(page.locator('[data-number="3"]')).toHaveCount(0)
  const head = await header.boundingBox()
  await page.getByText('Task 5', { exact: true }).hover()
  await page.mouse.down()
  await page.mouse.move((head?.x ?? 0) + 8, (head?.y ?? 0) + 8, { steps: 6 })
  await page.mouse.up()
  await expect.poll(() => assigneesOf(5)).toEqual([owner.id])
})

browserTest('prints every row of the list and every card of the board', async (fixture) => {
  const { openAs, team } = fixture
  await seedTasks(fixture, 120, (n) => ({
    title: `Errand ${n + 1}`,
    status: n < 60 ? 'todo' : 'done',
  }))
  const page = await openAs('owner', 'p/ENG')
  // A browser lays the page out for paper right after this event. A page that has just been opened may
  // still measure its list, for the screen.
  const expectPrinted = async (rows: Locator) => {
    await expect(rows.first()).toBeVisible()
    assert.ok((await rows.count()) < 120)
    await expect
      .poll(async () => {
        await page.evaluate(() => dispatchEvent(new Event('beforeprint')))
        return rows.count()
      })
      .toBe(120)
    await page.emulateMedia({ media: 'print' })
  }
  await expectPrinted(page.getByRole('row', { name: /Errand \d/ }))
  const hidden = await page
    .locator('#work .scroll')
    .evaluate(({ scrollHeight, clientHeight }) => scrollHeight - clientHeight)
  assert.equal(hidden, 0)
  await expect(page.getByRole('navigation', { name: 'Main', exact: true })).toBeHidden()

  await page.emulateMedia({ media: null })
  await page.goto(`/w/${team.workspace}/p/ENG?view=board`)
  await expectPrinted(page.locator('.board [data-number]'))
  const beyond = await page.locator('.board').evaluate((it) => it.scrollWidth - it.clientWidth)
  assert.equal(beyond, 0)
  // The columns are one below the other.
  const lastCard = await column(page, 'To do').locator('[data-number]').last().boundingBox()
  const next = await column(page, 'In review').boundingBox()
  assert.ok(lastCard && next && next.y > lastCard.y + lastCard.height)
  await expect(page.getByRole('button', { name: /^Column menu/ })).toHaveCount(0)
})

/** Longer than the press that starts a drag. */
const LONG_PRESS_MS = 1_000
/** `clock.pauseAt` needs a time in the future. */
const CLOCK_AHEAD_MS = 60_000
const PHONE = { viewport: { width: 390, height: 780 }, hasTouch: true, isMobile: true }
type TouchPoint = { x: number; y: number }

/** Dispatches real touch events, so that the browser decides what scrolls. */
function createFinger(cdp: CDPSession) {
  const send = (type: 'touchStart' | 'touchMove' | 'touchEnd', ...touchPoints: TouchPoint[]) =>
    cdp.send('Input.dispatchTouchEvent', { type, touchPoints })
  let at: TouchPoint = { x: 0, y: 0 }
  return {
    async down(point: TouchPoint) {
      at = point
      await send('touchStart', at)
    },
    async move(to: TouchPoint, steps = 8) {
      const from = at
      for (let step = 1; step <= steps; step += 1) {
        const part = step / steps
        at = { x: from.x + (to.x - from.x) * part, y: from.y + (to.y - from.y) * part }
        await send('touchMove', at)
      }
    },
    up: () => send('touchEnd'),
  }
}

browserTest('a finger drags a card after a long press, else it scrolls', async (fixture) => {
  const { as, team } = fixture
  await seedTasks(fixture, 14, (n) => ({ title: `Task ${n + 1}`, status: 'todo' }))
  const page = await as('member', PHONE)
  await page.clock.install()
  await page.goto(`/w/${team.workspace}/p/ENG?view=board`)
  const picker = page.getByRole('combobox', { name: 'Column' })
  await picker.selectOption('todo')
  const todo = column(page, 'To do')
  const middle = async (number: number): Promise<TouchPoint> => {
    const card = await todo.locator(`[data-number="${number}"]`).boundingBox()
    if (!card) throw new Error(`ENG-${number} is not seen`)
    return { x: card.x + card.width / 3, y: card.y + card.height / 2 }
  }
  const order = async () => (await cardsOf(todo)).slice(0, 4)
  await expect.poll(order).toEqual([1, 2, 3, 4])
  await expect.poll(async () => Math.abs((await todo.boundingBox())?.x ?? 99)).toBeLessThan(20)
  const finger = createFinger(await page.context().newCDPSession(page))
  const draggedCard = page.locator('.card.flying')
  const list = todo.getByRole('list')
  await finger.down(await middle(1))
  await expect(draggedCard).toHaveCount(1)
  const { x, y } = await middle(3)
  await finger.move({ x, y: y + 30 })
  expect(await list.evaluate((it) => it.scrollTop)).toBe(0)
  await finger.up()
  await expect.poll(order).toEqual([2, 3, 1, 4])
  await expect(page.getByText('Moved ENG-1').first()).toBeVisible()
  await expect(page).toHaveURL(/view=board$/)

  // With a paused clock the press lasts exactly as long as the test says, also on a slow machine.
  await picker.selectOption('todo')
  await expect.poll(async () => Math.abs((await todo.boundingBox())?.x ?? 99)).toBeLessThan(20)
  await page.clock.pauseAt(Date.now() + CLOCK_AHEAD_MS)
  await finger.down(await middle(4))
  await finger.move({ x: 150, y: 200 })
  await page.clock.runFor(LONG_PRESS_MS)
  await expect.poll(() => list.evaluate((it) => it.scrollTop)).toBeGreaterThan(60)
  expect(await draggedCard.count()).toBe(0)
  await finger.up()
  await page.clock.resume()
  // Momentum scrolling may still be under way.
  await expect
    .poll(async () => {
      await list.evaluate((it) => it.scrollTo(0, 0))
      return order()
    })
    .toEqual([2, 3, 1, 4])
})
