import type { CDPSession, Page } from '@playwright/test'
import { type BrowserFixture, browserTest } from '../support/browser-test.ts'
import { expect } from '../support/expect.ts'
import { seedTasks } from '../support/seed.ts'

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

/** Opens a board of fourteen tasks on a phone, at its column "To do". */
async function openBoard(fixture: BrowserFixture) {
  const { as, team } = fixture
  await seedTasks(fixture, 14, (n) => ({ title: `Task ${n + 1}`, status: 'todo' }))
  const page = await as('member', PHONE)
  await page.clock.install()
  await page.goto(`/w/${team.workspace}/p/ENG?view=board`)
  await page.getByRole('combobox', { name: 'Column' }).selectOption('todo')
  const todo = page.getByRole('region', { name: 'To do', exact: true })
  const middle = async (number: number): Promise<TouchPoint> => {
    const card = await todo.locator(`[data-number="${number}"]`).boundingBox()
    if (!card) throw new Error(`ENG-${number} is not seen`)
    return { x: card.x + card.width / 3, y: card.y + card.height / 2 }
  }
  const order = () =>
    todo
      .locator('[data-number]')
      .evaluateAll((all) => all.map((card) => Number(card.getAttribute('data-number'))).slice(0, 4))
  await expect.poll(order).toEqual([1, 2, 3, 4])
  await expect.poll(async () => Math.abs((await todo.boundingBox())?.x ?? 99)).toBeLessThan(20)
  const finger = createFinger(await page.context().newCDPSession(page))
  const draggedCard = page.locator('.card.flying')
  return { page, todo, list: todo.getByRole('list'), middle, order, finger, draggedCard }
}

/** The column at this distance from the left edge; undefined between two columns. */
const columnAt = (page: Page, x: number): Promise<string | undefined> =>
  page.evaluate(
    (at) => document.elementFromPoint(at, 320)?.closest<HTMLElement>('.col')?.dataset.column,
    x,
  )

browserTest('dragging a card after a long press moves it without scrolling', async (fixture) => {
  const { page, list, middle, order, finger, draggedCard } = await openBoard(fixture)
  await finger.down(await middle(1))
  await expect(draggedCard).toHaveCount(1)
  const { x, y } = await middle(3)
  await finger.move({ x, y: y + 30 })
  expect(await list.evaluate((it) => it.scrollTop)).toBe(0)
  await finger.up()
  await expect.poll(order).toEqual([2, 3, 1, 4])
  await expect(page.getByText('Moved ENG-1').first()).toBeVisible()
  await expect(page).toHaveURL(/view=board$/)
})

browserTest(
  'dragging a card to the edge of a phone scrolls the board sideways',
  async (fixture) => {
    const { page, todo, middle, finger, draggedCard } = await openBoard(fixture)
    const board = page.locator('.board')
    const before = await board.evaluate((it) => it.scrollLeft)
    await finger.down(await middle(2))
    await expect(draggedCard).toHaveCount(1)
    await finger.move({ x: 380, y: 300 })
    await expect
      .poll(() => board.evaluate((it) => it.scrollLeft))
      .toBeGreaterThan(before + PHONE.viewport.width)
    await finger.move({ x: 150, y: 320 })
    // The board may stop with a gap between two columns under the finger, where nothing is dropped.
    const x = (await columnAt(page, 150)) === undefined ? 250 : 150
    await finger.move({ x, y: 320 })
    const under = await columnAt(page, x)
    expect(['in_progress', 'in_review', 'done']).toContain(under)
    await finger.up()
    await expect(page.locator(`[data-column="${under}"] [data-number="2"]`)).toBeVisible()
    await expect(todo.locator('[data-number="2"]')).toHaveCount(0)
    // The picker names the column at which the board has come to rest.
    const picker = page.getByRole('combobox', { name: 'Column' })
    await expect
      .poll(async () => (await picker.inputValue()) === (await columnAt(page, 150)))
      .toBe(true)
  },
)

browserTest(
  'swiping without a long press scrolls the column and moves no card',
  async (fixture) => {
    const { page, list, middle, order, finger, draggedCard } = await openBoard(fixture)
    // With a paused clock the press lasts exactly as long as the test says, also on a slow machine.
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
      .toEqual([1, 2, 3, 4])
  },
)
