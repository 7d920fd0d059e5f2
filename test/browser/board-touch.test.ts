import type { CDPSession } from '@playwright/test'
import { browse, type Scene } from './support/browse.ts'
import { expect } from './support/expect.ts'
import { seedTasks } from './support/seed.ts'

/** Longer than a finger has to rest on a card to hold it. */
const HELD_MS = 1_000
/** A clock is paused at a moment that is still to come. */
const CLOCK_AHEAD_MS = 60_000
const PHONE = { viewport: { width: 390, height: 780 }, hasTouch: true, isMobile: true }
type Point = { x: number; y: number }

/** A finger as the browser itself gets it: what scrolls and what does not is its decision. */
function fingerOn(cdp: CDPSession) {
  const send = (type: 'touchStart' | 'touchMove' | 'touchEnd', ...touchPoints: Point[]) =>
    cdp.send('Input.dispatchTouchEvent', { type, touchPoints })
  let at: Point = { x: 0, y: 0 }
  return {
    async down(point: Point) {
      at = point
      await send('touchStart', at)
    },
    async move(to: Point, steps = 8) {
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

/** A board of fourteen tasks on a phone, its column "Todo", and a finger. */
async function opened(scene: Scene) {
  const { as, team } = scene
  await seedTasks(scene, 14, (n) => ({ title: `Task ${n + 1}`, status: 'todo' }))
  const page = await as('member', PHONE)
  await page.clock.install()
  await page.goto(`/w/${team.workspace}/p/ENG?view=board`)
  await page.getByRole('combobox', { name: 'Column' }).selectOption('todo')
  const todo = page.getByRole('region', { name: 'Todo', exact: true })
  const middle = async (number: number): Promise<Point> => {
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
  const finger = fingerOn(await page.context().newCDPSession(page))
  const flying = page.locator('.card.flying')
  return { page, todo, list: todo.getByRole('list'), middle, order, finger, flying }
}

browse('a finger that holds a card moves it and does not scroll', async (scene) => {
  const { page, list, middle, order, finger, flying } = await opened(scene)
  await finger.down(await middle(1))
  await expect(flying).toHaveCount(1)
  const { x, y } = await middle(3)
  await finger.move({ x, y: y + 30 })
  expect(await list.evaluate((it) => it.scrollTop)).toBe(0)
  await finger.up()
  await expect.poll(order).toEqual([2, 3, 1, 4])
  await expect(page.getByText('Moved ENG-1').first()).toBeVisible()
  await expect(page).toHaveURL(/view=board$/)
})

browse('a card held at the edge of a phone scrolls the board to other columns', async (scene) => {
  const { page, todo, middle, finger, flying } = await opened(scene)
  const board = page.locator('.board')
  const before = await board.evaluate((it) => it.scrollLeft)
  await finger.down(await middle(2))
  await expect(flying).toHaveCount(1)
  await finger.move({ x: 380, y: 300 })
  await expect
    .poll(() => board.evaluate((it) => it.scrollLeft))
    .toBeGreaterThan(before + PHONE.viewport.width)
  await finger.move({ x: 200, y: 320 })
  const under = await page.evaluate(
    () => document.elementFromPoint(200, 320)?.closest('.col')?.getAttribute('data-column') ?? '',
  )
  expect(['in_progress', 'in_review', 'done']).toContain(under)
  await finger.up()
  await expect(page.locator(`[data-column="${under}"] [data-number="2"]`)).toBeVisible()
  await expect(todo.locator('[data-number="2"]')).toHaveCount(0)
})

browse('a finger that moves at once scrolls the column and moves no card', async (scene) => {
  const { page, list, middle, order, finger, flying } = await opened(scene)
  // The finger rests as long as the test says, however slow the machine is.
  await page.clock.pauseAt(Date.now() + CLOCK_AHEAD_MS)
  await finger.down(await middle(4))
  await finger.move({ x: 150, y: 200 })
  await page.clock.runFor(HELD_MS)
  await expect.poll(() => list.evaluate((it) => it.scrollTop)).toBeGreaterThan(60)
  expect(await flying.count()).toBe(0)
  await finger.up()
  await page.clock.resume()
  // What the finger has set going may still roll out.
  await expect
    .poll(async () => {
      await list.evaluate((it) => it.scrollTo(0, 0))
      return order()
    })
    .toEqual([1, 2, 3, 4])
})
