import assert from 'node:assert/strict'
import type { Page } from '@playwright/test'
import { type BrowserFixture, browserTest } from '../support/browser-test.ts'
import { expect } from '../support/expect.ts'
import { routeRequests } from '../support/route-requests.ts'
import { dateFromToday, seedTasks } from '../support/seed.ts'

const rowsOf = (page: Page) => page.locator('#work .scroll li[data-row]')
const scrollTo = (page: Page, top: number) =>
  page.locator('#work .scroll').evaluate((list, to) => list.scrollTo(0, to), top)
const readHeight = (page: Page) =>
  page.locator('#work .scroll').evaluate(({ scrollHeight }) => scrollHeight)

/**
 * The places in the list, from top to bottom, of the rows that the next frame shows. Before it,
 * rows that were scrolled to may be missing.
 */
const readVisiblePlaces = (page: Page) =>
  page.locator('#work .scroll').evaluate(async (list) => {
    await new Promise(requestAnimationFrame)
    const { top, bottom } = list.getBoundingClientRect()
    return [...list.querySelectorAll('[data-row]')]
      .map((row) => ({ box: row.getBoundingClientRect(), place: Number(row.ariaPosInSet) }))
      .filter(({ box }) => box.bottom > top + 1 && box.top < bottom - 1)
      .sort((a, b) => a.box.top - b.box.top)
      .map(({ place }) => place)
  })

const isAscending = (places: readonly number[]) =>
  places.every((place, at) => at === 0 || place > (places[at - 1] ?? 0))

/** Opens My work with tasks in two of its sections: the first ones are overdue, the others due later. */
async function openTwoSections(
  fixture: BrowserFixture,
  count: number,
  overdue: number,
): Promise<Page> {
  const { as, team } = fixture
  await seedTasks(fixture, count, (n) => ({
    title: `Errand ${n + 1}`,
    assignee_ids: [team.people.member.id],
    due_date: dateFromToday(n < overdue ? -1 : 30),
  }))
  const page = await as('member')
  await page.goto(`/w/${team.workspace}/my`)
  return page
}

browserTest('My work renders only rows near the viewport, also of all tasks', async (fixture) => {
  const page = await openTwoSections(fixture, 300, 150)
  await expect(rowsOf(page).first()).toContainText('Errand 1')
  await page.keyboard.press('j')
  await page.keyboard.press('x')
  await page.getByRole('button', { name: 'Select all in this view' }).click()
  await expect(page.getByText('300 selected')).toBeVisible()
  await expect(rowsOf(page).first()).toHaveAttribute('aria-setsize', '150')
  assert.ok((await rowsOf(page).count()) < 100)

  await page.getByRole('link', { name: 'Errand 1', exact: true }).focus()
  // The row with the focus stays, wherever the list is scrolled to, and the next one follows it.
  await scrollTo(page, await readHeight(page))
  await expect(page.getByText('Errand 300', { exact: true })).toBeInViewport()
  assert.ok((await rowsOf(page).count()) < 100)
  await expect(page.getByRole('link', { name: 'Errand 1', exact: true })).toBeFocused()
  await page.keyboard.press('j')
  const second = page.getByRole('link', { name: 'Errand 2', exact: true })
  await expect(second).toBeFocused()
  await expect(second).toBeInViewport()
  // From a row that is out of sight to the next section.
  await scrollTo(page, (await readHeight(page)) / 2 - 400)
  await page.getByRole('link', { name: 'Errand 150', exact: true }).focus()
  await scrollTo(page, 0)
  await page.keyboard.press('j')
  const next = page.getByRole('link', { name: 'Errand 151', exact: true })
  await expect(next).toBeFocused()
  await expect(next).toBeInViewport()
})

for (const { name, address, reads, isNewestFirst } of [
  { name: 'My work', address: 'my', reads: '**/api/v1/tasks?limit=*', isNewestFirst: false },
  {
    name: 'search',
    address: 'search?q=errand',
    reads: '**/internal/search?*',
    isNewestFirst: true,
  },
]) {
  browserTest(`a change of a task that is not rendered leaves it in ${name}`, async (fixture) => {
    const { as, ask, team } = fixture
    const assignee_ids = [team.people.member.id]
    const tasks = await seedTasks(fixture, 100, (n) => ({ title: `Errand ${n + 1}`, assignee_ids }))
    const listed = isNewestFirst ? tasks.toReversed() : tasks
    const page = await as('member')
    await page.goto(`/w/${team.workspace}/${address}`)
    await expect(rowsOf(page).first()).toHaveAttribute('aria-setsize', '100')
    const gate = Promise.withResolvers<void>()
    await routeRequests(page, reads, async (route) => {
      await gate.promise
      await route.fallback()
    })
    await ask('owner', `PATCH /api/v1/tasks/${listed[99]?.id}`, { title: 'The last one' })
    await ask('owner', `PATCH /api/v1/tasks/${listed[0]?.id}`, { title: 'The first one' })
    await expect(page.getByText('The first one')).toBeVisible()
    await expect(rowsOf(page).first()).toHaveAttribute('aria-setsize', '100')
    await scrollTo(page, await readHeight(page))
    await expect(page.getByText('The last one')).toBeInViewport()
    gate.resolve()
  })
}

browserTest(
  'selecting all of a list loses no change that others make meanwhile',
  async (fixture) => {
    const { as, ask, team } = fixture
    const assignee_ids = [team.people.member.id]
    await seedTasks(fixture, 250, (n) => ({ title: `Errand ${n + 1}`, assignee_ids }))
    const page = await as('member')
    await page.goto(`/w/${team.workspace}/my`)
    await expect(rowsOf(page).first()).toHaveAttribute('aria-setsize', '100')
    await page.keyboard.press('j')
    await page.keyboard.press('x')
    const gate = Promise.withResolvers<void>()
    await routeRequests(page, '**/api/v1/tasks?*cursor=*', async (route) => {
      await gate.promise
      await route.fallback()
    })
    await page.getByRole('button', { name: 'Select all in this view' }).click()
    await ask('owner', 'POST /api/v1/tasks', {
      project_id: team.project,
      title: 'Due first',
      assignee_ids,
      due_date: dateFromToday(0),
    })
    await expect(page.getByRole('link', { name: 'Engineering 251' })).toBeVisible()
    gate.resolve()
    await expect(page.getByText('Due first')).toBeVisible()
    await expect(page.getByText(/^25[01] selected$/)).toBeVisible()
  },
)

browserTest('the Tab key reaches every row of My work, down and up', async (fixture) => {
  const page = await openTwoSections(fixture, 60, 35)
  const titles = Array.from({ length: 60 }, (_, n) => `Errand ${n + 1}`)
  const walk = async (key: string) => {
    const walked: (string | null)[] = []
    for (let stop = 0; walked.at(-1) !== titles[key === 'Tab' ? 59 : 0]; stop += 1) {
      await page.keyboard.press(key)
      const title = await page.evaluate(async () => {
        const { activeElement } = document
        if (!activeElement?.matches('a.title')) return null
        // The frame in which the list renders the rows to which the focus has scrolled.
        await new Promise(requestAnimationFrame)
        return activeElement.textContent
      })
      if (title) walked.push(title)
      assert.ok(stop < 300, `from ${walked[0]} to ${walked.at(-1)}`)
    }
    return walked
  }
  await page.getByRole('link', { name: 'Errand 1', exact: true }).focus()
  assert.deepEqual(await walk('Tab'), titles.slice(1))
  assert.deepEqual(await walk('Shift+Tab'), titles.slice(0, -1).reverse())
})

browserTest('while My work scrolls, its elements take other rows', async (fixture) => {
  const { as, team } = fixture
  const assignee_ids = [team.people.member.id]
  await seedTasks(fixture, 100, (n) => ({ title: `Errand ${n + 1}.`, assignee_ids }))
  const page = await as('member')
  await page.goto(`/w/${team.workspace}/my`)
  const focusedLink = page.getByRole('link', { name: 'Errand 3.', exact: true })
  // Rows beyond the viewport are rendered a moment later.
  await expect(page.getByText('Errand 22.')).toBeAttached()
  await focusedLink.focus()
  const before = await rowsOf(page).count()
  await rowsOf(page).evaluateAll((rows) => {
    for (const row of rows) Object.assign(row, { docketMark: row.dataset.row })
  })
  for (let step = 1; step <= 6; step++) {
    await scrollTo(page, step * 300)
    await page.evaluate(() => new Promise(requestAnimationFrame))
  }
  const shown = await rowsOf(page).evaluateAll((rows) =>
    rows.map((row) => ({
      place: Number(row.ariaPosInSet),
      text: row.textContent,
      mark: 'docketMark' in row ? row.docketMark : undefined,
      id: row.dataset.row,
    })),
  )
  const reused = shown.filter(({ mark, id }) => mark !== undefined && mark !== id)
  assert.ok(reused.length > before / 2, 'control: elements are used again')
  for (const { place, text } of shown) assert.match(text, new RegExp(`Errand ${place}\\.`))
  // That of the row with the focus is not.
  const { mark, id } = shown.find(({ place }) => place === 3) ?? {}
  assert.ok(mark !== undefined && mark === id)
  await expect(focusedLink).toBeFocused()

  // A list that rests has its rows in order; the one with the focus has not moved.
  const isInOrder = async () =>
    isAscending(
      await rowsOf(page).evaluateAll((rows) =>
        rows.map(({ ariaPosInSet }) => Number(ariaPosInSet)),
      ),
    )
  await expect.poll(isInOrder).toBe(true)
  await expect(focusedLink).toBeFocused()

  // The next row does not take the element that has the focus: nobody would be told of it.
  await focusedLink.evaluate((link) => {
    link.addEventListener('blur', () => Object.assign(globalThis, { docketHasBlurred: true }))
  })
  await page.keyboard.press('j')
  await expect(page.getByRole('link', { name: 'Errand 4.', exact: true })).toBeFocused()
  assert.equal(await page.evaluate(() => 'docketHasBlurred' in globalThis), true)
})

for (const [device, viewport] of [
  ['desktop', { width: 1280, height: 720 }],
  ['phone', { width: 360, height: 740 }],
] as const) {
  browserTest(`rows of different heights leave no gap: ${device}`, async (fixture) => {
    const { as, team } = fixture
    await seedTasks(fixture, 100, (n) => ({
      title: `Errand ${n + 1}${n % 3 === 0 ? ' that is long' : ''}`,
      ...(n % 3 > 0 && { description: 'It is long.' }),
    }))
    const page = await as('member', { viewport })
    await page.goto(`/w/${team.workspace}/search?q=long`)
    await expect(rowsOf(page).first()).toHaveAttribute('aria-setsize', '100')
    // Each step shows the end of the rows before it, so a row that it leaves out is a gap.
    let last = 0
    for (let top = 0; last < 100; top += 300) {
      await scrollTo(page, top)
      const places = await readVisiblePlaces(page)
      const first = Math.min(places[0] ?? 0, last + 1)
      last = Math.max(places.at(-1) ?? 0, last)
      const message = `${top} px of ${await readHeight(page)}`
      assert.deepEqual(
        places,
        Array.from({ length: last + 1 - first }, (_, n) => first + n),
        message,
      )
      assert.ok(top < 100 * 300, message)
    }
    // Going back finds the same rows; the open task leaves room for fewer of them.
    const [firstPlace] = await readVisiblePlaces(page)
    await page.locator('li[aria-posinset="100"]').getByRole('link').first().click()
    // Drawn, and not only in the address: then the place of the list is known.
    const panel = page.getByRole('complementary', { name: /^Task / })
    await expect(panel.getByRole('heading').first()).toBeVisible()
    await page.getByRole('link', { name: 'Inbox' }).first().click()
    await expect(page).toHaveURL(/inbox/)
    await page.goBack()
    await expect.poll(async () => (await readVisiblePlaces(page))[0]).toBe(firstPlace)
    const places = await readVisiblePlaces(page)
    assert.ok(places.length > 5)
    assert.deepEqual(
      places,
      places.map((_, n) => (firstPlace ?? 0) + n),
    )
  })
}
